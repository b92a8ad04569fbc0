"""The headers that docs/sharing.md has a proxy add: every page works under them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import ConsoleMessage, Page, Route, expect

from dcq.settings import ROOT
from tests.browser.test_own_address import PAGES, asked  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

_HEADER = re.compile(r'^\s*add_header (\S+) "([^"\n]+)" always;$', re.MULTILINE)
HEADERS = dict(_HEADER.findall((ROOT / "docs" / "sharing.md").read_text("utf-8")))


@pytest.fixture
def behind_proxy(page: Page) -> Iterator[Page]:
    """A tab whose pages carry the headers, as if they had come through the proxy."""

    def add(route: Route) -> None:
        if not route.request.is_navigation_request():
            route.continue_()
            return
        answer = route.fetch()
        route.fulfill(response=answer, headers={**answer.headers, **HEADERS})

    # What the test hands to the browser has no address of its own; a proxy's answer would have.
    page.context.grant_permissions(["local-network-access"])
    page.route("**/*", add)
    yield page
    page.unroute_all(behavior="ignoreErrors")


def test_the_headers_keep_the_app_out_of_frames_and_its_pages_at_home() -> None:
    policy = dict(
        part.strip().split(" ", 1) for part in HEADERS["Content-Security-Policy"].split(";")
    )
    assert policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == "'self' blob:"
    assert {"'self'", "data:", "blob:", "'none'", "'unsafe-inline'"} >= {
        word for words in policy.values() for word in words.split()
    }
    assert HEADERS["X-Content-Type-Options"] == "nosniff"
    assert {"X-Frame-Options", "Referrer-Policy"} <= set(HEADERS)


def test_every_page_works_under_the_headers(
    asked: None,  # noqa: F811  (the fixture)
    behind_proxy: Page,
    app_url: str,
) -> None:
    said: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error":
            said.append(message.text)

    behind_proxy.on("console", note)
    behind_proxy.on("pageerror", lambda error: said.append(str(error)))
    for name in PAGES:
        behind_proxy.goto(f"{app_url}/{name}")
        expect(behind_proxy.get_by_role("heading", level=1).first).to_be_visible()
        expect(behind_proxy.get_by_test_id("stStatusWidget")).to_have_count(0)
        if name in {"answers", "ablation"}:
            expect(behind_proxy.locator(".js-plotly-plot .main-svg").first).to_be_visible()
        if name == "results":
            expect(behind_proxy.locator("canvas").first).to_be_visible()  # the table draws itself
        expect(behind_proxy.get_by_test_id("stException")).to_have_count(0)
        behind_proxy.wait_for_timeout(500)
    inline = [text for text in said if "inline script" in text]
    assert 0 < len(inline) <= len(PAGES)  # the mark for search engines, once a page
    # Streamlit finds out by a 404 whether an address is below another.
    assert [text for text in said if text not in inline and "404" not in text] == []
