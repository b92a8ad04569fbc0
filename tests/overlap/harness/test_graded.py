"""The metric that tells right from wrong, and what of a log is left out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.overlap.harness.graded import GradedRow, grade, read_grades


def _rows(**columns: list[Any]) -> list[GradedRow]:
    size = max(map(len, columns.values()))
    return [
        GradedRow("m", str(place), {name: values[place] for name, values in columns.items()})
        for place in range(size)
    ]


@pytest.mark.parametrize(
    ("columns", "metric"),
    [
        ({"f1": [1.0, 0.67], "em": [1, 0]}, "em"),
        ({"f1": [1.0, 0.0], "em": [1, 0]}, "em"),  # F1 is never right or wrong, even so
        ({"perplexity": [-1.2, -2.2], "acc": [1.0, 0.0]}, "acc"),
        ({"acc_norm": [1, 0], "acc": [0, 0]}, "acc"),
        ({"rouge1": [0, 1], "mine": [True, False]}, "mine"),
        ({"mine": ["C", "I"]}, "mine"),
        ({"own": [0.3, 0.9]}, "own"),  # the only one there is
        ({"brier": [0.2, 0.1], "exact_match": [0.5, 0.25]}, "exact_match"),  # means of four
        ({"is_correct": [[True], [False]]}, "is_correct"),
    ],
)
def test_the_metric_that_tells_right_from_wrong(columns: dict[str, list[Any]], metric: str) -> None:
    assert read_grades(_rows(**columns), "log").metric == metric


def test_where_several_could_one_is_chosen_by_its_name() -> None:
    rows = _rows(acc=[1, 0], acc_norm=[0, 0])
    assert [a.correct for a in read_grades(rows, "log", "acc_norm").answers] == [0, 0]
    read = read_grades(rows, "log")
    assert read.others == ("acc_norm",)
    assert read.remarks("a.jsonl") == [
        "a.jsonl: acc says what is right; it also has acc_norm, which --metric chooses."
    ]
    with pytest.raises(InputError, match=r"no metric 'acc_norn'; choose from acc and acc_norm"):
        read_grades(rows, "log", "acc_norn")


def test_what_no_metric_tells_is_refused() -> None:
    with pytest.raises(InputError, match="no metric that tells right from wrong"):
        read_grades(_rows(f1=[0.5, 0.2], bleu=[0.1, 0.2]), "log")
    assert read_grades(_rows(f1=[0.5, 0.2], bleu=[0.1, 0.2]), "log", "f1").metric == "f1"
    with pytest.raises(InputError, match="not from 0 to 1"):
        read_grades(_rows(a=[-3.0], acc=[1]), "log", "a")


def test_instances_without_a_grade_are_counted() -> None:
    rows = [
        *_rows(acc=[1, None, float("nan"), ""]),
        GradedRow("m", "9", {}, problem="whose sample ended in an error"),
    ]
    read = read_grades(rows, "log")
    assert [answer.instance_id for answer in read.answers] == ["0"]
    assert read.left_out == {"without a grade": 3, "whose sample ended in an error": 1}
    assert "log: 1 instance whose sample ended in an error is left out." in read.remarks("log")


@given(
    st.lists(st.one_of(st.booleans(), st.sampled_from(["C", "I", 0, 1, 0.0, "yes"])), min_size=1)
)
def test_grades_are_shares_in_any_spelling(values: list[Any]) -> None:
    mean = grade(values)
    assert mean is not None
    assert 0 <= mean <= 1
