from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from dcq.records import Instance, Kind, Role, Sample
from dcq.runs import freeze
from dcq.store import Store, samples
from tests.conftest import frame_with, small_sample
from tests.runs.conftest import answer
from tests.support.asked import ask
from tests.support.provider import Provider

pytestmark = pytest.mark.usefixtures("provider")


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/results.py")


def _words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.info, *at.warning, *at.error, *at.text]
    return "\n".join(str(element.value).replace("\\", "") for element in shown)


def _forest(at: AppTest) -> str:
    return str(at.get("plotly_chart")[0].proto.spec)


def test_an_empty_store_leads_to_the_quiz_and_shows_what_the_paper_found(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert "No model has answered yet" in _words(at)
    assert at.get("page_link")
    assert "XSum train" in _forest(at)
    assert "printed as 55.33 %" in _words(at)
    assert "gives 53.33 % by the formula" in _words(at)


def test_the_sentence_comes_first_and_weighs_slot_and_control(
    page: AppTest, fresh_store: Store
) -> None:
    target = samples.save(fresh_store, small_sample(20))
    control = samples.save(fresh_store, small_sample(8, key="lakes", role=Role.CONTROL))
    ask(fresh_store, control, Kind.STANDARD, "always-d")
    ask(fresh_store, target, Kind.MODIFIED, "always-d")
    ask(fresh_store, target, Kind.STANDARD, "always-d")
    at = page.run()
    assert not at.exception
    told = [str(m.value).replace("\\", "") for m in at.markdown]
    assert told[1].startswith(
        "#### always-d picked the original in 20 of 20 instances of Rivers test: κ 1.00 "
        "[0.79, 1.00], against 1.00 [0.57, 1.00] on the control partition"
    )
    assert "Guessing does not explain this (p < 0.001)" in told[2]
    assert "a liking for that slot may explain part of it" in told[2]
    table = at.dataframe[0].value
    assert list(table["quiz"]) == ["standard, original at D", "modified", "standard, original at D"]
    assert table["kappa"].isna().tolist() == [False, True, False]


def test_a_run_without_any_reply_has_no_value(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, Kind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"error": 6})
    at = page.run()
    assert not at.exception
    assert "no usable answer yet, so κ has no value" in _words(at)
    assert at.dataframe[0].value["score"].isna().all()
    assert at.dataframe[0].value["outcomes"].tolist() == ["6 error"]


def test_a_link_brings_back_filters_run_answer_and_question(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    run = ask(fresh_store, sample_id, Kind.STANDARD, "always-a")
    ask(fresh_store, sample_id, Kind.STANDARD, "refuses")
    page.query_params["results_model"] = "always-a"
    page.query_params["results_run"] = run
    page.query_params["results_answer"] = "A"
    page.query_params["results_question"] = "3"
    at = page.run()
    assert not at.exception
    assert "refuses" not in _forest(at)
    assert at.selectbox(key="results_run").value == run
    assert at.number_input(key="results_question").value == 3
    assert "Chose A; the original is at D" in _words(at)


def test_a_question_is_shown_exactly_as_it_was_sent(
    page: AppTest, fresh_store: Store, sample_id: str, provider: Provider
) -> None:
    ask(fresh_store, sample_id, Kind.STANDARD, "always-d")
    page.query_params["results_question"] = "2"
    at = page.run()
    sent = {body["messages"][0]["content"] for body in provider.bodies}
    assert at.code[0].value in sent
    assert at.code[1].value == "D"
    assert json.loads(at.code[2].value)["max_tokens"] == 5
    assert "verified prompt" in _words(at)


def test_a_prompt_that_cannot_be_proved_is_said_to_be_unverified(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    ask(fresh_store, sample_id, Kind.STANDARD, "always-d")
    with fresh_store.write() as db:
        db.execute("UPDATE answer SET prompt_sha256 = 'another'")
    page.query_params["results_question"] = "1"
    assert "prompt not verified" in _words(page.run())


def test_next_walks_through_the_answers_of_one_kind(page: AppTest, fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample(20))
    ask(fresh_store, sample_id, Kind.STANDARD, "guess")
    page.query_params["results_answer"] = "D"
    at = page.run()
    listed = (frame_with(at, "question")["question"]).tolist()
    assert len(listed) > 1
    opened = []
    for _ in listed:
        at.button(key="results_Next").click().run()
        opened.append(at.number_input(key="results_question").value)
    assert opened == listed
    assert at.button(key="results_Next").disabled
    at.button(key="results_Previous").click().run()
    assert at.number_input(key="results_question").value == listed[-2]


def test_answers_are_paged_and_the_page_of_the_open_one_comes_up(
    page: AppTest, fresh_store: Store
) -> None:
    sample_id = samples.save(fresh_store, small_sample(40))
    ask(fresh_store, sample_id, Kind.STANDARD, "always-b")
    at = page.run()
    assert frame_with(at, "question")["question"].tolist() == list(range(1, 16))
    at.number_input(key="results_question").set_value(33).run()
    assert frame_with(at, "question")["question"].tolist() == list(range(31, 41))


def test_replies_that_are_no_letter_can_be_listed(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    ask(fresh_store, sample_id, Kind.STANDARD, "refuses")
    page.query_params["results_answer"] = "refused"
    page.query_params["results_question"] = "1"
    at = page.run()
    assert frame_with(at, "question")["outcome"].tolist() == ["refused"] * 6
    assert "No letter: refused" in _words(at)
    assert at.code[1].value == "I can't help with that."


def test_older_runs_are_shown_on_request_and_told_apart(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    older = ask(fresh_store, sample_id, Kind.STANDARD, "always-a")
    newer = ask(fresh_store, sample_id, Kind.STANDARD, "always-a")
    at = page.run()
    assert at.dataframe[0].value["run"].tolist() == [newer]
    at.toggle(key="results_every").set_value(True).run()
    assert not at.exception
    assert set(at.dataframe[0].value["run"]) == {older, newer}
    assert older in _forest(at)
    assert newer in _forest(at)


def test_the_sentence_rests_on_a_finished_run_and_others_are_marked(
    page: AppTest, fresh_store: Store
) -> None:
    sample_id = samples.save(fresh_store, small_sample(10))
    whole = ask(fresh_store, sample_id, Kind.STANDARD, "always-a")
    quiz = freeze.freeze(fresh_store, sample_id, Kind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"D": 4}, "always-a")  # a pilot of the same model
    stopped = answer(fresh_store, quiz, {"D": 1}, "stopped")
    at = page.run()
    assert not at.exception
    assert at.selectbox(key="results_run").value == whole
    assert "always-a picked the original in 0 of 10" in _words(at)
    table = at.dataframe[0].value.set_index("run")
    assert table["unfinished"].to_dict() == {whole: "", stopped: "1 of 10"}
    assert "1 of 10" in _forest(at)
    at.selectbox(key="results_run").select(stopped).run()
    assert "So far, with 1 of 10 questions answered: stopped picked" in _words(at)
    assert "The run is unfinished: 1 of 10 questions are answered so far" in _words(at)


def test_a_hidden_run_is_gone_from_chart_and_table(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    hidden = ask(fresh_store, sample_id, Kind.STANDARD, "always-a")
    ask(fresh_store, sample_id, Kind.STANDARD, "always-b")
    at = page.run()
    at.multiselect(key="results_hide").set_value([hidden]).run()
    assert "always-a" not in _forest(at)
    assert at.dataframe[0].value["model"].tolist() == ["always-b"]
    at.multiselect(key="results_model").set_value(["always-a"]).run()
    assert "let no result through" in _words(at)


def test_the_papers_settings_join_the_same_partition(page: AppTest, fresh_store: Store) -> None:
    ours = small_sample()
    sample = Sample(
        **{
            **vars(ours),
            "partition": type(ours.partition)(
                **{**vars(ours.partition), "title": "AG News", "split_title": "train"}
            ),
        }
    )
    ask(fresh_store, samples.save(fresh_store, sample), Kind.STANDARD, "always-d")
    at = page.run()
    assert "gpt-4-0613" not in _forest(at)
    at.toggle(key="results_paper").set_value(True).run()
    assert "gpt-4-0613" in _forest(at)
    assert "XSum" not in _forest(at)
    assert "printed as 55.33 %" in _words(at)


def test_foreign_text_is_shown_as_it_is(page: AppTest, fresh_store: Store) -> None:
    text = "A) <b>{braces}</b> $x$ :red[no] **bold**\nB) D)\n\n# Title " + "long " * 4000
    ours = small_sample(1)
    instance = Instance(text)
    sample = Sample(
        **{
            **vars(ours),
            "instances": (instance,),
            "variants": {instance.id: tuple(text + str(i) for i in range(4))},
        }
    )
    ask(fresh_store, samples.save(fresh_store, sample), Kind.STANDARD, "always-d")
    page.query_params["results_question"] = "1"
    at = page.run()
    assert not at.exception
    assert text in at.code[0].value
    assert len(frame_with(at, "question")["instance"][0]) <= 160
    assert "{braces}" not in _words(at)
