from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.support.result_files import GSM8K, WNLI, answers, release_rows, write_csv


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/audit.py")


def _lines(at: AppTest) -> list[str]:
    shown = [*at.markdown, *at.caption, *at.info, *at.error]
    return [str(element.value) for element in shown]


def _words(at: AppTest) -> str:
    return "\n".join(_lines(at)).replace("\\", "").replace("\u00a0", " ")


def _audit(page: AppTest, path: Path) -> AppTest:
    page.run()
    page.text_input(key="audit_path").set_value(str(path))
    at = page.run()
    assert not at.exception
    return at


def test_without_a_file_it_says_what_to_give(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert "Upload a result file" in at.info[0].value
    assert "bdq_results" in _words(at)


def test_a_release_shows_its_range_its_baselines_and_why(page: AppTest, tmp_path: Path) -> None:
    at = _audit(page, write_csv(tmp_path / "gsm8k.csv", release_rows(GSM8K)))
    # The page's own title, then the verdict in letters of the same size.
    assert [title.value for title in at.title] == ["Audit", ":yellow[:material/help: Undecided]"]
    assert "gsm8k.csv: 79.0 % of the originals were found; without the original" in _words(at)
    assert "78.8 % to 79.0 % contamination over 100 instances" in _words(at)
    assert ":yellow[:material/error:] **Text alone**" in _lines(at)
    assert "The wordings are leaky" in _words(at)
    [drawn] = [one.proto.json for one in at.get("bidi_component")]
    assert "always the most central" in drawn
    assert "medoid" not in _words(at) + drawn
    assert [metric.value for metric in at.metric] == ["78.8 % to 79.0 %"] * 2 + ["100.0 %"]
    assert "always the shortest" in drawn
    assert "No row has a defect" in _words(at)


def test_rows_with_a_defect_are_listed(page: AppTest, tmp_path: Path) -> None:
    rows = release_rows(WNLI)
    for row in rows:
        row["option_d"] = row["instance"]
    at = _audit(page, write_csv(tmp_path / "wnli.csv", rows))
    assert "Option D equals the original in all 71 rows" in _words(at)
    assert "At D alone, where the quiz is sound, it is 48.6 % to 49.3 %" in _words(at)
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
    assert table["Verdict"].fillna("").tolist() == ["contaminated", "undecided", *[""] * 4]
    assert table["Role"].tolist()[-4:] == ["control"] * 4
    assert table["Score"].tolist()[0] == 95.0
    assert "Quiz" not in table  # the file does not say
    assert at.get("bidi_component")
    # One p-value a test: the corrected one alone.
    assert "q" in table
    assert not [column for column in table if str(column).startswith("p")]
    # The strongest finding is open, with its checklist.
    assert at.title[1].value == ":orange[:material/flag: Contaminated]"
    assert "m on old :red[text]: 95.0 % of the originals were found" in _words(at)
    assert r"m on old \:red\[text\]" in "\n".join(_lines(at))
    assert "Compared with control-0, control-1, control-2 and control-3" in _words(at)
    at.selectbox(key="audit_result").set_value("m on new")
    at = at.run()
    assert at.title[1].value == ":yellow[:material/help: Undecided]"
    at.selectbox(key="audit_result").set_value("m on control-0")
    at = at.run()
    assert "Assumed to be unseen" in _words(at)
    assert ":gray[:material/check:] **Controls**" in _lines(at)


def test_a_single_result_opens_on_its_verdict(page: AppTest, tmp_path: Path) -> None:
    at = _audit(page, write_csv(tmp_path / "one.csv", answers("m", "p", "target", 38, 40)))
    assert at.title[1].value == ":yellow[:material/help: Undecided]"
    assert "m on p: 95.0 % of the originals were found, where guessing finds 25 %." in _words(at)
    assert not at.selectbox


def test_a_release_without_texts_and_answers_has_no_bars(page: AppTest, tmp_path: Path) -> None:
    rows = [dict.fromkeys(row, "") for row in release_rows(WNLI)]
    at = _audit(page, write_csv(tmp_path / "empty.csv", rows))
    assert at.title[1].value == ":yellow[:material/help: Undecided]"
    assert "There is no usable answer" in _words(at)


def test_a_file_of_another_kind_is_an_error_of_one_sentence(page: AppTest, tmp_path: Path) -> None:
    at = _audit(page, write_csv(tmp_path / "other.csv", [{"text": "a"}]))
    assert "has neither format" in at.error[0].value.replace("\\", "")
    assert not at.dataframe


@pytest.mark.parametrize("path", ["\0x", "a\0.csv", "~nosuchuser/x.csv", "~/\0"])
def test_a_link_with_a_path_that_no_file_has_is_one_sentence(page: AppTest, path: str) -> None:
    page.query_params["audit_path"] = path
    at = page.run()
    assert not at.exception
    assert len(at.error) == 1
