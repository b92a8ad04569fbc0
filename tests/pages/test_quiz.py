from __future__ import annotations

import time
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dcq.records import Kind
from dcq.runs import freeze, launch
from dcq.runs.prepare import Terms
from dcq.runs.results import table
from dcq.store import Store, quizzes, runs, samples
from dcq.store.runs import Event
from tests.conftest import frame_with, small_sample
from tests.runs.conftest import answer
from tests.support.batches import BatchProvider
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


def _shown(markdown: object) -> str:
    """Markdown without what keeps foreign text from being read as such."""
    return str(markdown).replace("\\", "").replace("\u2060", "")


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
    [why] = at.warning
    assert "anthropic:claude: Anthropic needs ANTHROPIC_API_KEY" in _shown(why.value)
    start = at.button(key="quiz_start")
    assert start.disabled
    assert "ANTHROPIC_API_KEY" in _shown(start.help)


def test_the_slot_follows_the_modified_quiz(
    page: AppTest, fresh_store: Store, sample_id: str, provider: Provider
) -> None:
    modified = freeze.freeze(fresh_store, sample_id, Kind.MODIFIED).quiz
    [run_id] = launch.begin(fresh_store, [modified], ["always-d"])
    _wait(fresh_store, run_id)
    at = page.run()
    assert "placed at C" in _words(at)


def test_a_quiz_of_several_samples_is_one_plan(
    page: AppTest, fresh_store: Store, provider: Provider
) -> None:
    target = samples.save(fresh_store, small_sample())
    control = samples.save(fresh_store, small_sample(4))
    at = page.run()
    shown = at.selectbox(key="quiz_sample").value
    other = ({target, control} - {shown}).pop()
    at.multiselect(key=f"quiz_others_{shown}").set_value([other]).run()
    at.multiselect(key="quiz_models").set_value(["always-d"]).run()
    assert sorted(frame_with(at, "calls")["calls"]) == [4, 6]
    assert "Together 10 calls" in _words(at)
    at.button(key="quiz_start").click().run()
    assert not at.exception
    for run_id in runs.listing(fresh_store):
        _wait(fresh_store, run_id)
    assert sorted(r.n for r in table(fresh_store, every_run=True)) == [4, 6]


def test_a_run_that_used_up_its_calls_can_be_allowed_more(
    page: AppTest, fresh_store: Store, sample_id: str, provider: Provider
) -> None:
    at = page.run()
    at.multiselect(key="quiz_models").set_value(["always-d"]).run()
    at.number_input(key="quiz_max_calls").set_value(2).run()
    at.button(key="quiz_start").click().run()
    [run_id] = runs.listing(fresh_store)
    _wait(fresh_store, run_id)
    at = page.run()
    assert "The 2 calls that the run may make are made" in _words(at)
    assert at.number_input(key=f"runs_calls_{run_id}").value == 6
    at.button(key=f"runs_resume_{run_id}").click().run()
    deadline = time.monotonic() + 60
    while (ended := runs.load(fresh_store, run_id).event) is not Event.FINISHED:
        assert time.monotonic() < deadline, ended
        time.sleep(0.2)
    assert provider.counts["always-d"] == 6


def test_every_run_can_be_reached_and_an_older_one_resumed(
    page: AppTest, fresh_store: Store, sample_id: str, provider: Provider
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, Kind.STANDARD, slot="D").quiz
    for _ in range(8):
        answer(fresh_store, quiz, {"D": 1}, "always-d")
    runs.note(fresh_store, (oldest := runs.listing(fresh_store)[-1]), Event.CANCELLED)
    at = page.run()
    keys = {button.key for button in at.button}
    assert f"runs_resume_{oldest}" not in keys
    at.toggle(key="quiz_all_runs").set_value(True).run()
    at.button(key=f"runs_resume_{oldest}").click().run()
    assert not at.exception
    _wait(fresh_store, oldest)
    assert runs.load(fresh_store, oldest).event is Event.FINISHED
    assert provider.counts["always-d"] == 5


def test_what_cannot_be_resumed_says_why(
    page: AppTest, fresh_store: Store, sample_id: str, provider: Provider
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, Kind.STANDARD, slot="D").quiz
    run_id = answer(fresh_store, quiz, {"D": 1}, "always-d")
    runs.note(fresh_store, run_id, Event.CANCELLED)
    fresh_store.runs_folder.mkdir(exist_ok=True)
    (fresh_store.runs_folder / f"{run_id}.log").mkdir()  # a folder where a file belongs
    at = page.run()
    at.button(key=f"runs_resume_{run_id}").click().run()
    assert not at.exception
    [error] = at.error
    assert "cannot be written" in error.value


def test_a_visit_begins_with_the_last_model_that_answered(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, Kind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"D": 6}, "answers@http://127.0.0.1:9/v1")
    answer(fresh_store, quiz, {"error": 6}, "fails@http://127.0.0.1:9/v1")
    at = page.run()
    assert at.multiselect(key="quiz_models").value == ["answers@http://127.0.0.1:9/v1"]


def test_stored_answers_are_taken_on_request(
    page: AppTest, fresh_store: Store, sample_id: str, provider: Provider
) -> None:
    for reuse, calls in ((False, 6), (True, 6), (False, 12)):
        at = page.run()
        at.multiselect(key="quiz_models").set_value(["always-d"]).run()
        at.toggle(key="quiz_reuse").set_value(reuse).run()
        assert ("Stored answers are taken first" in _words(at)) is reuse
        at.button(key="quiz_start").click().run()
        _wait(fresh_store, runs.listing(fresh_store)[0])
        assert provider.counts["always-d"] == calls


def test_asking_by_batch_is_offered_where_it_can_be_had(
    page: AppTest, fresh_store: Store, sample_id: str, host: BatchProvider
) -> None:
    at = page.run()
    assert "quiz_when" not in at.session_state  # the embedded model has none
    at.multiselect(key="quiz_models").set_value(["gpt-4o-mini", "embedded"]).run()
    assert "quiz_when" not in at.session_state
    assert "embedded has none" in _words(at)
    at.multiselect(key="quiz_models").set_value(["gpt-4o-mini"]).run()
    assert "has none" not in _words(at)
    [full] = frame_with(at, "calls")["usd"]
    at.segmented_control(key="quiz_when").set_value("By batch, half price").run()
    [half] = frame_with(at, "calls")["usd"]
    assert half == full / 2
    at.button(key="quiz_start").click().run()
    assert not at.exception
    [run_id] = runs.listing(fresh_store)
    _wait(fresh_store, run_id)
    assert (host.counts["gpt-4o-mini"], host.lines) == (1, 5)
    assert runs.load(fresh_store, run_id).event is Event.FINISHED


def test_a_budget_needs_a_price_and_may_be_tiny(
    page: AppTest, fresh_store: Store, sample_id: str, provider: Provider
) -> None:
    at = page.run()
    at.multiselect(key="quiz_models").set_value(["always-d"]).run()
    at.number_input(key="quiz_budget").set_value(1.0).run()
    at.multiselect(key="quiz_models").set_value(["always-d", "gpt-4o-mini", "always-a"]).run()
    [why] = at.warning
    assert _shown(why.value).startswith("always-d, always-a: Its price is not known")
    assert at.button(key="quiz_start").disabled
    quiz = freeze.freeze(fresh_store, sample_id, Kind.STANDARD, slot="D").quiz
    [run_id] = launch.begin(fresh_store, [quiz], ["gpt-4o-mini"], Terms(budget_usd=0.00004))
    _wait(fresh_store, run_id)
    at = page.run()
    assert not at.exception
    assert "could pass the budget" in _words(at)
    assert at.number_input(key=f"runs_budget_{run_id}").value == 0.00004
