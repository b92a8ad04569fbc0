"""An HTML file as a reader's browser would see its parts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any


class HtmlPage(HTMLParser):
    """``tags`` with their attributes, ``scripts`` as (type, content), the tables' ``rows`` of
    cells, and all other ``text``."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.scripts: list[tuple[str, str]] = []
        self.rows: list[list[str]] = []
        self.text = ""
        self._inside: list[str] = []
        self._kind = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        self.tags.append((tag, known))
        if tag == "script":
            self._kind = known.get("id") or known.get("type", "")
            self.scripts.append((self._kind, ""))
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")
        if tag in {"script", "style", "td", "th"}:
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if self._inside[-1:] == ["script"]:
            self.scripts[-1] = (self._kind, self.scripts[-1][1] + data)
        elif self._inside[-1:] != ["style"]:
            self.text += data
            if self._inside:
                self.rows[-1][-1] += data.replace("\u00a0", " ")

    @property
    def data(self) -> dict[str, Any]:
        """The numbers that the file holds for machines."""
        [found] = [json.loads(text) for kind, text in self.scripts if kind == "data"]
        return dict(found)

    @property
    def charts(self) -> list[dict[str, Any]]:
        """What the charts are drawn from."""
        return [json.loads(text) for kind, text in self.scripts if kind == "application/json"]


MOST = 1_000_000  # bytes of a report
