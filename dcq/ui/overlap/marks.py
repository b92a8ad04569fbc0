"""A passage of a page with the words that match the query marked, and where the page is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from dcq.ui.text import close, cut, keep_spaces, plain_part, wrap


def mark_words(passage: str, marks: Iterable[tuple[int, int]]) -> str:
    """The passage as Markdown that is safe to show: the characters in ``marks`` bold on grey."""
    text = keep_spaces(passage.replace("\t", " "))  # character for character, so that marks fit
    parts: list[str] = []
    at = 0
    for start, end in _joined(passage, marks):
        parts.append(plain_part(text[at:start]))
        parts.append(wrap(text[start:end], ":gray-background[**", "**]"))
        at = end
    return close("".join([*parts, plain_part(text[at:])]))


def _joined(passage: str, marks: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Marks in order and apart, those with only spaces between them drawn together; what is not in
    the passage is left out."""
    last: tuple[int, int] | None = None
    for first, beyond in sorted(marks):
        start, end = max(first, 0), min(beyond, len(passage))
        if start >= end:
            continue
        if last is None:
            last = (start, end)
        elif start <= last[1] or passage[last[1] : start].strip(" ") == "":
            last = (last[0], max(last[1], end))
        else:
            yield last
            last = (start, end)
    if last is not None:
        yield last


def link_of(address: str) -> tuple[str, str] | None:
    """What a link to a web address says, and the address; None for anything else, such as a path
    or a script."""
    if any(character.isspace() or not character.isprintable() for character in address):
        return None
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme.lower() not in {"http", "https"} or not host:
        return None
    return cut(f"{host}{parts.path}", 60), address
