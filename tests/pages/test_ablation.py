from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store
from tests.support.asked import ask
from tests.support.runs import answer

pytestmark = pytest.mark.usefixtures("provider")


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/ablation.py")


def _words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.info]
    return (
        "\n".join(str(element.value) for element in shown).replace("\\", "").replace("\u00a0", " ")
    )


def test_an_empty_store_leads_to_the_quiz_and_shows_the_papers_figure(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert "nothing to compare yet" in _words(at)
    assert at.get("page_link")
    assert "gpt-4-0613" in str(at.get("plotly_chart")[0].proto.spec)


@pytest.mark.parametrize(
    ("taken", "missing"),
    [(QuizKind.MODIFIED, QuizKind.STANDARD), (QuizKind.STANDARD, QuizKind.MODIFIED)],
)
def test_one_quiz_alone_leads_to_the_other(
    page: AppTest, fresh_store: Store, sample_id: str, taken: QuizKind, missing: QuizKind
) -> None:
    ask(fresh_store, sample_id, taken, "always-a")
    at = page.run()
    assert not at.exception
    assert f"always-a has not taken the {missing} quiz of Rivers test yet" in _words(at)
    assert f"Make the {missing} quiz" in [link.proto.label for link in at.get("page_link")]
    assert at.metric.len == 0


def test_the_answer_comes_first_with_its_numbers(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    ask(fresh_store, sample_id, QuizKind.MODIFIED, "always-d")
    ask(fresh_store, sample_id, QuizKind.STANDARD, "always-d")
    at = page.run()
    assert not at.exception
    text = str(at.markdown[1].value).replace("\\", "").replace("\u00a0", " ")
    assert text == (
        "#### always-d chose slot D in 100 % of 6 instances of Rivers test with the original "
        "there, and in 100 % without it."
    )
    assert "could be chance (p = 1.000, McNemar)" in _words(at)
    assert [m.value for m in at.metric][2:] == ["+0", "1.000"]
    spec = str(at.get("plotly_chart")[0].proto.spec)
    assert "without the original, n = 6" in spec
    assert "with the original at D, n = 6" in spec


def test_the_answers_of_either_run_are_listed(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    ask(fresh_store, sample_id, QuizKind.MODIFIED, "always-a")
    ask(fresh_store, sample_id, QuizKind.STANDARD, "always-b")
    ask(fresh_store, sample_id, QuizKind.STANDARD, "always-a")
    page.query_params["ablation_model"] = "always-a"
    page.query_params["ablation_kind"] = "modified"
    at = page.run()
    assert any("Chose A; no option is the original" in one.value for one in at.markdown)
    at.segmented_control(key="ablation_kind").set_value("standard").run()
    assert any("Chose A; the original is at D" in one.value for one in at.markdown)
    assert at.dataframe[-1].value["chose"].tolist() == ["A"] * 6


def test_bdq_and_bcq_are_compared_like_the_others(
    page: AppTest, fresh_store: Store, sample_id: str
) -> None:
    bdq = freeze.freeze(fresh_store, sample_id, QuizKind.BDQ).quiz
    answer(fresh_store, bdq, {"A": 2, "E": 4})
    answer(fresh_store, freeze.freeze_bcq(fresh_store, bdq, "B").quiz, {"B": 5, "E": 1})
    answer(fresh_store, freeze.freeze_bcq(fresh_store, bdq, "C").quiz, {"C": 3, "E": 3})
    at = page.run()
    assert not at.exception
    assert "chose slot B in 83" in _words(at)  # the finding first
    names = at.selectbox(key="ablation_sample").options
    assert sorted(name.split(" · ")[1] for name in names) == ["bcq at B", "bcq at C"]
    [other] = [pick for pick in names if "bcq at C" in pick]
    at.selectbox(key="ablation_sample").select(other).run()
    assert not at.exception
    assert "chose slot C in 50" in _words(at)


def test_a_bdq_alone_leads_to_the_bcq(page: AppTest, fresh_store: Store, sample_id: str) -> None:
    answer(fresh_store, freeze.freeze(fresh_store, sample_id, QuizKind.BDQ).quiz, {"A": 6})
    at = page.run()
    assert not at.exception
    assert "has not taken the bcq quiz of Rivers test yet" in _words(at)
