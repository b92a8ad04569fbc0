"""Brave Search API: an index of its own, with dates and marked snippets.

https://api-dashboard.search.brave.com/api-reference/web/search/get
"""

from __future__ import annotations

from dataclasses import dataclass

from dcq.overlap.search.service import (
    Call,
    Page,
    Scope,
    Send,
    key_from,
    listed,
    page_of,
    rows_of,
)

KEY = "BRAVE_SEARCH_API_KEY"
_MOST = "20"  # results a call
# Where Brave's code of a language is not the first part of ours.
_LANGUAGES = {"zh": "zh-hans"}
_COUNTRIES = {"en": "US", "zh": "CN"}  # the choice is ours; the report's benchmarks are in these


@dataclass(frozen=True)
class Brave:
    """Queries of up to 400 characters and 50 words; one call a second, as the smallest plan has."""

    address: str = "https://api.search.brave.com/res/v1/web/search"
    name: str = "brave"
    characters: int = 400
    words: int | None = 50
    pause: float = 1.0
    calls: int = 1
    key: str = KEY
    live: bool = True

    async def search(self, send: Send, query: str, scope: Scope) -> list[Page]:
        """As ``Service.search``."""
        parameters = {"q": query, "count": _MOST, "text_decorations": "true"}
        if language := scope.language.split("-")[0].lower():
            parameters["search_lang"] = _LANGUAGES.get(language, language)
            if language in _COUNTRIES:
                parameters["country"] = _COUNTRIES[language]
        if scope.window is not None:
            first, last = scope.window.start.isoformat(), scope.window.end.isoformat()
            parameters["freshness"] = f"{first}to{last}"
        headers = {"X-Subscription-Token": key_from(KEY, "Brave Search")}
        found = await send(Call("GET", self.address, parameters, headers))
        return [
            page_of(
                row.get("url"),
                row.get("title"),
                [row.get("description"), *listed(row.get("extra_snippets"))],
            )
            for row in rows_of(found, "web", "results")
        ]
