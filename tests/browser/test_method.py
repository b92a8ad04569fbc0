"""A link beside a number leads to its section of the method."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from dcq.store import Store, samples
from tests.browser.conftest import shoot
from tests.conftest import small_sample
from tests.support.sittings import take

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


def test_a_term_leads_to_its_section(tab: Page, app_url: str, fresh_store: Store) -> None:
    take(fresh_store, samples.save(fresh_store, small_sample(4)), "Ada", 1)
    tab.goto(f"{app_url}/take")
    tab.get_by_role("button", name="What the numbers mean").click()
    expect(tab.get_by_text("0 is guessing, 1 is always the original")).to_be_visible()
    link = tab.locator("a[href*='method#score-and']").first
    with tab.expect_popup() as opened:
        link.click()
    method = opened.value
    heading = method.get_by_role("heading", name="Score and κ")
    expect(heading).to_be_visible()
    expect(method.get_by_role("heading", name="What a score does not show")).to_be_attached()
    expect(heading).to_be_in_viewport()
    assert method.url.endswith("/method#score-and-%CE%BA")
    method.close()


def test_its_contents_lead_to_each_section(tab: Page, app_url: str) -> None:
    tab.goto(f"{app_url}/method")
    tab.get_by_role("button", name="Contents").click()
    tab.get_by_role("link", name="People", exact=True).click()
    expect(tab.get_by_role("heading", name="People", exact=True)).to_be_in_viewport()
    shoot(tab, "method", whole=False)
