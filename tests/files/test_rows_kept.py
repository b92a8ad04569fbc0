"""The row of each instance and the revision of its data, wherever a store's content goes."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from pyarrow import parquet

from dcq.files import bundle_import, bundle_write, export, sample_file
from dcq.files.export import ExportTable
from dcq.jobs.restore import restore
from dcq.partitions import draw_sample, open_partition
from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store, copies, samples, variants
from dcq.store.variants import NewVariant
from tests.conftest import small_sample
from tests.support.runs import answer

REVISION = "sha256:"


@pytest.fixture
def drawn(fresh_store: Store, tmp_path: Path) -> str:
    """A sample of a file whose first row is left out, with rewordings."""
    texts = [instance.text for instance in small_sample(5).instances]
    rows = [{"text": None}, *({"text": text} for text in texts)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    sample = draw_sample(open_partition("Mine", "test", file=tmp_path / "a.jsonl", text="text"))
    sample_id = samples.save(fresh_store, sample)
    new = [
        NewVariant(instance.id, slot, f"{instance.text} ({slot})", "person", "Ana")
        for instance in sample.instances
        for slot in range(4)
    ]
    variants.add(fresh_store, sample_id, new)
    return sample_id


def stated(store: Store, sample_id: str) -> tuple[list[int | None], str]:
    sample = samples.load(store, sample_id)
    return [instance.row for instance in sample.instances], sample.revision


@pytest.fixture
def right(fresh_store: Store, drawn: str) -> tuple[list[int | None], str]:
    found = stated(fresh_store, drawn)
    assert sorted(row or 0 for row in found[0]) == [1, 2, 3, 4, 5]
    assert found[1].startswith(REVISION)
    return found


def test_a_bundle_carries_them(
    fresh_store: Store, drawn: str, right: object, tmp_path: Path
) -> None:
    quiz = freeze.freeze(fresh_store, drawn, QuizKind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"D": 5})
    there = Store(tmp_path / "there.duckdb")
    (tmp_path / "a.zip").write_bytes(bundle_write.to_bytes(fresh_store)[0])
    bundle_import.load(there, tmp_path / "a.zip")
    assert stated(there, drawn) == right


def test_a_bundle_without_texts_carries_them(
    fresh_store: Store, drawn: str, right: tuple[list[int | None], str]
) -> None:
    quiz = freeze.freeze(fresh_store, drawn, QuizKind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"D": 5})
    packed = zipfile.ZipFile(io.BytesIO(bundle_write.to_bytes(fresh_store, with_text=False)[0]))
    instances, found = (
        parquet.read_table(io.BytesIO(packed.read(f"tables/{name}.parquet"))).to_pylist()
        for name in ("instance", "sample")
    )
    by_position = sorted(instances, key=lambda row: row["position"])
    assert [row["row_number"] for row in by_position] == right[0]
    assert [row["revision"] for row in found] == [right[1]]


def test_a_backup_carries_them(
    fresh_store: Store, drawn: str, right: object, tmp_path: Path
) -> None:
    copies.take(fresh_store, tmp_path / "copy.duckdb")
    there = Store(tmp_path / "there.duckdb")
    restore(there, tmp_path / "copy.duckdb", mine=True)
    assert stated(there, drawn) == right


def test_a_sample_file_carries_them(
    fresh_store: Store, drawn: str, right: object, tmp_path: Path
) -> None:
    (tmp_path / "sample.json").write_text(sample_file.dump(fresh_store, drawn))
    there = Store(tmp_path / "there.duckdb")
    assert stated(there, samples.save(there, sample_file.read(tmp_path / "sample.json"))) == right


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_tables_of_rewordings_and_quizzes_have_them(
    fresh_store: Store, drawn: str, right: tuple[list[int | None], str], suffix: str
) -> None:
    quiz = freeze.freeze(fresh_store, drawn, QuizKind.STANDARD, slot="D").quiz
    for what, of, times in ((ExportTable.VARIANTS, drawn, 4), (ExportTable.QUIZ, quiz, 1)):
        data = export.frame(fresh_store, what, of)
        assert Counter(data["row"]) == Counter(right[0] * times)
        assert set(data["revision"]) == {right[1]}
        assert export.to_bytes(data, suffix)


def test_rows_that_are_not_known_are_left_empty(fresh_store: Store, sample_id: str) -> None:
    data = export.frame(fresh_store, ExportTable.VARIANTS, sample_id)
    assert data["row"].isna().all()
    assert b",,," in export.to_bytes(data[["instance", "row", "revision", "flag"]], ".csv")
