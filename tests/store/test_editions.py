"""A file with other rows under the same name is another edition, which is judged apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from dcq.partitions import draw_sample, open_partition
from dcq.store import Store, samples
from dcq.store.samples import StoredSample

RIVERS = [
    f"River {number} runs past mill {3 * number} and freezes in a hard winter."
    for number in range(40)
]
TRAINS = [
    f"Train {number} leaves platform {number + 5} at noon for the coast." for number in range(40)
]


def draw(
    store: Store, path: Path, rows: Sequence[str], *, seed: int = 0, text: str = "text"
) -> StoredSample:
    lines = [f'"{row}",{number % 2}' for number, row in enumerate(rows)]
    path.write_text("\n".join([f"{text},label", *lines]), "utf-8")
    opened = open_partition("bench", "test", file=path, text=text, label="label")
    return samples.load(store, samples.save(store, draw_sample(opened, 24, seed=seed)))


@pytest.fixture
def first(fresh_store: Store, tmp_path: Path) -> StoredSample:
    return draw(fresh_store, tmp_path / "bench.csv", RIVERS)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (TRAINS, "rows that can be compared differ from the edition of"),
        (RIVERS[:30], "it has 30 instances, and the edition of"),
        ([*RIVERS, *TRAINS[:10]], "it has 50 instances, and the edition of"),
    ],
    ids=["replaced", "shortened", "extended"],
)
def test_other_rows_are_another_edition(
    fresh_store: Store, tmp_path: Path, first: StoredSample, rows: Sequence[str], said: str
) -> None:
    other = draw(fresh_store, tmp_path / "bench.csv", rows)
    assert (first.partition.id, other.partition.id) == ("bench/test", "bench-2/test")
    [note] = [note for note in other.notes if note.startswith("Saved as bench-2/test")]
    assert said in note
    assert "(bench/test)" in note
    assert note.endswith("The two are judged apart.")
    # Whoever draws either file again gets the edition that it belongs to.
    assert draw(fresh_store, tmp_path / "bench.csv", rows, seed=7).partition.id == "bench-2/test"
    assert draw(fresh_store, tmp_path / "bench.csv", RIVERS, seed=7).partition.id == "bench/test"


def test_one_row_that_was_drawn_and_is_mended_is_enough(
    fresh_store: Store, tmp_path: Path, first: StoredSample
) -> None:
    mended = first.instances[0].row
    rows = [f"{row} Mended." if place == mended else row for place, row in enumerate(RIVERS)]
    other = draw(fresh_store, tmp_path / "bench.csv", rows, seed=1)
    again = draw(fresh_store, tmp_path / "bench.csv", rows)
    assert {other.partition.id, again.partition.id} <= {"bench/test", "bench-2/test"}
    assert "bench-2/test" in {other.partition.id, again.partition.id}


def test_another_draw_or_form_of_the_same_rows_is_the_same_edition(
    fresh_store: Store, tmp_path: Path, first: StoredSample
) -> None:
    again = draw(fresh_store, tmp_path / "bench.csv", RIVERS, seed=3)
    assert again.partition.id == first.partition.id
    assert again.id != first.id
    # Another line end changes the file and none of its rows.
    path = tmp_path / "bench.csv"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    opened = open_partition("bench", "test", file=path, text="text", label="label")
    saved = samples.load(fresh_store, samples.save(fresh_store, draw_sample(opened, 24, seed=5)))
    assert saved.revision != first.revision
    assert saved.partition.id == first.partition.id
