"""Brave Search API: an index of its own, with dates and marked snippets.

https://api-dashboard.search.brave.com/api-reference/web/search/get
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import StrictStr, TypeAdapter

from dcq.overlap.search.client import NotInPlanError, read_as
from dcq.overlap.search.service import (
    BRAVE,
    TO_BRAVE,
    Scope,
    Send,
    ServiceCall,
    WebPage,
    code_of,
    key_from,
    page_of,
)

KEY = "BRAVE_SEARCH_API_KEY"
_MOST = "20"  # results a call
# By Brave's code of a language; the choice is ours, as the report's benchmarks are in these.
_COUNTRIES = {"en": "US", "zh-hans": "CN"}
_ALL = "ALL"  # worldwide; without a country Brave takes the United States


@dataclass
class Brave:
    """Queries of up to 400 characters and 50 words; one call a second, as the smallest plan has.

    Up to five further snippets of each page are asked for. Where the plan of the key has none, they
    are left out as long as this lives, and the first query takes one call more.
    """

    address: str = "https://api.search.brave.com/res/v1/web/search"
    name: str = "brave"
    characters: int = 400
    words: int | None = 50
    pause: float = 1.0
    calls: int = 1
    key_variable: str = KEY
    live: bool = True
    documents: int | None = None
    _more_snippets: bool = field(default=True, compare=False, repr=False)

    async def search(self, send: Send, query: str, scope: Scope) -> list[WebPage]:
        """As ``Service.search``."""
        language = code_of(scope.language, BRAVE, TO_BRAVE)
        parameters = {"q": query, "count": _MOST, "text_decorations": "true"}
        parameters["country"] = _COUNTRIES.get(language, _ALL)
        if language:
            parameters["search_lang"] = language
        if scope.window is not None:
            first, last = scope.window.start.isoformat(), scope.window.end.isoformat()
            parameters["freshness"] = f"{first}to{last}"
        brave_reply = read_as(_FORM, await self._send(send, parameters), self.name)
        return [
            page_of(row.url, row.title, [row.description, *(row.extra_snippets or ())])
            for row in (brave_reply.web.results if brave_reply.web else ())
        ]

    async def _send(self, send: Send, parameters: dict[str, str]) -> Any:
        headers = {"X-Subscription-Token": key_from(KEY, "Brave Search")}
        if self._more_snippets:
            try:
                more = {**parameters, "extra_snippets": "true"}
                return await send(ServiceCall("GET", self.address, more, headers))
            except NotInPlanError:
                self._more_snippets = False
        return await send(ServiceCall("GET", self.address, parameters, headers))


@dataclass(frozen=True)
class _BraveResult:
    url: StrictStr
    title: StrictStr | None = None
    description: StrictStr | None = None
    extra_snippets: list[StrictStr] | None = None


@dataclass(frozen=True)
class _Web:
    results: list[_BraveResult]


@dataclass(frozen=True)
class _BraveReply:
    type: Literal["search"]
    web: _Web | None = None  # where no page was found


_FORM = TypeAdapter(_BraveReply)
