"""Scores that others computed."""

from __future__ import annotations

import pytest

from dcq.errors import InputError
from dcq.evidence.lot import assess
from dcq.protect import scores_file
from dcq.protect.scores_file import assess_file, document

HEAD = "item,wording,published,score\n"


def test_a_file_is_tested_as_its_scores_are() -> None:
    content = HEAD + "1,a,0,-3\n1,b,1,-1.5\n1,c,0,nan\n2,a,1,\n2,b,0,2\n2,c,0,2\n"
    [(name, found)] = assess_file(content.encode(), "f").items()
    assert name == ""
    assert found == assess([[-1.5, -3, float("nan")], [float("nan"), 2, 2]])
    assert document(name, found)["picked"] == 1.0


def test_benchmarks_are_tested_apart() -> None:
    rows = "benchmark,item,wording,published,score\n"
    rows += "".join(f"{name},1,{w},{int(w == 'a')},{w == 'a':d}\n" for name in "xy" for w in "abcd")
    assert list(assess_file(rows.encode(), "f")) == ["x", "y"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "lacks the column"),
        (HEAD, "no rows"),
        ("item,wording,score\n1,a,2\n", "published"),
        (HEAD + "1,a,1,2\n", "1 wording"),
        (HEAD + "1,a,1,2\n1,b,1,3\n", "2 published"),
        (HEAD + "1,a,0,2\n1,b,0,3\n", "0 published"),
        (HEAD + "1,a,1,2\n1,a,0,3\n", "again"),
        (HEAD + "1,a,1,two\n1,b,0,3\n", "no score"),
        ("item,wording,published,score,score\n1,a,1,3,4\n1,b,0,5,1\n", "score more than once"),
        (HEAD + "1,a,perhaps,2\n1,b,0,3\n", "1 or 0"),
        (HEAD + "1,a,1\n1,b,0,3\n", "Row 2 of f.csv has not as many cells"),
        (HEAD + "1,a,1,2\n\n1,b,0,3,4\n", "Row 3 of f.csv has not as many cells"),
    ],
)
def test_a_mistake_is_one_sentence(content: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        assess_file(content.encode(), "f.csv")
    with pytest.raises(InputError, match="no csv"):
        assess_file(b"\xff\xfe\x00", "f.csv")


def test_too_many_rows_are_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores_file, "_MOST_ROWS", 3)
    with pytest.raises(InputError, match="more than 3 rows"):
        assess_file((HEAD + "1,a,1,2\n1,b,0,3\n2,a,1,2\n2,b,0,3\n").encode(), "f.csv")
