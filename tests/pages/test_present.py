from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dcq.records import PartitionRole
from dcq.store import Store
from tests.conftest import letters
from tests.support.judged import SEEN, UNSEEN, put

pytestmark = pytest.mark.usefixtures("provider")


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/present.py")


def test_an_empty_store_says_that_there_is_nothing_yet(page: AppTest) -> None:
    at = page.run()
    assert not at.exception
    assert any("No model has answered yet" in str(one.value) for one in at.markdown)


def test_slides_go_forward_and_back_and_the_address_keeps_the_place(
    page: AppTest, fresh_store: Store
) -> None:
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "lakes", UNSEEN, PartitionRole.CONTROL)
    at = page.run()
    assert not at.exception
    assert at.title[0].value.startswith("Has ")
    assert at.button(key="present_at_Back").disabled
    titles = []
    while not at.button(key="present_at_Forward").disabled:
        at.button(key="present_at_Forward").click().run()
        assert not at.exception
        titles.append(letters(at.title[0].value))
    assert "Which one is the original?" in titles
    assert titles[-1] == "What this does not show"
    count = len(titles) + 1
    assert at.session_state["present_at"] == count
    at.button(key="present_at_Back").click().run()
    assert at.session_state["present_at"] == count - 1


@pytest.mark.parametrize("at_slide", ["99999999999", "-1", "x", "0", "1e9"])
def test_a_place_that_is_none_is_the_nearest(
    page: AppTest, fresh_store: Store, at_slide: str
) -> None:
    page.query_params["present_at"] = at_slide
    at = page.run()
    assert not at.exception
    assert at.title[0].value
