"""All instances of a partition under all models."""

from __future__ import annotations

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dcq.quiz import freeze
from dcq.records import Instance, QuizKind
from dcq.store import Store, runs, samples
from tests.conftest import frame_with
from tests.support.judged import SEEN, UNSEEN, put, put_controls
from tests.support.runs import answer_each

pytestmark = pytest.mark.usefixtures("provider")
ONE, TWO = "one@http://127.0.0.1:9/v1", "likelihood:two@http://127.0.0.1:9/v1"


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/explorer.py")


@pytest.fixture
def asked(fresh_store: Store, sample_id: str) -> Store:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    answer_each(fresh_store, quiz, ["D", "D", "A", "D", "refused", "D"], ONE)
    answer_each(fresh_store, quiz, ["D", "B", "A", "A", "D", "error"], TWO)
    return fresh_store


def _words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.info, *at.warning]
    words = "\n".join(str(element.value) for element in shown)
    return words.replace("\\", "").replace("\u00a0", " ")


def _list(at: AppTest) -> pd.DataFrame:
    return frame_with(at, "No.")


def test_an_empty_store_says_what_to_do(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert at.get("page_link")


def test_it_opens_on_what_changed_sides(page: AppTest, asked: Store) -> None:
    at = page.run()
    assert not at.exception
    assert "2 instances are picked by one and not by two**, 0 the other way" in _words(at)
    assert "over 4 instances, p = 0.500 (McNemar, exact, for this pair alone)" in _words(at)
    assert list(_list(at)["No."]) == [2, 4]
    assert list(_list(at)["First"]) == ["✓", "✓"]
    assert list(_list(at)["Second"]) == ["✗", "✗"]
    at.button(key="explorer_line_Next").click().run()
    assert at.session_state["explorer_line"] == 4
    assert at.button(key="explorer_line_Next").disabled
    at.segmented_control(key="explorer_shown").set_value("all").run()
    assert len(_list(at)) == 6
    at.segmented_control(key="explorer_shown").set_value("by neither").run()
    assert list(_list(at)["No."]) == [3]


def test_a_model_asked_in_two_ways_is_two_results(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    by_letter = answer_each(fresh_store, quiz, list("DDDDDD"), ONE)
    by_likelihood = answer_each(fresh_store, quiz, list("AAADDD"), f"likelihood:{ONE}")
    at = page.run()
    for place, (run, other) in enumerate([(by_letter, by_likelihood), (by_likelihood, by_letter)]):
        at.selectbox(key="explorer_first").select_index(place).run()
        assert not at.exception
        assert at.session_state["explorer_first"] == run
        assert at.session_state["explorer_second"] == other


def test_partitions_of_one_title_are_told_apart(page: AppTest, fresh_store: Store) -> None:
    for key in ("NOTES", "notes"):  # "Notes" are both
        put(fresh_store, key, SEEN)
    at = page.run()
    for place, partition in enumerate(["NOTES/test", "notes/test"]):
        at.selectbox(key="explorer_partition").select_index(place).run()
        assert not at.exception
        assert at.session_state["explorer_partition"] == partition


def test_every_choice_is_in_the_address(page: AppTest, asked: Store) -> None:
    run_of = {model: run for run, model in _runs(asked)}
    page.query_params["explorer_first"] = run_of[TWO]
    page.query_params["explorer_second"] = run_of[ONE]
    page.query_params["explorer_shown"] = "all"
    page.query_params["explorer_order"] = "length"
    page.query_params["explorer_line"] = "5"
    at = page.run()
    assert not at.exception
    assert at.session_state["explorer_line"] == 5
    assert "0 instances are picked by two and not by one**, 2 the other way" in _words(at)


def test_the_open_instance_has_the_replies_side_by_side(page: AppTest, asked: Store) -> None:
    page.query_params["explorer_line"] = "2"
    at = page.run()
    [original] = [one.text for one in _sample(asked)][1:2]
    assert original in _words(at)
    assert "No answer" not in _words(at)


def test_a_line_that_is_not_there_and_one_model_alone(page: AppTest, fresh_store: Store) -> None:
    put(fresh_store, "seen", SEEN, n=100)
    page.query_params["explorer_line"] = "9999"
    page.query_params["explorer_partition"] = "<b>nowhere</b>"
    at = page.run()
    assert not at.exception
    assert "The partition that this link names is not among those shown" in _words(at)
    assert len(_list(at)) == 15
    assert [one.key for one in at.segmented_control if one.key == "explorer_shown"]


def _runs(store: Store) -> list[tuple[str, str]]:
    return [(one, runs.load(store, one).plan.model) for one in runs.listing(store)]


def _sample(store: Store) -> list[Instance]:
    [listed] = samples.listing(store)
    return list(samples.load(store, listed.id).instances)


def test_it_opens_on_the_finding_and_on_what_is_there_to_list(
    page: AppTest, fresh_store: Store
) -> None:
    for key, tally in (("a fresh one", UNSEEN), ("seen", SEEN)):
        put(fresh_store, key, tally)
        put(fresh_store, key, tally, model=ONE)
    put_controls(fresh_store)
    at = page.run()
    assert not at.exception
    assert at.selectbox(key="explorer_partition").value == "seen/test"
    assert at.segmented_control(key="explorer_shown").value == "by both"  # nothing changed sides
    assert len(_list(at))
