"""Choosing among candidates on the page Variants."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dcq.store import Store, variants
from dcq.ui.variants import sample
from tests.support.leaky_sample import leaky

__all__ = ["leaky"]  # a fixture


@pytest.fixture
def page(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("DCQ_AUTHOR", "Ana")
    return app.switch_page("pages/variants.py")


def open_panel(at: AppTest) -> AppTest:
    at.session_state[sample.PANEL] = True
    at.session_state["variants_balance"] = True
    return at.run()


def words(at: AppTest) -> str:
    shown = [*at.markdown, *at.caption, *at.info, *at.warning, *at.error]
    return "\n".join(str(element.value).replace("\\", "") for element in shown)


def texts(store: Store, sample_id: str) -> list[str]:
    now = variants.current(store, sample_id)
    return [one.text for slots in now.values() for one in slots.values()]


def test_choose_see_what_it_did_and_take_it_back(
    page: AppTest, fresh_store: Store, leaky: str
) -> None:
    before = texts(fresh_store, leaky)
    at = open_panel(page.run())
    assert not at.exception
    assert "finds most originals" in words(at)
    assert not [one for one in at.button if one.key == "variants_choose_undo"]
    at.button(key="variants_choose").click().run()
    assert not at.exception
    assert "Before, always choosing the" in words(at)
    assert texts(fresh_store, leaky) != before
    open_panel(at).button(key="variants_choose_undo").click().run()
    assert not at.exception
    assert texts(fresh_store, leaky) == before
    assert "Before, always" not in words(open_panel(at))


def test_without_candidates_there_is_nothing_to_choose(page: AppTest, sample_id: str) -> None:
    assert sample_id
    at = open_panel(page.run())
    assert not at.exception
    assert at.button(key="variants_choose").disabled
    assert "8 texts" in words(at)


def test_more_texts_can_be_asked_for(page: AppTest, sample_id: str) -> None:
    assert sample_id
    at = open_panel(page.run())
    assert at.button(key="variants_write").label == "Nothing is missing"
    at.session_state["variants_candidates"] = 8
    at.run()
    assert not at.exception
    assert at.button(key="variants_write").label == "Write the 24 missing texts"
    assert not at.button(key="variants_write").disabled
