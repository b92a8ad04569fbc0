"""Answers of pairs, from a study that is given by its figures."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from dcq.documents.answer_document import methods_paragraph
from dcq.evidence.check import Mark, Topic
from dcq.evidence.combine import weighted_holm
from dcq.evidence.family import benjamini_hochberg
from dcq.evidence.record import Evidence, MethodEstimate
from dcq.judging.answer import Answer
from dcq.judging.answers import answer_study
from dcq.judging.judged import Ruling
from dcq.judging.snapshot import Snapshot
from dcq.judging.study import judge_snapshot
from dcq.judging.weights import default_shares
from dcq.places import ROOT
from dcq.replication import wording
from dcq.store.answer_plans import AnswerPlan, PlannedMethod
from dcq.study.repair import Repair
from tests.support.cases import evidence, made_up
from tests.support.study_figures import EARLY, control, judge, late, only, plan, quizzes
from tests.support.study_figures import replicated as by_figures


def replicated(name: str, matches: int) -> Evidence:
    return replace(by_figures(name, matches), words=wording.WORDS)


def by_method(answer: Answer, name: str) -> float | None:
    return next(one.p_value for one in answer.methods if one.method == name)


def test_the_p_of_a_pair_combines_those_of_its_methods_by_the_planned_weights() -> None:
    study = judge(late(quizzes("rivers", 24)), late(replicated("rivers", 6)))
    one = only(answer_study(study, [plan(quiz=0.7, replication=0.3)]))
    ps = [by_method(one, "quiz"), by_method(one, "replication")]
    assert one.p_value == pytest.approx(weighted_holm(ps, (0.7, 0.3)))
    assert [each.weight for each in one.methods] == [0.7, 0.3]
    assert "fixed on 01 Jan 2026" in one.basis
    assert one.document() == {
        "model": one.model,
        "partition": "rivers/test",
        "role": "target",
        "ruling": one.ruling.value,
        "p_value": one.p_value,
        "q_value": one.q_value,
        "sentence": one.sentence,
        "reasons": [*one.reasons],
        "methods": [method.document() for method in one.methods],
        "could_ask": [],
        "fixed_at": "2026-01-01T00:00:00",
        "study": "One study",
        "revision": 1,
        "study_fixed_at": None,
    }


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


def test_a_planned_method_of_a_later_release_counts_as_1() -> None:
    weights = (PlannedMethod("quiz", "standard", 0.5), PlannedMethod("later", "", 0.5))
    made = AnswerPlan("p", "m", "rivers/test", weights, "9", EARLY)
    one = only(answer_study(judge(late(quizzes("rivers", 24))), [made]))
    assert one.p_value == pytest.approx(2 * (by_method(one, "quiz") or 0.0))
    assert "later 50 % (not asked)" in one.basis


def test_a_planned_quiz_by_likelihood_is_called_so() -> None:
    weights = (PlannedMethod("quiz", "standard", 0.5), PlannedMethod("likelihood", "rotated", 0.5))
    made = AnswerPlan("p", "m", "rivers/test", weights, "0", EARLY)
    one = only(answer_study(judge(late(quizzes("rivers", 24))), [made]))
    assert "rotated quiz by likelihood 50 % (not asked)" in one.basis


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


def test_the_weights_that_are_said_come_to_the_whole() -> None:
    answer = only(answer_study(judge(quizzes("rivers", 38), replicated("rivers", 4))))
    shares = [int(share) for share in re.findall(r"(\d+) %", answer.basis)]
    assert sum(shares) == pytest.approx(100, abs=2)
    assert "others" in answer.basis
    planned = only(answer_study(judge(late(quizzes("rivers", 24))), [plan(quiz=1.0)]))
    assert "others" not in planned.basis


def test_a_result_is_written_out_with_its_documented_keys() -> None:
    bad = made_up(Topic.COMPLETE, Mark.BAD, sentence="It is unfinished.")
    one = only(answer_study(judge(replace(replicated("rivers", 30), checks=(bad,)))))
    [method] = one.methods
    assert method.document() == {
        "method": "replication",
        "kind": None,
        "run": method.run,
        "n": method.n,
        "estimate": method.estimate,
        "low": method.low,
        "high": method.high,
        "unit": method.unit,
        "p_value": method.p_value,
        "verdict": "inconclusive",
        "votes": False,
        "weight": default_shares("replication")["replication"],
        "why_not": "It is unfinished.",
        "sample": None,
        "found_nothing_on": None,
    }
    [asked] = [entry for entry in one.could_ask if entry.method == "quiz"]
    assert asked.document() == {
        "method": "quiz",
        "weight": default_shares("replication")["quiz"],
        "planned": False,
        "sample": None,
        "calls": None,
        "usd": None,
        "why_not": None,
    }


def test_the_commands_page_names_the_keys_of_an_answer() -> None:
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    [said] = [line for line in page.splitlines() if line.startswith("JSON: a list of `model`")]
    one = only(answer_study(judge(quizzes("rivers", 24))))
    entries = (one.document(), one.methods[0].document(), one.could_ask[0].document())
    keys = {key for entry in entries for key in entry}
    keys |= {"repair", *Repair().document(Topic.POWER)}
    assert keys == {word for word in re.findall(r"`(\w+)`", said) if word != "null"}


def test_an_answer_names_what_speaks_most_for_it_by_its_weight() -> None:
    quiz, completed = quizzes("rivers", 40), replicated("rivers", 34)
    study = judge(late(quiz), late(completed))
    for weights, phrase in (((0.99, 0.01), "picked"), ((0.01, 0.99), "completed")):
        one = only(answer_study(study, [plan(quiz=weights[0], replication=weights[1])]))
        assert one.ruling is Ruling.CONTAMINATED
        assert f"It {phrase}" in one.sentence
        assert "" not in one.reasons


def test_what_one_method_would_say_alone_is_said() -> None:
    """Among many pairs, a p-value that would do alone does not."""
    others = [quizzes(f"dunes-{number}", 10) for number in range(4)]
    found = answer_study(judge(quizzes("rivers", 19), *others))
    one = only(found)
    assert one.ruling is Ruling.INCONCLUSIVE
    assert one.sentence.endswith(
        "but this may be chance among all that was tested. To settle it, ask by another method."
    )
    assert one.p_value is not None
    assert one.q_value is not None
    assert one.reasons[0] == (
        f"All methods together: p = {one.p_value:.3f}, q = {one.q_value:.3f} among 5 pairs of a "
        "model and a partition."
    )


def test_what_an_easier_text_or_a_refusal_would_change_is_said() -> None:
    sure, close = (only(answer_study(judge(quizzes("rivers", right)))) for right in (40, 20))
    assert sure.ruling is close.ruling is Ruling.CONTAMINATED
    assert not any("five points easier" in said for said in sure.would_change)
    assert any("five points easier" in said for said in close.would_change)
    assert not any("was refused" in said for said in close.reasons)
    assert sure.contradiction == ""
    assert "" not in sure.reasons


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


def test_the_paragraph_for_a_paper_says_nothing_that_was_not_done() -> None:
    alone = judge_snapshot(
        Snapshot({"r": quizzes("lone", 24)}, frozenset("r"), frozenset("r"), {}, {})
    )
    without = methods_paragraph(only(answer_study(alone), "lone/test"))
    assert "Nothing was compared with texts" in without
    assert "answered the same questions" not in without
    assert "Holm" not in without
    compared = methods_paragraph(only(answer_study(judge(quizzes("rivers", 24)))))
    assert "what it finds there is expected" in compared
    assert "combined by weighted Holm" in compared


def test_methods_that_disagree_are_said() -> None:
    apart = only(answer_study(judge(quizzes("rivers", 38), replicated("rivers", 0))))
    assert "picks the original and completes no more than" in apart.contradiction
    assert apart.contradiction.startswith("The methods disagree: it ")
    assert apart.contradiction in apart.reasons
    assert not only(
        answer_study(judge(quizzes("rivers", 38), replicated("rivers", 20)))
    ).contradiction


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
    assert (
        "Without the standard quiz there would be no verdict of contamination." in two.would_change
    )
    open_ = only(answer_study(judge(quizzes("rivers", 11))))
    assert open_.ruling is not Ruling.CONTAMINATED
    weight = default_shares("quiz")["replication"]
    said = (
        "There would be a verdict of contamination if replication, not asked yet, came to "
        f"p ≤ {weight * 0.05:.2g}."
    )
    assert said in open_.would_change


def two_slots(right: int, **changes: Any) -> list[Evidence]:
    """A quiz at two slots, each with controls at its own."""
    other = (("kind", "standard"), ("slot", "A"))
    first = replace(quizzes("rivers", right), **changes)
    second = replace(first, run="at-a", setting=other, family_key=("quiz", "rivers", "A"))
    controls = [control(name, 10, run=f"{name}-a", setting=other) for name in ("lakes", "ponds")]
    return [first, second, *controls]


def test_two_slots_of_a_quiz_are_named_once() -> None:
    others = [quizzes(f"dunes-{number}", 10) for number in range(4)]
    bad = made_up(Topic.COMPLETE, Mark.BAD, sentence="It is unfinished.")
    alone = only(answer_study(judge(*two_slots(20), *others)))
    assert "this may be chance" in alone.sentence
    silent = only(answer_study(judge(*two_slots(24, checks=(bad,)))))
    assert not any("can be used" in said for said in silent.would_change)
    assert len(set(silent.reasons)) == len(silent.reasons)


def test_further_controls_are_proposed_while_they_add_power() -> None:
    open_ = only(answer_study(judge(quizzes("rivers", 10), control("lakes", 10))))
    assert open_.ruling is Ruling.INCONCLUSIVE
    [said] = [sentence for sentence in open_.would_change if "of 10 instances would" in sentence]
    assert said.startswith("2 more controls of 10 instances would raise the power of the standard")
    assert said.endswith("for a model that knows a fifth of the text.")
    many = [control(f"lake-{number}", 10) for number in range(30)]
    enough = only(answer_study(judge(quizzes("rivers", 10), *many)))
    assert not any("of 10 instances would" in sentence for sentence in enough.would_change)


def test_nothing_that_votes_gives_no_p() -> None:
    bad = made_up(Topic.LEAK, Mark.BAD)
    one = only(answer_study(judge(replace(quizzes("rivers", 38), checks=(bad,)))))
    assert (one.p_value, one.q_value, one.ruling) == (None, None, Ruling.INCONCLUSIVE)
    assert one.sentence.startswith("Undecided: m picked ")
    assert "but the rewordings of the standard quiz give originals away." in one.sentence


@pytest.mark.parametrize("topic", [topic for topic in Topic if topic is not Topic.FAMILY])
def test_an_open_answer_says_which_result_does_not_vote_and_why(topic: Topic) -> None:
    bad = made_up(topic, Mark.BAD, sentence="Compared with A: b. The real reason.")
    small = made_up(Topic.POWER, Mark.BAD, sentence="Too small.")
    study = judge(
        replace(quizzes("rivers", 38), checks=(bad,)),
        replace(replicated("rivers", 4), checks=(small,)),
    )
    sentence = only(answer_study(study)).sentence
    assert "Compared with" not in sentence
    if topic is not Topic.POWER:
        assert "the standard quiz" in sentence
        assert "usual size" not in sentence
