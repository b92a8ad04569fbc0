"""Brave Search API: an index of its own, with dates and marked snippets.

https://api-dashboard.search.brave.com/api-reference/web/search/get
"""

from __future__ import annotations

from dataclasses import dataclass

from dcq.overlap.search.service import Call, Page, Send, Window, key_from, page_of, rows_of

KEY = "BRAVE_SEARCH_API_KEY"
_MOST = "20"  # results a call


@dataclass(frozen=True)
class Brave:
    """Queries of up to 400 characters and 50 words; one call a second, as the smallest plan has."""

    address: str = "https://api.search.brave.com/res/v1/web/search"
    name: str = "brave"
    characters: int = 400
    words: int | None = 50
    pause: float = 1.0

    def search(self, send: Send, query: str, window: Window | None) -> list[Page]:
        """As ``Service.search``."""
        parameters = {"q": query, "count": _MOST, "text_decorations": "true"}
        if window is not None:
            parameters["freshness"] = f"{window.start.isoformat()}to{window.end.isoformat()}"
        headers = {"X-Subscription-Token": key_from(KEY, "Brave Search")}
        found = send(Call("GET", self.address, parameters, headers))
        return [
            page_of(
                row.get("url"),
                row.get("title"),
                [row.get("description"), *(row.get("extra_snippets") or [])],
            )
            for row in rows_of(found, "web", "results")
        ]
