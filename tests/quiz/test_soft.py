from __future__ import annotations

import math

import pytest

from dcq import settings
from dcq.asking.calls import TOP_LOGPROBS, gives_logprobs
from dcq.asking.options import Terms
from dcq.models.endpoints import resolve
from dcq.quiz import freeze, soft
from dcq.quiz import results as counted
from dcq.quiz.results import Result
from dcq.records import QuizKind
from dcq.store import Store, samples
from tests.support.provider import FakeProvider
from tests.support.runs import take


async def asked(
    store: Store, sample_id: str, kind: QuizKind, model: str, *, logprobs: bool = True
) -> Result:
    slot = "D" if kind in {QuizKind.STANDARD, QuizKind.BCQ} else None
    quiz = freeze.freeze(store, sample_id, kind, slot=slot).quiz
    run_id, _ = await take(store, quiz, model, logprobs=logprobs)
    [result] = [r for r in counted.table(store, every_run=True) if r.run == run_id]
    return result


async def test_a_letter_lover_scores_chance_when_rotated(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    result = await asked(fresh_store, sample_id, QuizKind.ROTATED, "always-b")
    assert provider.bodies[0]["top_logprobs"] == TOP_LOGPROBS
    found = soft.score(fresh_store, result)
    assert found is not None
    assert found.n == 6
    assert (found.score, found.debiased) == pytest.approx((0.25, 0.25))
    assert soft.scores(fresh_store, [result]) == {result.run: found}


async def test_memory_shows_in_both_scores(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    provider.seen = tuple(i.text for i in samples.load(fresh_store, sample_id).instances)
    result = await asked(fresh_store, sample_id, QuizKind.ROTATED, "knows-original")
    found = soft.score(fresh_store, result)
    assert found is not None
    # The provider gives its letter −0.1 and the others −3, −4, −5 (see tests/support/behaviours).
    expected = math.exp(-0.1) / sum(math.exp(x) for x in (-0.1, -3, -4, -5))
    assert found.score == pytest.approx(expected)
    assert found.debiased is not None
    assert found.debiased > 0.9


async def test_a_fixed_slot_is_debiased_by_the_modified_quiz_alone(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    standard = await asked(fresh_store, sample_id, QuizKind.STANDARD, "always-d")
    bare = soft.score(fresh_store, standard)
    assert bare is not None
    assert bare.score is not None
    assert bare.score > 0.9
    assert (bare.debiased, bare.debiased_low, bare.debiased_high) == (None, None, None)
    await asked(fresh_store, sample_id, QuizKind.MODIFIED, "always-d")
    known = soft.score(fresh_store, standard)
    assert known is not None
    assert known.score == bare.score
    assert known.debiased == pytest.approx(0.25)  # its preference for D explains all of it


@pytest.mark.parametrize(
    ("model", "logprobs"), [("always-d", False), ("no-logprobs", True), ("overflow", True)]
)
async def test_no_logprobs_no_soft_score(
    fresh_store: Store, sample_id: str, provider: FakeProvider, model: str, logprobs: bool
) -> None:
    result = await asked(fresh_store, sample_id, QuizKind.STANDARD, model, logprobs=logprobs)
    assert soft.score(fresh_store, result) is None
    assert soft.scores(fresh_store, [result]) == {}


@pytest.mark.parametrize("kind", [QuizKind.MODIFIED, QuizKind.BDQ, QuizKind.BCQ])
async def test_other_kinds_have_no_soft_score(
    fresh_store: Store, sample_id: str, provider: FakeProvider, kind: QuizKind
) -> None:
    result = await asked(fresh_store, sample_id, kind, "always-d")
    assert result.n == 6
    assert soft.score(fresh_store, result) is None
    assert soft.scores(fresh_store, [result]) == {}


async def test_a_rotated_run_under_way_has_a_score_of_its_whole_instances(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.ROTATED).quiz
    await take(fresh_store, quiz, "always-a", Terms(limit=2), logprobs=True)
    [result] = counted.table(fresh_store)
    found = soft.score(fresh_store, result)
    assert found is not None
    assert found.n == 2


def test_local_servers_are_asked_without_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "invented")
    names = ("embedded", "vllm:x", "llamacpp:x", "mistral:x", "x@http://127.0.0.1:9/v1")
    given = [gives_logprobs(resolve(name, settings.load())) for name in names]
    assert given == [True, True, True, False, False]
