"""A study of several methods, judged from a snapshot."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dcq.evidence.family import benjamini_hochberg
from dcq.evidence.record import MethodEstimate
from dcq.judging.judged import Ruling
from dcq.judging.study import rank_verdict
from tests.support.cases import evidence
from tests.support.study_figures import judge, quizzes, replicated


def test_quizzes_and_replications_are_one_family() -> None:
    targets = [quizzes("rivers", 30), quizzes("dunes", 12), replicated("rivers", 20)]
    targets.append(replicated("dunes", 1))
    done = judge(*targets)
    verdicts = [done.verdicts[one.run] for one in targets]
    assert [one.q_value for one in verdicts] == pytest.approx(
        benjamini_hochberg([one.p_value for one in verdicts])
    )
    assert [one.ruling for one in verdicts][::2] == [Ruling.CONTAMINATED] * 2
    assert {c.method for c in done.results[targets[2].run].controls} == {"replication"}
    alone = judge(targets[0]).verdicts[targets[0].run]
    assert alone.q_value is not None
    assert verdicts[0].q_value is not None
    assert alone.q_value < verdicts[0].q_value


def test_overlap_is_shown_and_never_votes() -> None:
    target = quizzes("rivers", 30)
    web = evidence(
        method="overlap",
        run="web",
        model="",
        partition="rivers/test",
        usable=40,
        planned=40,
        estimate=MethodEstimate(1.0, 0.9, 1.0, "share found", 1.0),
    )
    done = judge(target, web)
    before = judge(target).verdicts[target.run]
    assert done.verdicts[target.run].q_value == before.q_value
    assert done.verdicts["web"].ruling is Ruling.INCONCLUSIVE
    assert done.verdicts["web"].q_value is None


def test_what_does_not_stand_is_judged_as_if_it_did_and_changes_nothing() -> None:
    newer, other = quizzes("rivers", 28), quizzes("dunes", 12)
    older = replace(quizzes("rivers", 22), run="older")
    with_it = judge(newer, other, older, standing={newer.run, other.run})
    without = judge(newer, other)
    for one in (newer, other):
        assert with_it.verdicts[one.run].q_value == without.verdicts[one.run].q_value
    in_its_place = judge(older, other).verdicts["older"]
    assert with_it.verdicts["older"].q_value == in_its_place.q_value


def test_a_partition_surely_seen_is_judged_and_is_no_member() -> None:
    target, seen = quizzes("rivers", 22), replace(quizzes("dunes", 40), role="positive")
    done = judge(target, seen)
    assert done.verdicts[seen.run].ruling is Ruling.CONTAMINATED
    assert done.verdicts[target.run].q_value == judge(target).verdicts[target.run].q_value


def test_a_control_has_a_comparison_and_no_verdict() -> None:
    done = judge(quizzes("rivers", 22))
    assert "lakes" in done.results
    assert "lakes" not in done.verdicts
    assert [one.place for one in done.results["lakes"].controls] == ["ponds", "seas"]


def test_verdicts_are_in_the_order_in_which_to_show_them() -> None:
    """Contaminated before no evidence before inconclusive, each by p; no verdict last."""
    target = quizzes("rivers", 22)
    one = judge(target).verdicts[target.run]
    ordered = [
        replace(one, ruling=Ruling.CONTAMINATED, p_value=0.001),
        replace(one, ruling=Ruling.CONTAMINATED, p_value=0.04),
        replace(one, ruling=Ruling.NO_EVIDENCE, p_value=0.2),
        replace(one, ruling=Ruling.INCONCLUSIVE, p_value=0.01),
        replace(one, ruling=Ruling.INCONCLUSIVE, p_value=None),
        None,
    ]
    assert sorted([*ordered[3:], *ordered[:3]], key=rank_verdict) == ordered
