from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from dcq.errors import InputError
from dcq.overlap.effect import blocked, by_subject, domain_counts, effects
from dcq.overlap.labels import Label, read_labels
from dcq.overlap.match import Category
from dcq.overlap.results import Answer

LABELS = {
    **{f"c{n}": Label(Category.CLEAN, 0.2) for n in range(10)},
    **{f"i{n}": Label(Category.INPUT_ONLY, 0.8) for n in range(4)},
    **{f"b{n}": Label(Category.INPUT_AND_LABEL, 1.0) for n in range(6)},
}


def _answers(model: str, right: int) -> list[Answer]:
    """The first ``right`` clean instances right, half of the input-only ones, all others."""
    good = {f"c{n}" for n in range(right)} | {"i0", "i1"} | {f"b{n}" for n in range(6)}
    return [Answer(model, one, float(one in good), "law") for one in LABELS]


def test_accuracy_by_category_and_the_difference() -> None:
    [found] = effects([*_answers("m", 3), Answer("m", "unknown", 1)], LABELS)
    shown = {name: (part.n, part.accuracy) for name, part in found.categories.items()}
    assert shown == {
        "all": (20, 11 / 20),
        "clean": (10, 0.3),
        "not-clean": (10, 0.8),
        "input-only": (4, 0.5),
        "input-and-label": (6, 1.0),
    }
    assert found.difference.difference == pytest.approx(0.5)
    assert found.unlabeled == 1
    assert found.by_score[2].accuracy.n == 10
    assert found.by_score[9].accuracy.accuracy == 1
    assert found.adjusted.difference is None  # there is no other model


def test_other_models_give_the_difficulty() -> None:
    answers = [*_answers("m", 3), *_answers("n", 3), *_answers("o", 10)]
    found = {one.model: one for one in effects(answers, LABELS)}
    assert found["m"].adjusted.difference is not None
    # Where the others are right on the same instances, m gains nothing from overlap.
    assert found["m"].adjusted.difference < found["m"].difference.difference  # type: ignore[operator]


def test_accuracy_by_subject() -> None:
    found = by_subject(_answers("m", 3), LABELS)
    assert found["m", "law"]["clean"].n == 10


def test_ids_that_match_nothing_are_one_sentence() -> None:
    with pytest.raises(InputError, match="their ids differ, such as 'x' and 'c0'"):
        effects([Answer("m", "x", 1)], LABELS)


def test_a_blocklist_must_have_every_page_of_an_instance() -> None:
    pages = {
        "1": ["https://www.a.org/x/", "http://b.org/y?z=1"],
        "2": ["https://a.org/other"],
        "3": ["https://c.org"],
        "4": [],
    }
    found = blocked(pages, ["http://a.org/x", "https://b.org/y"])
    assert (found.n, found.by_address, found.by_domain) == (3, 1 / 3, 2 / 3)
    assert blocked({}, ["a"]).by_address is None
    assert domain_counts(pages) == {"a.org": 2, "b.org": 1, "c.org": 1}


def test_labels_are_read_from_csv_and_from_the_authors_annotations(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("instance_id,category,score\n1,clean,\n2,input-only,0.8\n")
    found = read_labels(tmp_path / "a.csv")
    assert math.isnan(found["1"].score)
    assert found["2"] == Label(Category.INPUT_ONLY, 0.8)
    notes = {"1": ["clean", 0.1], "2": ["input-and-label contamination", 0.9]}
    (tmp_path / "a.json").write_text(json.dumps(notes))
    assert read_labels(tmp_path / "a.json")["2"] == Label(Category.INPUT_AND_LABEL, 0.9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,category\n1,clean\n", "lacks instance_id or category in row 1"),
        ("instance_id,category\n1,dirty\n", "calls '1' 'dirty'"),
        ("instance_id,category\n1,clean\n1,clean\n", "'1' twice"),
        ("instance_id,category,score\n1,clean,high\n", "score 'high'"),
        ("instance_id,category,score\n1,clean,1.5\n", "from 0 to 1"),
    ],
)
def test_mistakes_in_labels_are_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_labels(tmp_path / "a.csv")
