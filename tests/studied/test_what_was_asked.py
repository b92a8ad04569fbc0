"""What was asked is what is judged, whatever is written afterwards.

``tests/fixtures/bundle_m047`` is a bundle, with its passport, of the release in which a run did not
keep what it called its partition: quizzes, replications with their judge, likelihoods, and a scan.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from dcq import methods
from dcq.asking import prepare
from dcq.evidence.check import Topic
from dcq.files import bundle_import
from dcq.judging import every_method, study
from dcq.judging.answers import answers
from dcq.judging.judged import Ruling
from dcq.passport import keys, verify
from dcq.quiz import freeze, preview, results
from dcq.quiz.consistency import studies
from dcq.quiz.text_scores import text_scores
from dcq.records import QuizKind
from dcq.replication.method import CHEAT
from dcq.settings import ROOT
from dcq.store import Store, method_runs, migrations, runs, samples, steps, variants
from dcq.store.variants import NewVariant
from tests.support import same_instances
from tests.support.judged import SEEN, of, put, put_controls
from tests.support.provider import FakeProvider
from tests.support.runs import take

pytestmark = pytest.mark.slow
BUNDLE = ROOT / "tests" / "fixtures" / "bundle_m047"
# Made by hand, as no command makes them.
FACTS = "UPDATE partition SET task = 'nli', language = 'zh' WHERE role = "
EDITS = {
    "the task and the language of targets": f"{FACTS} 'target'",
    "the task and the language of controls": f"{FACTS} 'control'",
    "the texts of instances": "UPDATE instance SET text = 'Another ' || text, label = 'Another'",
    "rewordings, and where texts are cut": (
        "UPDATE variant SET text = 'Another ' || text; "
        "INSERT INTO cut (sample_id, instance_id, seed, cut_offset, author, made_at) "
        "SELECT sample_id, id, 0, 9, 'Ada', now()::TIMESTAMP FROM instance"
    ),
    "the names of partitions": "UPDATE partition SET title = 'Another', split_title = 'dev'",
}


def reword(store: Store, sample_id: str) -> None:
    """Have all rewordings of a sample written anew by a model."""
    ids = [instance.id for instance in samples.load(store, sample_id).instances]
    variants.add(
        store,
        sample_id,
        [
            NewVariant(instance, slot, f"Another text {slot} of {instance}.", "model:gpt-4o")
            for instance in ids
            for slot in range(4)
        ],
    )


def test_rewordings_written_later_change_no_conclusion(fresh_store: Store) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    before, document = of(fresh_store, "rivers"), [a.document() for a in answers(fresh_store)]
    for found in (before.evidence, *before.controls[:2]):
        reword(fresh_store, found.sample)
    assert variants.writers(fresh_store, [before.evidence.sample]) == {
        before.evidence.sample: "model:gpt-4o"
    }
    after = of(fresh_store, "rivers")
    assert {entry.writer for entry in (after.evidence, *after.controls)} == {"bundled"}
    assert len(after.controls) == len(before.controls)
    assert [a.document() for a in answers(fresh_store)] == document
    assert after.verdict is not None
    assert Topic.WRITER in {check.topic for check in after.verdict.checks}


def test_sets_are_compared_by_who_wrote_what_was_asked(fresh_store: Store) -> None:
    first, deep = same_instances.prepare(fresh_store, "deep")
    for sample_id in (first, deep):
        same_instances.take(fresh_store, sample_id, 20)
    [before] = studies(fresh_store, first)
    reword(fresh_store, deep)
    [after] = studies(fresh_store, first)
    assert after.document() == before.document()
    assert [one.writer for one in after.of_sets] == ["bundled", "person"]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The store that the bundle makes, in which nothing was computed yet."""
    path = tmp_path_factory.mktemp("imported") / "dcq.duckdb"
    assert bundle_import.load(Store(path), BUNDLE / "every.zip").differences == ()
    return path.read_bytes()


@pytest.fixture
def made(imported: bytes, tmp_path: Path) -> Callable[[str], Store]:
    """Makes that store under a name."""

    def make(name: str) -> Store:
        path = tmp_path / f"{name}.duckdb"
        path.write_bytes(imported)
        return Store(path)

    return make


def judged(store: Store, *, named: bool = True) -> list[Any]:
    """All that is concluded of a store; unless ``named``, without the sentences, which have the
    present names of partitions."""
    found = [
        *(every_method.of_judged(one) for _, one in sorted(study.judged(store).results.items())),
        *(answer.document() for answer in answers(store)),
    ]
    searched = [(one.estimate, one.usable, one.setting) for one in every_method.searched(store)]
    kept = [
        {
            key: value
            for key, value in one.items()
            if named or key in {"verdict", "ruling", "p_value"}
        }
        for one in found
    ]
    return [*kept, searched]


@pytest.fixture(scope="module")
def before(imported: bytes, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """That store as it was asked."""
    path = tmp_path_factory.mktemp("before") / "dcq.duckdb"
    path.write_bytes(imported)
    return Store(path)


@pytest.mark.parametrize("edit", EDITS)
def test_what_is_written_by_hand_later_changes_no_verdict(
    before: Store, made: Callable[[str], Store], edit: str
) -> None:
    store, named = made("edited"), "names" not in edit
    with store.write() as db:
        db.execute(EDITS[edit])
    assert judged(store, named=named) == judged(before, named=named)
    rulings = {answer.ruling for answer in answers(store)}
    assert rulings == {Ruling.CONTAMINATED}  # of a quiz, a replication and a likelihood


def test_a_run_goes_on_with_the_texts_that_it_began_with(
    before: Store, made: Callable[[str], Store]
) -> None:
    store = made("edited")
    with store.write() as db:
        for edit in EDITS.values():
            db.execute(edit)
    kinds = set()
    for run_id in runs.listing(store):
        plan = runs.load(store, run_id).plan
        there, here = (methods.kind_of(plan.method).reopen(one, plan) for one in (before, store))
        texts = [here.text(position) for position in range(here.size)]
        assert texts == [there.text(position) for position in range(there.size)]
        kinds.add(plan.method)
    assert kinds == {"quiz", "replication", "judge", "likelihood", "scan"}


async def test_a_question_is_shown_as_it_was_sent(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    run_id, _ = await take(fresh_store, quiz, "always-a")
    sent = preview.recall(fresh_store, run_id, 0)
    with fresh_store.write() as db:
        db.execute(EDITS["the names of partitions"])
    assert preview.recall(fresh_store, run_id, 0) == sent
    assert sent.verified


def test_a_cheat_is_asked_about_what_it_was_planned_for(fresh_store: Store, sample_id: str) -> None:
    run_id = prepare.plan_run(
        fresh_store, CHEAT, sample_id, CHEAT.endpoint("tester@http://127.0.0.1:9/v1")
    )
    plan = runs.load(fresh_store, run_id).plan
    before = CHEAT.reopen(fresh_store, plan)
    with fresh_store.write() as db:
        db.execute(EDITS["the names of partitions"])
        db.execute(EDITS["the task and the language of targets"])
    assert CHEAT.reopen(fresh_store, plan) == before


def test_the_baselines_of_a_quiz_are_of_the_language_that_it_was_asked_in(
    before: Store, made: Callable[[str], Store]
) -> None:
    store = made("edited")
    with store.write() as db:
        db.execute("DELETE FROM derived; UPDATE partition SET language = 'yo'")
    [quiz] = {one.quiz for one in results.table(before) if one.partition == "seen/test"}
    assert text_scores(store, [quiz]) == text_scores(before, [quiz])


def test_a_bundle_and_a_passport_of_before_say_the_same() -> None:
    key = keys.public_key(BUNDLE / "key.pub")
    made_at = datetime(2026, 11, 29)  # the day after it was signed
    found = verify.verify(BUNDLE / "passport.json", key, BUNDLE / "every.zip", now=made_at)
    assert (found.problems, found.recomputed) == ((), True)
    assert found.answer is not None
    assert found.answer["ruling"] == "contaminated"


def test_a_store_of_before_gets_the_names_of_its_partitions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.duckdb"
    at = [step.__name__ for step in steps.STEPS].index("m048_partitions_as_they_were_asked")
    with monkeypatch.context() as older:
        older.setattr(migrations, "STEPS", steps.STEPS[:at])
        with Store(path).write() as db:
            db.execute(
                "INSERT INTO partition VALUES ('k/s', 'k', 's', 'Rivers', 'test', 'target', "
                "'classification', 'en', '', NULL, '', now()::TIMESTAMP, NULL)"
            )
            db.execute(
                "INSERT INTO sample BY NAME SELECT 'x' AS id, 'k/s' AS partition_id, '' AS source, "
                "1 AS n, 1 AS requested, 1 AS available, 0 AS seed, false AS stratified, "
                "'[]' AS notes, now()::TIMESTAMP AS made_at"
            )
            db.execute(
                "INSERT INTO run BY NAME SELECT 'r' AS id, 'q' AS subject, 'x' AS sample_id, "
                "'m' AS model, '' AS base_url, '' AS prompt, '' AS wording, 0.0 AS temperature, "
                "1 AS max_tokens, 1 AS items, 1 AS concurrency, '' AS version, "
                "'recall' AS method, now()::TIMESTAMP AS made_at"
            )
            db.execute(
                "INSERT INTO run_event (run_id, event, detail, made_at) "
                "VALUES ('r', 'planned', '', now()::TIMESTAMP)"
            )
    plan = runs.load(Store(path), "r").plan
    assert (plan.dataset, plan.split, plan.task, plan.language) == (
        "Rivers",
        "test",
        "classification",
        "en",
    )
    [run] = method_runs.runs_of(Store(path), ["recall"])
    assert (run.task, run.language) == ("classification", "en")
