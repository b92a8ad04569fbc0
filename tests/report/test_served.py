from __future__ import annotations

import pytest

from dcq.asking import launch
from dcq.asking.prepare import NO_TERMS
from dcq.asking.reuse import reuse_answers
from dcq.models.endpoints import model_asked
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ
from dcq.quiz.request_details import recall
from dcq.records import Kind
from dcq.report import export
from dcq.report.served import Served, served
from dcq.store import Store, samples
from tests.conftest import small_sample
from tests.support.batches import BatchProvider
from tests.support.provider import Provider
from tests.support.runs import answer, plan_all, take, wait_until_ended


async def test_the_model_and_fingerprint_served_are_stored_with_each_answer(
    fresh_store: Store, quiz_id: str, provider: Provider
) -> None:
    run_id, _ = await take(fresh_store, quiz_id, "dated")
    sent = recall(fresh_store, run_id, 0)
    assert (sent.answer.served_model, sent.answer.fingerprint) == ("dated-2026-01-02", "fp_0a")
    found = served(fresh_store, run_id)
    assert found.words() == "dated-2026-01-02 in 6 of 6 answers; asked for dated"
    assert found.mismatch() == ""
    data = export.frame(fresh_store, export.What.ANSWERS, run_id)
    assert set(data["served_model"]) == {"dated-2026-01-02"}
    assert set(data["fingerprint"]) == {"fp_0a"}


async def test_nothing_is_said_where_what_was_asked_was_served(
    fresh_store: Store, quiz_id: str, provider: Provider
) -> None:
    run_id, _ = await take(fresh_store, quiz_id, "always-d")
    assert served(fresh_store, run_id).models == {"always-d": 6}
    assert served(fresh_store, run_id).words() == ""


async def test_several_models_within_a_run_are_warned_of(
    fresh_store: Store, provider: Provider
) -> None:
    sample_id = samples.save(fresh_store, small_sample(20))
    quiz = freeze.freeze(fresh_store, sample_id, Kind.STANDARD, slot="D").quiz
    run_id, _ = await take(fresh_store, quiz, "switching")
    found = served(fresh_store, run_id)
    assert set(found.models) == {"switching-new", "switching-old"}
    assert sum(found.models.values()) == found.n == 20
    assert "2 models answered this run" in found.mismatch()
    assert "2 system fingerprints" in found.words()


async def test_a_name_made_to_deceive_is_one_short_printable_line(
    fresh_store: Store, quiz_id: str, provider: Provider
) -> None:
    run_id, _ = await take(fresh_store, quiz_id, "shady")
    sent = recall(fresh_store, run_id, 0)
    assert sent.answer.served_model is not None
    assert sent.answer.served_model.isprintable()
    assert len(sent.answer.served_model) == 200
    assert sent.answer.served_model.startswith("shady [2J gnp <script>alert(1)</script> **x** n")
    assert sent.answer.fingerprint is None


async def test_a_reused_answer_says_who_gave_it_first(
    fresh_store: Store, quiz_id: str, provider: Provider
) -> None:
    await take(fresh_store, quiz_id, "dated")
    [second] = await plan_all(fresh_store, [quiz_id], ["dated"], NO_TERMS)
    assert reuse_answers(fresh_store, QUIZ, second) == 6
    assert served(fresh_store, second).models == {"dated-2026-01-02": 6}


@pytest.mark.slow
@pytest.mark.usefixtures("forked")
def test_answers_by_batch_say_it_too(fresh_store: Store, quiz_id: str, host: BatchProvider) -> None:
    [run_id] = launch.begin(fresh_store, QUIZ, [quiz_id], ["dated"], by_batch=True)
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
