"""SerpApi: Google's results as JSON. https://serpapi.com/organic-results"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from dcq.overlap.search.service import Call, Page, Send, Window, key_from, page_of, rows_of

KEY = "SERPAPI_API_KEY"


@dataclass(frozen=True)
class SerpApi:
    """The limits on the length of a query are ours."""

    address: str = "https://serpapi.com/search.json"
    name: str = "serpapi"
    characters: int = 2000
    words: int | None = 32
    pause: float = 0.5

    def search(self, send: Send, query: str, window: Window | None) -> list[Page]:
        """As ``Service.search``."""
        parameters = {"engine": "google", "q": query, "api_key": key_from(KEY, "SerpApi")}
        if window is not None:
            low, high = _day(window.start), _day(window.end)
            parameters["tbs"] = f"cdr:1,cd_min:{low},cd_max:{high}"
        found = send(Call("GET", self.address, parameters, {}))
        pages = []
        for row in rows_of(found, "organic_results"):
            page = page_of(row.get("link"), row.get("title"), [row.get("snippet")])
            words = row.get("snippet_highlighted_words")
            listed = words if isinstance(words, list) else []
            marks = " ".join(word for word in listed if isinstance(word, str))
            # Highlights are of the whole snippet, so they go with its first fragment.
            rest = ("",) * (len(page.fragments) - 1)
            pages.append(replace(page, marked=(marks, *rest) if page.fragments else ()))
        return pages


def _day(day: date) -> str:
    return f"{day.month}/{day.day}/{day.year}"
