"""The headers that docs/sharing.md has a proxy add: test_every_page.py looks at pages with them."""

from __future__ import annotations

import pytest

from tests.support.page_rules import HEADERS

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


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
