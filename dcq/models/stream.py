"""A reply that came as a stream, although none was asked for, as one body.

Some servers and gateways send ``data: {…}`` lines whatever the call says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from dcq.models.choice import first_choice

_BEGINS = (b"data:", b"event:", b"id:", b"retry:", b": ", b":\n", b":\r\n")
# What comes in pieces; anything else that is given again replaces what was given before.
_PIECES = ("content", "reasoning_content", "reasoning", "thinking", "refusal", "text")


def join_stream(body: bytes) -> bytes:
    """The body that the server would have sent without streaming; ``body`` itself if it is no
    stream. A stream that breaks off becomes a body without a choice."""
    if not body[:64].lstrip(b"\xef\xbb\xbf \r\n\t").startswith(_BEGINS):
        return body
    joined = _Joined()
    for event in _events(body):
        if not joined.take(b"\n".join(event)) and len(event) > 1:
            for line in event:  # pieces without the empty line between them
                joined.take(line)
    return json.dumps(joined.document()).encode()


def _events(body: bytes) -> Iterator[list[bytes]]:
    """The lines of data of each event (WHATWG HTML, §9.2.6)."""
    lines: list[bytes] = []
    for line in [*body.splitlines(), b""]:
        if line.startswith(b"data:"):
            lines.append(line[5:].strip())
        elif not line.strip() and lines:
            yield lines
            lines = []


class _Joined:
    """What the pieces of a stream make up so far."""

    def __init__(self) -> None:
        self._document: dict[str, Any] = {}
        self._choice: dict[str, Any] = {}
        self._message: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._ended = False

    def take(self, data: bytes) -> bool:
        """Add the data of an event; False if it cannot be read."""
        if data == b"[DONE]":
            self._ended = True
            return True
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            return False
        if isinstance(chunk, str):
            chunk = {"error": chunk}
        if isinstance(chunk, dict):
            self._add(chunk)
        return True

    def document(self) -> dict[str, Any]:
        """The whole, with its choice if it has ended."""
        finish = self._choice.get("finish_reason") or self._choice.get("finishReason")
        if not self._choice or not (self._ended or finish):
            return self._document
        texts = {name: "".join(pieces) for name, pieces in self._texts.items()}
        choice = {**self._choice, **texts, "message": self._message | texts}
        return {**self._document, "choices": [choice]}

    def _add(self, chunk: dict[str, Any]) -> None:
        self._document.update(
            {key: value for key, value in chunk.items() if key != "choices" and value is not None}
        )
        first = first_choice(chunk)
        if not isinstance(first, dict) or first.get("index") not in (None, 0):
            return
        for key, value in first.items():
            if key == "delta" and isinstance(value, dict):
                self._add_pieces(value)
            elif key == "message" and isinstance(value, dict):  # the whole once more
                self._texts = {}
                self._add_pieces(value)
            elif key == "text" and isinstance(value, str):
                self._add_pieces({key: value})
            elif value is not None and not (key == "logprobs" and self._choice.get(key)):
                self._choice[key] = value

    def _add_pieces(self, pieces: dict[str, Any]) -> None:
        self._choice.setdefault("index", 0)
        for key, value in pieces.items():
            if key in _PIECES and isinstance(value, str):
                self._texts.setdefault(key, []).append(value)
            elif value is not None:
                self._message[key] = value
