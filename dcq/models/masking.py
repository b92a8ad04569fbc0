"""The one place between a server and whatever reads its replies: it takes keys and private texts
out of every field.

Some endpoints, and proxies before them, repeat the request in an error, a name, a reason or a tool
call; all of that is stored, shown and exported. What passes here has no part of a key or of a
private text left, in whatever common code it was written (``dcq.private_texts``).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from dcq.models import headers, usage_report
from dcq.private_texts import PrivateTexts, letters_of

KEY = "[key]"
# What is shorter is a word, such as the "none" or "EMPTY" that local servers are given, and no
# secret: in replies it would be taken out of the text of the model.
SHORTEST = 8  # characters
PART = 12  # letters: so long a part of a key is a key
_BLOCK = PART // 2  # every part of a key has one of its blocks whole
_CODED_BLOCK = PART // 3 * 4 // 2  # the same in base64
_CODES = (b"\\u", b"%", b"&#")
_READ = headers.READ | usage_report.READ
_DROPPED = bytes(code for code in range(128) if not chr(code).isalnum())


class Mask:
    """Takes ``keys`` and ``private`` texts out of replies. Of the values of the names in ``echoes``
    only keys are taken: who asked for its own text again compares it with what was sent, and keeps
    nothing of it. Keys too short to be a secret stay."""

    def __init__(
        self,
        keys: Iterable[str] = (),
        private: Sequence[PrivateTexts] = (),
        *,
        echoes: Set[str] = frozenset(),
    ) -> None:
        secret = [key for key in keys if len(key) >= SHORTEST]
        self._keys = PrivateTexts(secret, part=PART, mask=KEY)
        self._private = [texts for texts in private if texts]
        self._echoes = echoes
        self._blocks = sorted({block for key in secret for block in _blocks(key)})
        # A password of signs has no letters to be found by.
        self._signs = [key for key in secret if len(letters_of(key)) < SHORTEST]

    def __call__(self, body: bytes) -> bytes:
        """The body of a reply, as it was where it has nothing to hide; else as JSON or text in
        UTF-8."""
        if (encoding := json.detect_encoding(body)) != "utf-8":
            body = body.decode(encoding, "replace").encode("utf-8", "replace")
        if not self._private and not self._may_have_key(body):
            return body
        document = _parse(body)
        if document is not None:
            return self._document(document, body)
        lines = body.split(b"\n")
        if len(lines) > 1 and _parse(lines[0]) is not None:  # the file of a batch
            return b"\n".join(map(self._line, lines))
        return self._text(body)

    def _may_have_key(self, body: bytes) -> bool:
        """Whether it is worth the time to read the body: a hundredth of what reading takes."""
        if not self._keys and not self._signs:
            return False
        if self._signs or any(code in body for code in _CODES):
            return True
        letters = body.lower().translate(None, _DROPPED)
        return any(block in letters for block in self._blocks)

    def _line(self, line: bytes) -> bytes:
        document = _parse(line)
        return self._text(line) if document is None else self._document(document, line)

    def _document(self, document: object, body: bytes) -> bytes:
        root = [document]
        changed = _mask_places(_values(root), self._keys) | _mask_places(_names(root), self._keys)
        for texts in self._private:
            changed |= _mask_places(_values(root, self._echoes), texts)
            changed |= _mask_places(_names(root), texts)
        for sign in self._signs:
            for place in _values(root):
                if sign in place.text:
                    place.put(place.text.replace(sign, KEY))
                    changed = True
        try:
            return json.dumps(root[0]).encode() if changed else body
        except RecursionError:
            return self._text(body)

    def _text(self, body: bytes) -> bytes:
        text = body.decode("utf-8", "surrogateescape")
        for texts in (self._keys, *self._private):
            text = (texts.masked([text]) or [text])[0]
        for sign in self._signs:
            text = text.replace(sign, KEY)
        return text.encode("utf-8", "surrogateescape")


def mask_headers(raw: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Of the headers of a reply those that say when to call again and what was used: all that
    anybody reads, and that as numbers and times."""
    return [(name, value) for name, value in raw if name.decode("latin-1").lower() in _READ]


@dataclass(frozen=True)
class _Place:
    """A text in a document: the value of a member or element, or the name of a member."""

    container: Any
    name: str | int
    text: str
    is_name: bool = False

    def put(self, text: str) -> None:
        if self.is_name:
            self.container[text] = self.container.pop(self.name)
        else:
            self.container[self.name] = text


def _mask_places(found: Iterable[_Place], texts: PrivateTexts) -> bool:
    """Put masked texts in their places; whether there were any."""
    places = list(found)
    masked = texts.masked([place.text for place in places])
    if masked is None:
        return False
    for place, text in zip(places, masked, strict=True):
        if text != place.text:
            place.put(text)
    return True


def _containers(root: list[object]) -> Iterator[tuple[Any, str]]:
    """Every object and list with the name of the member that it is or is in, in the order of the
    document; not by recursion, as it may be deep."""
    waiting: list[tuple[Any, str]] = [(root, "")]
    while waiting:
        container, name = waiting.pop()
        yield container, name
        if isinstance(container, dict):
            members = [(value, key) for key, value in container.items()]
        else:
            members = [(value, name) for value in container]
        waiting += [each for each in reversed(members) if isinstance(each[0], dict | list)]


def _values(root: list[object], left: Set[str] = frozenset()) -> Iterator[_Place]:
    """Every text that is a value, but for those of the members whose names are ``left`` out."""
    for container, within in _containers(root):
        is_object = isinstance(container, dict)
        for name, value in container.items() if is_object else enumerate(container):
            if isinstance(value, str) and (name if is_object else within) not in left:
                yield _Place(container, name, value)


def _names(root: list[object]) -> Iterator[_Place]:
    for container, _ in _containers(root):
        if isinstance(container, dict):
            for name in container:
                yield _Place(container, name, name, is_name=True)


def _parse(body: bytes) -> object | None:
    """The JSON in a body; None if it is none."""
    try:
        document: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return document


def _blocks(key: str) -> Iterator[bytes]:
    """Short pieces of a key, plain and in base64, one of which every part of it has."""
    yield from _pieces(letters_of(key), _BLOCK)
    for shift in range(3):
        coded = base64.b64encode(b"\x00" * shift + key.encode())
        yield from _pieces(letters_of(coded.decode())[4:-4], _CODED_BLOCK)


def _pieces(letters: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(letters) - size + 1, size):
        yield letters[start : start + size]
