from pathlib import Path

import pytest

from dcq.effect.scores import (
    ItemVersion,
    ModelRole,
    VersionedAnswer,
    gather,
    read_scores,
    read_seen,
    split_id,
    versioned_id,
)
from dcq.errors import DcqError, InputError
from tests.support.result_files import write_csv

HEAD = ("model", "role", "instance_id", "version", "correct")


def _table(path: Path, *rows: tuple[object, ...]) -> str:
    return str(write_csv(path, [dict(zip(HEAD, row, strict=True)) for row in rows]))


ROWS = (
    ("m", "target", "a", "original", 1),
    ("m", "target", "a", "reworded", 0),
    ("c", "reference", "a", "original", "true"),
    ("c", "reference", "a", "reworded", "0.5"),
)


def test_a_table_is_read(tmp_path: Path) -> None:
    first, second = read_scores([_table(tmp_path / "s.csv", *ROWS)]).models
    assert (first.model, first.role, first.original, first.reworded) == (
        "m", ModelRole.TARGET, {"a": 1}, {"a": 0},
    )  # fmt: skip
    assert (second.role, second.original, second.reworded) == ("reference", {"a": 1}, {"a": 0.5})


def test_missing_doubled_unpaired_and_foreign_ids_are_named(tmp_path: Path) -> None:
    answers = [
        VersionedAnswer(model, instance, version, 1.0)
        for model in ("m", "n", "o")
        for instance in ("a", "b", "c")
        for version in ItemVersion
        if (model, instance) != ("o", "b")
    ]
    answers += [
        VersionedAnswer("m", "a", ItemVersion.ORIGINAL, 0.0),
        VersionedAnswer("m", "d", ItemVersion.ORIGINAL, 1.0),
        *(VersionedAnswer("n", "z", version, 1.0) for version in ItemVersion),
    ]
    scores = gather(answers)
    found = {one.model: one for one in scores.models}
    assert found["m"].doubled == ("a",)
    assert found["m"].original["a"] == 0.5
    assert found["m"].unpaired == ("d",)
    assert scores.missing == {"o": ("b",)}
    assert scores.foreign == {"n": ("z",)}


def test_references_are_named_by_a_person(tmp_path: Path) -> None:
    path = _table(tmp_path / "s.csv", *((*row[:1], "", *row[2:]) for row in ROWS))
    roles = {one.model: one.role for one in read_scores([path], ["c"]).models}
    assert roles == {"m": ModelRole.TARGET, "c": ModelRole.REFERENCE}
    with pytest.raises(InputError, match="'x'"):
        read_scores([path], ["x"])


@pytest.mark.parametrize(
    ("row", "word"),
    [
        (("m", "target", "a", "original", "maybe"), "maybe"),
        (("m", "target", "a", "older", 1), "older"),
        (("m", "judge", "a", "original", 1), "judge"),
        (("m", "reference", "a", "original", 1), "one role"),
        (("m", "target", "a", "original", "2"), "'2'"),
        (("m", "target", "a", "original", "nan"), "nan"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(
    tmp_path: Path, row: tuple[object, ...], word: str
) -> None:
    with pytest.raises(InputError, match=word):
        read_scores([_table(tmp_path / "s.csv", *ROWS[:2], row)])


def test_one_version_alone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="both an original and its rewording"):
        read_scores([_table(tmp_path / "s.csv", ROWS[0])])


@pytest.mark.parametrize("given", ["none.csv", "original=none.csv", "=", ""])
def test_a_file_that_is_not_there(given: str) -> None:
    with pytest.raises(DcqError):
        read_scores([given])


def test_a_file_named_by_its_version(tmp_path: Path) -> None:
    rows = [{"model": "m", "instance_id": "a", "correct": 1}]
    paths = {version: write_csv(tmp_path / f"{version}.csv", rows) for version in ItemVersion}
    (one,) = read_scores([f"{version}={path}" for version, path in paths.items()]).models
    assert one.original == one.reworded == {"a": 1}
    with pytest.raises(InputError, match="original="):
        read_scores([str(paths[ItemVersion.ORIGINAL])])


def test_ids_say_their_version(tmp_path: Path) -> None:
    whole = versioned_id("a@b-c", ItemVersion.REWORDED, "B.12ab")
    assert whole == "a@b-c@reworded-B.12ab"
    assert split_id(whole, tmp_path) == ("a@b-c", ItemVersion.REWORDED)
    for wrong in ("a", "@original", "a@new", "a@originals"):
        with pytest.raises(InputError):
            split_id(wrong, tmp_path)


def test_recognised_instances(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"model": "m", "instance_id": "a", "seen": 1},
        {"model": "m", "instance_id": "b", "seen": "no"},
    ]
    assert read_seen(write_csv(tmp_path / "s.csv", rows)) == {"m": {"a": True, "b": False}}
    with pytest.raises(InputError, match="twice"):
        read_seen(write_csv(tmp_path / "t.csv", [rows[0], rows[0]]))
    with pytest.raises(InputError, match="seen"):
        read_seen(write_csv(tmp_path / "u.csv", [{"model": "m", "instance_id": "a"}]))
