from __future__ import annotations

import math
import time
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from dcq.asking import launch
from dcq.asking.options import Options, Terms
from dcq.jobs.state import state_of
from dcq.quiz import freeze, looks, v2
from dcq.quiz.method import QUIZ
from dcq.quiz.results import table
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, quizzes, reviews, runs, samples, variants
from dcq.store.runs import Event
from dcq.store.variants import Decision
from dcq.ui.result_names import kind_name
from tests.conftest import frame_with, small_sample
from tests.support.asked import ask
from tests.support.batches import BatchProvider
from tests.support.provider import FakeProvider
from tests.support.runs import answer


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/quiz.py")


def _wait(store: Store, run_id: str) -> None:
    deadline = time.monotonic() + 120
    while True:
        run = runs.load(store, run_id)
        if not state_of(store, run_id, run.event, run.at).live:
            return
        assert time.monotonic() < deadline
        time.sleep(0.2)


def _choose(at: AppTest, kind: QuizKind, *models: str) -> AppTest:
    """The page as somebody sees it who has chosen these, drawn once."""
    at.query_params["quiz_kind"] = kind_name(kind)
    at.session_state["quiz_models"] = list(models)
    at.run()
    assert not at.exception
    assert at.segmented_control(key="quiz_kind").value == kind
    assert at.multiselect(key="quiz_models").value == list(models)
    return at


def _words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.subheader, *at.info, *at.warning, *at.error, *at.text]
    return "\n".join(str(element.value) for element in shown)


def _shown(markdown: object) -> str:
    """Markdown without what keeps foreign text from being read as such."""
    return str(markdown).replace("\\", "").replace("\u2060", "").replace("\u00a0", " ")


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


def test_asking_two_models_in_one_go(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    samples.save(fresh_store, small_sample())
    at = _choose(page, QuizKind.STANDARD, "always-d", "always-a")
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


def test_a_key_sent_in_the_clear_is_told_before_the_start(
    page: AppTest, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://models.example.org/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-shown-anywhere")
    samples.save(fresh_store, small_sample())
    at = page.run()
    at.multiselect(key="quiz_models").set_value(["gpt-4o"]).run()
    assert not at.exception
    [told] = at.warning
    assert "OPENAI_API_KEY is sent to models.example.org over plain http" in _shown(told.value)


def test_the_slot_follows_the_modified_quiz(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    modified = freeze.freeze(fresh_store, sample_id, QuizKind.MODIFIED).quiz
    [run_id] = launch.begin(fresh_store, QUIZ, [modified], ["always-d"])
    _wait(fresh_store, run_id)
    at = page.run()
    assert at.segmented_control(key="quiz_kind").value == "standard"
    assert "placed at C" in _words(at)


def test_the_modified_quiz_comes_first_and_then_the_standard_one(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    at = page.run()
    kind = at.segmented_control(key="quiz_kind")
    assert kind.value == "modified"
    at.multiselect(key="quiz_models").set_value(["always-d"]).run()
    at.button(key="quiz_start").click().run()
    assert not at.exception
    assert not at.selectbox  # what was started is all there is, so it is in sight
    [run_id] = runs.listing(fresh_store)
    _wait(fresh_store, run_id)
    at.run()
    assert "6 of 6" in _words(at)
    at.button(key="quiz_another").click().run()
    assert at.segmented_control(key="quiz_kind").value == "standard"
    assert at.multiselect(key="quiz_models").value == ["always-d"]
    at.segmented_control(key="quiz_kind").set_value("modified").run()
    assert at.run().segmented_control(key="quiz_kind").value == "modified"


def test_a_link_chooses_the_kind(page: AppTest, sample_id: str) -> None:
    assert sample_id
    page.query_params.update({"quiz_kind": "Rotated"})
    assert page.run().segmented_control(key="quiz_kind").value == "rotated"


def test_a_link_wins_over_what_was_proposed_before(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    at = page.run()
    assert at.segmented_control(key="quiz_kind").value == "modified"
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.MODIFIED).quiz
    answer(fresh_store, quiz, {"A": 6})  # so that the standard one is proposed now
    at.switch_page("pages/ablation.py").run()
    for kind in ("Modified", "Standard"):
        at.query_params["quiz_kind"] = kind
        at.switch_page("pages/quiz.py").run()
        assert at.segmented_control(key="quiz_kind").value == kind.lower()
        at.switch_page("pages/ablation.py").run()


def test_three_variants_are_enough_for_the_standard_quiz(page: AppTest, fresh_store: Store) -> None:
    three = small_sample()
    texts = {key: found[:3] for key, found in three.variants.items()}
    samples.save(fresh_store, replace(three, variants=texts))
    at = page.run()
    assert at.segmented_control(key="quiz_kind").value == "standard"
    assert not at.warning


def test_a_finished_run_leads_to_its_result(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    at = _choose(page, QuizKind.STANDARD, "refuses", "two-letters", "always-d")
    at.button(key="quiz_start").click().run()
    for run_id in runs.listing(fresh_store):
        _wait(fresh_store, run_id)
    at.run()
    words = _words(at)
    assert "6 refused" in words
    assert "6 without a single letter" in words
    assert "Rivers test · standard" in _shown(words)
    assert "rivers/test" not in _shown(words)
    run = next(r.run for r in table(fresh_store) if r.model == "always-d")
    button = at.button(key=f"runs_result_{run}")
    assert (button.label, button.proto.type) == ("Read the result", "primary")
    button.click().run()
    assert not at.exception
    assert at.title[0].value == "Results"
    assert at.selectbox(key="results_run").value == run


def test_the_result_of_a_run_that_was_repeated_can_be_read_too(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    older, _ = (answer(fresh_store, quiz, {"D": 6}) for _ in range(2))
    runs.note(fresh_store, older, Event.FINISHED)
    at = page.run()
    at.button(key=f"runs_result_{older}").click().run()
    assert not at.exception
    assert at.selectbox(key="results_run").value == older


def test_what_is_left_out_is_counted_and_can_be_opened(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    third = samples.load(fresh_store, sample_id).instances[2]
    seen = variants.current(fresh_store, sample_id)[third.id]
    reviews.decide(fresh_store, sample_id, [seen[0], seen[1]], Decision.REJECTED, "Ada")
    at = page.run()
    assert "1 instance is left out (instance 3: " in _shown(_words(at))
    [link] = [one for one in at.get("page_link") if one.proto.label == "Open instance 3"]
    at.query_params.clear()
    for part in link.proto.query_string.split("&"):
        name, _, value = part.partition("=")
        at.query_params[name] = value
    at.switch_page("pages/variants.py").run()
    assert at.number_input(key="variants_at").value == 3
    assert "number 2 of rivers" in _words(at)


def test_samples_and_partitions_are_called_the_same_everywhere(
    page: AppTest, fresh_store: Store
) -> None:
    one = samples.save(fresh_store, small_sample())
    other = samples.save(fresh_store, small_sample(4))
    twin = samples.save(fresh_store, small_sample(4, key="streams"))
    at = page.run()
    options = at.selectbox(key="quiz_sample").options
    assert options == [
        "Rivers test (streams/test) · 4 instances",
        "Rivers test (rivers/test) · 4 instances",
        "Rivers test (rivers/test) · 6 instances",
    ]
    at.multiselect(key=f"quiz_others_{twin}").set_value([one, other]).run()
    assert set(frame_with(at, "calls")["partition"]) == {
        "Rivers test (streams/test)", "Rivers test (rivers/test)",
    }  # fmt: skip


def test_a_quiz_of_several_samples_is_one_plan(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    target = samples.save(fresh_store, small_sample())
    control = samples.save(fresh_store, small_sample(4))
    at = _choose(page, QuizKind.MODIFIED, "always-d")
    shown = at.selectbox(key="quiz_sample").value
    other = ({target, control} - {shown}).pop()
    at.multiselect(key=f"quiz_others_{shown}").set_value([other]).run()
    assert sorted(frame_with(at, "calls")["calls"]) == [4, 6]
    assert "Together 10 calls" in _words(at)
    at.button(key="quiz_start").click().run()
    assert not at.exception
    for run_id in runs.listing(fresh_store):
        _wait(fresh_store, run_id)
    assert sorted(r.n for r in table(fresh_store, every_run=True)) == [4, 6]


def test_a_run_that_used_up_its_calls_can_be_allowed_more(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    at = _choose(page, QuizKind.MODIFIED, "always-d")
    at.number_input(key="quiz_max_calls").set_value(2).run()
    at.button(key="quiz_start").click().run()
    [run_id] = runs.listing(fresh_store)
    _wait(fresh_store, run_id)
    at = page.run()
    assert "The 2 calls that the run may make are made" in _words(at)
    assert at.number_input(key=f"runs_calls_{run_id}").value == 6
    at.button(key=f"runs_resume_{run_id}").click().run()
    deadline = time.monotonic() + 120
    while (ended := runs.load(fresh_store, run_id).event) is not Event.FINISHED:
        assert time.monotonic() < deadline, ended
        time.sleep(0.2)
    assert provider.counts["always-d"] == 6


def test_every_run_can_be_opened_and_an_older_one_resumed(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    for _ in range(8):
        answer(fresh_store, quiz, {"D": 1}, "always-d")
    for run in runs.listing(fresh_store):  # else the others would be about to begin
        runs.note(fresh_store, run, Event.CANCELLED)
    oldest = runs.listing(fresh_store)[-1]
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
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
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
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"D": 6}, "answers@http://127.0.0.1:9/v1")
    answer(fresh_store, quiz, {"error": 6}, "fails@http://127.0.0.1:9/v1")
    at = page.run()
    assert at.multiselect(key="quiz_models").value == ["answers@http://127.0.0.1:9/v1"]


def test_stored_answers_are_taken_on_request(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    ask(fresh_store, sample_id, QuizKind.STANDARD, "always-d")
    for reuse, calls in ((True, 6), (False, 12)):
        at = page.run()
        if any(button.key == "quiz_another" for button in at.button):
            at.button(key="quiz_another").click().run()
        at.segmented_control(key="quiz_kind").set_value("standard")
        at.multiselect(key="quiz_models").set_value(["always-d"]).run()
        at.toggle(key="quiz_reuse").set_value(reuse).run()
        assert ("Stored answers are used first" in _words(at)) is reuse
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


def test_a_page_that_shows_runs_that_have_ended_rests_while_others_go_on(
    page: AppTest, fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    ended = answer(fresh_store, quiz, {"D": 6})
    runs.note(fresh_store, ended, Event.FINISHED)
    answer(fresh_store, quiz, {"A": 2}, "other@http://127.0.0.1:9/v1")  # about to start
    at = page.run()
    at.session_state["quiz_started"] = [ended]
    begun_again = []
    monkeypatch.setattr("streamlit.rerun", lambda: begun_again.append("again"))
    at.run()
    assert not at.exception
    assert "6 of 6" in _words(at)
    assert begun_again == []


def test_a_budget_needs_a_price_and_may_be_tiny(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    at = _choose(page, QuizKind.MODIFIED, "always-d")
    at.number_input(key="quiz_budget").set_value(1.0).run()
    at.multiselect(key="quiz_models").set_value(["always-d", "gpt-4o-mini", "always-a"]).run()
    [why] = at.warning
    assert _shown(why.value).startswith("always-d, always-a: Its price is not known")
    assert at.button(key="quiz_start").disabled
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    [run_id] = launch.begin(
        fresh_store, QUIZ, [quiz], ["gpt-4o-mini"], Options(Terms(budget_usd=0.00004))
    )
    _wait(fresh_store, run_id)
    at = page.run()
    assert not at.exception
    assert "are left of the budget" in _words(at)
    assert at.number_input(key=f"runs_budget_{run_id}").value == 0.00004


def test_each_model_is_asked_at_its_own_slot_and_the_controls_at_the_same(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    control = samples.save(fresh_store, small_sample(4, key="lakes"))
    for model, tally in (("always-a", {"A": 6}), ("always-d", {"D": 6})):
        answer(
            fresh_store, freeze.freeze(fresh_store, sample_id, QuizKind.MODIFIED).quiz, tally, model
        )
    before = set(runs.listing(fresh_store))
    at = page.run()
    at.selectbox(key="quiz_sample").set_value(sample_id).run()
    at.multiselect(key=f"quiz_others_{sample_id}").set_value([control]).run()
    at.multiselect(key="quiz_models").set_value(["always-a", "always-d"]).run()
    assert not at.exception
    cost = frame_with(at, "calls")
    assert sorted(zip(cost["model"], cost["slot"], strict=True)) == [
        ("always-a", "D"),
        ("always-a", "D"),
        ("always-d", "C"),
        ("always-d", "C"),
    ]
    assert "the slot that always-a chose least" in _shown(_words(at))
    at.button(key="quiz_start").click().run()
    assert not at.exception
    for run_id in (started := set(runs.listing(fresh_store)) - before):
        _wait(fresh_store, run_id)
    asked = {(r.model, r.slot) for r in table(fresh_store, every_run=True) if r.run in started}
    assert asked == {("always-a", 3), ("always-d", 2)}
    at = page.run()
    at.button(key="quiz_another").click().run()
    at.segmented_control(key=f"quiz_slot_{sample_id}").set_value("B").run()
    assert set(frame_with(at, "calls")["slot"]) == {"B"}


def _wait_v2(store: Store) -> None:
    deadline = time.monotonic() + 120
    while v2.EXCLUSIVE.any_under_way(store):
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_protocol_v2_is_one_button_and_goes_on_without_the_page(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    at = _choose(page, QuizKind.BDQ, "always-a")
    assert "2 to 5 quizzes per model, 12 to 30 calls in total" in _shown(_words(at))
    assert "quiz_v2_resume" not in {button.key for button in at.button}
    provider.answers_at_most = 0
    at.button(key="quiz_v2").click().run()
    assert not at.exception
    assert len(runs.listing(fresh_store)) == 1  # the BDQ, seen at once
    provider.answers_at_most = math.inf
    _wait_v2(fresh_store)
    found = v2.so_far(fresh_store, sample_id, "always-a")
    assert found is not None
    assert (found.non_preferred, found.missing) == (("B", "C", "D"), ())
    assert provider.counts["always-a"] == 24
    at = page.run()
    at.segmented_control(key="quiz_kind").set_value(QuizKind.BCQ)
    at.multiselect(key="quiz_models").set_value(["always-a"]).run()
    assert not at.exception
    assert "contamination from 0.0 % to 0.0 % (n = 6, original at B, C and D)" in _shown(_words(at))
    assert "quiz_v2_resume" not in {button.key for button in at.button}
    keys = {str(button.proto.id) for button in at.get("download_button")}
    assert any(".txt" in key for key in keys)


def test_protocol_v2_that_was_broken_off_can_be_gone_on_with(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    bdq = freeze.freeze(fresh_store, sample_id, QuizKind.BDQ).quiz
    first = answer(fresh_store, bdq, {"A": 6}, "always-a")
    at = _choose(page, QuizKind.BDQ, "always-a")
    assert "no bcq is done with the original at B, C and D" in _shown(_words(at))
    at.button(key="quiz_v2_resume").click().run()
    assert not at.exception
    _wait_v2(fresh_store)
    assert len(runs.listing(fresh_store)) == 4
    found = v2.so_far(fresh_store, sample_id, "always-a")
    assert found is not None
    assert (found.bdq, found.missing) == (first, ())
    assert provider.counts["always-a"] == 18


def test_looking_early_asks_for_a_control_first_and_then_ends_at_a_look(
    page: AppTest, fresh_store: Store, provider: FakeProvider
) -> None:
    sample = small_sample(40)
    target = samples.save(fresh_store, sample)
    at = _choose(page, QuizKind.STANDARD, "knows-original")
    assert at.toggle(key="quiz_sequential").disabled
    assert "ask knows-original a standard quiz" in _shown(_words(at))
    control = samples.save(fresh_store, small_sample(40, key="unseen", role=PartitionRole.CONTROL))
    ask(fresh_store, control, QuizKind.STANDARD, "knows-original")
    provider.seen = tuple(instance.text for instance in sample.instances)
    at.selectbox(key="quiz_sample").set_value(target).run()
    assert not at.toggle(key="quiz_sequential").disabled
    at.toggle(key="quiz_sequential").set_value(True).run()
    assert not at.toggle(key="quiz_futility").disabled
    at.button(key="quiz_start").click().run()
    assert not at.exception
    (run,) = set(runs.listing(fresh_store)) & set(looks.outcomes(fresh_store))
    _wait(fresh_store, run)
    stands = looks.outcome(fresh_store, run)
    assert stands is not None
    assert stands.words in {f"at look {k} of 4: seen" for k in (1, 2)}
    at = page.run()
    assert stands.words in _words(at)
    assert not [b for b in at.button if b.key == f"runs_resume_{run}"]


def test_looking_early_is_not_offered_where_there_is_no_original(
    page: AppTest, fresh_store: Store
) -> None:
    samples.save(fresh_store, small_sample(40))
    at = page.run()
    at.segmented_control(key="quiz_kind").set_value(QuizKind.MODIFIED).run()
    assert not [toggle for toggle in at.toggle if toggle.key == "quiz_sequential"]


NAMED = (
    "new",
    "new@http://127.0.0.1:9/v1",
    "likelihood:/tmp",
    "likelihood: /etc",
    "LIKELIHOOD:\u00a0\u2003/etc",
    "likelihood:likelihood:/etc",
    "likelihood:~/x",
    "likelihood:../x",
    "likelihood:file://tmp",
    "likelihood:\\\\server\\share",
    " /etc",
)


def test_a_link_selects_from_the_list_and_names_nothing_else(
    app: AppTest, fresh_store: Store
) -> None:
    samples.save(fresh_store, small_sample(6))
    at = app.switch_page("pages/quiz.py")
    at.query_params["quiz_models"] = ["gpt-4o", *NAMED]
    at.query_params["quiz_slot"] = "B"
    at.run()
    assert not at.exception
    assert at.multiselect(key="quiz_models").value == ["gpt-4o"]
    assert not set(NAMED) & set(at.multiselect(key="quiz_models").options)
    assert "not on the list" in _words(at)
    assert "There is no model at" not in _words(at)
    at.multiselect(key="quiz_models").set_value(["embedded", "gpt-4o"]).run()
    assert at.query_params["quiz_models"] == ["embedded", "gpt-4o"]
    assert at.multiselect(key="quiz_models").value == ["embedded", "gpt-4o"]
    at.multiselect(key="quiz_models").set_value([]).run()
    assert "quiz_models" not in at.query_params
