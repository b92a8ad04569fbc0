"""A document as the content of a file, in the format that the file's extension names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dcq.documents import pdf
from dcq.errors import InputError

if TYPE_CHECKING:
    from dcq.documents.deck import Deck

TYPES = {
    ".html": "text/html",
    ".pdf": "application/pdf",
    ".md": "text/markdown",
    ".tex": "application/x-tex",
    ".yaml": "application/yaml",
}


def to_bytes(deck: Deck, suffix: str) -> bytes:
    """Raises ``InputError`` for another extension, ``DcqError`` where a PDF cannot be printed."""
    check(suffix)
    from dcq.documents import card, html_report, tables  # here: screens name formats, write rarely

    if suffix == ".md":
        return tables.markdown(deck).encode()
    if suffix == ".tex":
        return tables.latex(deck).encode()
    if suffix == ".yaml":
        return card.write_metadata(deck).encode()
    html = html_report.render(deck)
    return pdf.print_pdf(html) if suffix == ".pdf" else html.encode()


def check(suffix: str) -> None:
    """Raise ``InputError`` for an extension that a report cannot have."""
    if suffix not in TYPES:
        raise InputError(f"A report ends in {', '.join(TYPES)}, not {suffix!r}.")
