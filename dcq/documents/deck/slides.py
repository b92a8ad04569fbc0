"""A document as slides: one idea on each, a picture where there is one, and notes to speak by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dcq.documents.deck.model import Deck, Part
from dcq.documents.pictures import STEPS, Picture, item_of, picture_of, table_of
from dcq.sections import Exhibit, Section
from dcq.words import counted, model_title

MOST_ROWS, MOST_COLUMNS = 8, 6  # of a table that is read from the back of a room
MOST_FIGURES = 2  # of a section, besides those of another kind
MOST_LINES = 6  # sentences on a slide that has nothing else


@dataclass(frozen=True, eq=False)
class Slide:
    """One slide. ``kind`` is its layout (``slides.css``), ``ruling`` the verdict in large letters,
    ``source`` says where its numbers come from, and ``notes`` are for the speaker. ``exhibit`` is
    what its picture was made from, and ``link`` leads to its finding in the app."""

    title: str
    kind: str = "plain"
    sentences: tuple[str, ...] = ()
    picture: Picture | None = None
    ruling: str = ""
    source: str = ""
    notes: tuple[str, ...] = ()
    exhibit: Exhibit | None = None
    link: str = ""


def slides(deck: Deck) -> list[Slide]:
    """The slides of a document; the first has its title and what was asked. Large tables and less
    important figures are in the document only."""
    question, *other_sections = deck.sections
    date = " · ".join(filter(None, (deck.subtitle, f"{deck.made_at:%d %B %Y}")))
    first = Slide(
        deck.title,
        "title",
        question.sentences[:1],
        source=date,
        notes=question.sentences,
    )
    return [
        first,
        *(
            replace(slide, link=section.link)
            for section in other_sections
            for slide in _of(section)
        ),
    ]


def documents(
    slides: Sequence[Slide], address: Callable[[str], str] = lambda link: link
) -> list[dict[str, Any]]:
    """What ``slides.js`` draws, as JSON can hold it. ``address`` makes links whole where they are
    followed from elsewhere than the app."""
    return [
        {
            "title": slide.title,
            "kind": slide.kind,
            "sentences": list(slide.sentences),
            "picture": slide.picture and slide.picture.document(),
            "ruling": slide.ruling,
            "source": slide.source,
            "link": address(slide.link) if slide.link else "",
            "notes": list(slide.notes),
            "number": place,
            "of": len(slides),
        }
        for place, slide in enumerate(slides, 1)
    ]


def _of(section: Section) -> Iterator[Slide]:
    if section.part is Part.METHOD:
        yield from _method(section)
    elif section.part is Part.VERDICT:
        yield from _verdict(section)
    elif section.part == Part.ANSWER:
        yield _answers(section)
    elif drawn := _figures(section):
        yield _drawn(section.title, drawn[0], _line(section), section.sentences)
        for exhibit in drawn[1:]:
            yield _drawn(exhibit.title, exhibit, exhibit.sentences[:1], section.sentences)
    else:
        yield _words(section)


def _figures(section: Section) -> list[Exhibit]:
    """The first pictures of a section, and the first of each further kind."""
    drawn = [exhibit for exhibit in section.exhibits if picture_of(exhibit) is not None]
    first_of_kind = {exhibit.chart.name: exhibit for exhibit in reversed(drawn) if exhibit.chart}
    return [
        exhibit
        for place, exhibit in enumerate(drawn)
        if place < MOST_FIGURES or exhibit in first_of_kind.values()
    ]


def _answers(section: Section) -> Slide:
    """As many as fit, and how many there are."""
    exhibit = section.exhibits[0]
    shown, count = len(exhibit.chart.rows) if exhibit.chart else 0, len(exhibit.table)
    source = f"The first {shown} of {counted(count, 'answer')}" if shown < count else ""
    return Slide(section.title, picture=picture_of(exhibit), source=source, notes=section.sentences)


_EXPLAINED = {
    Part.QUIZ,
    Part.REPLICATION,
    Part.OTHERS,
    Part.OVERLAP,
    Part.EFFECT,
}  # by the first of their sentences


def _line(section: Section) -> tuple[str, ...]:
    """What stands below the first picture of a section."""
    if section.part in _EXPLAINED:
        return section.sentences[1:2] or section.sentences[:1]
    return section.sentences[:1]


def _method(section: Section) -> Iterator[Slide]:
    yield Slide(section.title, picture=STEPS, notes=section.sentences)
    example = section.example
    if example is None:
        return
    source = _source(example.caption)
    options = item_of(example, revealed=False)
    yield Slide(
        "Which one is the original?",
        "item",
        picture=options,
        source=source,
        notes=(example.instruction, "The next slide tells it."),
    )
    right = example.chosen == example.original
    yield Slide(
        f"It chose {example.chosen}, the original" if right else example.answer,
        "item",
        (f"{model_title(example.model)} recognised {example.share}.",),
        item_of(example, revealed=True),
        source=source,
        notes=(example.answer, "One right answer shows nothing: one in four is right by guessing."),
    )


def _verdict(section: Section) -> Iterator[Slide]:
    """The word and its ruler, then what was checked, then every model."""
    first = section.exhibits[0]
    notes = [
        *section.sentences,
        *(f"{about}: {reason}" for about, _, _, reason in _reasons(section)),
    ]
    yield Slide(
        first.title,
        "verdict",
        section.sentences[1:2] or section.sentences[:1],
        picture_of(first),
        str(first.chart.rows["ruling"].iloc[0]) if first.chart else "",
        _source(first.caption),
        tuple(notes),
        first,
    )
    if reasons := _reasons(section):
        checks = [
            {"about": about, "mark": mark, "figure": figure} for about, mark, figure, _ in reasons
        ]
        yield Slide(
            "What was checked",
            picture=Picture("checks", {"checks": checks}),
            source=_source(first.caption),
            notes=tuple(notes[len(section.sentences) :]),
        )
    for exhibit in section.exhibits[1:]:
        if picture_of(exhibit) is not None:
            yield _drawn(exhibit.title, exhibit, (), section.sentences)


def _reasons(section: Section) -> list[tuple[str, str, str, str]]:
    """The checks of the first verdict: what about, the mark, the figure, the sentence."""
    table = section.exhibits[-1].table
    if "Reason" not in table or table.empty:
        return []
    first = table[(table[["Model", "Partition", "Quiz"]] == table.iloc[0][:3]).all(axis=1)]
    columns = [first[name] for name in ("Check", "Mark", "Figure", "Reason")]
    return list(zip(*columns, strict=True))


def _drawn(
    title: str, exhibit: Exhibit, sentences: tuple[str, ...], notes: tuple[str, ...]
) -> Slide:
    return Slide(
        title,
        "picture",
        sentences,
        picture_of(exhibit),
        source=_source((exhibit.title, *exhibit.caption)),
        notes=notes,
        exhibit=exhibit,
    )


def _words(section: Section) -> Slide:
    """A small table, or the sentences where there is none."""
    table = next((exhibit for exhibit in section.exhibits if _fits(exhibit)), None)
    if table is not None and len(section.sentences) <= 1:
        return Slide(
            section.title,
            "table",
            section.sentences,
            table_of(table),
            source=_source(table.caption),
            notes=section.sentences,
            exhibit=table,
        )
    lines = list(section.sentences[:MOST_LINES])
    return Slide(
        section.title, "words", picture=Picture("list", {"lines": lines}), notes=section.sentences
    )


def _source(lines: tuple[str, ...]) -> str:
    return " · ".join(lines)


def _fits(exhibit: Exhibit) -> bool:
    rows, columns = exhibit.table.shape
    return rows <= MOST_ROWS and columns <= MOST_COLUMNS
