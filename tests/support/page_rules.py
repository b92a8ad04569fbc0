"""What every page keeps to."""

from __future__ import annotations

import re
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from dcq.settings import ROOT

_HEADER = re.compile(r'^\s*add_header (\S+) "([^"\n]+)" always;$', re.MULTILINE)


HEADERS = dict(_HEADER.findall((ROOT / "docs" / "sharing.md").read_text("utf-8")))


RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
    "resultTypes": ["violations"],
}


_VIOLATIONS = """
    async (rules) => (await axe.run(rules)).violations.map(({id, nodes}) => [
        id, nodes.slice(0, 3).map(({target, html}) => [target, html.slice(0, 200)])
    ])
"""


def violations(page: Page, rules: dict[str, Any]) -> list[object]:
    """The rules that a page breaks, each with the first elements that do."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    return list(page.evaluate(_VIOLATIONS, rules))
