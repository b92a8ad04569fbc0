"""What the pages that a service shows say of an instance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dcq.overlap.match import Match, best_match
from dcq.overlap.meteor import Reference, Settings
from dcq.overlap.search.service import Page
from dcq.overlap.tokens import Splitter, splitter_for


@dataclass(frozen=True)
class Passage:
    """A page from the threshold on: its best ``text``, the ``marks`` in it (characters of the words
    that match), and the scores of query and label; ``label_score`` is None without a label."""

    url: str
    text: str
    marks: tuple[tuple[int, int], ...]
    score: float
    label_score: float | None


@dataclass(frozen=True)
class Judged:
    """The best ``score`` of any page, and the passages of those from the threshold on."""

    score: float
    passages: tuple[Passage, ...]


def judge(
    versions: Sequence[Sequence[str]], label: str, pages: Iterable[Page], settings: Settings
) -> Judged:
    """What is found of an instance by the passages that a service shows.

    As in the authors' code: the best fragment of a page counts, the label is matched apart on the
    same page, and where a fragment has marked words these are compared. ``versions`` are the texts
    that were searched for, each in its pieces; the best version of a page counts. A version in
    several pieces, which the authors' code leaves out, scores the mean of its pieces, each weighed
    by its words; that is ours.
    """
    cut = splitter_for("".join(piece for pieces in versions for piece in pieces), settings)
    wanted = [[Reference(cut(piece).words) for piece in pieces] for pieces in versions]
    answer = Reference(cut(label).words)
    best, kept = 0.0, []
    for url, fragments in _by_url(pages).items():
        score, shown = max(
            (_version_score(pieces, fragments, settings, cut) for pieces in wanted),
            key=lambda found: found[0],
            default=(0.0, None),
        )
        best = max(best, score)
        if shown is None or score < settings.threshold:
            continue
        text, reference = shown
        words = cut(text)
        places = best_match(reference, words, settings).words
        marks = tuple((words.starts[place], words.ends[place]) for place in places)
        found = _label_score(answer, fragments, settings, cut) if len(answer) else None
        kept.append(Passage(url, text, marks, score, found))
    return Judged(best, tuple(kept))


_Fragments = dict[str, str]  # of one page: as it is shown → what is compared


def _by_url(pages: Iterable[Page]) -> dict[str, _Fragments]:
    """A page may come with several pieces of one query, each time with other fragments."""
    found: dict[str, _Fragments] = {}
    for page in pages:
        known = found.setdefault(page.url, {})
        for fragment, marked in zip(page.fragments, page.marked, strict=True):
            known.setdefault(fragment, marked or fragment)
    return found


def _version_score(
    pieces: Sequence[Reference], fragments: _Fragments, settings: Settings, cut: Splitter
) -> tuple[float, tuple[str, Reference] | None]:
    """The score of a page, and the fragment that says most, with the piece that it has."""
    total = weight = 0.0
    shown: tuple[str, Reference] | None = None
    most = 0.0
    for piece in pieces:
        found = {
            fragment: best_match(piece, cut(text), settings).score
            for fragment, text in fragments.items()
        }
        score = max(found.values(), default=0.0)
        total, weight = total + score * len(piece), weight + len(piece)
        if score * len(piece) > most:
            most = score * len(piece)
            shown = max(found, key=lambda fragment: found[fragment]), piece
    return (total / weight if weight else 0.0), shown


def _label_score(
    label: Reference, fragments: _Fragments, settings: Settings, cut: Splitter
) -> float:
    matches: Iterable[Match] = (
        best_match(label, cut(text), settings, gamma=settings.label_gamma)
        for text in fragments.values()
    )
    return max((match.score for match in matches), default=0.0)
