"""docs/method.md as a page: its sections under headings that links lead to."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dcq.places import DOCS

_HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)
_PICTURE = re.compile(r"^!\[(?P<alt>[^\]]*)\]\((?P<path>[^)]+)\)$", re.MULTILINE)
# Another document of the folder; this page shows one only.
_DOCUMENT = re.compile(r"\[([^\]]+)\]\((?!https?://|#)[^)]+\)")


@dataclass(frozen=True)
class HandbookImage:
    """An image of a section, and its alternative text."""

    path: Path
    alt: str


@dataclass(frozen=True)
class HandbookSection:
    """A heading of ``level`` 1 to 6 with its anchor, and the contents up to the next heading:
    Markdown and images in turn."""

    level: int
    title: str
    anchor: str
    parts: tuple[str | HandbookImage, ...]


def method() -> list[HandbookSection]:
    """The sections of the method, in order."""
    return read(DOCS / "method.md")


def read(path: Path) -> list[HandbookSection]:
    """The sections of a Markdown document of ours."""
    parts = _HEADING.split(path.read_text("utf-8"))
    return [
        HandbookSection(len(marks), title, anchor(title), tuple(_parts(body, path.parent)))
        for marks, title, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    ]


def anchor(title: str) -> str:
    """The anchor that GitHub gives a heading: lower case, hyphens for spaces, letters and digits of
    every script and no punctuation."""
    characters = (c for c in title.lower() if c in " -_" or unicodedata.category(c)[0] in "LMN")
    return "".join(characters).strip().replace(" ", "-")


def _parts(body: str, folder: Path) -> Iterator[str | HandbookImage]:
    start = 0
    for match in _PICTURE.finditer(body):
        yield _text(body[start : match.start()])
        yield HandbookImage(folder / match["path"], match["alt"])
        start = match.end()
    yield _text(body[start:])


def _text(markdown: str) -> str:
    return _DOCUMENT.sub(r"\1", markdown)
