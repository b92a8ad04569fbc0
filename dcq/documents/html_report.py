"""A document as one HTML file that opens from disk: nothing in it is loaded from elsewhere.

Charts are drawn by a small script from data beside them (``dcq.documents.drawn``); tables and
alternative texts say the same without it. All texts are escaped, and the policy in the file's head
lets only that script run, by its hash: whatever a data set or a model wrote, it is shown and never
executed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup, escape

from dcq.documents.answer_document import IN_THE_APP
from dcq.documents.deck import Deck
from dcq.documents.pictures import picture_of, source
from dcq.documents.result_tables import cell_text, is_number
from dcq.judging.judged import UNDECIDED
from dcq.version import __version__

SHORT, WIDE = 20, 60  # characters of a cell: up to here on one line, from here on wide
_MARKED = ("contaminated", UNDECIDED)  # verdicts with a look of their own

# Draws each chart where its data stand.
_DRAWING = """
for (const place of document.querySelectorAll(".drawn"))
  place.replaceChildren(draw(JSON.parse(place.querySelector("script").textContent)));
"""

_JSON_ESCAPES = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}
_PER_CENT = re.compile(r"(?<=[0-9]) %")
SAID = {"answers"}  # kinds of pictures whose words the section has as sentences
_TURNS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
_LONE = re.compile(r"[\ud800-\udfff]")


def render(deck: Deck) -> str:
    """The whole file."""
    template = resources.files("dcq.documents").joinpath("report.html.jinja").read_text("utf-8")
    environment = jinja2.Environment(
        autoescape=True,
        finalize=_settled,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pictures = {
        id(exhibit): picture
        for part in deck.sections
        for exhibit in part.exhibits
        if (picture := picture_of(exhibit)) is not None and picture.kind not in SAID
    }
    script = source("pictures.js") + _DRAWING if pictures else ""
    text = environment.from_string(template).render(
        deck=deck,
        version=__version__,
        policy=policy([script] if script else []),
        data=to_json({"dcq": __version__, "made_at": deck.made_at.isoformat(), **deck.data}),
        style=Markup(source("pictures.css") if pictures else ""),  # noqa: S704  (ours)
        script=Markup(script),  # noqa: S704  (ours)
        picture_of=lambda exhibit: pictures.get(id(exhibit)),
        drawn=lambda picture: to_json(picture.document()),
        shown=cell_text,
        links=IN_THE_APP,
        verbatim=escape,  # stands in an element of its own, so it turns nothing else
        kind_of=_kind_of,
        is_number=is_number,
    )
    return _LONE.sub("\ufffd", text)


def policy(scripts: Sequence[str]) -> str:
    """The content security policy: only these scripts run, styles are the file's own, nothing is
    loaded or sent."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes or chr(39) + 'none' + chr(39)}; "
        "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def to_json(document: Mapping[str, Any] | list[Any]) -> Markup:
    """A document as JSON inside a script element: NaN becomes null, and no text can end the
    script."""
    text = json.dumps(_finite(document), ensure_ascii=False, allow_nan=False, default=str)
    return Markup(text.translate(_JSON_ESCAPES))  # noqa: S704  (its marks are escaped)


def _finite(value: Any) -> Any:
    """As JSON can hold it: what is no number is null."""
    if isinstance(value, Mapping):
        return {str(key): _finite(element) for key, element in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(element) for element in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _settled(text: object) -> object:
    """Numbers stay on one line with their per cent sign, and no mark in a name turns the direction
    in which the rest of a sentence is read."""
    if isinstance(text, str) and not isinstance(text, Markup):
        return _PER_CENT.sub("\u00a0%", _TURNS.sub("", text))
    return text


def _kind_of(cell: object) -> str:
    if isinstance(cell, int):
        return "number"
    if cell in _MARKED:
        return str(cell)
    length = len(str(cell))
    return "short" if length <= SHORT else "wide" if length > WIDE else ""
