"""Whether a page was crawled: asks Common Crawl's index and the Wayback Machine, by the CDX
protocol.

The contamination report, section 4: a page that a search service finds counts only if Common Crawl
has it. Its authors' code asks the Wayback Machine instead, because it found the other "almost
broken". https://index.commoncrawl.org, https://web.archive.org/cdx/search/cdx
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol

from pydantic import StrictStr, TypeAdapter

from dcq.errors import EndpointRefusedError
from dcq.overlap.search.client import NOT_FOUND, read_as, unexpected_reply_error
from dcq.overlap.search.service import Send, ServiceCall, Window

_CRAWL = re.compile(r"CC-MAIN-(\d{4})-(\d{2})")


class Archive(Protocol):
    """An archive of web pages at an ``address``, with ``pause`` seconds between two calls."""

    @property
    def name(self) -> str:
        """Its name, such as ``common-crawl``."""

    @property
    def address(self) -> str:
        """The URL at which it is asked."""

    @property
    def pause(self) -> float:
        """Seconds between two calls."""

    async def has(self, send: Send, page: str, window: Window) -> bool:
        """Whether the archive has ``page`` from a day in ``window``. Raises an ``EndpointError``
        for a reply of another form than documented, which says nothing about the page."""


@dataclass
class CommonCrawl:
    """Its crawls are listed by year and week. A call a second, as the library cdx-toolkit makes
    them unless told otherwise. Keeps the list of crawls for as long as it lives."""

    address: str = "https://index.commoncrawl.org"
    name: str = "common-crawl"
    pause: float = 1.0
    _crawls: dict[Window, list[str]] = field(default_factory=dict, compare=False, repr=False)

    async def crawls(self, send: Send, window: Window) -> list[str]:
        """The addresses of the indexes of all crawls in ``window``, the newest first; asked once.

        Its list gives whole addresses (``cdx-api``), and a mirror's copy of it those of the real
        server. All have the form of the server's own template, ``HOST/CRAWL-index``
        (https://github.com/commoncrawl/cc-index-server), so an index is asked for by that form at
        our address and nowhere else."""
        if window not in self._crawls:
            listing = await send(ServiceCall("GET", f"{self.address}/collinfo.json", {}, {}))
            if not isinstance(listing, list):
                raise unexpected_reply_error(self.name)
            dated_indexes = {
                (day, f"{self.address}/{row['id']}-index")
                for row in listing
                if isinstance(row, dict)
                if (day := _day(row.get("id"))) and window.start <= day <= window.end
            }
            if not dated_indexes:
                raise EndpointRefusedError(
                    f"Common Crawl lists no crawl from {window.start} to {window.end}; choose "
                    "another window, or look the pages up in the Wayback Machine."
                )
            self._crawls[window] = [address for _, address in sorted(dated_indexes, reverse=True)]
        return self._crawls[window]

    async def has(self, send: Send, page: str, window: Window) -> bool:
        """As ``Archive.has``."""
        asked = {"url": page, "output": "json", "limit": "1"}
        for crawl in await self.crawls(send, window):
            call = ServiceCall("GET", crawl, asked, {}, may_be_missing=True, lines=True)
            reply = await send(call)
            if reply is NOT_FOUND:
                continue
            if not isinstance(reply, dict) or "urlkey" not in reply:
                raise unexpected_reply_error(self.name)
            return True
        return False


@dataclass(frozen=True)
class Wayback:
    """The Internet Archive; its pause is that of cdx-toolkit, too."""

    address: str = "https://web.archive.org/cdx/search/cdx"
    name: str = "wayback"
    pause: float = 6.0

    async def has(self, send: Send, page: str, window: Window) -> bool:
        """As ``Archive.has``."""
        days = {"from": f"{window.start:%Y%m%d}", "to": f"{window.end:%Y%m%d}"}
        asked = {"url": page, "output": "json", "limit": "1", **days}
        rows = read_as(_ROWS, await send(ServiceCall("GET", self.address, asked, {})), self.name)
        if rows and "urlkey" not in rows[0]:
            raise unexpected_reply_error(self.name)
        return len(rows) > 1  # the first one has the names of columns


_ROWS = TypeAdapter(list[list[StrictStr]])


def _day(crawl: Any) -> date | None:
    """The Monday of a crawl's week; None for the oldest crawls, which have other names."""
    parts = _CRAWL.fullmatch(crawl) if isinstance(crawl, str) else None
    try:
        return date.fromisocalendar(int(parts[1]), int(parts[2]), 1) if parts else None
    except ValueError:
        return None
