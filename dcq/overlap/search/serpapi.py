"""SerpApi: Google's results as JSON. https://serpapi.com/organic-results"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

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

KEY = "SERPAPI_API_KEY"
# Where Google's code of a language is not the first part of ours.
_LANGUAGES = {"zh": "zh-cn"}
_COUNTRIES = {"en": "us", "zh": "cn"}  # the choice is ours; the report's benchmarks are in these


@dataclass(frozen=True)
class SerpApi:
    """The limits on the length of a query are ours."""

    address: str = "https://serpapi.com/search.json"
    name: str = "serpapi"
    characters: int = 2000
    words: int | None = 32
    pause: float = 0.5
    calls: int = 1
    key: str = KEY
    live: bool = True

    async def search(self, send: Send, query: str, scope: Scope) -> list[Page]:
        """As ``Service.search``."""
        parameters = {"engine": "google", "q": query, "api_key": key_from(KEY, "SerpApi")}
        if language := scope.language.split("-")[0].lower():
            parameters["hl"] = _LANGUAGES.get(language, language)
            if language in _COUNTRIES:
                parameters["gl"] = _COUNTRIES[language]
        if scope.window is not None:
            low, high = _day(scope.window.start), _day(scope.window.end)
            parameters["tbs"] = f"cdr:1,cd_min:{low},cd_max:{high}"
        found = await send(Call("GET", self.address, parameters, {}))
        pages = []
        for row in rows_of(found, "organic_results"):
            page = page_of(row.get("link"), row.get("title"), [row.get("snippet")])
            words = row.get("snippet_highlighted_words")
            marks = " ".join(word for word in listed(words) if isinstance(word, str))
            # Highlights are of the whole snippet, so they go with its first fragment.
            rest = ("",) * (len(page.fragments) - 1)
            pages.append(replace(page, marked=(marks, *rest) if page.fragments else ()))
        return pages


def _day(day: date) -> str:
    return f"{day.month}/{day.day}/{day.year}"
