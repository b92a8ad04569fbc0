"""Was a page crawled? Common Crawl's index, and the Wayback Machine's, by the CDX protocol.

The contamination report, section 4: a page that a search service finds counts only if Common Crawl
has it. Its authors' code asks the Wayback Machine instead, "almost broken" being its word for the
other. https://index.commoncrawl.org, https://web.archive.org/cdx/search/cdx
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from dcq.overlap.search.client import NOT_FOUND
from dcq.overlap.search.service import Call, Send, Window

_CRAWL = re.compile(r"CC-MAIN-(\d{4})-(\d{2})")


@dataclass(frozen=True)
class CommonCrawl:
    """Its crawls are listed by year and week."""

    address: str = "https://index.commoncrawl.org"

    def crawls(self, send: Send, window: Window) -> list[str]:
        """The addresses of the indexes of all crawls in ``window``, the oldest first."""
        listed = send(Call("GET", f"{self.address}/collinfo.json", {}, {}))
        found = [
            (day, row["cdx-api"])
            for row in (listed if isinstance(listed, list) else [])
            if isinstance(row, dict) and isinstance(row.get("cdx-api"), str)
            if (day := _day(row.get("id"))) and window.start <= day <= window.end
        ]
        return [address for _, address in sorted(found)]

    def has(self, send: Send, page: str, crawls: Iterable[str]) -> bool:
        """Whether one of these crawls has ``page``."""
        asked = {"url": page, "output": "json", "limit": "1"}
        calls = (Call("GET", crawl, asked, {}, may_be_missing=True) for crawl in crawls)
        return any(_is_capture(send(call)) for call in calls)


@dataclass(frozen=True)
class Wayback:
    """The Internet Archive."""

    address: str = "https://web.archive.org/cdx/search/cdx"

    def has(self, send: Send, page: str, window: Window) -> bool:
        """Whether it has ``page`` from a day in ``window``."""
        days = {"from": f"{window.start:%Y%m%d}", "to": f"{window.end:%Y%m%d}"}
        asked = {"url": page, "output": "json", "limit": "1", **days}
        rows = send(Call("GET", self.address, asked, {}))
        return isinstance(rows, list) and len(rows) > 1  # the first one has the names of columns


def _is_capture(found: Any) -> bool:
    """Not where there is none: status 404, with a message."""
    return found is not NOT_FOUND and isinstance(found, dict) and "urlkey" in found


def _day(crawl: Any) -> date | None:
    """The Monday of a crawl's week; None for the oldest crawls, which have other names."""
    parts = _CRAWL.fullmatch(crawl) if isinstance(crawl, str) else None
    try:
        return date.fromisocalendar(int(parts[1]), int(parts[2]), 1) if parts else None
    except ValueError:
        return None
