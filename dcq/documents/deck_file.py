"""The slides of a document as a file: an HTML page that Chromium prints as PDF, and PowerPoint,
with its words as text and its charts as pictures of that page.

Names and texts go into both as data or as runs of text, never as markup or as links."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from choreographer import Browser
from choreographer.errors import BrowserFailedError, ChromeNotFoundError
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.text import MSO_ANCHOR
from pptx.util import Emu, Pt

from dcq.charts.template import CONTAMINATED, INCONCLUSIVE, INK
from dcq.documents.deck import Deck
from dcq.documents.deck.slides import Slide, documents, slides
from dcq.documents.html_report import policy, to_json
from dcq.documents.pictures import source
from dcq.errors import DcqError

WIDTH, HEIGHT = 1280, 720  # pixels of a slide, 16:9
PIXEL = 9525  # of PowerPoint's units
SHARP = 2  # pixels of a picture for each of the slide's
WAIT = 60  # seconds for the browser
READ = {"item", "checks", "answers", "list", "table"}  # kinds of pictures that are text here
LEFT, RIGHT = 61, 1158  # pixels: where a slide's words begin, and how wide they are
TALL = 90  # pixels of a row of a table
MUTED = "#5A6069"
COLOURS = {"contaminated": CONTAMINATED, "inconclusive": INCONCLUSIVE}
SIGNS = {"contaminated": "⚑", "no evidence": "○", "inconclusive": "?"}
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_TURNS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")


def page(title: str, shown: Sequence[Slide]) -> str:
    """All slides, one below the other; nothing is loaded, and only its own script runs."""
    script = "\n".join(map(source, ("pictures.js", "slides.js", "deck.js")))
    style = "\n".join(map(source, ("pictures.css", "slides.css", "deck.css")))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy([script])}">'
        f"<title>{escape(_clean(title))}</title><style>{style}</style></head>"
        '<body><main class="dcq-deck"></main>'
        f'<script type="application/json" id="slides">{to_json(documents(shown))}</script>'
        f"<script>{script}</script></body></html>"
    )


def html(deck: Deck) -> str:
    """The deck as a page to be printed."""
    return page(deck.title, slides(deck))


def powerpoint(deck: Deck) -> bytes:
    """The deck as a .pptx file. Raises ``DcqError`` where no Chromium draws its charts."""
    shown = slides(deck)
    drawn = [at for at, one in enumerate(shown) if one.picture and one.picture.kind not in READ]
    pictures = _take_pictures(page(deck.title, shown), drawn)
    show = Presentation()
    show.slide_width, show.slide_height = Emu(WIDTH * PIXEL), Emu(HEIGHT * PIXEL)
    show.core_properties.title = _clean(deck.title)
    for place, slide in enumerate(shown):
        _PdfPage(show, slide).fill(pictures.get(place), f"{place + 1} / {len(shown)}")
    content = io.BytesIO()
    show.save(content)
    return content.getvalue()


def _clean(text: object) -> str:
    """Text as XML can hold it, without marks that turn the direction of the rest."""
    return _TURNS.sub("", _NO_XML.sub("\ufffd", str(text)))


class _PdfPage:
    """One slide of the file; places are pixels of a slide of 1280 × 720."""

    def __init__(self, show: Any, slide: Slide) -> None:
        self.slide = slide
        self.made = show.slides.add_slide(show.slide_layouts[5])  # a title, and nothing else

    def fill(self, picture: tuple[bytes, Mapping[str, float]] | None, number: str) -> None:
        slide = self.slide
        first, verdict = slide.kind == "title", bool(slide.ruling)
        top, height, size = (270, 130, 44) if first else (30, 76, 30)
        size = 20 if verdict else size
        title = self.made.shapes.title
        _put(title, LEFT, top, RIGHT, height)
        _write(title.text_frame, [(slide.title, MUTED if verdict else INK)], size, bold=True)
        body = 115
        if verdict:
            words = f"{SIGNS.get(slide.ruling, '')} {slide.ruling.capitalize()}".strip()
            self._text(words, (104, 150), 80, COLOURS.get(slide.ruling, INK), bold=True)
            body = 260
        lines = len(slide.sentences) and (300 if first else 60)
        end = 640 - (0 if first else lines)
        if picture is not None:
            self._picture(*picture)
        elif slide.picture is not None:
            self._words(body, end - body)
        if slide.sentences:
            where = (420, 200) if first else (end + 4, lines)
            self._text("\n".join(slide.sentences), where, 18)
        self._text(f"{slide.source}   {number}".strip(), (672, 36), 9, MUTED)
        self.made.notes_slide.notes_text_frame.text = "\n".join(map(_clean, slide.notes))

    def _text(
        self,
        text: str,
        where: tuple[int, int],
        size: int,
        colour: str = INK,
        *,
        bold: bool = False,
    ) -> None:
        box = self.made.shapes.add_textbox(0, 0, 0, 0)
        _put(box, LEFT, where[0], RIGHT, where[1])
        _write(box.text_frame, [(line, colour) for line in text.split("\n")], size, bold=bold)

    def _picture(self, content: bytes, box: Mapping[str, float]) -> None:
        shape = self.made.shapes.add_picture(io.BytesIO(content), 0, 0)
        _put(shape, box["left"], box["top"], box["width"], box["height"])
        words = self.slide.picture.words if self.slide.picture else ""
        shape._element.nvPicPr.cNvPr.set("descr", _clean(words or self.slide.title))

    def _words(self, top: int, height: int) -> None:
        """What is read as text: a table, or lines."""
        kind, data = self.slide.picture.kind, self.slide.picture.data  # type: ignore[union-attr]  # the caller looked
        if kind == "list":
            size = 22 if sum(map(len, data["lines"])) < 600 else 17
            self._text("\n\n".join(data["lines"]), (top, height), size)
            return
        heads, rows, widths = _rows(kind, data)
        lines = ([heads] if heads else []) + rows
        shape = self.made.shapes.add_table(len(lines), len(widths), 0, 0, 0, 0)
        tall = height if kind == "item" else min(height, TALL * len(lines))
        _put(shape, LEFT, top, RIGHT, tall)
        shape.table.first_row = bool(heads)
        for column, width in zip(shape.table.columns, widths, strict=True):
            column.width = Emu(int(RIGHT * width / sum(widths)) * PIXEL)
        size = _size(lines)
        for row, cells in zip(shape.table.rows, lines, strict=True):
            row.height = Emu(int(tall / len(lines)) * PIXEL)
            for cell, parts in zip(row.cells, cells, strict=True):
                cell.vertical_anchor = MSO_ANCHOR.MIDDLE
                _runs(cell.text_frame, parts, size)
                cell.fill.background()


Part = tuple[str, bool]  # words, and whether they are marked
MARKS = {"good": "✓", "caution": "i", "bad": "!"}


def _rows(
    kind: str, data: Mapping[str, Any]
) -> tuple[list[list[Part]], list[list[list[Part]]], list[float]]:
    """The head of a table, its rows, and how wide its columns are beside one another."""
    if kind == "item":
        rows = []
        for option in data["options"]:
            tags = [name for name in ("original", "chosen") if data["revealed"] and option[name]]
            parts = [(str(text), bool(differs)) for text, differs in option["parts"]]
            rows.append([[(option["letter"], False)], parts, [(", ".join(tags), bool(tags))]])
        return [], rows, [1, 16, 2.6 if data["revealed"] else 0.2]
    if kind == "checks":
        rows = [
            [
                [(MARKS.get(one["mark"], ""), False)],
                [(one["about"], False)],
                [(one["figure"], True)],
            ]
            for one in data["checks"]
        ]
        return [], rows, [1, 8, 8]
    if kind == "answers":
        rows = [
            [
                [(f"{SIGNS[one['ruling']]} {one['ruling'].capitalize()}", True)],
                [(one["sentence"], False)],
            ]
            for one in data["answers"]
        ]
        return [], rows, [1, 3]
    heads = [[(name, True)] for name in data["columns"]]
    rows = [[[(cell, False)] for cell in row] for row in data["rows"]]
    return heads, rows, [1.0] * len(heads)


def _size(lines: Sequence[Sequence[Sequence[Part]]]) -> int:
    """Points at which a table fits the slide, by its letters and its lines."""
    letters = sum(len(text) for row in lines for cell in row for text, _ in cell)
    return 20 if letters < 1_000 and len(lines) <= 9 else 14 if letters < 1_800 else 9


def _put(shape: Any, left: float, top: float, width: float, height: float) -> None:
    shape.left, shape.top = Emu(int(left * PIXEL)), Emu(int(top * PIXEL))
    shape.width, shape.height = Emu(int(width * PIXEL)), Emu(int(height * PIXEL))


def _write(frame: Any, lines: Sequence[tuple[str, str]], size: int, *, bold: bool) -> None:
    frame.word_wrap = True
    frame.vertical_anchor = MSO_ANCHOR.TOP
    frame.margin_left = frame.margin_right = 0
    for at, (text, colour) in enumerate(lines):
        paragraph = frame.paragraphs[0] if at == 0 else frame.add_paragraph()
        paragraph.alignment = 1
        _run(paragraph, text, size, bold=bold, colour=colour)


def _runs(frame: Any, parts: Sequence[Part], size: int) -> None:
    for text, marked in parts:
        run = _run(frame.paragraphs[0], text, size, bold=marked, colour=INK)
        run.font.underline = marked and len(parts) > 1


def _run(paragraph: Any, text: str, size: int, *, bold: bool, colour: str) -> Any:
    run = paragraph.add_run()
    run.text = " ".join(_clean(text).split("\n"))
    run.font.size, run.font.bold = Pt(size), bold
    rgb = RGBColor(*bytes.fromhex(colour[1:]))  # type: ignore[no-untyped-call]  # has no types
    run.font.color.rgb = rgb
    return run


_BOXES = """JSON.stringify([...document.querySelectorAll(".dcq-slide")].map((slide) => {
  const picture = slide.querySelector(".body > .dcq-picture");
  if (!picture) return null;
  const [of, box] = [slide.getBoundingClientRect(), picture.getBoundingClientRect()];
  return {left: box.left - of.left, top: box.top - of.top, width: box.width, height: box.height,
          x: box.left + scrollX, y: box.top + scrollY};
}))"""


def _take_pictures(
    content: str, wanted: Sequence[int]
) -> dict[int, tuple[bytes, Mapping[str, float]]]:
    """PNGs of the pictures of the slides ``wanted``, each with its place on the slide."""
    if not wanted:
        return {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder, "deck.html")
        file.write_text(content, "utf-8")
        try:
            return asyncio.run(asyncio.wait_for(_shoot(file.as_uri(), wanted), WAIT))
        except (BrowserFailedError, ChromeNotFoundError, TimeoutError) as error:
            raise DcqError(
                "The charts of slides are drawn by Chromium, which is missing or does not start; "
                "install it, for example with: apt-get install chromium"
            ) from error


async def _shoot(
    address: str, wanted: Sequence[int]
) -> dict[int, tuple[bytes, Mapping[str, float]]]:
    async with Browser(headless=True) as browser:
        tab = await browser.create_tab(address)
        boxes: list[Mapping[str, float] | None] = []
        while len(boxes) <= max(wanted):  # until the page has drawn them
            await asyncio.sleep(0.1)
            command = {"expression": _BOXES, "returnByValue": True}
            answer = await tab.send_command("Runtime.evaluate", command)
            boxes = json.loads(answer["result"]["result"].get("value", "[]"))
        made = {}
        for place in wanted:
            box = boxes[place]
            if box is None:
                continue
            clip = {name: box[name] for name in ("x", "y", "width", "height")} | {"scale": SHARP}
            command = {"format": "png", "clip": clip, "captureBeyondViewport": True}
            answer = await tab.send_command("Page.captureScreenshot", command)
            made[place] = (base64.b64decode(answer["result"]["data"]), box)
        return made
