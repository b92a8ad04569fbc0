"""The slides of a document as a file: an HTML page that Chromium prints as PDF, and PowerPoint,
with text as text and charts as pictures of that page.

Names and texts go into both as data or as runs of text, never as markup or as links. The one link
of a slide leads to its finding in the app.
"""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from choreographer import Browser
from choreographer.errors import BrowserFailedError, ChromeNotFoundError
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.util import Emu, Pt

from dcq.charts.template import CONTAMINATED, INCONCLUSIVE, INK
from dcq.documents import browser_page
from dcq.documents.answer_document import absolute
from dcq.documents.deck import Deck
from dcq.documents.deck.slides import Slide, documents, slides
from dcq.documents.html_report import policy, to_json
from dcq.documents.pictures import Picture, source
from dcq.errors import DcqError
from dcq.judging.judged import UNDECIDED, Ruling

WIDTH, HEIGHT = 1280, 720  # pixels of a slide, 16:9
PIXEL = 9525  # of PowerPoint's units
SHARP = 2  # pixels of a picture for each of the slide's
WAIT = 60  # seconds for the browser
READ = {"item", "checks", "answers", "list", "table"}  # kinds of pictures that are text here
LEFT, RIGHT = 61, 1158  # pixels: where a slide's words begin, and how wide they are
TALL = 90  # pixels of a row of a table
MUTED = "#5A6069"
FOUND = "#E3EEF6"  # behind the original, once it is told
FONT = "Arial"  # every office has it or one as wide, and the page has it too
POINTS = 0.75  # of a pixel
COLOURS = {"contaminated": CONTAMINATED, UNDECIDED: INCONCLUSIVE}
SIGNS = {ruling.word: ruling.mark for ruling in Ruling}
Box = dict[str, float]
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_TURNS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")


def page(title: str, slides: Sequence[Slide]) -> str:
    """An HTML page with all slides, one below the other. It loads nothing, and only its own script
    runs."""
    script = "\n".join(map(source, ("pictures.js", "slides.js", "deck.js")))
    style = "\n".join(map(source, ("pictures.css", "slides.css", "deck.css")))
    data = to_json(documents(slides, absolute))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy([script])}">'
        f"<title>{escape(_clean(title))}</title><style>{style}</style></head>"
        '<body><main class="dcq-deck"></main>'
        f'<script type="application/json" id="slides">{data}</script>'
        f"<script>{script}</script></body></html>"
    )


def html(deck: Deck) -> str:
    """The deck as a page to be printed."""
    return page(deck.title, slides(deck))


def powerpoint(deck: Deck) -> bytes:
    """The deck as a .pptx file. Raises ``DcqError`` where no Chromium draws its charts."""
    deck_slides = slides(deck)
    drawn = [
        at
        for at, deck_slide in enumerate(deck_slides)
        if deck_slide.picture and deck_slide.picture.kind not in READ
    ]
    places, pictures = _measure(page(deck.title, deck_slides), len(deck_slides), drawn)
    show = Presentation()
    show.slide_width, show.slide_height = Emu(WIDTH * PIXEL), Emu(HEIGHT * PIXEL)
    show.core_properties.title = _clean(deck.title)
    for place, slide in enumerate(deck_slides):
        number = f"{place + 1} / {len(deck_slides)}"
        _SlidePage(show, slide, places[place]).fill(pictures.get(place), number)
    content = io.BytesIO()
    show.save(content)
    return content.getvalue()


def _clean(text: object) -> str:
    """Text as XML can hold it, without marks that turn the direction of the rest."""
    return _TURNS.sub("", _NO_XML.sub("\ufffd", str(text)))


class _SlidePage:
    """One slide of the file, with everything where ``places`` say that the browser puts it: boxes
    in pixels of a slide of 1280 × 720, each with the ``size`` of its letters."""

    def __init__(self, show: Any, slide: Slide, places: Mapping[str, Box]) -> None:
        self.slide, self.places = slide, places
        self.made = show.slides.add_slide(show.slide_layouts[5])  # a title, and nothing else

    def fill(self, picture: bytes | None, number: str) -> None:
        slide = self.slide
        title = self.made.shapes.title
        colour = MUTED if slide.ruling else INK
        self._write(title, [(slide.title, colour)], "title", bold=True)
        if slide.ruling:
            words = f"{SIGNS.get(slide.ruling, '')} {slide.ruling.capitalize()}".strip()
            self._text([(words, COLOURS.get(slide.ruling, INK))], "ruling", bold=True)
        if picture is not None:
            self._picture(picture)
        elif slide.picture is not None:
            self._words(slide.picture)
        if slide.sentences:
            self._text([(sentence, INK) for sentence in slide.sentences], "said")
        footer = self._text([(f"{slide.source}   {number}".strip(), MUTED)], "footer")
        if slide.link:
            run = _run(
                footer.paragraphs[0],
                "   In the app",
                self.places["footer"]["size"],
                bold=False,
                colour=MUTED,
            )
            run.hyperlink.address = absolute(slide.link)
        self.made.notes_slide.notes_text_frame.text = "\n".join(map(_clean, slide.notes))

    def _text(self, lines: Sequence[tuple[str, str]], where: str, *, bold: bool = False) -> Any:
        return self._write(self.made.shapes.add_textbox(0, 0, 0, 0), lines, where, bold=bold)

    def _write(
        self, shape: Any, lines: Sequence[tuple[str, str]], where: str, *, bold: bool
    ) -> Any:
        box = self.places[where]
        _put(shape, box | {"left": LEFT, "width": RIGHT})
        frame = shape.text_frame
        # Where our font is missing, a wider one would move the word of a ruling to a second line,
        # behind the picture.
        frame.word_wrap = where != "ruling"
        frame.vertical_anchor = MSO_ANCHOR.TOP
        frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = 0
        for at, (text, colour) in enumerate(lines):
            paragraph = frame.paragraphs[0] if at == 0 else frame.add_paragraph()
            paragraph.alignment, paragraph.line_spacing = PP_ALIGN.LEFT, 0.95
            _run(paragraph, text, box["size"], bold=bold, colour=colour)
        return frame

    def _picture(self, content: bytes) -> None:
        shape = self.made.shapes.add_picture(io.BytesIO(content), 0, 0)
        _put(shape, self.places["picture"])
        words = self.slide.picture.words if self.slide.picture else ""
        shape._element.nvPicPr.cNvPr.set("descr", _clean(words or self.slide.title))

    def _words(self, picture: Picture) -> None:
        """What is read as text, in a table."""
        kind, data, box = picture.kind, picture.data, self.places["picture"]
        heads, rows, widths = _rows(kind, data)
        lines = ([heads] if heads else []) + rows
        shape = self.made.shapes.add_table(len(lines), len(widths), 0, 0, 0, 0)
        tall = min(box["height"], TALL * len(lines)) if kind == "table" else box["height"]
        _put(shape, box | {"left": LEFT, "width": RIGHT, "height": tall})
        shape.table.first_row = bool(heads)
        for column, width in zip(shape.table.columns, widths, strict=True):
            column.width = Emu(int(RIGHT * width / sum(widths)) * PIXEL)
        for at, (row, cells) in enumerate(zip(shape.table.rows, lines, strict=True)):
            row.height = Emu(int(tall / len(lines)) * PIXEL)
            fill, ink = _colours_of(kind, data, at)
            for place, (cell, parts) in enumerate(zip(row.cells, cells, strict=True)):
                cell.vertical_anchor = MSO_ANCHOR.MIDDLE
                _runs(cell.text_frame, parts, box["size"], ink if place == 0 else INK)
                if fill:
                    cell.fill.solid()
                    cell.fill.fore_color.rgb = _rgb(fill)
                else:
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
                [(MARKS.get(entry["mark"], ""), False)],
                [(entry["about"], False)],
                [(entry["figure"], True)],
            ]
            for entry in data["checks"]
        ]
        return [], rows, [1, 8, 8]
    if kind == "answers":
        rows = [
            [
                [(f"{SIGNS[entry['ruling']]} {entry['ruling'].capitalize()}", True)],
                [(entry["sentence"], False)],
            ]
            for entry in data["answers"]
        ]
        return [], rows, [1, 3]
    if kind == "list":
        return [], [[[(line, False)]] for line in data["lines"]], [1]
    heads = [[(name, True)] for name in data["columns"]]
    rows = [[[(cell, False)] for cell in row] for row in data["rows"]]
    return heads, rows, [1.0] * len(heads)


def _colours_of(kind: str, data: Mapping[str, Any], at: int) -> tuple[str, str]:
    """The ground of a row of a table, if it has one, and the ink of its first cell."""
    if kind == "item" and data["revealed"] and data["options"][at]["original"]:
        return FOUND, INK
    if kind == "answers" and data["answers"][at]["ruling"] == "contaminated":
        return "", CONTAMINATED
    return "", INK


def _put(shape: Any, box: Box) -> None:
    shape.left, shape.top = Emu(int(box["left"] * PIXEL)), Emu(int(box["top"] * PIXEL))
    shape.width, shape.height = Emu(int(box["width"] * PIXEL)), Emu(int(box["height"] * PIXEL))


def _runs(frame: Any, parts: Sequence[Part], size: float, colour: str) -> None:
    for text, marked in parts:
        run = _run(frame.paragraphs[0], text, size, bold=marked, colour=colour)
        run.font.underline = marked and len(parts) > 1


def _run(paragraph: Any, text: str, size: float, *, bold: bool, colour: str) -> Any:
    run = paragraph.add_run()
    run.text = " ".join(_clean(text).split("\n"))
    run.font.name = FONT
    run.font.size, run.font.bold = Pt(round(size * POINTS, 1)), bold
    run.font.color.rgb = _rgb(colour)
    return run


def _rgb(colour: str) -> RGBColor:
    rgb: RGBColor = RGBColor(*bytes.fromhex(colour[1:]))  # type: ignore[no-untyped-call]  # has no types
    return rgb


# Where the browser puts the parts of each slide, and how large their letters are.
_PLACES = """JSON.stringify([...document.querySelectorAll(".dcq-slide")].map((slide) => {
  const of = slide.getBoundingClientRect(), places = {};
  const note = (name, parts) => {
    const boxes = parts.map((part) => part.getBoundingClientRect());
    if (!boxes.length) return;
    const least = (side) => Math.min(...boxes.map((box) => box[side]));
    const most = (side) => Math.max(...boxes.map((box) => box[side]));
    places[name] = {
      left: least("left") - of.left, top: least("top") - of.top,
      width: most("right") - least("left"), height: most("bottom") - least("top"),
      x: least("left") + scrollX, y: least("top") + scrollY,
      size: parseFloat(getComputedStyle(parts[0]).fontSize),
    };
  };
  const parts = {title: "h1", ruling: ".ruling", picture: ".body > .dcq-picture", said: ".said",
                 footer: "footer"};
  for (const name in parts) note(name, [...slide.querySelectorAll(parts[name])]);
  return places;
}))"""


def _measure(
    content: str, count: int, drawn: Sequence[int]
) -> tuple[list[dict[str, Box]], dict[int, bytes]]:
    """Where the parts of all ``count`` slides are, and PNGs of the pictures of those ``drawn``."""
    with browser_page.written(content) as file:
        try:
            return asyncio.run(asyncio.wait_for(_shoot(file.as_uri(), count, drawn), WAIT))
        except (BrowserFailedError, ChromeNotFoundError, TimeoutError) as error:
            raise DcqError(
                "The charts of slides are drawn by Chromium, which is missing or does not start; "
                "install it, for example with: apt-get install chromium"
            ) from error


async def _shoot(
    address: str, count: int, drawn: Sequence[int]
) -> tuple[list[dict[str, Box]], dict[int, bytes]]:
    async with Browser(headless=True) as browser:
        tab = await browser.create_tab(address)
        places: list[dict[str, Box]] = []
        while len(places) < count:  # until the page has drawn them
            await asyncio.sleep(0.1)
            command = {"expression": _PLACES, "returnByValue": True}
            answer = await tab.send_command("Runtime.evaluate", command)
            places = json.loads(answer["result"]["result"].get("value", "[]"))
        pictures = {}
        for place in drawn:
            box = places[place]["picture"]
            clip = {name: box[name] for name in ("x", "y", "width", "height")} | {"scale": SHARP}
            command = {"format": "png", "clip": clip, "captureBeyondViewport": True}
            answer = await tab.send_command("Page.captureScreenshot", command)
            pictures[place] = base64.b64decode(answer["result"]["data"])
        return places, pictures
