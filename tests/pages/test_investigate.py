from __future__ import annotations

import asyncio
import math
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dcq import settings
from dcq.investigation import evidence_order, more_controls, power
from dcq.investigation.state import is_done
from dcq.investigation.walk import EXCLUSIVE
from dcq.models.endpoints import resolve
from dcq.quiz import choice as choosing
from dcq.quiz import freeze
from dcq.records import DatasetTask, PartitionRole, QuizKind, Sample
from dcq.store import Store, investigations, results, runs, samples, variants
from dcq.ui import roles
from dcq.variants import reword
from dcq.words import percent
from tests.conftest import button_called, frame_with, letters, small_sample
from tests.support import once
from tests.support.asked import ask
from tests.support.investigated import CONTROLS, save_target
from tests.support.provider import FakeProvider
from tests.support.reworded import save_reworded_target
from tests.support.runs import answer, wait_for

N = 12


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/investigate.py")


@pytest.fixture
def target(fresh_store: Store, provider: FakeProvider) -> str:
    return save_target(fresh_store, provider, N, CONTROLS)


def _words(at: AppTest) -> str:
    shown = [*at.title, *at.markdown, *at.caption, *at.info, *at.warning, *at.error]
    return letters("\n".join(str(element.value) for element in shown))


@pytest.fixture
def quizzes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model can be asked by another method, so that none is offered or priced."""
    monkeypatch.setattr(evidence_order, "usable", lambda *_, **__: ())


def _choose(at: AppTest, *models: str) -> AppTest:
    at.session_state["investigate_models"] = list(models)
    at.run()
    assert not at.exception
    assert at.multiselect(key="investigate_models").value == list(models)
    return at


def _wait(store: Store) -> None:
    deadline = time.monotonic() + 120
    while EXCLUSIVE.any_under_way(store):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_an_empty_store_and_one_of_controls_say_what_to_do(
    page: AppTest, fresh_store: Store
) -> None:
    at = page.run()
    assert not at.exception
    assert "There is no sample yet" in at.info[0].value
    samples.save(fresh_store, small_sample(role=PartitionRole.CONTROL))
    at = page.run()
    assert not at.exception
    assert "no sample of a target" in at.info[0].value
    assert not at.button


def test_the_whole_is_priced_asked_and_found(
    page: AppTest, fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    at = _choose(page, "knows-original", "guess")
    [others] = at.pills
    assert others.value == ["Replication"]
    others.set_value([])
    at.run()
    assert not at.exception
    assert f"2 models, 4 quizzes each: {8 * N} calls" in _words(at)
    assert "price unknown" in _words(at)
    table = frame_with(at, "step")
    first, second, *controls = table["step"]
    assert first.startswith("Modified on Rivers test")
    assert second.startswith("Standard on Rivers test")
    assert [step.startswith("Standard on control ") for step in controls] == [True, True]
    assert list(table["calls"]) == [2 * N] * 4
    provider.answers_at_most = 8
    at.button(key="investigate_start").click().run()
    assert not at.exception
    assert "investigate_start" not in {button.key for button in at.button}
    assert "Modified on Rivers test" in _words(at)
    assert "Slot: chosen least" in _words(at)
    # Someone else, in another browser, finds it as it is.
    other = AppTest.from_file(page._script_path, default_timeout=60)
    other.switch_page("pages/investigate.py").run()
    assert not other.exception
    assert "Slot: chosen least" in _words(other)
    provider.answers_at_most = math.inf
    _wait(fresh_store)
    at = at.run()
    assert not at.exception
    said = _words(at)
    assert "Contaminated" in said
    assert f"knows-original picked the original in {N} of {N} instances of Rivers test" in said
    assert "guess picked the original in" in said
    assert said.index("knows-original picked") < said.index("guess picked")
    assert "nothing is left to ask" in said
    assert "investigate_start" not in {button.key for button in at.button}
    assert provider.counts == {"knows-original": 4 * N, "guess": 4 * N}
    assert list(at.query_params["investigate_models"]) == ["knows-original", "guess"]


@pytest.mark.usefixtures("quizzes_alone")
def test_what_it_would_find_is_said_beside_the_price(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    large = save_target(fresh_store, provider, 33, (*CONTROLS, "seas"))
    at = page.run()
    at.selectbox(key="investigate_sample").set_value(large).run()
    at = _choose(at, "guess")
    said = _words(at)
    assert "If the model has seen half of it, this would find it in" in said
    assert said.index("would find it") < said.index("5 quizzes")
    assert [expander.label for expander in at.expander] == ["How likely is a conclusion?"]
    table = frame_with(at, "possible")
    choice = choosing.choose(fresh_store, large)
    [pair] = power.plan(fresh_store, [(choice, ["guess"])]).pairs
    assert table["half"].tolist() == [percent(pair.power.half)]
    assert not at.warning
    small = samples.save(fresh_store, small_sample(8, key="brooks"))
    at.run()
    at.selectbox(key="investigate_sample").set_value(small).run()
    assert not at.exception
    [first, *_] = [warning.value for warning in at.warning]
    assert "This plan cannot find anything" in letters(first)
    assert "Cheapest change: Draw 20 instances of the target (adds" in letters(first)
    assert "has 8 instances, and a conclusion takes at least 10" in _words(at)
    assert not provider.counts


@pytest.mark.usefixtures("quizzes_alone")
def test_what_was_cancelled_goes_on(
    page: AppTest, fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    at = _choose(page, "guess")
    provider.answers_at_most = 8
    at.button(key="investigate_start").click().run()
    deadline = time.monotonic() + 120
    while button_called(at, "Cancel").disabled:
        assert time.monotonic() < deadline
        time.sleep(0.2)
        at.run()
    button_called(at, "Cancel").click().run()
    assert not at.exception
    [run_id] = runs.listing(fresh_store)
    kept = len(results.answers(fresh_store, run_id))
    provider.answers_at_most += 1
    # Whoever writes an answer hears of the request by that; the other three are in flight still.
    wait_for(lambda: len(results.answers(fresh_store, run_id)) > kept)
    provider.answers_at_most = math.inf
    _wait(fresh_store)
    at.run()
    assert not at.exception
    record = investigations.newest(fresh_store, target, "guess")
    assert record is not None
    assert "cancelled" in _words(at)
    assert at.button(key="investigate_start").label == "Continue"
    at.button(key="investigate_start").click().run()
    _wait(fresh_store)
    now = investigations.newest(fresh_store, target, "guess")
    assert now is not None
    assert (now.id, is_done(fresh_store, now)) == (record.id, True)
    assert provider.counts["guess"] == 4 * N


@pytest.mark.usefixtures("quizzes_alone")
def test_answers_that_are_there_are_counted_and_make_a_finding_without_a_call(
    page: AppTest, fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    ask(fresh_store, target, QuizKind.MODIFIED, "always-a")
    at = _choose(page, "always-a")
    assert f"4 quizzes: {3 * N} calls" in _words(at)
    assert f"{N} answers are there already" in _words(at)
    assert list(frame_with(at, "step")["slot"]) == ["absent", "D", "D", "D"]
    for one in (target, *choosing.choose(fresh_store, target).controls):
        ask(fresh_store, one, QuizKind.STANDARD, "always-a", slot="D")
    calls = provider.counts["always-a"]
    at.run()
    assert at.button(key="investigate_start").label == "Show the finding"
    at.button(key="investigate_start").click().run()
    assert not at.exception
    assert f"always-a picked the original in 0 of {N}" in _words(at)
    assert provider.counts["always-a"] == calls


def test_what_is_not_ready_is_said_before_the_start(
    page: AppTest, fresh_store: Store, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = samples.save(fresh_store, replace(small_sample(N, key="seas"), variants={}))
    at = page.run()
    at.selectbox(key="investigate_sample").set_value(bare).run()
    assert not at.exception
    assert "write or accept variants for the sample first" in _words(at)
    assert at.button(key="investigate_start").disabled
    at.selectbox(key="investigate_sample").set_value(target).run()
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    at.multiselect(key="investigate_models").set_value(["anthropic:claude-x", "guess"]).run()
    assert "anthropic:claude-x: Anthropic needs ANTHROPIC_API_KEY" in _words(at)
    assert at.button(key="investigate_start").disabled
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    at.run()
    assert not at.button(key="investigate_start").disabled
    assert runs.listing(fresh_store) == []


@pytest.mark.usefixtures("quizzes_alone")
def test_price_and_corpus_are_said_before_the_start_also_to_a_viewer_who_may_not(
    page: AppTest, fresh_store: Store, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = _choose(page, "guess", "gpt-4o-mini")
    assert "96 calls, at most about 12,576 tokens, under $0.01 and an unknown price." in _words(at)
    assert "searched for in the corpus" not in _words(at)
    monkeypatch.setenv("DCQ_CORPUS", str(tmp_path / "pages"))
    monkeypatch.setattr(roles, "role", lambda: roles.UserRole.VIEWER)
    at.multiselect(key="investigate_models").set_value(["gpt-4o-mini"])  # one of the list
    at.run()
    assert not at.exception
    shown = _words(at)
    assert "4 quizzes: 48 calls, at most about 6,288 tokens, under $0.01." in shown
    assert "The sample is searched for in the corpus pages too, free." in shown
    assert str(tmp_path) not in shown
    start = at.button(key="investigate_start")
    assert start.disabled
    assert "needs the role runner" in str(start.help)
    assert at.button(key="investigate_draw").disabled


@pytest.mark.usefixtures("quizzes_alone")
def test_a_model_that_refuses_is_asked_no_more_until_it_replies(
    page: AppTest, fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    at = _choose(page, "refuses")
    at.button(key="investigate_start").click().run()
    _wait(fresh_store)
    at.run()
    assert not at.exception
    assert f"{N} answers · {N} unusable" in _words(at)
    assert "refuses gave no usable answer in the modified quiz" in _words(at)
    assert at.button(key="investigate_start").disabled
    assert provider.counts["refuses"] == N
    quiz = freeze.freeze(fresh_store, target, QuizKind.MODIFIED).quiz
    answer(fresh_store, quiz, {"A": N // 2, "B": N // 2}, "refuses")
    at.run()
    assert not at.button(key="investigate_start").disabled
    assert list(frame_with(at, "step")["slot"]) == ["absent", "D", "D", "D"]


def test_bundled_controls_are_drawn_by_one_click(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    samples.save(fresh_store, small_sample(N))
    at = page.run()
    assert not at.exception
    assert "no control of this task and language (classification, en)" in _words(at)
    assert "investigate_start" not in {button.key for button in at.button}
    at.button(key="investigate_draw").click().run()
    assert not at.exception
    drawn = [one for one in samples.listing(fresh_store) if one.role is PartitionRole.CONTROL]
    assert drawn
    chosen = at.multiselect(key=f"investigate_controls_{_target(fresh_store)}_{len(drawn)}").value
    assert set(chosen) == {one.id for one in drawn}
    assert at.button(key="investigate_start").label == "Investigate"


@pytest.mark.usefixtures("quizzes_alone")
def test_small_controls_are_added_priced_reworded_and_asked(
    page: AppTest,
    fresh_store: Store,
    provider: FakeProvider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(more_controls, "SMALL_CONTROLS", 2)
    target = save_reworded_target(fresh_store, "reword")
    provider.seen = tuple(one.text for one in samples.load(fresh_store, target).instances)
    before = provider.counts["reword"]
    samples.save(fresh_store, foreign_control())
    at = _choose(page, "knows-original")
    assert "Controls that are left out: Rivers test (the task is nli, not classification)." in (
        _words(at)
    )
    add = at.button(key="investigate_small")
    assert add.label == "Add 2 small controls"
    add.click().run()
    assert not at.exception
    assert provider.counts["reword"] == before  # nothing is asked before the start
    [picker] = [one for one in at.multiselect if one.label == "Controls"]
    assert len(picker.value) == 2
    words = _words(at)
    assert "6 steps" in words  # two rewordings, the modified quiz, and three with originals
    at.button(key="investigate_start").click().run()
    _wait(fresh_store)
    at.run()
    assert not at.exception
    assert provider.counts["reword"] - before >= 2 * 12 * 2  # the paper's prompt gives three
    assert f"picked the original in {N} of {N}" in _words(at)
    assert "investigate_small" not in {button.key for button in at.button}
    assert 40 <= provider.counts["knows-original"] <= 4 * 12  # not every text could be reworded
    assert samples.partition_of(fresh_store, target).key == "benchmark"


def foreign_control() -> Sample:
    """A control of another task."""
    made = small_sample(6, key="lakes", role=PartitionRole.CONTROL)
    return replace(made, partition=replace(made.partition, task=DatasetTask.NLI))


def test_a_language_without_controls_leads_to_a_placebo(page: AppTest, fresh_store: Store) -> None:
    made = small_sample(N)
    samples.save(fresh_store, replace(made, partition=replace(made.partition, language="fi")))
    at = page.run()
    assert not at.exception
    assert "(classification, fi)" in _words(at)
    assert "investigate_draw" not in {button.key for button in at.button}


@pytest.fixture(scope="module")
def with_unlabelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store with a sample as of a csv without labels, worded by a model: no bundled
    control is like it."""

    def fill(store: Store) -> None:
        made = small_sample(N)
        partition = replace(made.partition, task=DatasetTask.TEMPLATE)
        sample_id = samples.save(store, replace(made, partition=partition, variants={}))
        asyncio.run(reword.reword_sample(store, sample_id, resolve("reword", settings.load())))

    return once.store(tmp_path_factory, "investigate-unlabelled", fill)


@pytest.fixture
def unlabelled(fresh_store: Store, provider: FakeProvider, with_unlabelled: Path) -> str:
    """This sample, in the store of the test; the provider has seen its texts."""
    shutil.copy(with_unlabelled, fresh_store.path)
    [sample] = samples.listing(fresh_store)
    provider.seen = tuple(one.text for one in samples.load(fresh_store, sample.id).instances)
    return sample.id


@pytest.mark.usefixtures("quizzes_alone")
def test_a_placebo_is_made_worded_and_chosen_by_one_click(
    page: AppTest, fresh_store: Store, unlabelled: str, provider: FakeProvider
) -> None:
    at = _choose(page, "knows-original")
    assert "no control of this task and language (template, en)" in _words(at)
    assert f"written by reword. About {2 * N} calls" in _words(at)  # three of v1, then the fourth
    assert "investigate_start" not in {button.key for button in at.button}
    assert [one.id for one in samples.listing(fresh_store)] == [unlabelled]
    assert not provider.counts  # nothing is asked before the click
    at.button(key="investigate_placebo").click().run()
    assert not at.exception
    placebo = next(one for one in samples.listing(fresh_store) if one.placebo_of == unlabelled)
    deadline = time.monotonic() + 120
    while (now := reword.state(fresh_store, placebo.id)) is None or now.state.live:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert variants.writers(fresh_store, [placebo.id, unlabelled]) == {
        placebo.id: "model:reword", unlabelled: "model:reword",
    }  # fmt: skip
    at.run()
    assert not at.exception
    assert "investigate_placebo" not in {button.key for button in at.button}
    assert at.multiselect(key=f"investigate_controls_{unlabelled}_1").value == [placebo.id]
    assert "3 quizzes: " in _words(at)
    at.button(key="investigate_start").click().run()
    _wait(fresh_store)
    at.run()
    assert f"knows-original picked the original in {N} of {N}" in _words(at)
    assert "(control: Rivers (placebo))" in _words(at)


@pytest.mark.usefixtures("quizzes_alone")
def test_bundled_controls_of_another_task_come_with_a_caution_and_decide_nothing(
    page: AppTest, fresh_store: Store, unlabelled: str
) -> None:
    at = _choose(page, "knows-original")
    draw = at.button(key="investigate_draw")
    assert draw.label.endswith("of another task")
    draw.click().run()
    assert not at.exception
    drawn = [one for one in samples.listing(fresh_store) if one.role is PartitionRole.CONTROL]
    assert len({one.task for one in drawn}) == 1
    chosen = at.multiselect(key=f"investigate_controls_{unlabelled}_{len(drawn)}")
    assert set(chosen.value) == {one.id for one in drawn}
    assert "the conclusion will be undecided" in _words(at)
    assert at.button(key="investigate_placebo").label == "Make a placebo and write its variants"
    chosen.set_value([drawn[0].id]).run()
    at.button(key="investigate_start").click().run()
    _wait(fresh_store)
    at.run()
    assert not at.exception
    headings = [letters(str(one.value)) for one in (*at.title, *at.header, *at.subheader)]
    assert f"picked the original in {N} of {N}" in _words(at)
    assert not any(one.startswith(("Contaminated", "Not")) for one in headings), headings
    assert "Undecided" in _words(at) + " ".join(headings)
    at = page.run()
    assert "nothing is left to ask" in _words(at)


@pytest.mark.usefixtures("quizzes_alone")
def test_controls_of_another_task_are_not_chosen_unasked(
    page: AppTest, fresh_store: Store, unlabelled: str
) -> None:
    samples.save(fresh_store, small_sample(N, key="lakes", role=PartitionRole.CONTROL))
    at = _choose(page, "knows-original")
    assert at.multiselect(key=f"investigate_controls_{unlabelled}_1").value == []
    assert "investigate_start" not in {button.key for button in at.button}
    assert "investigate_placebo" in {button.key for button in at.button}


def _target(store: Store) -> str:
    return next(one.id for one in samples.listing(store) if one.role is PartitionRole.TARGET)
