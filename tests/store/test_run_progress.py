from __future__ import annotations

from dataclasses import replace

import pytest

from dcq.store import Store, results, run_progress, runs, samples
from dcq.store.answers import add_answers
from dcq.variants import reword
from dcq.variants.reword import RewordingDesign
from tests.conftest import small_sample
from tests.support.runs import NOBODY, answer


async def test_the_offline_generator_is_no_model_that_was_asked(
    fresh_store: Store, quiz_id: str
) -> None:
    bare = samples.save(fresh_store, replace(small_sample(3, key="lakes"), variants={}))
    await reword.reword_sample(fresh_store, bare, None)
    assert run_progress.models(fresh_store) == []
    assert run_progress.last_model(fresh_store) is None
    answer(fresh_store, quiz_id, {"A": 1})
    await reword.reword_sample(fresh_store, bare, None, RewordingDesign(again=True))
    assert run_progress.models(fresh_store) == [NOBODY]
    assert run_progress.last_model(fresh_store) == NOBODY


@pytest.mark.parametrize("method", ["search", "crawl", "scan"])
def test_a_service_is_no_model(fresh_store: Store, quiz_id: str, method: str) -> None:
    asked = answer(fresh_store, quiz_id, {"A": 1})
    reply = results.load_answer(fresh_store, asked, 0)
    assert reply is not None
    plan = replace(runs.load(fresh_store, asked).plan, method=method, model="a service")
    add_answers(fresh_store, runs.create(fresh_store, plan), [reply])
    assert run_progress.models(fresh_store) == [NOBODY]
    assert run_progress.last_model(fresh_store) == NOBODY
