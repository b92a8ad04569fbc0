"""SerpApi: Google's results as JSON. https://serpapi.com/organic-results"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from pydantic import StrictStr, TypeAdapter

from dcq.overlap.search.client import read_as
from dcq.overlap.search.service import (
    SERPAPI,
    TO_SERPAPI,
    Scope,
    Send,
    ServiceCall,
    WebPage,
    code_of,
    key_from,
    page_of,
)

KEY = "SERPAPI_API_KEY"
# By Google's code of a language; the choice is ours, as the report's benchmarks are in these.
_COUNTRIES = {"en": "us", "zh-cn": "cn"}


@dataclass(frozen=True)
class SerpApi:
    """The limits on the length of a query are ours."""

    address: str = "https://serpapi.com/search.json"
    name: str = "serpapi"
    characters: int = 2000
    words: int | None = 32
    pause: float = 0.5
    calls: int = 1
    key_variable: str = KEY
    live: bool = True
    documents: int | None = None

    async def search(self, send: Send, query: str, scope: Scope) -> list[WebPage]:
        """As ``Service.search``."""
        parameters = {"engine": "google", "q": query, "api_key": key_from(KEY, "SerpApi")}
        if language := code_of(scope.language, SERPAPI, TO_SERPAPI):
            parameters["hl"] = language
            if language in _COUNTRIES:
                parameters["gl"] = _COUNTRIES[language]
        if scope.window is not None:
            low, high = _day(scope.window.start), _day(scope.window.end)
            parameters["tbs"] = f"cdr:1,cd_min:{low},cd_max:{high}"
        serp_api_reply = read_as(
            _FORM, await send(ServiceCall("GET", self.address, parameters, {})), self.name
        )
        return [_page(row) for row in serp_api_reply.organic_results or ()]


def _day(day: date) -> str:
    return f"{day.month}/{day.day}/{day.year}"


@dataclass(frozen=True)
class _SerpApiResult:
    link: StrictStr
    title: StrictStr | None = None
    snippet: StrictStr | None = None
    snippet_highlighted_words: list[StrictStr] | None = None


@dataclass(frozen=True)
class _Metadata:
    status: Literal["Success"]


@dataclass(frozen=True)
class _SerpApiReply:
    search_metadata: _Metadata
    organic_results: list[_SerpApiResult] | None = None  # where Google has found nothing


_FORM = TypeAdapter(_SerpApiReply)


def _page(row: _SerpApiResult) -> WebPage:
    page = page_of(row.link, row.title, [row.snippet])
    marks = " ".join(row.snippet_highlighted_words or ())
    # Highlights are of the whole snippet, so they go with its first fragment.
    blanks = ("",) * (len(page.fragments) - 1)
    return replace(page, marked=(marks, *blanks) if page.fragments else ())
