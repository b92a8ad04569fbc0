"""infini-gram: exact runs of tokens in the training corpora of open models.

https://infini-gram.readthedocs.io/en/latest/api.html. What is found is in the corpus; a text with
one changed token is not, so an instance is asked in several strings (``dcq.overlap.search.exact``).
Its corpora have fixed dates, so a window of time is refused.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, StrictInt, StrictStr, TypeAdapter

from dcq.errors import InputError, RequestRejectedError
from dcq.overlap.search.client import infini_gram_error, read_as, unexpected_reply_error
from dcq.overlap.search.service import Scope, Send, ServiceCall, WebPage

NAME = "infini-gram"
_SHOWN = 500  # tokens of a document, for a byte a character
_MOST = 1_000_000  # characters of one that are kept, whatever is sent


@dataclass(frozen=True)
class InfiniGram:
    """One of the service's indexes; at most ``documents`` are fetched for a query. It takes 1,000
    characters and 500 tokens; no token is less than a byte, so ``characters`` are counted as
    bytes."""

    index: str = "v4_dolma-v1_7_llama"
    address: str = "https://api.infini-gram.io/"
    characters: int = 500
    words: int | None = None
    pause: float = 0.2
    documents: int = 3
    key_variable: str = ""
    live: bool = False

    @property
    def name(self) -> str:
        """With the index, as each has texts of its own."""
        return f"{NAME}:{self.index}"

    @property
    def calls(self) -> int:
        """The number of calls: one to search, and one for each document."""
        return 1 + self.documents

    async def search(self, send: Send, query: str, scope: Scope) -> list[WebPage]:
        """As ``Service.search``. A document that is withheld comes without a text."""
        if scope.window is not None:
            raise InputError("infini-gram knows no dates; choose an index instead of a window.")
        asked = {"query_type": "find", "query": query}
        infinigram_result = read_as(_FOUND, await self._ask(send, asked), NAME)
        if infinigram_result.token_ids == []:
            raise RequestRejectedError("infini-gram reads no token in a text of this instance.")
        if infinigram_result.cnt != sum(
            last - first for first, last in infinigram_result.segment_by_shard
        ) or any(last < first for first, last in infinigram_result.segment_by_shard):
            raise unexpected_reply_error(NAME)
        ranks = [
            (shard, rank)
            for shard, (first, last) in enumerate(infinigram_result.segment_by_shard)
            for rank in range(first, min(last, first + self.documents))
        ]
        return [
            await self._document(send, query, *location) for location in ranks[: self.documents]
        ]

    async def _document(self, send: Send, query: str, shard: int, rank: int) -> WebPage:
        asked = {"query_type": "get_doc_by_rank", "query": query, "s": shard, "rank": rank}
        # Where letters take more bytes, words take more tokens.
        display_length = _SHOWN * math.ceil(len(query.encode()) / len(query))
        reply = await self._ask(send, {**asked, "max_disp_len": display_length})
        infinigram_document = read_as(_DOCUMENT, reply, NAME)
        text = "".join(words for words, _ in infinigram_document.spans)[:_MOST]
        if not text and not infinigram_document.blocked:
            raise unexpected_reply_error(NAME)
        name = (
            _url(infinigram_document.metadata)
            or f"{self.index}/{shard}/{infinigram_document.doc_ix}"
        )
        # It marks the string that was asked, which may be a piece; more of the instance stands by.
        return WebPage(name, "", (text,) if text else (), ("",) if text else ())

    async def _ask(self, send: Send, body: dict[str, Any]) -> Any:
        reply = await send(ServiceCall("POST", self.address, {}, {}, {"index": self.index, **body}))
        if error := infini_gram_error(NAME, reply):
            raise error
        return reply


_Count = Annotated[StrictInt, Field(ge=0, lt=2**63)]


@dataclass(frozen=True)
class _InfinigramResult:
    cnt: _Count
    segment_by_shard: list[tuple[_Count, _Count]]
    token_ids: list[Any] | None = None


@dataclass(frozen=True)
class _InfinigramDocument:
    doc_ix: _Count
    spans: list[tuple[StrictStr, StrictStr | None]]
    metadata: Any = None
    blocked: Any = False


_FOUND, _DOCUMENT = TypeAdapter(_InfinigramResult), TypeAdapter(_InfinigramDocument)


def _url(metadata: Any) -> str:
    """A document's address, where its metadata, a JSON object as text, has one."""
    try:
        fields = json.loads(metadata) if isinstance(metadata, str) else metadata
    except (ValueError, RecursionError):
        return ""
    inner = fields.get("metadata", fields) if isinstance(fields, dict) else {}
    url = inner.get("url") if isinstance(inner, dict) else None
    return url if isinstance(url, str) else ""
