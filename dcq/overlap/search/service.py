"""The interface of search services: a query and a window of time in, pages out.

Also the language codes that they accept, because an unknown code makes every query fail.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

from dcq.errors import InputError
from dcq.models.endpoints import find_key

_TAG = re.compile(r"<[^<>]*>")
_MARKED = re.compile(r"<(b|strong)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_GAP = re.compile(r"\.\.\.|…")


@dataclass(frozen=True)
class Window:
    """The days in which a page may have been there, both included (the report's search window)."""

    start: date
    end: date

    def __post_init__(self) -> None:
        if self.start > self.end:
            raise InputError("The search window ends before it starts; swap the two days.")


@dataclass(frozen=True)
class WebPage:
    """A page that a service names. ``fragments`` are the passages that it shows of it, ``marked``
    what in each of them it marks as matching, "" where it marks nothing."""

    url: str
    title: str
    fragments: tuple[str, ...]
    marked: tuple[str, ...]


@dataclass(frozen=True)
class ServiceCall:
    """One HTTP call. Parameters and headers may hold a key, so no message shows them."""

    method: str
    url: str
    parameters: Mapping[str, str]
    headers: Mapping[str, str]
    body: Mapping[str, Any] | None = None
    may_be_missing: bool = False  # status 404 may be an answer
    lines: bool = False  # JSON a line, of which the first is read


@dataclass(frozen=True)
class Scope:
    """The scope of a search: the days in which pages may have been there, None for no limit, and
    the language of the queries ("en")."""

    window: Window | None = None
    language: str = ""


class Send(Protocol):
    """Makes a call and gives the JSON of its reply."""

    async def __call__(self, call: ServiceCall) -> Any:
        """Raises an ``EndpointError`` where there is none."""


class Service(Protocol):
    """A search service, as results name it, at an ``address``. Queries may have at most
    ``characters`` and ``words`` (None: any number); ``pause`` seconds lie between two calls, and a
    query takes ``calls`` at most. ``key_variable`` is the environment variable of its key ("" for
    none). ``live``: it lists pages of the web of today, with dates; otherwise texts of a fixed
    collection. ``documents`` is None where it ranks pages that are like a query; a service that
    finds only literal text fetches so many of the documents that have it."""

    @property
    def name(self) -> str:
        """Its name, such as ``brave``."""

    @property
    def address(self) -> str:
        """The URL at which it is asked."""

    @property
    def characters(self) -> int:
        """The most characters of a query."""

    @property
    def words(self) -> int | None:
        """The most words of a query; None for any number."""

    @property
    def pause(self) -> float:
        """Seconds between two calls."""

    @property
    def calls(self) -> int:
        """The most calls for a query."""

    @property
    def key_variable(self) -> str:
        """The environment variable of its key."""

    @property
    def live(self) -> bool:
        """Whether it lists pages of today's web, so that windows of time and archives make
        sense."""

    @property
    def documents(self) -> int | None:
        """The most documents for a query, for a service that finds only literal text; None for
        others."""

    async def search(self, send: Send, query: str, scope: Scope) -> list[WebPage]:
        """The pages that have ``query``, the best first. Raises an ``EndpointError`` for a reply of
        another form than documented, which is not the same as no page."""


def key_from(variable: str, name: str) -> str:
    """The key in an environment variable or in ``.env``. Raises ``InputError`` where there is none
    or it cannot be sent."""
    key = find_key(variable)
    if key is None:
        raise InputError(f"{name} needs a key: set the environment variable {variable}.")
    return key.get_secret_value()


def page_of(url: str, title: str | None, snippets: Iterable[str | None]) -> WebPage:
    """A page from snippets as HTML: split into fragments at gaps (...), without tags."""
    raw = [part for text in snippets if text for part in _GAP.split(text)]
    fragments = [part for part in raw if plain(part)]
    return WebPage(
        url=url,
        title=plain(title or ""),
        fragments=tuple(plain(part) for part in fragments),
        marked=tuple(" ".join(plain(m[2]) for m in _MARKED.finditer(part)) for part in fragments),
    )


def plain(text: str) -> str:
    """HTML as text on one line."""
    return " ".join(html.unescape(_TAG.sub("", text)).split())


def _codes(words: str) -> frozenset[str]:
    return frozenset(words.split())


# https://api-dashboard.search.brave.com/api-reference/web/search/get, as
# https://github.com/brave/brave-search-mcp-server has it in src/tools/web/params.ts.
BRAVE = _codes(
    "ar eu bn bg ca zh-hans zh-hant hr cs da nl en en-gb et fi fr gl de gu he hi hu is it jp kn "
    "ko lv lt ms ml mr nb pl pt-br pt-pt pa ro ru sr sk sl es sv ta te th tr uk vi"
)
# Where several codes of Brave's would do, the choice is ours.
TO_BRAVE = {
    "iw": "he",
    "ja": "jp",
    "nn": "nb",
    "no": "nb",
    "pt": "pt-br",
    "zh": "zh-hans",
    "zh-hk": "zh-hant",
    "zh-mo": "zh-hant",
    "zh-tw": "zh-hant",
}

# https://serpapi.com/google-languages, without its jokes such as xx-pirate.
SERPAPI = _codes(
    "af ak sq ws am ar hy az eu be bem bn bh bs br bg bt km ca chr ny zh-cn zh-tw co hr cs da nl "
    "en eo et ee fo tl fi fr fy gaa gl ka de el kl gn gu ht ha haw iw hi hu is ig id ia ga it ja "
    "jw kn kk rw rn kg ko kri ku ckb ky lo la lv ln lt loz lg ach mk mg my ml mt mv mi mr mfe mo "
    "mn sr-me ne pcm nso no nn oc or om ps fa pl pt pt-br pt-pt pa qu ro rm nyn ru gd sr sh st tn "
    "crs sn sd si sk sl so es es-419 su sw sv tg ta tt te th ti to lua tum tr tk tw ug uk ur uz "
    "vu vi cy wo xh yi yo zu"
)
TO_SERPAPI = {
    "fil": "tl",
    "he": "iw",
    "jv": "jw",
    "nb": "no",
    "zh": "zh-cn",
    "zh-hans": "zh-cn",
    "zh-hant": "zh-tw",
    "zh-hk": "zh-tw",
    "zh-mo": "zh-tw",
}


def code_of(language: str, codes: frozenset[str], exceptions: Mapping[str, str]) -> str:
    """The code of ``language`` (``pt-BR``, ``ja``) on a service's list ``codes``, or that of the
    language without its script or region; "" where it is not on the list. ``exceptions`` has those
    that the service names otherwise."""
    parts = language.strip().replace("_", "-").lower().split("-")
    for size in range(len(parts), 0, -1):
        code = "-".join(parts[:size])
        code = exceptions.get(code, code)
        if code in codes:
            return code
    return ""
