from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dcq import settings
from dcq.asking import launch, prepare
from dcq.asking.options import NO_TERMS, Options
from dcq.asking.reuse import reuse_answers
from dcq.evidence.check import Mark, Topic
from dcq.files import export
from dcq.judging.served import Served, served
from dcq.judging.study import findings
from dcq.models.endpoints import model_asked, resolve
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ
from dcq.quiz.preview import recall
from dcq.quiz.results import quiz_row
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, samples
from dcq.store.answers import add_answers
from tests.conftest import small_sample
from tests.support.batches import BatchProvider
from tests.support.provider import FakeProvider
from tests.support.runs import NOBODY, _answer, answer, plan_all, take, wait_until_ended


async def test_the_model_and_fingerprint_served_are_stored_with_each_answer(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    run_id, _ = await take(fresh_store, quiz_id, "dated")
    sent = recall(fresh_store, run_id, 0)
    assert (sent.answer.served_model, sent.answer.fingerprint) == ("dated-2026-01-02", "fp_0a")
    found = served(fresh_store, run_id)
    assert found.words() == "dated-2026-01-02 in 6 of 6 answers; asked for dated"
    assert found.mismatch() == ""
    data = export.frame(fresh_store, export.ExportTable.ANSWERS, run_id)
    assert set(data["served_model"]) == {"dated-2026-01-02"}
    assert set(data["fingerprint"]) == {"fp_0a"}


async def test_nothing_is_said_where_what_was_asked_was_served(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    run_id, _ = await take(fresh_store, quiz_id, "always-d")
    assert served(fresh_store, run_id).models == {"always-d": 6}
    assert served(fresh_store, run_id).words() == ""


async def test_several_models_within_a_run_are_warned_of(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample_id = samples.save(fresh_store, small_sample(20))
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    run_id, _ = await take(fresh_store, quiz, "switching")
    found = served(fresh_store, run_id)
    assert set(found.models) == {"switching-new", "switching-old"}
    assert sum(found.models.values()) == found.n == 20
    assert "2 models answered this run" in found.mismatch()
    assert "2 system fingerprints" in found.words()


async def test_a_name_made_to_deceive_is_one_short_printable_line(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    run_id, _ = await take(fresh_store, quiz_id, "shady")
    sent = recall(fresh_store, run_id, 0)
    assert sent.answer.served_model is not None
    assert sent.answer.served_model.isprintable()
    assert len(sent.answer.served_model) == 200
    assert sent.answer.served_model.startswith("shady [2J gnp <script>alert(1)</script> **x** n")
    assert sent.answer.fingerprint is None


async def test_a_reused_answer_says_who_gave_it_first(
    fresh_store: Store, quiz_id: str, provider: FakeProvider
) -> None:
    await take(fresh_store, quiz_id, "dated")
    [second] = await plan_all(fresh_store, [quiz_id], ["dated"], NO_TERMS)
    assert reuse_answers(fresh_store, QUIZ, second) == 6
    assert served(fresh_store, second).models == {"dated-2026-01-02": 6}


@pytest.mark.slow
@pytest.mark.usefixtures("forked")
def test_answers_by_batch_say_it_too(fresh_store: Store, quiz_id: str, host: BatchProvider) -> None:
    [run_id] = launch.begin(fresh_store, QUIZ, [quiz_id], ["dated"], Options(by_batch=True))
    wait_until_ended(fresh_store, [run_id])
    assert host.lines == 5
    assert served(fresh_store, run_id).models == {"dated-2026-01-02": 6}
    assert served(fresh_store, run_id).fingerprints == {"fp_0a": 6}


def test_where_the_endpoint_said_nothing_nothing_is_said(fresh_store: Store, quiz_id: str) -> None:
    run_id = answer(fresh_store, quiz_id, {"D": 5, "error": 1})
    found = served(fresh_store, run_id)
    assert (found.n, found.models, found.words(), found.mismatch()) == (5, {}, "", "")
    assert recall(fresh_store, run_id, 0).answer.served_model is None


def test_a_name_for_every_answer_is_cut_short() -> None:
    found = Served("m", 100, {f"model-{i}": 1 for i in range(100)}, {})
    assert found.words().endswith("and 96 more; asked for m")
    assert len(found.mismatch()) < 300


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("gpt-4o", "gpt-4o"),
        ("openai:gpt-4o", "gpt-4o"),
        ("ollama:llama3.2:1b", "llama3.2:1b"),
        ("openrouter:openai/gpt-4o", "openai/gpt-4o"),
        ("m@x@https://host/v1", "m@x"),
        ("likelihood:vllm:org/model", "org/model"),
        ("embedded", "SmolLM2-135M-Instruct"),
        ("ft:gpt-4o:org", "ft:gpt-4o:org"),
    ],
)
def test_the_model_asked_is_named_without_its_address(name: str, asked: str) -> None:
    assert model_asked(name) == asked


def served_by(
    store: Store,
    key: str,
    names: Sequence[tuple[str | None, str | None]],
    *,
    role: PartitionRole = PartitionRole.TARGET,
    day: int = 1,
    kind: QuizKind = QuizKind.STANDARD,
) -> str:
    """A run of 20 questions a day, answered under each of these names and fingerprints in turn."""
    sample = small_sample(20, key=key, role=role)
    drawn = replace(sample, partition=replace(sample.partition, title=key.title()))
    slot = "D" if kind is QuizKind.STANDARD else None
    quiz = freeze.freeze(store, samples.save(store, drawn), kind, slot=slot).quiz
    run = prepare.plan_run(store, QUIZ, quiz, resolve(NOBODY, settings.load()))
    kept = [
        replace(
            _answer(place, "A"),
            served_model=names[place % len(names)][0],
            fingerprint=names[place % len(names)][1],
            at=datetime(2026, 11, day + place % len(names), 12, tzinfo=UTC),
        )
        for place in range(20)
    ]
    add_answers(store, run, kept)
    return run


def cautions(store: Store) -> list[str]:
    """What the checklist of the one target says of the model."""
    [verdict] = [
        f.verdict
        for f in findings(store)
        if f.verdict is not None and quiz_row(f.evidence).kind == "standard"
    ]
    found = [check for check in verdict.checks if check.topic is Topic.SERVED]
    assert {check.mark for check in found} <= {Mark.CAUTION}
    return [check.sentence for check in found]


def test_a_control_answered_by_another_model_is_a_caution(fresh_store: Store) -> None:
    served_by(fresh_store, "rivers", [("m-1", "fp")])
    served_by(fresh_store, "news", [("m-2", "fp")], role=PartitionRole.CONTROL, day=3)
    assert cautions(fresh_store) == [
        "The endpoint gave 2 model names for what is compared here, so it may not be one model "
        "(here: m-1, 01 Nov 2026; control News test: m-2, 03 Nov 2026)."
    ]


def test_a_change_within_a_run_is_a_caution_with_its_days(fresh_store: Store) -> None:
    served_by(fresh_store, "rivers", [("m", "fp_1"), ("m", "fp_2")])
    served_by(fresh_store, "news", [("m", "fp_2")], role=PartitionRole.CONTROL, day=9)
    assert cautions(fresh_store) == [
        "The endpoint gave 2 system fingerprints for what is compared here, so it may not be one "
        "model (here: fp_1, 01 Nov 2026 and fp_2, 02 Nov 2026; control News test: fp_2, "
        "09 Nov 2026)."
    ]


def test_the_quiz_without_the_original_is_compared_too(fresh_store: Store) -> None:
    served_by(fresh_store, "rivers", [("m-1", None)])
    served_by(fresh_store, "rivers", [("m-0", None)], kind=QuizKind.MODIFIED)
    [said] = cautions(fresh_store)
    assert "without the original: m-0, 01 Nov 2026" in said


@pytest.mark.parametrize("other", [("m", "fp"), (None, None), ("m", None)])
def test_one_model_and_what_was_not_said_are_no_caution(
    fresh_store: Store, other: tuple[str | None, str | None]
) -> None:
    served_by(fresh_store, "rivers", [("m", "fp")])
    served_by(fresh_store, "news", [other], role=PartitionRole.CONTROL, day=3)
    assert cautions(fresh_store) == []


def test_many_long_names_are_one_short_sentence(fresh_store: Store) -> None:
    served_by(fresh_store, "rivers", [(f"{n:03}" + "x" * 190, None) for n in range(20)])
    [said] = cautions(fresh_store)
    assert "20 model names" in said
    assert "16 more" in said
    assert len(said) < 600
