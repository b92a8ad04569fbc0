"""What a written file says, as its reader has it: tables with their heads, and lines of text."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import lxml.html  # type: ignore[import-untyped]  # has no types
import yaml
from pptx import Presentation

from dcq.documents.tables import _LATEX


@dataclass(frozen=True)
class Table:
    """A table as it stands in a file: ``where``, its heads and its rows, all as text."""

    where: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass
class Rendered:
    """A file as it is read: its tables, its lines of text (where, text), and the rows that its
    charts are drawn from (where, kind, row)."""

    tables: list[Table] = field(default_factory=list)
    lines: list[tuple[str, str]] = field(default_factory=list)
    drawn: list[tuple[str, str, Mapping[str, Any]]] = field(default_factory=list)


def html(content: bytes) -> Rendered:
    """A report, or a page of slides: its tables, words and alternative texts, and charts."""
    page, found = lxml.html.fromstring(content), Rendered()
    title = ""
    for node in page.iter():
        if not isinstance(node.tag, str):
            continue
        if node.tag in {"h1", "h2", "h3"}:
            title = _words(node)
        if node.tag == "table":
            rows = [[_words(cell) for cell in row.iter("th", "td")] for row in node.iter("tr")]
            found.tables.append(_table(title, rows))
        elif node.tag in {"h1", "h2", "h3", "p", "li", "figcaption", "summary"}:
            found.lines.append((title, _words(node)))
        elif node.tag == "script" and node.get("type") == "application/json":
            _draw(title, json.loads(node.text_content()), found)
        if node.get("aria-label"):
            found.lines.append((title, str(node.get("aria-label"))))
    return found


def _draw(where: str, document: Any, found: Rendered) -> None:
    """The rows of a chart; of a page of slides those of each, with what is said on it."""
    if isinstance(document, list):
        for slide in document:
            place = f"slide {slide['number']}: {slide['title']}"
            texts = (slide["title"], slide["ruling"], *slide["sentences"], *slide["notes"])
            found.lines += [(place, text) for text in texts]
            _draw(place, slide["picture"] or {}, found)
        return
    if not isinstance(document, dict) or "kind" not in document:
        return
    found.lines.append((where, document.get("words", "")))
    data = document["data"]
    for name in ("rows", "answers", "cells"):
        rows = data.get(name, ()) if isinstance(data, dict) else ()
        found.drawn += [(where, document["kind"], row) for row in rows if isinstance(row, dict)]


def markdown(content: bytes) -> Rendered:
    """A report as Markdown, without its escapes."""
    found, where, rows = Rendered(), "", []
    for line in [*content.decode().splitlines(), ""]:
        if line.startswith("|"):
            rows.append([_plain(cell) for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
            continue
        if rows:
            found.tables.append(_table(where, [rows[0], *rows[2:]]))
            rows = []
        if line.startswith("#"):
            where = _plain(line.lstrip("# "))
        found.lines.append((where, _plain(line)))
    return found


def _plain(text: str) -> str:
    return re.sub(r"\\([^\w\s])", r"\1", text).replace("**", "").strip()


def latex(content: bytes) -> Rendered:
    """Tables for a paper, without their commands."""
    found = Rendered()
    for part in re.split(r"\\begin\{(?:table\*|longtable)\}", content.decode())[1:]:
        where = _untex(re.search(r"\\caption\{(.*?)\}\s*\\label", part, re.DOTALL)[1])  # type: ignore[index]
        found.lines.append((where[:60], where))
        lines = [line.removesuffix(r" \\") for line in part.splitlines() if line.endswith(r" \\")]
        cells = [re.split(r" (?<!\\)& ", line) for line in lines if " & " in line]
        heads = [re.sub(r"^\\textbf\{(.*)\}$", r"\1", cell) for cell in cells[0]]
        rows = [heads, *cells[1:]]
        found.tables.append(_table(where[:60], [[_untex(cell) for cell in row] for row in rows]))
    return found


def _untex(text: str) -> str:
    text = re.sub(r"\\dcqletter\{\w+\}\{(.)\}", r"\1", text)
    for letter, command in sorted(_LATEX.items(), key=lambda pair: -len(pair[1])):
        text = text.replace(command, letter)
    return text.replace("{}", "").strip()


def powerpoint(content: bytes) -> Rendered:
    """Slides: what stands on each, the alternative text of its picture, and its notes."""
    found = Rendered()
    for number, slide in enumerate(Presentation(io.BytesIO(content)).slides, 1):
        title = slide.shapes.title.text_frame.text if slide.shapes.title else ""
        where = f"slide {number}: {title}"
        for shape in slide.shapes:
            if shape.has_text_frame:
                found.lines += [(where, part.text) for part in shape.text_frame.paragraphs]
            elif shape.has_table:
                rows = [[cell.text for cell in row.cells] for row in shape.table.rows]
                found.tables.append(_table(where, rows))
                found.lines += [(where, ": ".join(filter(None, row))) for row in rows]
            else:
                words = shape._element.nvPicPr.cNvPr.get("descr") or ""
                found.lines.append((where, words))
        found.lines += [
            (f"{where}, notes", line)
            for line in slide.notes_slide.notes_text_frame.text.splitlines()
        ]
    return found


def powerpoint_lines(content: bytes) -> list[str]:
    """All words of slides, in order."""
    return [f"{where}: {text}" for where, text in powerpoint(content).lines]


def pdf(content: bytes) -> Rendered:
    """A printed report or its slides: each line of its pages, and paragraphs put together of
    them. A row of a table is a line: what it says first is read."""
    found = Rendered()
    for number, page in enumerate(_pages(content), 1):
        for block in re.split(r"\n\s*\n", page):
            lines = [" ".join(line.split()) for line in block.splitlines()]
            found.lines += [(f"page {number}", text) for text in (" ".join(lines), *lines)]
    return found


def pdf_lines(content: bytes) -> list[str]:
    """All words of a PDF, a page after the other."""
    return [line for page in _pages(content) for line in page.splitlines()]


def _pages(content: bytes) -> list[str]:
    program = shutil.which("pdftotext")
    assert program, "install poppler-utils"
    done = subprocess.run(
        [program, "-layout", "-", "-"], check=True, input=content, capture_output=True
    )
    return done.stdout.decode().split("\f")


def separated(content: bytes) -> Rendered:
    """A csv file."""
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    return Rendered([_table("csv", rows)])


def model_cards(content: bytes) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Of each entry of a model's card: the model, the partition, and its metrics by type; ``n of``
    is the name of the count."""
    for card in yaml.safe_load_all(content):
        for entry in (card or {}).get("model-index", ()):
            for result in entry["results"]:
                data, metrics = result["dataset"], result["metrics"]
                values = {metric["type"]: str(metric["value"]) for metric in metrics}
                counted = next(metric["name"] for metric in metrics if metric["type"] == "n")
                yield entry["name"], f"{data['type']}/{data['split']}", values | {"n of": counted}


def _table(where: str, rows: Sequence[Sequence[str]]) -> Table:
    return Table(where, tuple(rows[0]), tuple(map(tuple, rows[1:])))


def _words(node: Any) -> str:
    return " ".join(node.text_content().replace("\u00a0", " ").split())
