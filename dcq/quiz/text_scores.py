"""The text-only baselines of frozen quizzes, stored because a quiz never changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from functools import lru_cache

from dcq.evidence.kappa import Kappa
from dcq.store import Store, derived, quizzes
from dcq.variants.leakage import TextOnly, text_only

TextScores = Callable[[Store, Sequence[str]], Mapping[str, tuple[TextOnly, ...]]]  # by quiz
_NAME = "text-only/1"  # another number where ``text_only`` gives other figures


def text_scores(store: Store, quiz_ids: Sequence[str]) -> dict[str, tuple[TextOnly, ...]]:
    """The text-only baselines of quizzes, without the credit by instance: read if they are stored,
    else computed and stored."""
    places = {quiz: _known(store, quiz) for quiz in quiz_ids}
    unknown = [quiz for quiz, place in places.items() if not place]
    if unknown:
        stored_scores = derived.read(store, _NAME, unknown)
        new = {quiz: _compute(store, quiz) for quiz in unknown if quiz not in stored_scores}
        derived.keep(store, _NAME, new)
        for quiz, rows in (stored_scores | new).items():
            places[quiz].append(tuple(TextOnly(name, Kappa(*row), {}) for name, *row in rows))
    return {quiz: place[0] for quiz, place in places.items()}


def _compute(store: Store, quiz_id: str) -> list[list[object]]:
    with store.hold():
        items, language = quizzes.load(store, quiz_id).items, quizzes.language_of(store, quiz_id)
    baselines = text_only(items, language)
    return [[baseline.name, *map(_plain, astuple(baseline.kappa))] for baseline in baselines]


def _plain(value: float | None) -> float | None:
    """A number of numpy's as Python's, which JSON can write and gives back to the last digit."""
    return value if value is None or isinstance(value, int) else float(value)


@lru_cache(maxsize=4096)  # enough for all quizzes of a store
def _known(store: Store, quiz_id: str) -> list[tuple[TextOnly, ...]]:
    """Where a process keeps the baselines of a quiz: empty, or one."""
    return []
