from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dcq.settings import ROOT
from dcq.store import Store, reviews
from dcq.ui.variants.guidelines import PANEL


def _visit(monkeypatch: pytest.MonkeyPatch, name: str) -> AppTest:
    monkeypatch.setenv("DCQ_AUTHOR", name)
    page = AppTest.from_file(ROOT / "app.py", default_timeout=60)
    page.session_state[PANEL] = True
    at = page.switch_page("pages/variants.py").run()
    assert not at.exception
    return at


def _words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.warning]
    return "\n".join(str(element.value).replace("\\", "") for element in shown)


pytestmark = pytest.mark.usefixtures("app")


def test_guidelines_are_read_edited_and_kept_over_a_refresh(
    fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = _visit(monkeypatch, "Ana")
    assert "could itself have been the original" in _words(at)
    assert "nobody has written others" in _words(at)
    at.button(key="variants_guidelines_edit").click().run()
    at.text_area(key="variants_guidelines_text").set_value("Keep <b>rhymes</b> :red[x].").run()
    assert "Draft saved" in _words(at)
    assert reviews.newest(fresh_store, sample_id) is None

    at = _visit(monkeypatch, "Ana")  # after a refresh
    assert at.text_area(key="variants_guidelines_text").value == "Keep <b>rhymes</b> :red[x]."
    at.button(key="variants_guidelines_save").click().run()
    assert not at.exception
    assert "By Ana, " in _words(at)
    assert "<b>rhymes</b> :red[x]" in _words(at)
    assert not any("<b>" in m.value or ":red[x]" in m.value for m in at.markdown)
    assert not at.text_area

    assert "By Ana, " in _words(_visit(monkeypatch, "Ben"))


def test_two_who_edit_at_once_lose_nothing(
    fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = _visit(monkeypatch, "Ana")
    at.button(key="variants_guidelines_edit").click().run()
    reviews.write(fresh_store, sample_id, "Ben's.", "Ben", None)
    at.text_area(key="variants_guidelines_text").set_value("Ana's.")
    at.button(key="variants_guidelines_save").click().run()
    assert not at.exception
    now = reviews.newest(fresh_store, sample_id)
    assert now is not None
    assert now.text == "Ben's."
    assert "Ben changed the guidelines in the meantime" in _words(at)
    assert "Ben's." in _words(at)
    assert at.text_area(key="variants_guidelines_text").value == "Ana's."
    at.button(key="variants_guidelines_discard").click().run()
    assert not at.text_area
    assert "By Ben, " in _words(at)
