from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.support.result_files import GSM8K, WNLI, answers, release_rows, write_csv


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/audit.py")


def _words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.info, *at.error]
    return "\n".join(str(element.value).replace("\\", "") for element in shown)


def _audit(page: AppTest, path: Path) -> AppTest:
    page.run()
    page.text_input(key="audit_path").set_value(str(path))
    at = page.run()
    assert not at.exception
    return at


def test_without_a_file_it_says_what_to_give(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert "Give a result file" in at.info[0].value
    assert "bdq_results" in _words(at)


def test_a_release_shows_its_range_its_baselines_and_why(page: AppTest, tmp_path: Path) -> None:
    at = _audit(page, write_csv(tmp_path / "gsm8k.csv", release_rows(GSM8K)))
    assert "78.8 % to 79.0 % contamination over 100 instances" in _words(at)
    assert "The quiz is leaky" in _words(at)
    assert [metric.value for metric in at.metric] == ["78.8 % to 79.0 %"] * 2 + ["100.0 %"]
    assert "always the shortest" in at.get("plotly_chart")[0].proto.spec
    assert "nothing has to be left out" in _words(at)


def test_rows_with_a_defect_are_listed(page: AppTest, tmp_path: Path) -> None:
    rows = release_rows(WNLI)
    for row in rows:
        row["option_d"] = row["instance"]
    at = _audit(page, write_csv(tmp_path / "wnli.csv", rows))
    assert "Option D equals the original in all 71 rows" in _words(at)
    assert at.dataframe[0].value.iloc[0].tolist() == ["option equals original", 71, "1–71"]
    listed = at.dataframe[1].value
    assert listed["Row"].tolist() == list(range(1, 72))
    assert listed["Option D"].tolist() == listed["Original"].tolist()


def test_answers_show_verdicts_with_their_reasons(page: AppTest, tmp_path: Path) -> None:
    rows = answers("m", "old :red[text]", "target", 38, 40) + answers("m", "new", "target", 18, 40)
    for i in range(4):
        rows += answers("m", f"control-{i}", "control", 16 + i, 40)
    at = _audit(page, write_csv(tmp_path / "answers.csv", rows))
    assert "Of 2 results beside 4 controls, 1 is contaminated" in _words(at)
    table = at.dataframe[0].value
    assert table["verdict"].tolist()[0] == "contaminated"
    assert table["role"].tolist()[-4:] == ["control"] * 4
    assert at.get("plotly_chart")
    at.selectbox(key="audit_result").set_value("m on new")
    assert "m on new: inconclusive" in _words(at.run())


def test_a_file_of_another_kind_is_told_in_one_sentence(page: AppTest, tmp_path: Path) -> None:
    at = _audit(page, write_csv(tmp_path / "other.csv", [{"text": "a"}]))
    assert "is neither kind of file" in at.error[0].value.replace("\\", "")
    assert not at.dataframe
