"""Which result has which weight, from studies that are given by their figures."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest

from dcq import methods
from dcq.evidence.record import HERE, Evidence, ServedModel
from dcq.judging.answers import answer_study
from dcq.judging.judged import Ruling
from dcq.judging.weights import default_shares
from dcq.store.answer_plans import AnswerPlan
from tests.support.study_figures import EARLY, LATE, judge, late, only, plan, quizzes, replicated


def replied_at(one: Evidence, first: datetime) -> Evidence:
    late_reply = ServedModel(None, None, first, first + timedelta(hours=1))
    return replace(one, served={HERE: (late_reply,)})


def test_a_plan_counts_only_if_it_was_made_before_the_first_reply() -> None:
    study = judge(quizzes("rivers", 24))  # planned at the least of all times
    one = only(answer_study(study, [plan(quiz=1.0)]))
    assert one.plan is None
    assert "nothing was fixed before the first reply" in one.basis
    assert one.methods[0].weight == default_shares("quiz")["quiz"]
    in_time = judge(late(quizzes("rivers", 24)))
    newer = plan(at=EARLY + timedelta(hours=1), quiz=0.5)
    assert only(answer_study(in_time, [newer, plan(quiz=1.0)])).plan == newer
    too_late = plan(at=LATE + timedelta(hours=1), quiz=0.5)
    assert only(answer_study(in_time, [plan(quiz=1.0), too_late])).methods[0].weight == 1.0


def test_a_run_that_another_has_replaced_still_says_what_was_asked_first() -> None:
    """Its replies were known when the rest was chosen, so no later plan was fixed before them."""
    first = replace(quizzes("rivers", 24), run="small", at=EARLY)
    again = replace(quizzes("rivers", 24), run="whole", at=LATE + timedelta(hours=2))
    completed = replace(replicated("rivers", 6), at=LATE)
    study = judge(first, again, completed, standing={again.run, completed.run})
    one = only(answer_study(study, [plan(at=EARLY + timedelta(hours=1), replication=1.0)]))
    assert one.plan is None
    assert {each.method: each.weight for each in one.methods} == {
        name: default_shares("quiz")[name] for name in ("quiz", "replication")
    }


def test_a_run_without_a_reply_comes_before_no_plan() -> None:
    down = replace(quizzes("rivers", 0), run="down", at=EARLY, usable=0, outcomes={"error": 40})
    again = late(quizzes("rivers", 24))
    made = plan(at=EARLY + timedelta(hours=1), quiz=1.0)
    one = only(answer_study(judge(down, again, standing={again.run}), [made]))
    assert one.plan == made


def test_what_was_asked_beside_a_plan_is_shown_and_does_not_vote() -> None:
    alone = judge(late(quizzes("rivers", 24)))
    with_it = judge(late(quizzes("rivers", 24)), late(replicated("rivers", 30)))
    planned = [plan(quiz=1.0)]
    before, after = only(answer_study(alone, planned)), only(answer_study(with_it, planned))
    assert (before.p_value, before.ruling) == (after.p_value, after.ruling)
    assert [each.votes for each in after.methods] == [True, False]
    assert after.methods[1].aside


def test_default_weights_leave_room_for_methods_to_come() -> None:
    for one in methods.METHODS:
        if one.judged:
            assert sum(default_shares(one.name).values()) <= 1.0
            assert default_shares(one.name)[one.name] > 0.5
    assert "overlap" not in default_shares("quiz")


@pytest.mark.parametrize("planned", [(), (plan(quiz=1.0),)], ids=["by default", "planned"])
def test_a_slot_that_is_asked_after_another_is_no_second_chance(
    planned: tuple[AnswerPlan, ...],
) -> None:
    first = late(quizzes("rivers", 14))
    second = replace(
        quizzes("rivers", 30), run="second", family_key="second", at=LATE + timedelta(hours=1)
    )
    alone = only(answer_study(judge(first), planned))
    both = only(answer_study(judge(second, first), planned))
    assert (both.p_value, both.ruling) == (alone.p_value, alone.ruling)
    assert both.ruling is not Ruling.CONTAMINATED
    spoken, silent = both.methods
    assert (spoken.run, spoken.weight) == (first.run, alone.methods[0].weight)
    assert (silent.votes, silent.aside) == (False, True)
    why = "It was asked after another result of this method, which has the weight."
    assert silent.why_not == why
    assert f"The standard quiz does not count: {why}" in both.reasons
    assert only(answer_study(judge(late(second)), planned)).ruling is Ruling.CONTAMINATED


def test_a_slot_was_asked_first_if_the_run_that_was_replaced_was() -> None:
    pilot = replace(quizzes("rivers", 2), run="pilot", at=EARLY)
    other = replace(quizzes("rivers", 30), run="other", family_key="other", at=LATE)
    whole = replace(quizzes("rivers", 14), run="whole", at=LATE + timedelta(hours=1))
    one = only(answer_study(judge(pilot, other, whole, standing={other.run, whole.run})))
    assert [each.run for each in one.methods if each.weight] == [whole.run]


def test_a_slot_that_is_planned_first_and_asked_last_is_no_second_chance() -> None:
    """Planned before the other was asked, kept waiting, and asked when its replies were known."""
    waiting = replied_at(
        replace(quizzes("rivers", 30), run="waiting", family_key="waiting", at=EARLY),
        LATE + timedelta(hours=2),
    )
    asked = replied_at(replace(quizzes("rivers", 14), at=LATE), LATE)
    one = only(answer_study(judge(waiting, asked), [plan(quiz=1.0)]))
    assert [each.run for each in one.methods if each.weight] == [asked.run]
    assert one.ruling is not Ruling.CONTAMINATED


def test_weights_may_be_fixed_between_the_plan_of_a_run_and_its_first_reply() -> None:
    fixed = plan(at=LATE - timedelta(minutes=1), quiz=1.0)
    planned_before = replied_at(replace(quizzes("rivers", 24), at=EARLY), LATE)
    assert only(answer_study(judge(planned_before), [fixed])).plan == fixed
    replied_before = replied_at(planned_before, LATE - timedelta(minutes=2))
    assert only(answer_study(judge(replied_before), [fixed])).plan is None


@pytest.mark.simulation
def test_asking_a_second_slot_where_the_first_found_nothing_calls_no_more() -> None:
    """Texts that are somewhat easier than the controls, so that some are called."""
    random = np.random.default_rng(5)
    at_first = in_the_end = 0
    for first_right, second_right in random.binomial(40, 0.35, (400, 2)):
        first = late(quizzes("rivers", int(first_right)))
        second = replace(
            quizzes("rivers", int(second_right)),
            run="second",
            family_key="second",
            at=LATE + timedelta(hours=1),
        )
        called = [
            (only(answer_study(judge(*asked), [plan(quiz=1.0)])).p_value or 1.0) <= 0.05
            for asked in ((first,), (first, second))
        ]
        at_first += called[0]
        in_the_end += any(called)
    assert 0 < at_first == in_the_end
