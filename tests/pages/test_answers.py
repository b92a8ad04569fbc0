"""The answers of one run."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from dcq.quiz import breakdown, freeze
from dcq.records import Instance, QuizKind, Sample
from dcq.store import Store, samples
from tests.conftest import frame_with, small_sample
from tests.support.asked import ask
from tests.support.judged import SEEN, put
from tests.support.provider import FakeProvider
from tests.support.runs import answer_each
from tests.support.same_instances import prepare, take

pytestmark = pytest.mark.usefixtures("provider")


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/answers.py")


def _words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.info, *at.warning, *at.error, *at.text]
    return "\n".join(str(element.value).replace("\\", "") for element in shown)


def test_a_link_brings_back_run_answer_and_question(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    run = ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a")
    ask(fresh_store, sample_id, QuizKind.STANDARD, "refuses")
    page.query_params["answers_run"] = run
    page.query_params["answers_answer"] = "A"
    page.query_params["answers_question"] = "3"
    at = page.run()
    assert not at.exception
    assert at.selectbox(key="answers_run").value == run
    assert at.number_input(key="answers_question").value == 3
    assert "Chose A; the original is at D" in _words(at)


def test_it_opens_on_the_finding_not_on_the_newest_run(page: AppTest, fresh_store: Store) -> None:
    put(fresh_store, "weak", {"D": 30, "A": 70})
    seen = put(fresh_store, "seen", SEEN)
    put(fresh_store, "weaker", {"D": 20, "A": 80})
    assert page.run().selectbox(key="answers_run").value == seen


def test_a_link_to_a_run_that_is_not_there_says_so(page: AppTest, fresh_store: Store) -> None:
    put(fresh_store, "seen", SEEN)
    page.query_params["answers_run"] = "**no** such run"
    at = page.run()
    assert (
        "The run that this link names is not among those shown here (**no** such run)."
        in _words(at)
    )


def test_a_question_is_shown_exactly_as_it_was_sent(
    page: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    ask(fresh_store, sample_id, QuizKind.STANDARD, "always-d")
    page.query_params["answers_question"] = "2"
    at = page.run()
    sent = {body["messages"][0]["content"] for body in provider.bodies}
    assert at.code[0].value in sent
    assert at.code[1].value == "D"
    assert json.loads(at.code[2].value)["max_tokens"] == 5
    assert "verified prompt" in _words(at)


def test_a_prompt_that_cannot_be_proved_is_said_to_be_unverified(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    ask(fresh_store, sample_id, QuizKind.STANDARD, "always-d")
    with fresh_store.write() as db:
        db.execute("UPDATE answer SET prompt_sha256 = 'another'")
    page.query_params["answers_question"] = "1"
    assert "prompt not verified" in _words(page.run())


def test_how_a_reply_was_read_is_said_with_a_reason_only_where_there_is_one(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    answer_each(
        fresh_store, freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD).quiz, ["D"] * 6
    )
    at = page.run()
    assert "D, answered" in [one.value for one in at.text]
    assert "1 token in, 1 out" in _words(at)


def test_next_walks_through_the_answers_of_one_kind(page: AppTest, fresh_store: Store) -> None:
    sample_id = samples.save(fresh_store, small_sample(20))
    ask(fresh_store, sample_id, QuizKind.STANDARD, "guess")
    page.query_params["answers_answer"] = "D"
    at = page.run()
    listed = (frame_with(at, "question")["question"]).tolist()
    assert len(listed) > 1
    opened = [at.number_input(key="answers_question").value]
    for _ in listed[1:]:
        at.button(key="answers_Next").click().run()
        opened.append(at.number_input(key="answers_question").value)
    assert opened == listed
    assert at.button(key="answers_Next").disabled
    at.button(key="answers_Previous").click().run()
    assert at.number_input(key="answers_question").value == listed[-2]


def test_answers_are_paged_and_the_page_of_the_open_one_comes_up(
    page: AppTest, fresh_store: Store
) -> None:
    sample_id = samples.save(fresh_store, small_sample(40))
    ask(fresh_store, sample_id, QuizKind.STANDARD, "always-b")
    at = page.run()
    assert frame_with(at, "question")["question"].tolist() == list(range(1, 16))
    at.number_input(key="answers_question").set_value(33).run()
    assert frame_with(at, "question")["question"].tolist() == list(range(31, 41))


def test_replies_that_are_no_letter_can_be_listed(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    ask(fresh_store, sample_id, QuizKind.STANDARD, "refuses")
    page.query_params["answers_answer"] = "refused"
    page.query_params["answers_question"] = "1"
    at = page.run()
    assert frame_with(at, "question")["chose"].tolist() == ["refused"] * 6
    assert "No letter: refused" in _words(at)
    assert at.code[1].value == "I can't help with that."


def test_a_run_on_one_of_several_sets_is_compared_with_the_others(
    page: AppTest, fresh_store: Store
) -> None:
    first, deep = prepare(fresh_store, "deep")
    take(fresh_store, first, 20)
    at = page.run()
    assert not at.exception
    assert "fewer than two of them" in _words(at)
    take(fresh_store, deep, 30)
    at = page.run()
    assert not at.exception
    assert "between 2 sets of variants of the same 40 instances" in _words(at)


def test_a_run_is_broken_down_by_length_and_providers_are_compared(
    page: AppTest, fresh_store: Store
) -> None:
    put(fresh_store, "rivers", SEEN)
    at = page.run()
    assert not at.exception
    at.session_state["results_breakdown"] = True
    at = at.run()
    assert not at.exception
    assert "nothing to break down by label" in _words(at)  # all are Wet
    at = at.segmented_control(key="results_by").set_value(breakdown.Grouping.LENGTH).run()
    assert not at.exception
    at = at.segmented_control(key="results_by").set_value(breakdown.Grouping.PROVIDER).run()
    assert not at.exception
    assert "127.0.0.1" in frame_with(at, "provider").to_string()


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
    ask(fresh_store, samples.save(fresh_store, sample), QuizKind.STANDARD, "always-d")
    page.query_params["answers_question"] = "1"
    at = page.run()
    assert not at.exception
    assert text in at.code[0].value
    assert len(frame_with(at, "question")["instance"][0]) <= 160
    assert "{braces}" not in _words(at)
