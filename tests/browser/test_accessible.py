"""No page breaks a rule of WCAG, level A or AA, that axe-core can check, in either theme."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from dcq.store import Store
from tests.browser.conftest import wait_until_idle
from tests.browser.test_own_address import PAGES, asked  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

OPTIONS = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.usefixtures("asked")
def test_no_page_breaks_a_rule(
    chromium: Browser, app_url: str, fresh_store: Store, scheme: str
) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]  # one of the two
    page.set_default_timeout(30_000)
    broken = {}
    for name in PAGES:
        page.goto(f"{app_url}/{name}")
        expect(page.get_by_role("heading", level=1).first).to_be_visible()
        wait_until_idle(page)
        page.wait_for_timeout(1_000)  # what changes fades out and in
        found = Axe().run(page, options=OPTIONS).response["violations"]
        if found:
            broken[name] = [
                (one["id"], [(node["target"], node["html"][:200]) for node in one["nodes"][:3]])
                for one in found
            ]
    page.close()
    assert broken == {}
