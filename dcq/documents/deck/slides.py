"""A document as slides: one thing to look at on each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dcq.documents.deck.model import Deck, Part
from dcq.sections import Example, Exhibit, Section

MOST_ROWS, MOST_COLUMNS = 8, 6  # of a table that is read from the back of a room
MOST_FIGURES = 2  # of a section
BESIDE = 2  # sentences above something to look at


@dataclass(frozen=True, eq=False)
class Slide:
    """What is shown at once: ``sentences``, and at most one of ``reasons`` (what about, and the
    sentence), ``exhibit`` and ``example``. ``revealed``: the example's original is marked."""

    title: str
    sentences: tuple[str, ...] = ()
    reasons: tuple[tuple[str, str], ...] = ()
    exhibit: Exhibit | None = None
    example: Example | None = None
    revealed: bool = False


def slides(deck: Deck) -> list[Slide]:
    """The slides of a document; the first has its title and what was asked. Large tables and
    further figures are left to the document."""
    date = " · ".join(filter(None, (deck.subtitle, f"{deck.made_at:%d %B %Y}")))
    question, *other_sections = deck.sections
    shown_exhibit = next((exhibit for exhibit in question.exhibits if _fits(exhibit)), None)
    first = Slide(deck.title, (date, *question.sentences), exhibit=shown_exhibit)
    return [first, *(slide for section in other_sections for slide in _of(section))]


def _of(section: Section) -> Iterator[Slide]:
    if section.example is not None:
        yield Slide(section.title, section.sentences)
        yield Slide("Which one is the original?", example=section.example)
        yield Slide(section.example.answer, example=section.example, revealed=True)
        return
    if section.part is Part.VERDICT:
        yield Slide(section.title, section.sentences)
        yield from _reasons(section)
        return
    shown_exhibits = [one for one in section.exhibits if _fits(one)][:MOST_FIGURES]
    beside = len(section.sentences) <= BESIDE and bool(shown_exhibits)
    yield Slide(section.title, section.sentences, exhibit=shown_exhibits.pop(0) if beside else None)
    for exhibit in shown_exhibits:
        yield Slide(exhibit.title, exhibit=exhibit)


def _reasons(section: Section) -> Iterator[Slide]:
    """The reasons behind the first verdict."""
    table = section.exhibits[-1].table
    if "Reason" not in table or table.empty:
        return
    first = table[(table[["Model", "Partition", "Quiz"]] == table.iloc[0][:3]).all(axis=1)]
    yield Slide("Why", reasons=tuple(zip(first["Check"], first["Reason"], strict=True)))


def _fits(exhibit: Exhibit) -> bool:
    rows, columns = exhibit.table.shape
    return exhibit.chart is not None or (rows <= MOST_ROWS and columns <= MOST_COLUMNS)
