from __future__ import annotations

import time
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dcq.records import Kind
from dcq.runs import freeze, launch
from dcq.runs.results import table
from dcq.store import Store, quizzes, runs, samples
from tests.conftest import frame_with, small_sample
from tests.support.provider import Provider


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/quiz.py")


def _wait(store: Store, run_id: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        run = runs.load(store, run_id)
        if not launch.state(store, run_id, run.event, run.at).live:
            return
        assert time.monotonic() < deadline
        time.sleep(0.2)


def _words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.subheader, *at.info, *at.warning, *at.error, *at.text]
    return "\n".join(str(element.value) for element in shown)


def test_an_empty_store_says_what_to_do_next(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert "no sample" in _words(at)


def test_questions_and_cost_are_seen_before_anything_is_asked(
    page: AppTest, fresh_store: Store
) -> None:
    samples.save(fresh_store, small_sample())
    at = page.run()
    assert not at.exception
    assert "select the option that corresponds exactly" in at.code[0].value
    cost = frame_with(at, "calls")
    assert list(cost["calls"]) == [6]
    assert list(cost["cost"]) == ["nothing"]
    assert quizzes.listing(fresh_store).empty


def test_a_sample_without_variants_leads_to_writing_them(page: AppTest, fresh_store: Store) -> None:
    samples.save(fresh_store, replace(small_sample(), variants={}))
    at = page.run()
    assert not at.exception
    assert "write or accept variants" in _words(at)


def test_asking_two_models_in_one_go(page: AppTest, fresh_store: Store, provider: Provider) -> None:
    samples.save(fresh_store, small_sample())
    at = page.run()
    at.multiselect(key="quiz_models").set_value(["always-d", "always-a"]).run()
    at.button(key="quiz_start").click().run()
    assert not at.exception
    started = runs.listing(fresh_store)
    assert len(started) == 2
    for run_id in started:
        _wait(fresh_store, run_id)
    at = page.run()
    assert not at.exception
    assert "6 of 6" in _words(at)
    assert {(r.model, r.correct) for r in table(fresh_store)} == {("always-d", 6), ("always-a", 0)}


def test_a_model_that_cannot_be_used_is_not_asked(page: AppTest, fresh_store: Store) -> None:
    samples.save(fresh_store, small_sample())
    at = page.run()
    at.multiselect(key="quiz_models").set_value(["anthropic:claude"]).run()
    assert "ANTHROPIC_API_KEY" in str(frame_with(at, "ready")["ready"][0])
    assert at.button(key="quiz_start").disabled


def test_the_slot_follows_the_modified_quiz(
    page: AppTest, fresh_store: Store, sample_id: str, provider: Provider
) -> None:
    modified = freeze.freeze(fresh_store, sample_id, Kind.MODIFIED).quiz
    [run_id] = launch.begin(fresh_store, [modified], ["always-d"])
    _wait(fresh_store, run_id)
    at = page.run()
    assert "placed at C" in _words(at)
