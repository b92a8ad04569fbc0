from __future__ import annotations

from dataclasses import replace

import pytest

from dcq.asking import launch
from dcq.asking.task import Method
from dcq.evidence.check import Topic
from dcq.investigation import fixes as fixing
from dcq.investigation import more_controls
from dcq.investigation.fixes import Fix, Spend, Visit
from dcq.judging.study import findings
from dcq.quiz import freeze
from dcq.quiz.results import table
from dcq.records import DatasetTask, PartitionRole, QuizKind, Sample, slot_letter
from dcq.store import Store, quizzes, runs, samples, variants
from dcq.store.runs import Event
from dcq.store.variants import NewVariant
from tests.conftest import small_sample
from tests.support.judged import SEEN, UNSEEN, N, of, put, put_controls
from tests.support.runs import answer

pytestmark = pytest.mark.slow

PRICED = "gpt-4o-mini"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-not-a-real-key")


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], list[str]]]:
    """What was started: quizzes and models, without a process."""
    started: list[tuple[list[str], list[str]]] = []

    def begin(store: Store, method: Method, quiz_ids: list[str], models: list[str]) -> list[str]:
        started.append((quiz_ids, models))
        return ["run"]

    monkeypatch.setattr(launch, "begin", begin)
    return started


def fixes_of(store: Store, key: str = "rivers") -> dict[Topic, list[Fix]]:
    return fixing.fixes(store, of(store, key), table(store))


def spend(fixes: dict[Topic, list[Fix]], topic: Topic) -> Spend:
    [fix] = fixes[topic]
    assert isinstance(fix, Spend)
    return fix


def visit(fixes: dict[Topic, list[Fix]], topic: Topic) -> Visit:
    fix = fixes[topic][0]
    assert isinstance(fix, Visit)
    return fix


def test_without_a_control_bundled_ones_are_drawn_and_asked_at_the_same_slot(
    fresh_store: Store, begun: list[tuple[list[str], list[str]]]
) -> None:
    put(fresh_store, "rivers", {"B": 80, "A": 20}, slot="B", model=PRICED)
    fix = spend(fixes_of(fresh_store), Topic.CONTROLS)
    assert fix.label == "Ask 3 controls at slot B: 300 calls, $0.01"
    assert fix.names == "Control Reviews, Control Requests, Control Notices"
    assert {s.partition for s in samples.listing(fresh_store)} == {"rivers/test"}
    assert fix.start(fresh_store) == ["run"]
    [(quiz_ids, models)] = begun
    made = [quizzes.load(fresh_store, quiz_id) for quiz_id in quiz_ids]
    assert [quiz.partition_id for quiz in made] == [
        "control-reviews/test",
        "control-requests/test",
        "control-notices/test",
    ]
    assert {(quiz.kind, quiz.slot, len(quiz.items)) for quiz in made} == {
        (QuizKind.STANDARD, 1, 100)
    }
    assert models == [PRICED]


def test_only_bundled_controls_that_come_with_variants_are_offered_at_once(
    fresh_store: Store,
) -> None:
    offered = {key for key, _ in more_controls.bundled(fresh_store, "classification", "en")}
    assert offered == {"control-news", "control-reviews", "control-requests", "control-notices"}


def test_controls_that_are_drawn_come_before_bundled_ones(
    fresh_store: Store,
) -> None:
    for number, role in (
        (0, PartitionRole.CONTROL),
        (1, PartitionRole.CONTROL),
        (2, PartitionRole.TARGET),
    ):
        samples.save(fresh_store, small_sample(120, key=f"lake-{number}", role=role))
    put(fresh_store, "rivers", SEEN)
    assert spend(fixes_of(fresh_store), Topic.CONTROLS).label == (
        "Ask 3 controls at slot D: 340 calls, price unknown"  # two of the store, one bundled
    )
    put(fresh_store, "lake-0", {"D": 30, "A": 90}, PartitionRole.CONTROL, n=120)
    found = of(fresh_store, "rivers")
    assert len(found.controls) == 1
    assert found.further_controls is not None
    count = found.further_controls.count  # more add less than as many calls to those there are
    assert count >= 2
    assert spend(fixes_of(fresh_store), Topic.CONTROLS).label.startswith(
        f"Ask {count} controls at slot D: "
    )


def test_three_controls_need_no_more(fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    assert Topic.CONTROLS not in fixes_of(fresh_store)


def test_an_unfinished_control_is_resumed_rather_than_asked_again(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    resumed: list[tuple[str, bool]] = []
    monkeypatch.setattr(
        launch, "resume", lambda store, method, run, *, all_of_it: resumed.append((run, all_of_it))
    )
    for number in range(2):
        put(fresh_store, f"unseen-{number}", UNSEEN, PartitionRole.CONTROL)
    run = put(fresh_store, "unseen-2", {"D": 10, "A": 20}, PartitionRole.CONTROL)
    runs.note(fresh_store, run, Event.CANCELLED)
    put(fresh_store, "rivers", SEEN)
    fix = fixes_of(fresh_store)[Topic.CONTROLS][0]
    assert isinstance(fix, Spend)
    assert fix.label.startswith("Ask the rest of Unseen-2 test: 70 calls")
    assert fix.start(fresh_store) == [run]
    assert resumed == [(run, True)]


def test_a_bcq_needs_the_bdq_of_its_control_too(
    fresh_store: Store, begun: list[tuple[list[str], list[str]]]
) -> None:
    put(fresh_store, "rivers", {"E": N}, kind=QuizKind.BDQ, slot=None)
    put(fresh_store, "rivers", {"B": 60, "E": 40}, kind=QuizKind.BCQ, slot="B")
    fix = spend(fixes_of(fresh_store), Topic.CONTROLS)
    assert "600 calls" in fix.label
    fix.start(fresh_store)
    [(quiz_ids, _)] = begun
    made = [quizzes.load(fresh_store, quiz_id) for quiz_id in quiz_ids]
    assert [(quiz.kind, slot_letter(quiz.slot)) for quiz in made] == 3 * [
        (QuizKind.BDQ, None),
        (QuizKind.BCQ, "B"),
    ]


def test_where_no_control_fits_the_way_leads_to_a_placebo_and_to_the_dataset_page(
    fresh_store: Store,
) -> None:
    put(fresh_store, "rivers", SEEN, task=DatasetTask.SUMMARISATION, language="zh")
    pages = fixes_of(fresh_store)[Topic.CONTROLS]
    assert [fix.page for fix in pages if isinstance(fix, Visit)] == ["investigate", "dataset"]


def test_a_control_without_variants_has_them_written_first(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN, language="fr")
    bare = replace(small_sample(20, key="lakes", role=PartitionRole.CONTROL), variants={})
    sample = samples.save(
        fresh_store, replace(bare, partition=replace(bare.partition, language="fr"))
    )
    fix = visit(fixes_of(fresh_store), Topic.CONTROLS)
    assert fix.page == "variants"
    assert fix.choices == {"variants_sample": sample}


def test_a_result_of_an_earlier_prompt_is_asked_again(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(fresh_store, "rivers", SEEN)
    with fresh_store.write() as db:
        db.execute("UPDATE run SET prompt = 'quiz/v0'")
    assert "earlier version" in visit(fixes_of(fresh_store), Topic.CONTROLS).label


def test_a_slot_that_lost_replies_seem_to_choose_least_is_marked_and_asked_for_again(
    fresh_store: Store, begun: list[tuple[list[str], list[str]]]
) -> None:
    put(fresh_store, "rivers", {"B": 60, "C": 10}, kind=QuizKind.MODIFIED, slot=None, model=PRICED)
    put(fresh_store, "rivers", SEEN, slot="A", model=PRICED)
    with fresh_store.write() as db:
        db.execute(
            "UPDATE answer SET outcome = 'invalid', value = NULL, reason = 'no option letter' "
            "WHERE run_id IN (SELECT r.id FROM run r JOIN quiz q ON q.id = r.subject "
            "WHERE q.kind = 'modified') AND position % 3 = 0"
        )
    verdict = of(fresh_store, "rivers").verdict
    assert verdict is not None
    [check] = [check for check in verdict.checks if check.topic is Topic.SLOT]
    assert "its replies were lost" in check.sentence
    assert spend(fixes_of(fresh_store), Topic.SLOT).label.startswith("Ask the modified quiz")


def test_the_slot_is_checked_by_the_modified_quiz_of_the_same_sample(
    fresh_store: Store, begun: list[tuple[list[str], list[str]]]
) -> None:
    put(fresh_store, "rivers", SEEN, model=PRICED)
    fix = spend(fixes_of(fresh_store), Topic.SLOT)
    assert fix.label == "Ask the modified quiz: 100 calls, under $0.01"
    fix.start(fresh_store)
    [([quiz_id], _)] = begun
    assert quizzes.load(fresh_store, quiz_id).kind is QuizKind.MODIFIED


def test_a_preferred_slot_is_left_for_the_least_chosen(
    fresh_store: Store, begun: list[tuple[list[str], list[str]]]
) -> None:
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "rivers", {"D": 60, "A": 30, "B": 10}, kind=QuizKind.MODIFIED, slot=None)
    fix = spend(fixes_of(fresh_store), Topic.SLOT)
    assert fix.label.startswith("Ask it at C, chosen least: 100 calls")
    fix.start(fresh_store)
    assert quizzes.load(fresh_store, begun[0][0][0]).slot == 2


def test_an_unfinished_run_is_gone_on_with_or_watched(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = put(fresh_store, "rivers", {"D": 30})
    assert visit(fixes_of(fresh_store), Topic.COMPLETE).label.startswith("The run is in progress")
    runs.note(fresh_store, run, Event.CANCELLED)
    assert spend(fixes_of(fresh_store), Topic.COMPLETE).label.startswith("Ask the rest: 70 calls")
    runs.note(fresh_store, run, Event.STOPPED, "the budget is used up")
    assert visit(fixes_of(fresh_store), Topic.COMPLETE).page == "quiz"


def test_failed_calls_are_asked_again_and_refusals_are_looked_at(fresh_store: Store) -> None:
    for key, tally in (("rivers", {"D": 60, "error": 40}), ("lakes", {"D": 60, "refused": 40})):
        run = put(fresh_store, key, tally)
        runs.note(fresh_store, run, Event.FINISHED)
    fix = spend(fixes_of(fresh_store), Topic.REPLIES)
    assert fix.label.startswith("Retry the failed calls on Rivers test: 40 calls")
    assert visit(fixes_of(fresh_store, "lakes"), Topic.REPLIES).page == "quiz"


def test_a_leak_is_fixed_where_the_leaky_instances_are(fresh_store: Store) -> None:
    sample = small_sample(N, key="rivers")
    longer = {i: tuple(f"{t} and cold" for t in texts) for i, texts in sample.variants.items()}
    sample_id = samples.save(fresh_store, replace(sample, variants=longer))
    answer(
        fresh_store, freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz, SEEN
    )
    fix = visit(fixes_of(fresh_store), Topic.LEAK)
    assert fix.choices == {"variants_sample": sample_id, "variants_show": "leaky"}


def test_another_writer_is_fixed_at_the_control(fresh_store: Store) -> None:
    put_controls(fresh_store)
    target = small_sample(N, key="rivers")
    sample_id = samples.save(fresh_store, replace(target, variants={}))
    new = [
        NewVariant(instance, slot, text, "offline")
        for instance, texts in target.variants.items()
        for slot, text in enumerate(texts)
    ]
    variants.add(fresh_store, sample_id, new)
    answer(
        fresh_store, freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz, SEEN
    )
    fix = visit(fixes_of(fresh_store), Topic.WRITER)
    assert fix.page == "variants"
    assert fix.choices["variants_sample"] in {c.sample for c in of(fresh_store, "rivers").controls}


def test_a_small_sample_leads_to_a_larger_one(fresh_store: Store) -> None:
    put_controls(fresh_store, 12)
    put(fresh_store, "rivers", {"D": 6, "A": 14}, n=20)
    found = of(fresh_store, "rivers")
    assert found.calibration is not None
    fix = visit(fixes_of(fresh_store), Topic.POWER)
    assert f"about {found.calibration.needed_n:,} instances" in fix.label
    assert fix.page == "dataset"


def test_a_model_without_its_key_says_what_to_set(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(fresh_store, "rivers", SEEN, model=PRICED)
    monkeypatch.delenv("OPENAI_API_KEY")
    fix = spend(fixes_of(fresh_store), Topic.SLOT)
    assert "OPENAI_API_KEY" in str(fix.why_not)


def test_a_control_has_nothing_to_fix(fresh_store: Store) -> None:
    put_controls(fresh_store, 1)
    [found] = findings(fresh_store)
    assert fixing.fixes(fresh_store, found, table(fresh_store)) == {}


def test_names_are_passed_on_as_they_are(fresh_store: Store) -> None:
    """They are escaped where they are drawn."""
    name = "**bold** :red[x]"
    samples.save(
        fresh_store, _named(small_sample(20, key="lakes", role=PartitionRole.CONTROL), name)
    )
    put(fresh_store, "rivers", SEEN, language="fr")
    assert name in spend(fixes_of(fresh_store), Topic.CONTROLS).label


def _named(sample: Sample, title: str) -> Sample:
    return replace(sample, partition=replace(sample.partition, title=title, language="fr"))
