"""The price of what an answer still lacks."""

from __future__ import annotations

import pytest

from dcq.investigation.could_ask import priced
from dcq.judging.answers import answers
from dcq.store import Store, answer_plans
from dcq.store.answer_plans import PlannedMethod
from tests.support.likelihoods import CONTROLS, MODEL, save, score_all
from tests.support.provider import FakeProvider

N = 4


@pytest.mark.parametrize(("kind", "calls"), [("standard", N + N), ("rotated", N + 4 * N)])
def test_the_quiz_that_was_planned_is_named_and_priced(
    fresh_store: Store, provider: FakeProvider, kind: str, calls: int
) -> None:
    save(fresh_store, provider, N, CONTROLS[:1])
    planned = [PlannedMethod("quiz", kind, 0.5), PlannedMethod("likelihood", "", 0.5)]
    answer_plans.add(fresh_store, MODEL, "rivers/test", planned)
    score_all(fresh_store)
    [answer] = priced(fresh_store, answers(fresh_store))
    [missing] = answer.could_ask
    assert missing.calls == calls
    assert f"{kind} quiz 50 % (not asked)" in answer.basis
