"""The scores of a run's completions, kept in the store because completions never change.

Verdicts rest on ROUGE-L alone. Closeness in meaning takes a network that reads all texts, so it is
worked out only where it is shown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

from dcq import settings
from dcq.records import fingerprint
from dcq.replication.freeze import pieces_of
from dcq.replication.prompts import Version
from dcq.replication.scores import joined, meaning_for, rouge_l
from dcq.store import Store, derived
from dcq.store.method_runs import MethodRun, ReadAnswer
from dcq.store.replications import Replication

Scores = Mapping[int, float]  # by position
_ROUGE, _MEANING = "rouge-l/1", "meaning/1"  # another number where scores come out differently


class RunScores:
    """The scores of the completions of a ``run`` in a ``language``; ``answers`` are by position.
    Each is worked out when it is first asked for."""

    def __init__(
        self,
        store: Store,
        run: MethodRun,
        replication: Replication,
        answers: Mapping[int, ReadAnswer],
        language: str,
    ) -> None:
        self.store, self.run, self.language = store, run, language
        self.version = replication.version
        count = len(replication.instructions)
        self.texts = {
            position: (replication.pieces[position // count], answer.value)
            for position, answer in answers.items()
            if answer.value is not None
        }

    @cached_property
    def rouge_l(self) -> Scores:
        """ROUGE-L by position."""
        return self._scores(_ROUGE, RunScores._overlap)

    @cached_property
    def meaning(self) -> Scores:
        """Closeness in meaning by position; empty where there is no such score."""
        scorer = meaning_for(self.language, settings.load().bleurt)
        if scorer is None:
            return {}

        def score(of_run: RunScores, positions: Sequence[int]) -> Iterable[float]:
            version = Version(of_run.version)
            pairs = [
                joined(pieces_of(piece), text, version)
                for piece, text in map(of_run.texts.__getitem__, positions)
            ]
            return scorer.score(*map(list, zip(*pairs, strict=True)))

        return self._scores(f"{_MEANING} {scorer.name}", score)

    @property
    def complete(self) -> bool:
        """Whether nothing is left to ask, so that the scores are worth keeping."""
        return self.run.asked >= self.run.items

    @cached_property
    def subject(self) -> str:
        """A fingerprint of all that the scores are computed from."""
        pieces = [
            (piece.form, piece.inside_sentence, piece.first, piece.gap, piece.second, text)
            for piece, text in self.texts.values()
        ]
        return fingerprint(self.language, self.version, json.dumps(pieces))

    def known(self, name: str) -> dict[tuple[int, str], float]:
        """What this process knows of the scores of this ``name``, by position and text."""
        return _known(self.store, self.run.run, name)

    def unknown(self, name: str) -> list[int]:
        """The positions whose score this process does not know."""
        known = self.known(name)
        return [place for place, (_, text) in self.texts.items() if (place, text) not in known]

    def _overlap(self, positions: Sequence[int]) -> Iterable[float]:
        pairs = [self.texts[position] for position in positions]
        references, texts = [piece.second for piece, _ in pairs], [text for _, text in pairs]
        return rouge_l(references, texts, self.language)

    def _scores(self, name: str, score: _Score) -> Scores:
        _work_out(self.store, [self], name, score)
        known = self.known(name)
        return {position: known[position, text] for position, (_, text) in self.texts.items()}


_Score = Callable[[RunScores, Sequence[int]], Iterable[float]]


def work_out(store: Store, several: Sequence[RunScores]) -> None:
    """Have ROUGE-L of many runs ready: read where it is kept, else computed and kept in one go."""
    _work_out(store, several, _ROUGE, RunScores._overlap)


def _work_out(store: Store, several: Sequence[RunScores], name: str, score: _Score) -> None:
    several = [each for each in several if each.unknown(name)]
    if not several:
        return
    kept = derived.read(store, name, [each.subject for each in several])
    new: dict[str, list[float]] = {}
    for each in several:
        known = each.known(name)
        keys = [(position, text) for position, (_, text) in each.texts.items()]
        if (values := kept.get(each.subject)) is not None:
            known.update(zip(keys, values, strict=True))
            continue
        missing = each.unknown(name)
        for position, value in zip(missing, score(each, missing), strict=True):
            known[position, each.texts[position][1]] = float(value)
        if each.complete:
            new[each.subject] = [known[key] for key in keys]
    derived.keep(store, name, new)


# Enough for all runs of a store: whoever holds it reads all of them, and must not score again.
@lru_cache(maxsize=4096)
def _known(store: Store, run_id: str, name: str) -> dict[tuple[int, str], float]:
    """The scores of a run so far: empty at first, ``_work_out`` adds to it."""
    return {}
