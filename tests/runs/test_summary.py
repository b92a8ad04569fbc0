from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from dcq.evidence.kappa import kappa_fixed
from dcq.records import Kind, Role
from dcq.runs.results import Result
from dcq.runs.summary import p_words, points, summarise, two_decimals


def _result(correct: int, n: int, *, kind: Kind = Kind.STANDARD, **changes: object) -> Result:
    found = kappa_fixed(correct, n)
    rest = n - correct
    plain = Result(
        run="r",
        quiz="q",
        sample="s",
        model="m",
        partition="ag_news/train",
        title="AG News",
        split_title="train",
        role=Role.TARGET,
        kind=kind,
        slot=3 if kind is Kind.STANDARD else None,
        n=n,
        correct=correct,
        score=found.score,
        kappa_fixed=found.kappa_fixed,
        kappa_low=found.kappa_low,
        kappa_high=found.kappa_high,
        p_value=found.p_value,
        outcomes={"answered": n},
        chosen=(rest, 0, 0, correct),
        at=datetime(2026, 1, 1),
    )
    if kind is Kind.MODIFIED:
        plain = replace(plain, correct=None, score=None, kappa_fixed=None, p_value=None)
    return replace(plain, **changes)  # type: ignore[arg-type]  # names of fields


def test_a_lone_result_is_compared_with_guessing_and_leaves_slot_and_wording_open() -> None:
    told = summarise(_result(72, 100), [])
    assert told.headline == (
        "m picked the original in 72 of 100 instances of AG News train: κ 0.63 [0.50, 0.73], "
        "where guessing gives 0."
    )
    assert told.context[0] == "Guessing does not explain this (p < 0.001)."
    assert "slot D is not ruled out" in told.context[1]
    assert "wording is not ruled out" in told.context[2]


@pytest.mark.parametrize(
    ("at_d", "words"),
    [(3, "does not explain it"), (25, "does not explain it"), (60, "may explain")],
)
def test_the_modified_quiz_tells_whether_the_slot_explains_it(at_d: int, words: str) -> None:
    bare = _result(0, 100, kind=Kind.MODIFIED, chosen=(100 - at_d, 0, 0, at_d))
    assert words in summarise(_result(72, 100), [bare]).context[1]
    other_sample = replace(bare, sample="another")
    assert "not ruled out" in summarise(_result(72, 100), [other_sample]).context[1]


def test_controls_of_the_same_model_and_quiz_stand_in_the_sentence() -> None:
    control = _result(26, 100, role=Role.CONTROL, title="Own news", split_title="test")
    target = _result(72, 100)
    assert "against 0.01 [−0.09, 0.14] on the control partition Own news test" in (
        summarise(target, [target, control]).headline
    )
    two = summarise(target, [control, replace(control, kappa_fixed=-0.2)])
    assert "against −0.20 to 0.01 on 2 controls" in two.headline
    for stranger in (replace(control, model="x"), replace(control, kind=Kind.ROTATED)):
        assert "where guessing gives 0" in summarise(target, [stranger]).headline


def test_a_result_that_guessing_explains_says_so_and_no_more() -> None:
    assert summarise(_result(26, 100), []).context == (
        "Guessing explains this as well (p = 0.447).",
    )
    assert "clearly below guessing" in summarise(_result(5, 100), []).context[0]


def test_a_control_is_not_compared_with_itself() -> None:
    control = _result(60, 100, role=Role.CONTROL)
    told = summarise(control, [control])
    assert "where guessing gives 0" in told.headline
    assert told.context[-1].startswith("No model can have seen this partition")


def test_without_a_value_none_is_made_up() -> None:
    assert "κ has no value" in summarise(_result(0, 0), []).headline
    bare = summarise(_result(0, 100, kind=Kind.MODIFIED, chosen=(50, 30, 10, 10)), [])
    assert bare.headline.startswith("Shown no original, m chose slot D least: in 10")


def test_a_rotated_quiz_counts_calls_and_instances() -> None:
    told = summarise(_result(60, 100, kind=Kind.ROTATED), [])
    assert "in 60 of 400 calls on 100 instances" in told.headline
    assert "a liking for a letter cancels out" in told.context[1]


def test_an_unfinished_run_says_how_far_it_came() -> None:
    some = _result(1, 9, outcomes={"answered": 9, "error": 1}, questions=40, finished=False)
    assert summarise(some, []).headline.startswith(
        "So far, with 9 of 40 questions answered: m picked the original in 1 of 9 instances"
    )
    bare = replace(some, kind=Kind.MODIFIED, kappa_fixed=None)
    assert summarise(bare, []).headline.startswith("So far, with 9 of 40 questions answered: Shown")


def test_numbers_are_signed_and_rounded() -> None:
    assert (two_decimals(-0.001), two_decimals(-0.2)) == ("0.00", "−0.20")
    assert (points(0.694), points(-0.2), points(-0.001)) == ("+69", "−20", "+0")
    assert (p_words(0.0004), p_words(0.0276)) == ("p < 0.001", "p = 0.028")
