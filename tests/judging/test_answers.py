"""Answers of pairs, from a study that is given by its figures."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from dcq import methods
from dcq.evidence.check import Mark, Topic
from dcq.evidence.combine import weighted_holm
from dcq.evidence.family import benjamini_hochberg
from dcq.evidence.record import Evidence, MethodEstimate
from dcq.judging.answer import Answer
from dcq.judging.answers import answer_study, default_shares
from dcq.judging.verdict import Ruling
from dcq.replication import wording
from dcq.store.answer_plans import AnswerPlan, PlannedMethod
from tests.support.cases import evidence, made_up
from tests.support.study_figures import judge, quizzes
from tests.support.study_figures import replicated as by_figures

EARLY, LATE = datetime(2026, 1, 1), datetime(2026, 1, 2)


_KINDS = {"quiz": "standard"}


def plan(partition: str = "rivers/test", at: datetime = EARLY, **weights: float) -> AnswerPlan:
    planned = tuple(
        PlannedMethod(name, _KINDS.get(name, ""), weight) for name, weight in weights.items()
    )
    return AnswerPlan("p", "m", partition, planned, "0", at)


def replicated(name: str, matches: int) -> Evidence:
    return replace(by_figures(name, matches), words=wording.WORDS)


def late(one: Evidence) -> Evidence:
    return replace(one, at=LATE)


def only(found: list[Answer], partition: str = "rivers/test") -> Answer:
    [one] = [one for one in found if one.partition == partition]
    return one


def by_method(answer: Answer, name: str) -> float | None:
    return next(one.p_value for one in answer.methods if one.method == name)


def test_the_p_of_a_pair_combines_those_of_its_methods_by_the_planned_weights() -> None:
    study = judge(late(quizzes("rivers", 24)), late(replicated("rivers", 6)))
    one = only(answer_study(study, [plan(quiz=0.7, replication=0.3)]))
    ps = [by_method(one, "quiz"), by_method(one, "replication")]
    assert one.p_value == pytest.approx(weighted_holm(ps, (0.7, 0.3)))
    assert [each.weight for each in one.methods] == [0.7, 0.3]
    assert "fixed on 01 Jan 2026" in one.basis
    assert one.document()["fixed_at"] == "2026-01-01T00:00:00"


def test_a_family_is_the_pairs_and_not_their_results() -> None:
    targets = [quizzes("rivers", 26), replicated("rivers", 12), quizzes("dunes", 12)]
    found = answer_study(judge(*targets))
    assert {one.partition for one in found} == {"rivers/test", "dunes/test"}
    ps = [one.p_value for one in found]
    assert [one.q_value for one in found] == pytest.approx(benjamini_hochberg(ps))
    assert found[0].ruling is Ruling.CONTAMINATED


def test_what_was_planned_and_not_asked_counts_as_1_and_gives_its_weight_to_no_other() -> None:
    study = judge(late(quizzes("rivers", 24)))
    one = only(answer_study(study, [plan(quiz=0.5, replication=0.5)]))
    p = by_method(one, "quiz")
    assert p is not None
    assert one.p_value == pytest.approx(2 * p)
    [missing] = one.could_ask
    assert (missing.method, missing.weight, missing.planned) == ("replication", 0.5, True)
    assert any("replication, not asked yet, came to p" in said for said in one.would_change) or (
        one.ruling is Ruling.CONTAMINATED
    )


def test_a_bad_check_takes_the_vote_and_its_weight_with_it() -> None:
    bad = made_up(Topic.COMPLETE, Mark.BAD, sentence="It is unfinished.")
    good, spoiled = (
        late(quizzes("rivers", 24)),
        late(replace(replicated("rivers", 30), checks=(bad,))),
    )
    one = only(answer_study(judge(good, spoiled), [plan(quiz=0.5, replication=0.5)]))
    voiced = {each.method: each for each in one.methods}
    assert not voiced["replication"].votes
    assert voiced["replication"].why_not == "It is unfinished."
    p = voiced["quiz"].p_value
    assert p is not None
    assert one.p_value == pytest.approx(2 * p)
    assert any("It is unfinished." in reason for reason in one.reasons)


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


def test_what_was_asked_beside_a_plan_is_shown_and_does_not_vote() -> None:
    alone = judge(late(quizzes("rivers", 24)))
    with_it = judge(late(quizzes("rivers", 24)), late(replicated("rivers", 30)))
    planned = [plan(quiz=1.0)]
    before, after = only(answer_study(alone, planned)), only(answer_study(with_it, planned))
    assert (before.p_value, before.ruling) == (after.p_value, after.ruling)
    assert [each.votes for each in after.methods] == [True, False]
    assert after.methods[1].aside


def test_the_weights_that_are_said_come_to_the_whole() -> None:
    answer = only(answer_study(judge(quizzes("rivers", 38), replicated("rivers", 4))))
    shares = [int(share) for share in re.findall(r"(\d+) %", answer.basis)]
    assert sum(shares) == pytest.approx(100, abs=2)
    assert "others" in answer.basis
    planned = only(answer_study(judge(late(quizzes("rivers", 24))), [plan(quiz=1.0)]))
    assert "others" not in planned.basis


def test_default_weights_leave_room_for_methods_to_come() -> None:
    for one in methods.METHODS:
        if one.judged:
            assert sum(default_shares(one.name).values()) <= 1.0
            assert default_shares(one.name)[one.name] > 0.5
    assert "overlap" not in default_shares("quiz")


def test_overlap_is_shown_and_never_votes() -> None:
    web = evidence(
        method="overlap",
        run="web",
        model="",
        partition="rivers/test",
        usable=40,
        estimate=MethodEstimate(1.0, 0.9, 1.0, "share found", 1.0, n=40),
    )
    study = judge(quizzes("rivers", 24))
    with_it, without = only(answer_study(study, (), [web])), only(answer_study(study))
    assert (with_it.p_value, with_it.q_value, with_it.ruling) == (
        without.p_value,
        without.q_value,
        without.ruling,
    )
    shown = with_it.methods[-1]
    assert (shown.method, shown.votes, shown.n, shown.verdict) == ("overlap", False, 40, None)


def test_methods_that_point_apart_are_said() -> None:
    apart = only(answer_study(judge(quizzes("rivers", 38), replicated("rivers", 0))))
    assert "picks the original and completes no more than" in apart.apart
    assert apart.apart in apart.reasons
    assert not only(answer_study(judge(quizzes("rivers", 38), replicated("rivers", 20)))).apart


def test_a_sample_that_is_too_small_stays_a_member() -> None:
    """To leave it out because it found nothing would make the rest look rarer than it is."""
    small = made_up(Topic.POWER, Mark.BAD, sentence="Too small.")
    none = replace(quizzes("dunes", 11), checks=(small,))
    found = answer_study(judge(quizzes("rivers", 24), none))
    one = only(found)
    assert only(found, "dunes/test").p_value == 1.0
    assert only(found, "dunes/test").ruling is Ruling.INCONCLUSIVE
    assert one.p_value is not None
    assert one.q_value == pytest.approx(2 * one.p_value)


def test_a_partition_surely_seen_and_controls_change_no_answer() -> None:
    target, seen = quizzes("rivers", 24), replace(quizzes("dunes", 40), role="positive")
    found = answer_study(judge(target, seen))
    assert only(found).q_value == only(answer_study(judge(target))).q_value
    assert only(found, "dunes/test").role == "positive"
    assert not {"lakes/test", "ponds/test"} & {one.partition for one in found}


def test_what_would_take_a_call_away_and_what_would_make_one() -> None:
    called = only(answer_study(judge(quizzes("rivers", 38))))
    assert called.ruling is Ruling.CONTAMINATED
    # Its only method is needed as a matter of course.
    assert not any(said.startswith("Without") for said in called.would_change)
    two = only(answer_study(judge(quizzes("rivers", 38), replicated("rivers", 4))))
    assert "Without the standard quiz it would not be called." in two.would_change
    open_ = only(answer_study(judge(quizzes("rivers", 11))))
    assert open_.ruling is not Ruling.CONTAMINATED
    weight = default_shares("quiz")["replication"]
    assert (
        f"It would be called if replication, not asked yet, came to p ≤ {weight * 0.05:.2g}."
        in (open_.would_change)
    )


def test_results_of_one_method_share_its_weight() -> None:
    other = replace(quizzes("rivers", 24), run="again", family_key=("quiz", "again"))
    one = only(answer_study(judge(quizzes("rivers", 24), other)))
    assert [each.weight for each in one.methods] == [default_shares("quiz")["quiz"] / 2] * 2


def test_nothing_that_votes_gives_no_p() -> None:
    bad = made_up(Topic.LEAK, Mark.BAD)
    one = only(answer_study(judge(replace(quizzes("rivers", 38), checks=(bad,)))))
    assert (one.p_value, one.q_value, one.ruling) == (None, None, Ruling.INCONCLUSIVE)
    assert "no method gave a result that counts" in one.sentence
