"""One choice of controls for all methods."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dcq.evidence.check import Check, Mark, Topic
from dcq.evidence.choice import is_control, is_usable
from dcq.evidence.looks import EndedAtLook, Looks
from dcq.evidence.record import FOUND, Evidence, Measure
from dcq.judging.controls import ControlPool
from dcq.judging.judged import JudgedResult
from tests.support.cases import line_of, made_up
from tests.support.study_figures import control

TARGET = replace(control("rivers", 30), role="target")


def case(
    *controls: Evidence, target: Evidence = TARGET, besides: tuple[Evidence, ...] = ()
) -> JudgedResult:
    every = {one.run: one for one in (target, *controls, *besides)}
    return ControlPool([one for one in controls if is_control(one)], every).compare(target)


def names(made: JudgedResult) -> list[str]:
    return [one.place for one in made.controls]


def only_note(made: JudgedResult) -> Check:
    [note] = made.notes
    return note


@pytest.mark.parametrize(
    ("given", "control_too"),
    [
        ({}, True),
        ({"role": "positive"}, False),
        ({"finished": False}, False),
        ({"incomparable": made_up(Topic.CONTROLS, Mark.BAD)}, False),
    ],
)
def test_what_is_a_control(given: dict[str, Any], control_too: bool) -> None:
    assert is_control(control("lakes", **given)) is control_too


def test_a_control_is_usable_with_a_fifth_of_its_answers_missing() -> None:
    assert is_usable(control("lakes", unusable=0.2))
    assert not is_usable(control("lakes", unusable=0.21))


@pytest.mark.parametrize(
    "given",
    [
        {"method": "replication"},
        {"model": "other"},
        {"setting": (("kind", "standard"), ("slot", "B"))},
        {"partition": "rivers/test"},
    ],
)
def test_what_was_asked_otherwise_is_no_control(given: dict[str, Any]) -> None:
    made = case(control("lakes"), control("ponds", **given))
    assert names(made) == ["lakes"]
    assert made.calibration is not None
    assert made.calibration.controls == 1
    assert made.notes == ()


def test_where_all_were_asked_otherwise_it_is_said_in_what() -> None:
    other = (("kind", "rotated"), ("slot", ""))
    made = case(control("lakes", setting=other))
    assert (made.controls, made.calibration) == ((), None)
    note = line_of(only_note(made))
    assert (note.topic, note.mark) == (Topic.CONTROLS, Mark.CAUTION)
    assert "in another way (kind and slot differ)" in note.sentence
    # Another model's controls say nothing about this one's.
    assert case(control("lakes", setting=other, model="other")).notes == ()
    assert case().notes == ()


def test_controls_of_another_task_or_language_are_shown_and_unfair() -> None:
    target = replace(TARGET, task="summarisation", language="en")
    made = case(control("lakes", task="template", language="en"), target=target)
    assert names(made) == ["lakes"]
    assert made.calibration is not None
    assert made.unfair is not None
    assert "(template in en; the target is summarisation in en)" in made.unfair.sentence
    fitting = control("ponds", task="summarisation", language="en")
    made = case(control("lakes", task="template", language="en"), fitting, target=target)
    assert (names(made), made.unfair) == (["ponds"], None)


def test_controls_that_hardly_answered_are_left_out_and_named() -> None:
    made = case(control("lakes"), control("mute", unusable=0.5))
    assert names(made) == ["lakes"]
    assert only_note(made).sentence.endswith("lack a usable reply: mute.")
    # Unless there is no other, which the line on replies then says.
    made = case(control("mute", unusable=0.5))
    assert (names(made), made.notes, made.control_unusable) == (["mute"], (), 0.5)


def test_controls_without_any_answer_are_no_comparison() -> None:
    silent = control("mute", usable=0, measures=(Measure(FOUND, np.full((40, 1), np.nan)),))
    made = case(silent)
    assert made.calibration is None
    assert made.unfair is not None
    assert made.unfair.sentence == "mute gave no usable answer."


def test_controls_by_the_same_writer_are_preferred() -> None:
    target = replace(TARGET, writer="model:a")
    mine, other = control("lakes", writer="model:a"), control("ponds", writer="model:b")
    made = case(mine, other, target=target)
    assert names(made) == ["lakes"]
    assert (only_note(made).topic, only_note(made).mark) == (Topic.WRITER, Mark.GOOD)
    assert names(case(other, target=target)) == ["ponds"]


def test_of_several_sets_of_a_control_the_one_by_the_same_writer_is_compared_with() -> None:
    target = replace(TARGET, writer="model:a")
    first = control("lakes", writer="model:b", question="lakes")
    second = control("lakes", writer="model:a", question="lakes", run="second")
    made = case(first, target=target, besides=(second,))
    assert [one.run for one in made.controls] == ["second"]


def test_a_result_that_cannot_be_compared_says_why() -> None:
    why = made_up(Topic.CONTROLS, Mark.BAD, "none", "No bdq.")
    made = case(control("lakes"), target=replace(TARGET, incomparable=why))
    assert (made.unfair, made.controls, made.calibration) == (why, (), None)


LOOKS = Looks((20, 40), (0.01, 0.05), (0.5, 1.0))


def looked(*planned: str, overall_p: float = 0.04) -> Evidence:
    return replace(TARGET, looks=EndedAtLook(planned, LOOKS, 1, overall_p, ended=True))


def test_a_run_that_ended_at_a_look_keeps_the_controls_it_was_planned_with() -> None:
    made = case(control("lakes"), control("ponds"), target=looked("lakes"))
    assert names(made) == ["lakes"]
    assert made.p_value == 0.04  # with all looks counted
    gone = case(control("lakes"), target=looked("lakes", "gone"))
    assert gone.unfair is not None
    assert "have changed since" in gone.unfair.sentence
    changed = case(control("lakes", role="target"), target=looked("lakes"))
    assert changed.unfair is not None
    assert changed.unfair.sentence.endswith("have changed since: lakes.")


def test_what_todays_controls_would_say_stands_beside_planned_ones() -> None:
    high = [control(name, 29) for name in ("ponds", "seas", "bays")]
    made = case(control("lakes"), *high, target=looked("lakes"))
    assert only_note(made).sentence.startswith("Against the 4 controls available today, p would be")


def test_only_controls_of_runs_of_the_same_method_can_have_been_asked_otherwise() -> None:
    panel = (("prompt", "likelihood/v1"), ("variants", "3"))
    scored = control("lakes", method="likelihood", setting=panel)
    other = control("ponds", method="likelihood", reader="quiz", setting=(("kind", "rotated"),))
    target = replace(TARGET, method="likelihood", reader="quiz")
    assert case(scored, target=target).notes == ()
    assert only_note(case(scored, other, target=target)).figures["differs"] == ["kind", "slot"]
