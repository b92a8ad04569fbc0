"""The case of one pair, and the matrix that leads there."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dcq.judging.answers import answers
from dcq.store import Store, notes, studies
from dcq.store.studies import Study
from dcq.ui.overview import kept
from dcq.words import model_title
from tests.conftest import letters
from tests.support.judged import SEEN, UNSEEN, put, put_controls

OTHER = "other@http://127.0.0.1:9/v1"


@pytest.fixture
def many(fresh_store: Store) -> Store:
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "lakes", UNSEEN)
    put(fresh_store, "rivers", SEEN, model=OTHER)
    return fresh_store


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/overview.py")


def _matrix(at: AppTest) -> dict[str, Any]:
    """What the browser draws."""
    assert not at.exception
    data = [json.loads(one.proto.json) for one in at.get("bidi_component") if one.proto.json]
    [drawn] = [each for each in data if "columns" in each]
    return dict(drawn)


def _cells(at: AppTest) -> dict[str, dict[str, Any]]:
    data = _matrix(at)
    return {
        f"{row['name']} × {column['name']}": cell
        for row in data["rows"]
        for column, cell in zip(data["columns"], row["cells"], strict=True)
        if cell
    }


def _words(at: AppTest) -> str:
    return letters("\n".join(str(one.value) for one in (*at.markdown, *at.caption)))


def test_each_cell_says_its_conclusion_and_leads_to_its_case(page: AppTest, many: Store) -> None:
    at = page.run()
    cells = _cells(at)
    assert set(cells) == {"tester × Rivers test", "tester × Lakes test", "other × Rivers test"}
    seen = cells["tester × Rivers test"]
    assert (seen["sign"], seen["look"], seen["figure"][0]) == ("⚑", "contaminated", "+")
    assert seen["words"].startswith("Contaminated. tester has probably seen Rivers test.")
    found = {(model_title(answer.model), answer.partition): answer for answer in answers(many)}
    assert seen["id"] == found["tester", "rivers/test"].id
    assert seen["href"] == f"case?case={seen['id']}"
    assert "127.0.0.1" not in json.dumps(_matrix(at))
    assert "2 models · 2 benchmarks · 1 contaminated" in _words(at)
    first = _matrix(at)["order"][0]
    assert _matrix(at)["rows"][first[0]]["cells"][first[1]]["look"] == "contaminated"


def test_search_marks_controls_and_hiding_choose_what_is_shown(page: AppTest, many: Store) -> None:
    at = page.run()
    at.text_input(key="matrix_search").set_value("lakes TESTER").run()
    assert set(_cells(at)) == {"tester × Lakes test"}
    at.text_input(key="matrix_search").set_value("nothing").run()
    assert not at.exception
    assert "No pair matches" in at.info[0].value
    at.text_input(key="matrix_search").set_value("").run()
    at.button_group(key="matrix_shown").set_value(["contaminated"]).run()
    assert set(_cells(at)) == {"tester × Rivers test"}
    at.button_group(key="matrix_shown").set_value([]).run()
    at.toggle(key="matrix_controls").set_value(True).run()
    control = _cells(at)["tester × Unseen-0 test"]
    assert (control["sign"], control["figure"], control["look"]) == ("", "26 %", "control")
    assert control["href"].startswith("results?results_run=")
    at.multiselect(key="matrix_hidden").set_value([OTHER]).run()
    assert not any(name.startswith("other") for name in _cells(at))
    at.multiselect(key="matrix_pinned").set_value(["lakes/test"]).run()
    assert _matrix(at)["columns"][0]["name"] == "Lakes test"
    at.toggle(key="matrix_family").set_value(True).run()
    assert [row["family"] for row in _matrix(at)["rows"]] == ["tester"]


def test_pairs_of_two_studies_are_marked_with_what_the_other_concludes(
    page: AppTest, many: Store
) -> None:
    studies.save(many, Study("Mine", ("rivers/test",), ("tester@http://127.0.0.1:9/v1",)))
    at = page.run()
    cells = _cells(at)
    assert cells["tester × Rivers test"]["two"]
    assert "Also in the study “Mine”." in cells["tester × Rivers test"]["words"]
    assert "two" not in cells["tester × Lakes test"]
    assert "two" not in cells["other × Rivers test"]
    at.selectbox(key="study").set_value("Mine").run()
    assert not at.exception
    assert "Contaminated" in at.title[1].value  # the only pair of the study: its case
    at.selectbox(key="study").set_value("").run()
    assert "“Mine”: contaminated." in _cells(at)["tester × Rivers test"]["words"]


def test_hostile_names_are_data(page: AppTest, many: Store) -> None:
    put(many, "rivers", UNSEEN, model="<img src=x>@http://127.0.0.1:9/v1")
    put(many, "ponds", UNSEEN, model="<img src=x>@http://127.0.0.1:9/v1")
    at = page.run()
    assert "<img src=x> × Rivers test" in _cells(at)
    assert not any("<img" in str(one.proto) for one in at.get("html"))
    assert not any("<img" in str(one.value) for one in at.markdown)


def test_a_case_has_its_own_conclusion_figure_and_methods(app: AppTest, many: Store) -> None:
    for answer in answers(many):
        app.switch_page("pages/case.py")
        app.query_params["case"] = answer.id
        app.run()
        assert not app.exception
        assert answer.place in letters(app.title[0].value)
        assert answer.ruling.word.capitalize() in app.title[1].value
        assert "What else could explain it?" in [one.value for one in app.subheader]
        assert any("Method" in frame.value.columns for frame in app.dataframe)
        assert app.get("bidi_component")  # its ruler


def test_without_an_address_the_worst_is_shown_and_an_unknown_one_is_said(
    app: AppTest, many: Store
) -> None:
    at = app.switch_page("pages/case.py").run()
    assert at.query_params["case"] == answers(many)[0].id
    at.query_params["case"] = "../../etc/passwd"
    at.run()
    assert not at.exception
    assert at.title[0].value == "No such case"
    assert len(at.title) == 1


def test_the_case_that_was_open_stays_while_its_study_has_it(app: AppTest, many: Store) -> None:
    last = answers(many)[-1]
    at = app.switch_page("pages/case.py")
    at.query_params["case"] = last.id
    at.run()
    at.switch_page("pages/settings.py").run()
    at.query_params.clear()
    at.switch_page("pages/case.py").run()
    assert not at.exception
    assert at.query_params["case"] == last.id


def test_a_store_without_conclusions_has_no_case(app: AppTest, fresh_store: Store) -> None:
    at = app.switch_page("pages/case.py").run()
    assert not at.exception
    assert at.title[0].value == "No conclusion yet"


@pytest.mark.parametrize(
    ("value", "known"),
    [
        (1_700_000_000_000, True),
        (9e15, False),
        (float("inf"), False),
        (float("nan"), False),
        (True, False),
        ("1700000000000", False),
        (None, False),
        (4_000_000_000_000, False),  # in the year 2096
    ],
)
def test_a_browser_may_name_any_time(value: object, known: bool) -> None:
    assert (kept._moment(value) is not None) == known


def test_a_browser_may_name_anything_as_a_choice() -> None:
    assert kept._names(["a", 1, None, "b"]) == ("a", "b")
    assert kept._names({"a": 1}) == ()
    assert len(kept._names(["x"] * 10_000)) == 500


VIEWS = ("Instances", "Questions and replies", "Position preference", "What was asked")


@pytest.mark.parametrize("view", VIEWS)
def test_a_case_is_looked_at_closer(app: AppTest, many: Store, view: str) -> None:
    answer = answers(many)[0]
    at = app.switch_page("pages/case.py")
    at.query_params["case"] = answer.id
    at.query_params["case_view"] = view
    at.run()
    assert not at.exception
    assert at.segmented_control(key="case_view").options == ["Summary", *VIEWS]
    assert view in at.query_params["case_view"]
    shown = _words(at)
    if view == "Instances":
        assert at.selectbox(key="explorer_partition").value == answer.partition
        assert at.selectbox(key="explorer_first").value == answer.methods[0].run
    elif view == "Questions and replies":
        assert "Prompt, exactly as sent" in shown
    elif view == "What was asked":
        [table] = [one.value for one in at.dataframe if "replies" in one.value.columns]
        assert len(table) == 1
        assert "All of it:" in shown


def test_a_case_opens_without_looking_closer(app: AppTest, many: Store) -> None:
    at = app.switch_page("pages/case.py")
    at.query_params["case"] = answers(many)[0].id
    at.run()
    assert not at.exception
    assert at.segmented_control(key="case_view").value == "Summary"
    assert "Prompt, exactly as sent" not in _words(at)
    assert "127.0.0.1" not in str(dict(at.query_params))


def test_a_note_on_a_case_is_written_kept_and_undone(
    app: AppTest, many: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_AUTHOR", "Ana")
    answer = answers(many)[0]
    at = app.switch_page("pages/case.py")
    at.query_params["case"] = answer.id
    at.run().button(key="case_note_edit").click().run()
    at.text_area(key=f"case_note_text_{answer.id}").set_value("Seen by :red[nobody] *else*").run()
    assert "Draft kept" in _words(at)
    at.button(key="case_note_save").click().run()
    assert not at.exception
    assert "Seen by :red[nobody] *else*" in _words(at)
    assert "Ana, " in _words(at)
    [note] = notes.history(many, answer.pair)
    at.button(key="case_note_edit").click().run()
    at.text_area(key=f"case_note_text_{answer.id}").set_value("Another").run()
    notes.write(many, answer.pair, "Theirs", "Ben", note)
    # What was drawn before Ben's is what the button knows.
    at.button(key="case_note_save").click().run()
    assert "Ben changed the note in the meantime" in letters(at.warning[0].value)
    assert at.text_area(key=f"case_note_text_{answer.id}").value == "Another"
    at.button(key="case_note_discard").click().run()
    assert "Theirs" in _words(at)
    at.button(key="case_note_undo").click().run()
    assert [one.text for one in notes.history(many, answer.pair)] == [
        "Seen by :red[nobody] *else*", "Theirs", "Seen by :red[nobody] *else*",
    ]  # fmt: skip


def test_what_is_typed_about_one_case_is_not_another_s(
    app: AppTest, many: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_AUTHOR", "Ana")
    first, second = answers(many)[:2]
    at = app.switch_page("pages/case.py")
    at.query_params["case"] = first.id
    at.run().button(key="case_note_edit").click().run()
    at.text_area(key=f"case_note_text_{first.id}").set_value("About the first").run()
    at.query_params["case"] = second.id
    at.run().button(key="case_note_edit").click().run()
    assert at.text_area(key=f"case_note_text_{second.id}").value == ""
    at.query_params["case"] = first.id
    assert at.run().text_area(key=f"case_note_text_{first.id}").value == "About the first"


def test_what_nobody_signed_is_no_draft_of_everybody(app: AppTest, many: Store) -> None:
    answer = answers(many)[0]
    at = app.switch_page("pages/case.py")
    at.query_params["case"] = answer.id
    at.run().button(key="case_note_edit").click().run()
    at.text_area(key=f"case_note_text_{answer.id}").set_value("Whose?").run()
    assert at.text_area(key=f"case_note_text_{answer.id}").value == "Whose?"
    assert at.button(key="case_note_save").disabled
    other = AppTest.from_file(app._script_path, default_timeout=60).switch_page("pages/case.py")
    other.query_params["case"] = answer.id
    assert not other.run().text_area
