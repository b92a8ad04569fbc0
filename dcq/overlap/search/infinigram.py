"""infini-gram: exact runs of tokens in the training corpora of open models.

https://infini-gram.readthedocs.io/en/latest/api.html. What is found is in the corpus; a text with
one changed token is not. Its corpora have fixed dates, so a window of time is refused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from dcq.errors import InputError, RequestRejectedError
from dcq.overlap.search.service import Call, Page, Send, Window

_SHOWN = 500  # tokens of a document


@dataclass(frozen=True)
class InfiniGram:
    """One of the service's indexes; at most ``documents`` are fetched for a query."""

    index: str = "v4_dolma-v1_7_llama"
    address: str = "https://api.infini-gram.io/"
    characters: int = 1000
    words: int | None = None
    pause: float = 0.2
    documents: int = 3

    @property
    def name(self) -> str:
        """With the index, as each has texts of its own."""
        return f"infini-gram:{self.index}"

    def search(self, send: Send, query: str, window: Window | None) -> list[Page]:
        """As ``Service.search``."""
        if window is not None:
            raise InputError("infini-gram knows no dates; choose an index instead of a window.")
        found = self._ask(send, {"query_type": "find", "query": query})
        ranks = [
            (shard, rank)
            for shard, segment in enumerate(found.get("segment_by_shard") or [])
            for rank in range(
                int(segment[0]), min(int(segment[1]), int(segment[0]) + self.documents)
            )
        ]
        return [self._document(send, query, *one) for one in ranks[: self.documents]]

    def _document(self, send: Send, query: str, shard: int, rank: int) -> Page:
        asked = {"query_type": "get_doc_by_rank", "query": query, "s": shard, "rank": rank}
        found = self._ask(send, {**asked, "max_disp_len": _SHOWN})
        spans = [span for span in found.get("spans") or [] if isinstance(span, list) and span]
        text = "".join(str(span[0]) for span in spans)
        marked = " ".join(str(span[0]) for span in spans if len(span) > 1 and span[1] is not None)
        name = f"{self.index}/{shard}/{found.get('doc_ix', rank)}"
        return Page(_url(found.get("metadata")) or name, "", (text,), (marked,))

    def _ask(self, send: Send, body: dict[str, Any]) -> dict[str, Any]:
        found = send(Call("POST", self.address, {}, {}, {"index": self.index, **body}))
        if not isinstance(found, dict) or "error" in found:
            raise RequestRejectedError("infini-gram could not answer this query.")
        return found


def _url(metadata: Any) -> str:
    """A document's address, where its metadata, a JSON object as text, has one."""
    try:
        known = json.loads(metadata) if isinstance(metadata, str) else metadata
    except ValueError:
        return ""
    inner = known.get("metadata", known) if isinstance(known, dict) else {}
    url = inner.get("url") if isinstance(inner, dict) else None
    return url if isinstance(url, str) else ""
