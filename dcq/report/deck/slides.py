"""A document as slides: one thing to look at on each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dcq.report.deck.model import Deck, Example, Exhibit, Section

MOST_ROWS, MOST_COLUMNS = 8, 6  # of a table that is read from the back of a room


@dataclass(frozen=True, eq=False)
class Slide:
    """What is shown at once: ``sentences``, and at most one of ``exhibit`` and ``example``.
    ``revealed``: the example's original is marked."""

    title: str
    sentences: tuple[str, ...] = ()
    exhibit: Exhibit | None = None
    example: Example | None = None
    revealed: bool = False


def slides(deck: Deck) -> list[Slide]:
    """The slides of a document, its title first. Tables that are too large for a slide are left to
    the document."""
    subtitle = (deck.subtitle,) if deck.subtitle else ()
    first = Slide(deck.title, (*subtitle, f"{deck.made_at:%d %B %Y}"))
    return [first, *(slide for section in deck.sections for slide in _of(section))]


def _of(section: Section) -> Iterator[Slide]:
    if section.example is not None:
        yield Slide(section.title, section.sentences)
        yield Slide("Which one is the original?", example=section.example)
        yield Slide(section.example.answer, example=section.example, revealed=True)
        return
    shown = [one for one in section.exhibits if _fits(one)]
    if not shown or shown[0].figure is not None or len(section.sentences) > 1:
        yield Slide(section.title, section.sentences)
    else:
        yield Slide(section.title, section.sentences, shown.pop(0))
    for exhibit in shown:
        yield Slide(exhibit.title, exhibit=exhibit)


def _fits(exhibit: Exhibit) -> bool:
    rows, columns = exhibit.table.shape
    return exhibit.figure is not None or (rows <= MOST_ROWS and columns <= MOST_COLUMNS)
