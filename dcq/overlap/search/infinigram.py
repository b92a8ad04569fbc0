"""infini-gram: exact runs of tokens in the training corpora of open models.

https://infini-gram.readthedocs.io/en/latest/api.html. What is found is in the corpus; a text with
one changed token is not. Its corpora have fixed dates, so a window of time is refused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeGuard

from dcq.errors import InputError, RequestRejectedError
from dcq.overlap.search.service import Call, Page, Scope, Send, listed

NAME = "infini-gram"
_SHOWN = 500  # tokens of a document
_MOST = 1_000_000  # characters of one that are kept, whatever is sent


@dataclass(frozen=True)
class InfiniGram:
    """One of the service's indexes; at most ``documents`` are fetched for a query."""

    index: str = "v4_dolma-v1_7_llama"
    address: str = "https://api.infini-gram.io/"
    characters: int = 1000
    words: int | None = None
    pause: float = 0.2
    documents: int = 3
    key: str = ""
    live: bool = False

    @property
    def name(self) -> str:
        """With the index, as each has texts of its own."""
        return f"{NAME}:{self.index}"

    @property
    def calls(self) -> int:
        """One to find, and one for each document."""
        return 1 + self.documents

    async def search(self, send: Send, query: str, scope: Scope) -> list[Page]:
        """As ``Service.search``."""
        if scope.window is not None:
            raise InputError("infini-gram knows no dates; choose an index instead of a window.")
        found = await self._ask(send, {"query_type": "find", "query": query})
        ranks = [
            (shard, rank)
            for shard, segment in enumerate(listed(found.get("segment_by_shard")))
            for rank in _ranks(segment, self.documents)
        ]
        return [await self._document(send, query, *one) for one in ranks[: self.documents]]

    async def _document(self, send: Send, query: str, shard: int, rank: int) -> Page:
        asked = {"query_type": "get_doc_by_rank", "query": query, "s": shard, "rank": rank}
        found = await self._ask(send, {**asked, "max_disp_len": _SHOWN})
        spans = [span for span in listed(found.get("spans")) if isinstance(span, list) and span]
        text = "".join(str(span[0]) for span in spans)[:_MOST]
        marked = " ".join(str(span[0]) for span in spans if len(span) > 1 and span[1] is not None)
        number = found.get("doc_ix")
        name = f"{self.index}/{shard}/{number if _is_count(number) else rank}"
        return Page(_url(found.get("metadata")) or name, "", (text,), (marked[:_MOST],))

    async def _ask(self, send: Send, body: dict[str, Any]) -> dict[str, Any]:
        found = await send(Call("POST", self.address, {}, {}, {"index": self.index, **body}))
        if not isinstance(found, dict) or "error" in found:
            raise RequestRejectedError("infini-gram could not answer this query.")
        return found


def _ranks(segment: Any, most: int) -> range:
    """The first ranks of one shard, of whatever was sent for them."""
    first, last = segment if isinstance(segment, list) and len(segment) == 2 else (0, 0)
    if not (_is_count(first) and _is_count(last)):
        return range(0)
    return range(first, min(last, first + most))


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _url(metadata: Any) -> str:
    """A document's address, where its metadata, a JSON object as text, has one."""
    try:
        known = json.loads(metadata) if isinstance(metadata, str) else metadata
    except (ValueError, RecursionError):
        return ""
    inner = known.get("metadata", known) if isinstance(known, dict) else {}
    url = inner.get("url") if isinstance(inner, dict) else None
    return url if isinstance(url, str) else ""
