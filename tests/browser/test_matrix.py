"""From the matrix to a case and back: by click, by keyboard and on a small screen; and what a
browser remembers of it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from dcq.store import Store
from tests.browser.conftest import shoot, wait_until_idle
from tests.support.judged import SEEN, UNSEEN, put, put_controls

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

OTHER = "other@http://127.0.0.1:9/v1"


@pytest.fixture
def matrix(fresh_store: Store, tab: Page, app_url: str) -> Page:
    """The matrix of two models and two benchmarks; one pair was not asked about."""
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "lakes", UNSEEN)
    put(fresh_store, "rivers", UNSEEN, model=OTHER)
    tab.set_viewport_size({"width": 1280, "height": 900})
    tab.goto(app_url)
    expect(tab.get_by_role("grid")).to_be_visible()
    return tab


def _cell(page: Page, name: str) -> Locator:
    return page.get_by_role("link", name=re.compile(f"^{re.escape(name)}:"))


def test_a_cell_opens_its_case_by_click_and_by_key(matrix: Page) -> None:
    page = matrix
    shoot(page, "matrix")
    seen = _cell(page, "tester × Rivers test")
    expect(seen).to_have_accessible_name(re.compile("Contaminated. tester has probably seen"))
    seen.hover()
    expect(page.locator(".dcq-matrix .tip")).to_contain_text("has probably seen Rivers test")
    seen.click()
    title = page.get_by_role("heading", level=1)
    expect(title.first).to_have_text("tester × Rivers test")
    expect(title.nth(1)).to_contain_text("Contaminated")
    address = page.url
    assert re.search(r"/case\?case=[0-9a-f]{16}$", address)
    shoot(page, "case")

    page.go_back()
    expect(page.get_by_role("grid")).to_be_visible()
    wait_until_idle(page)
    _cell(page, "tester × Rivers test").focus()
    page.keyboard.press("ArrowDown")  # the other model
    expect(_cell(page, "other × Rivers test")).to_be_focused()
    page.keyboard.press("ArrowRight")  # nothing was asked there: the focus stays
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    expect(_cell(page, "tester × Lakes test")).to_be_focused()
    page.keyboard.press("Enter")
    expect(title.first).to_have_text("tester × Lakes test")
    page.goto(address)
    expect(title.first).to_have_text("tester × Rivers test")


def test_a_small_screen_has_a_list_with_the_worst_first(matrix: Page) -> None:
    matrix.set_viewport_size({"width": 390, "height": 844})
    lines = matrix.locator(".dcq-matrix li")
    expect(lines).to_have_count(3)
    expect(lines.first).to_contain_text("tester×Rivers test")
    tallest = max(lines.nth(at).bounding_box()["height"] for at in range(3))  # type: ignore[index]  # visible
    assert tallest < 60  # one line
    main = matrix.get_by_test_id("stMain")
    assert main.evaluate("main => main.scrollWidth <= main.clientWidth")
    lines.first.get_by_role("link").click()
    expect(matrix.get_by_role("heading", level=1).first).to_have_text("tester × Rivers test")


def test_the_browser_remembers_what_is_hidden_and_when_it_was_there(
    matrix: Page, fresh_store: Store
) -> None:
    page = matrix
    wait_until_idle(page)
    page.get_by_role("button", name="Rows and columns").click()
    hide = page.get_by_role("combobox", name=re.compile("Hide"))
    hide.fill("other")
    page.get_by_role("option", name="other").first.click()
    expect(_cell(page, "other × Rivers test")).to_have_count(0)
    page.keyboard.press("Escape")
    wait_until_idle(page)
    # As if the visit had ended an hour ago, and a conclusion had come since.
    page.evaluate(
        """() => {
            const kept = JSON.parse(localStorage.getItem("dcq_matrix_own"));
            localStorage.setItem("dcq_matrix_own",
                JSON.stringify({...kept, last: Date.now() - 3_600_000}));
        }"""
    )
    page.reload()
    expect(page.get_by_text(re.compile("New since your last visit"))).to_be_visible()
    expect(
        page.get_by_role("link", name="tester × Rivers test: contaminated (new)")
    ).to_be_visible()
    expect(_cell(page, "other × Rivers test")).to_have_count(0)
    expect(_cell(page, "tester × Rivers test")).to_be_visible()
