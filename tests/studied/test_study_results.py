"""Studies in a store, read and judged as a whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dcq.evidence.check import Mark, Topic
from dcq.judging.judged import JudgedResult, Ruling
from dcq.judging.study import beside, findings, strongest
from dcq.judging.summary import summarise
from dcq.quiz import freeze
from dcq.quiz.results import quiz_row
from dcq.records import LETTERS, DatasetTask, Outcome, PartitionRole, QuizKind
from dcq.store import Store, quizzes, samples, variants
from dcq.store.studies import Study
from dcq.store.variants import NewVariant
from tests.conftest import small_sample
from tests.support.judged import SEEN, UNSEEN, N, mark, of, put, put_controls, ruling, words
from tests.support.provider import FakeProvider
from tests.support.runs import answer, answer_each, take

pytestmark = pytest.mark.slow


def test_a_seen_target_is_called_against_controls_that_sentence_and_verdict_name(
    fresh_store: Store,
) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    found = of(fresh_store, "rivers")
    assert ruling(found) is Ruling.CONTAMINATED
    assert "Unseen-0 test, Unseen-1 test and Unseen-2 test" in words(found)
    assert "compared with unseen text (3 controls)" in summarise(found)
    assert [c.partition for c in found.controls] == [f"unseen-{i}/test" for i in range(3)]


@pytest.mark.parametrize(
    "changes",
    [
        {"slot": "B"},
        {"kind": QuizKind.ROTATED, "slot": None},
        {"model": "other@http://127.0.0.1:9/v1"},
    ],
)
def test_a_control_asked_otherwise_is_none_for_sentence_and_verdict(
    fresh_store: Store, changes: dict[str, Any]
) -> None:
    put_controls(fresh_store, **changes)
    put(fresh_store, "rivers", SEEN)
    found = of(fresh_store, "rivers")
    assert found.calibration is None
    assert found.controls == ()
    assert found.verdict is not None
    said = {one.mark: one.sentence for one in found.verdict.checks if one.topic is Topic.CONTROLS}
    assert "There is no control partition" in said[Mark.BAD]
    # A rotated quiz with so few answers is not finished, and so no control at all.
    assert (Mark.CAUTION in said) is (changes == {"slot": "B"})
    assert "(slot differs)" in said.get(Mark.CAUTION, "(slot differs)")
    assert "where guessing gives 0" in summarise(found)


def test_an_unfinished_run_is_no_control(fresh_store: Store) -> None:
    for number in range(3):
        put(fresh_store, f"unseen-{number}", {"D": 10}, PartitionRole.CONTROL)
    put(fresh_store, "rivers", SEEN)
    assert of(fresh_store, "rivers").controls == ()


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"task": DatasetTask.SUMMARISATION}, "summarisation in en"),
        ({"language": "es"}, "classification in es"),
    ],
)
def test_controls_of_another_task_or_language_make_it_inconclusive_and_are_named(
    fresh_store: Store, changes: dict[str, Any], named: str
) -> None:
    put_controls(fresh_store, **changes)
    put(fresh_store, "rivers", SEEN)
    found = of(fresh_store, "rivers")
    assert ruling(found) is Ruling.INCONCLUSIVE
    assert named in words(found)
    put(fresh_store, "fitting", UNSEEN, PartitionRole.CONTROL)
    assert [c.partition for c in of(fresh_store, "rivers").controls] == ["fitting/test"]


def test_refusals_on_the_controls_do_not_make_a_target_look_seen(fresh_store: Store) -> None:
    for number in range(3):
        put(fresh_store, f"unseen-{number}", {"D": 26, "refused": 74}, PartitionRole.CONTROL)
    put(fresh_store, "rivers", {"D": 50, "A": 50})
    found = of(fresh_store, "rivers")
    assert found.controls[0].estimate.share == 1.0  # of the answers
    assert ruling(found) is Ruling.INCONCLUSIVE
    assert "74 % of the controls' instances lack a usable reply" in words(found)


def test_more_than_a_fifth_unusable_is_inconclusive_and_a_fifth_is_not(fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", {"D": 70, "A": 9, "invalid": 21})
    put(fresh_store, "lakes", {"D": 70, "A": 10, "invalid": 20})
    assert ruling(of(fresh_store, "rivers")) is Ruling.INCONCLUSIVE
    assert ruling(of(fresh_store, "lakes")) is Ruling.CONTAMINATED


def test_a_model_that_refuses_everything_has_no_value_and_avoids_nothing(
    fresh_store: Store,
) -> None:
    put(fresh_store, "rivers", {"refused": N})
    found = of(fresh_store, "rivers")
    assert quiz_row(found.evidence).n == 0
    assert quiz_row(found.evidence).kappa.kappa_fixed is None
    assert quiz_row(found.evidence).unusable == 1.0
    assert "avoid" not in words(found)
    assert "κ has no value" in summarise(found)
    paper = quiz_row(found.evidence).by_the_papers_count()
    assert paper is not None
    assert (paper.n, paper.correct) == (N, 0)


def test_a_bcq_is_measured_from_the_models_own_bdq(fresh_store: Store) -> None:
    put(fresh_store, "rivers", {"E": N}, kind=QuizKind.BDQ, slot=None)
    put(fresh_store, "rivers", {"E": N}, kind=QuizKind.BCQ, slot="B")
    put(fresh_store, "rivers", {"B": 60, "E": 40}, kind=QuizKind.BCQ, slot="C")
    by_slot = {
        quiz_row(f.evidence).slot: f
        for f in findings(fresh_store)
        if quiz_row(f.evidence).kind is QuizKind.BCQ
    }
    says_none = by_slot[1]
    assert quiz_row(says_none.evidence).kappa.kappa_fixed == 0.0
    assert "avoid" not in words(says_none)
    assert quiz_row(says_none.evidence).n == N


def test_controls_count_on_top_of_the_own_baseline(fresh_store: Store) -> None:
    for number in range(3):
        put(
            fresh_store,
            f"unseen-{number}",
            {"B": 10, "E": 90},
            PartitionRole.CONTROL,
            kind=QuizKind.BDQ,
            slot=None,
        )
        put(
            fresh_store,
            f"unseen-{number}",
            {"B": 40, "E": 60},
            PartitionRole.CONTROL,
            kind=QuizKind.BCQ,
            slot="B",
        )
    for key, found_there in (("rivers", 95), ("lakes", 42)):
        put(fresh_store, key, {"B": 10, "E": 90}, kind=QuizKind.BDQ, slot=None)
        put(
            fresh_store,
            key,
            {"B": found_there, "E": 100 - found_there},
            kind=QuizKind.BCQ,
            slot="B",
        )
    seen, unseen = of(fresh_store, "rivers"), of(fresh_store, "lakes")
    assert ruling(seen) is Ruling.CONTAMINATED
    assert seen.calibration is not None
    assert seen.calibration.control_score == pytest.approx(0.4, abs=0.02)
    # Far above its own baseline, and so are the controls: that is the wording, not memory.
    assert unseen.evidence.estimate.p_value is not None
    assert unseen.evidence.estimate.p_value < 0.001
    assert ruling(unseen) is not Ruling.CONTAMINATED


def test_older_runs_and_other_results_leave_a_verdict_as_it_is(fresh_store: Store) -> None:
    put_controls(fresh_store)
    older = put(fresh_store, "rivers", UNSEEN)
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "known", SEEN, PartitionRole.POSITIVE)
    put(fresh_store, "lakes", UNSEEN)
    standing = {f.evidence.run: f.verdict for f in findings(fresh_store)}
    every = {f.evidence.run: f.verdict for f in findings(fresh_store, every_run=True)}
    assert older not in standing
    assert every[older] is not None
    assert {run: every[run] for run in standing} == standing
    targets = [f for f in findings(fresh_store) if f.evidence.role == PartitionRole.TARGET]
    assert all(
        "It is the only result" in words(f) for f in targets if f.verdict and f.verdict.q_value
    )
    both = Study("Both", partitions=("rivers/test", "lakes/test", "known/test"))
    targets = [f for f in findings(fresh_store, both) if f.evidence.role == PartitionRole.TARGET]
    assert all(
        "Among the 2 results" in words(f) for f in targets if f.verdict and f.verdict.q_value
    )


async def test_memory_of_the_target_alone_is_contamination(
    fresh_store: Store, provider: FakeProvider
) -> None:
    async def ask(key: str, role: PartitionRole) -> None:
        sample_id = samples.save(fresh_store, small_sample(20, key=key, role=role))
        quiz = freeze.freeze(fresh_store, sample_id, QuizKind.ROTATED).quiz
        await take(fresh_store, quiz, "knows-original")

    for number in range(3):
        await ask(f"unseen-{number}", PartitionRole.CONTROL)
    provider.seen = tuple(i.text for i in small_sample(20, key="rivers").instances)
    await ask("rivers", PartitionRole.TARGET)
    found = of(fresh_store, "rivers")
    assert ruling(found) is Ruling.CONTAMINATED
    assert "leaky" not in words(found)
    assert mark(found, Topic.SLOT) is Mark.GOOD


def test_a_leaky_quiz_is_inconclusive(fresh_store: Store) -> None:
    put_controls(fresh_store)
    sample = small_sample(N, key="rivers")
    longer = {i: tuple(f"{t} and cold" for t in texts) for i, texts in sample.variants.items()}
    sample_id = samples.save(fresh_store, replace(sample, variants=longer))
    answer(
        fresh_store, freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz, SEEN
    )
    found = of(fresh_store, "rivers")
    assert mark(found, Topic.LEAK) is Mark.BAD
    assert ruling(found) is Ruling.INCONCLUSIVE


def test_a_control_by_another_writer_is_no_fair_comparison(fresh_store: Store) -> None:
    put_controls(fresh_store)
    target = small_sample(N, key="rivers")
    sample_id = samples.save(fresh_store, replace(target, variants={}))
    variants.add(
        fresh_store,
        sample_id,
        [
            NewVariant(instance, slot, text, "offline")
            for instance, texts in target.variants.items()
            for slot, text in enumerate(texts)
        ],
    )
    answer(
        fresh_store, freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz, SEEN
    )
    found = of(fresh_store, "rivers")
    assert ruling(found) is Ruling.INCONCLUSIVE
    assert "by the offline generator" in words(found)


def test_a_run_that_was_stopped_is_inconclusive(fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", {"D": 40})
    found = of(fresh_store, "rivers")
    assert ruling(found) is Ruling.INCONCLUSIVE
    assert "40 of 100 questions have a reply" in words(found)


def test_the_slot_is_checked_by_the_modified_quiz(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    assert mark(of(fresh_store, "rivers"), Topic.SLOT) is Mark.CAUTION
    put(fresh_store, "rivers", {"D": 10, "A": 90}, kind=QuizKind.MODIFIED, slot=None)
    assert mark(of(fresh_store, "rivers"), Topic.SLOT) is Mark.GOOD
    put(fresh_store, "rivers", {"D": 60, "A": 40}, kind=QuizKind.MODIFIED, slot=None)
    assert mark(of(fresh_store, "rivers"), Topic.SLOT) is Mark.CAUTION


def test_a_bcq_needs_a_whole_bdq(fresh_store: Store) -> None:
    for number in range(3):
        put(
            fresh_store,
            f"unseen-{number}",
            {"E": N},
            PartitionRole.CONTROL,
            kind=QuizKind.BDQ,
            slot=None,
        )
        tally = {"B": 5, "E": 95}
        put(
            fresh_store,
            f"unseen-{number}",
            tally,
            PartitionRole.CONTROL,
            kind=QuizKind.BCQ,
            slot="B",
        )
    tallies: dict[str, dict[str, int]] = {
        "whole": {"E": N},
        "refused": {"E": 20, "refused": 80},
        "stopped": {"E": 20},
    }
    for key, tally in tallies.items():
        put(fresh_store, key, tally, kind=QuizKind.BDQ, slot=None)
        put(fresh_store, key, {"B": 60, "E": 40}, kind=QuizKind.BCQ, slot="B")
    rulings = {key: ruling(of(fresh_store, key)) for key in tallies}
    assert rulings == {
        "whole": Ruling.CONTAMINATED,
        "refused": Ruling.INCONCLUSIVE,
        "stopped": Ruling.INCONCLUSIVE,
    }
    assert "The bdq is unfinished" in words(of(fresh_store, "stopped"))


def test_without_a_bdq_a_bcq_says_that_there_is_nothing_to_compare_it_with(
    fresh_store: Store,
) -> None:
    put(fresh_store, "rivers", {"B": 60, "E": 40}, kind=QuizKind.BCQ, slot="B")
    found = of(fresh_store, "rivers")
    assert ruling(found) is Ruling.INCONCLUSIVE
    assert "bdq" in words(found)
    assert "no control partition" not in words(found)


def test_sentence_checklist_and_verdict_count_the_same_controls(fresh_store: Store) -> None:
    put_controls(fresh_store, 9)
    put(fresh_store, "looks-seen", {"D": 95, "A": 5}, PartitionRole.CONTROL)
    put(fresh_store, "rivers", SEEN)
    found = of(fresh_store, "rivers")
    assert found.calibration is not None
    assert found.calibration.controls == len(found.used_controls) == 9
    assert "9 controls" in summarise(found)
    assert all(c.partition != "looks-seen/test" for c in found.used_controls)


def test_a_control_that_mostly_refuses_is_left_out_by_name(fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "silent", {"D": 5, "refused": 95}, PartitionRole.CONTROL)
    put(fresh_store, "rivers", SEEN)
    found = of(fresh_store, "rivers")
    assert ruling(found) is Ruling.CONTAMINATED
    assert "silent/test" not in {c.partition for c in found.controls}
    assert found.verdict is not None
    assert any("Silent test" in check.sentence for check in found.verdict.checks)


def test_controls_without_any_usable_answer_are_named_as_such(fresh_store: Store) -> None:
    put(fresh_store, "silent", {"refused": N}, PartitionRole.CONTROL)
    put(fresh_store, "rivers", SEEN)
    found = of(fresh_store, "rivers")
    assert ruling(found) is Ruling.INCONCLUSIVE
    assert "Silent test gave no usable answer" in words(found)


def test_a_rotated_quiz_refused_in_one_slot_has_few_complete_instances(fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample(40, key="rivers"))
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.ROTATED).quiz
    right = [LETTERS[i.correct or 0] for i in quizzes.load(fresh_store, quiz).items]
    refused = {n for n, letter in enumerate(right) if letter == "A" and n % 5}
    answer_each(
        fresh_store, quiz, ["refused" if n in refused else right[n] for n in range(len(right))]
    )
    [result] = [quiz_row(f.evidence) for f in findings(fresh_store)]
    assert result.outcomes[Outcome.REFUSED] == len(refused) < result.asked / 4
    assert result.unusable == pytest.approx(len(refused) / 40)


def test_controls_at_the_ceiling_leave_no_room(fresh_store: Store) -> None:
    for number in range(3):
        put(fresh_store, f"unseen-{number}", {"D": N}, PartitionRole.CONTROL)
    put(fresh_store, "rivers", {"D": N})
    found = of(fresh_store, "rivers")
    assert ruling(found) is Ruling.INCONCLUSIVE
    assert "no room" in words(found)
    assert "no room" in summarise(found)


def _compared(result: JudgedResult) -> tuple[object, ...]:
    """What a result is, and what it is compared with."""
    return result.evidence.row, *(control.row for control in result.controls)


def test_a_small_newer_sample_changes_neither_a_target_nor_its_controls(
    fresh_store: Store,
) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    before = of(fresh_store, "rivers")
    put(fresh_store, "unseen-0", {"D": 5}, PartitionRole.CONTROL, n=5)
    put(fresh_store, "rivers", {"A": 5}, n=5)
    assert _compared(of(fresh_store, "rivers")) == _compared(before)


def test_the_slot_is_the_same_with_and_without_older_runs(fresh_store: Store) -> None:
    run = put(fresh_store, "rivers", SEEN)
    put(fresh_store, "rivers", {"D": 10, "A": 90}, kind=QuizKind.MODIFIED, slot=None)
    put(fresh_store, "rivers", {"D": 60, "A": 40}, kind=QuizKind.MODIFIED, slot=None)
    [standing] = [f for f in findings(fresh_store) if f.evidence.run == run]
    [among_all] = [f for f in findings(fresh_store, every_run=True) if f.evidence.run == run]
    assert _compared(standing) == _compared(among_all)


def test_the_strongest_finding_is_called_finished_and_on_a_target(fresh_store: Store) -> None:
    assert strongest([]) is None
    put(fresh_store, "refused", {"refused": N})
    put(fresh_store, "unseen-0", SEEN, PartitionRole.CONTROL, slot="A")
    first = strongest(findings(fresh_store))
    assert first is not None
    assert first.evidence.partition == "unseen-0/test"  # nothing else has a value
    put(fresh_store, "stopped", {"D": 40})
    put(fresh_store, "uncontrolled", {"B": N}, slot="B")
    first = strongest(findings(fresh_store))
    assert first is not None
    assert first.evidence.partition == "uncontrolled/test"
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "lakes", {"D": 95, "A": 5})
    first = strongest(findings(fresh_store))
    assert first is not None
    assert first.evidence.partition == "lakes/test"  # called, which κ 1 without controls is not


def test_a_study_is_its_own_family_with_its_own_controls(fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    for number in range(2):
        put(fresh_store, f"unseen-target-{number}", UNSEEN)
    every = tuple(f"{key}/test" for key in ("rivers", "unseen-target-0", "unseen-target-1"))
    [whole] = [
        one
        for one in findings(fresh_store, Study("all", partitions=every))
        if one.evidence.partition == "rivers/test"
    ]
    narrowed = Study("s", partitions=("rivers/test",), controls=("unseen-0/test",))
    found = findings(fresh_store, narrowed)
    assert {one.evidence.partition for one in found} == {"rivers/test", "unseen-0/test"}
    [own] = [one for one in found if one.verdict is not None]
    assert [c.partition for c in own.controls] == ["unseen-0/test"]
    assert own.verdict is not None
    assert whole.verdict is not None
    assert own.verdict.q_value is not None
    assert own.calibration is not None
    assert own.verdict.q_value == own.calibration.p_value  # a family of one
    assert whole.calibration is not None
    assert whole.verdict.q_value is not None
    assert whole.verdict.q_value > whole.calibration.p_value
    assert findings(fresh_store, Study("s", methods=("overlap",))) == []
    [alone] = findings(fresh_store, Study("s", partitions=("rivers/test",), controls=()))
    assert alone.controls == ()


def test_a_finding_is_seen_beside_its_partition_and_its_own_models_controls(
    fresh_store: Store,
) -> None:
    for model in ("one@http://127.0.0.1:9/v1", "two@http://127.0.0.1:9/v1"):
        put(fresh_store, "rivers", SEEN, model=model)
        put(fresh_store, "lakes", SEEN, model=model)
        put(fresh_store, "unseen", UNSEEN, PartitionRole.CONTROL, model=model)
    found = findings(fresh_store)
    own = next(
        one
        for one in found
        if one.evidence.model.startswith("one") and "rivers" in one.evidence.partition
    )
    shown = {(one.evidence.model[:3], one.evidence.partition) for one in beside(own, found)}
    assert shown == {("one", "rivers/test"), ("two", "rivers/test"), ("one", "unseen/test")}
