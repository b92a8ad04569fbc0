"""The slides of a document as a file: an HTML page that Chromium prints, and PowerPoint."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from dcq.documents.deck import Deck
from dcq.documents.deck.slides import Slide, documents, slides
from dcq.documents.html_report import policy, to_json
from dcq.documents.pictures import source


def page(title: str, shown: Sequence[Slide]) -> str:
    """All slides, one below the other; nothing is loaded, and only its own script runs."""
    script = "\n".join(map(source, ("pictures.js", "slides.js", "deck.js")))
    style = "\n".join(map(source, ("pictures.css", "slides.css", "deck.css")))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy([script])}">'
        f"<title>{escape(title)}</title><style>{style}</style></head>"
        '<body><main class="dcq-deck"></main>'
        f'<script type="application/json" id="slides">{to_json(documents(shown))}</script>'
        f"<script>{script}</script></body></html>"
    )


def html(deck: Deck) -> str:
    """The deck as one page."""
    return page(deck.title, slides(deck))
