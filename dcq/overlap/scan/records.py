"""Documents of a corpus, and all texts of a record."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple

NAMES = ("id", "url", "uri", "doc_id")  # what records call themselves, the first that is there
LARGE = 2_000_000  # bytes; a smaller record cannot grow to much memory
LONG_NAME = 30  # characters; a longer name of a field is a text, as in {question: answer}


class Broken(Enum):
    """What stands for a record that cannot be read."""

    BROKEN = "broken"


BROKEN = Broken.BROKEN


class Document(NamedTuple):
    """A record's text; ``continues``: it follows the one before in the same document."""

    name: str | None
    text: str
    continues: bool = False


class Missed(NamedTuple):
    """Something of a file that may hold texts and was not read: ``what`` for people, such as
    ``column image (bytes that are not UTF-8)``, and how many ``values`` of it."""

    what: str
    values: int


Documents = Iterator[Document | Missed | Broken]


def record(value: Any, missed: Counter[str] | None = None) -> Document | Broken:
    """All texts of a record, one a line in its order. Values that may be texts and cannot be read
    are counted in ``missed``, by field."""
    if isinstance(value, str):
        return Document(None, without_surrogates(value))
    if isinstance(value, list):  # such as a chat
        text = _joined(value, missed)
        return Document(None, text) if text else BROKEN
    if not isinstance(value, dict):
        return BROKEN
    name = next((value[key] for key in NAMES if isinstance(value.get(key), str | int)), None)
    return Document(None if name is None else without_surrogates(str(name)), _joined(value, missed))


def _joined(value: Any, missed: Counter[str] | None) -> str:
    return without_surrogates("\n".join(strings(value, Counter() if missed is None else missed)))


def strings(value: Any, missed: Counter[str], name: str = "") -> Iterator[str]:
    """All texts in ``value``, however deep, also those of JSON that is kept as a text, and of bytes
    that are UTF-8."""
    if isinstance(value, str):
        yield value
        yield from _escaped(value, missed, name)
    elif isinstance(value, dict):
        for key, part in value.items():
            if isinstance(key, str) and len(key) > LONG_NAME:
                yield key
            yield from strings(part, missed, name or str(key))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from strings(part, missed, name)
    elif isinstance(value, bytes):
        try:
            text = value.decode()
        except UnicodeDecodeError:
            missed[f"column {name} (bytes that are not UTF-8)"] += 1
        else:
            yield from strings(text, missed, name)


def _escaped(text: str, missed: Counter[str], name: str) -> Iterator[str]:
    """The texts of JSON that is kept as a text, where signs are written in another way there."""
    ends = text[:1], text[-1:]
    if ends not in {("[", "]"), ("{", "}")} or "\\" not in text or len(text) > LARGE:
        return
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    yield from strings(value, missed, name)


def without_surrogates(text: str) -> str:
    """``text`` with a question mark for each half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
