"""Several models' answers to the same questions, instance by instance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import pandas as pd

from dcq.quiz.results import OPTIONS, Result
from dcq.records import LETTERS
from dcq.store import Store, quizzes, results, samples

NONE = "–"  # in place of a letter


class InstanceFilter(StrEnum):
    """Which instances a list shows."""

    ALL = "all"
    DIFFER = "they differ"
    FOUND = "all find it"
    MISSED = "none finds it"


@dataclass(frozen=True)
class Choices:
    """A model's answers about an instance: one, or one for each slot of a rotated quiz. ``letters``
    has ``–`` for a question without an answer; ``found`` counts the originals among the
    ``answers``; ``positions`` are those of the questions in the run."""

    letters: str
    found: int
    answers: int
    positions: tuple[int, ...]

    @property
    def share(self) -> float | None:
        """How often the original was chosen; None without an answer."""
        return self.found / self.answers if self.answers else None


@dataclass(frozen=True)
class InstanceChoices:
    """An instance, its ``number`` in the sample (from 1), and each run's choices about it."""

    number: int
    instance_id: str
    text: str
    choices: Mapping[str, Choices]

    def is_shown(self, shown: InstanceFilter) -> bool:
        """Whether a list shows it. Without two answers nothing differs or is agreed on."""
        shares = [one.share for one in self.choices.values() if one.share is not None]
        if shown is InstanceFilter.ALL:
            return True
        if len(shares) < 2:
            return False
        if shown is InstanceFilter.DIFFER:
            return len(set(shares)) > 1
        return set(shares) == {1.0 if shown is InstanceFilter.FOUND else 0.0}


@dataclass(frozen=True)
class Option:
    """One wording of an instance. ``chosen`` counts the answers that chose it, by run."""

    text: str
    is_original: bool
    chosen: Mapping[str, int]


def alike(results: Sequence[Result], result: Result) -> list[Result]:
    """The results of all models that can stand beside one: on its sample, with its kind of quiz and
    wording; the first of each model, and the result itself."""
    first: dict[str, Result] = {result.model: result}
    for one in results:
        if (one.sample, one.kind, one.prompt) == (result.sample, result.kind, result.prompt):
            first.setdefault(one.model, one)
    return sorted(first.values(), key=lambda one: one.model)


def lines(store: Store, compared: Sequence[Result]) -> list[InstanceChoices]:
    """The instances that a run of ``compared`` (of one sample) asked about, in the sample's
    order."""
    by_instance = _by_instance(results.item_answers(store, [result.run for result in compared]))
    sample = samples.load(store, compared[0].sample)
    return [
        InstanceChoices(number, instance.id, instance.text, by_instance[instance.id])
        for number, instance in enumerate(sample.instances, start=1)
        if instance.id in by_instance
    ]


def options(store: Store, compared: Sequence[Result], line: InstanceChoices) -> list[Option]:
    """The wordings of an instance, the original first, with who chose them. In a quiz without
    originals no wording is one."""
    chosen: dict[str, dict[str, int]] = {}
    originals: set[str] = set()
    for result in compared:
        own_choices = line.choices.get(result.run)
        for position, letter in (
            zip(own_choices.positions, own_choices.letters, strict=True) if own_choices else ()
        ):
            item = quizzes.question(store, result.quiz, position).item
            texts = dict(zip(LETTERS, item.options[:OPTIONS], strict=False))
            for text in texts.values():
                chosen.setdefault(text, {})
            if item.correct is not None:
                originals.add(item.options[item.correct])
            if letter in texts:  # not "none of these"
                counts = chosen[texts[letter]]
                counts[result.run] = counts.get(result.run, 0) + 1
    found = [Option(text, text in originals, counts) for text, counts in chosen.items()]
    return sorted(found, key=lambda option: not option.is_original)


def _by_instance(rows: pd.DataFrame) -> dict[str, dict[str, Choices]]:
    """The choices by instance and run, from the rows of ``dcq.store.results.item_answers``."""
    answers: dict[tuple[str, str], list[tuple[int, str, bool, bool]]] = {}
    asked: Counter[str] = Counter()  # so far, of each run
    columns = (rows[name] for name in ("run", "instance", "slot", "letter", "answered"))
    for run, instance, slot, letter, answered in zip(*columns, strict=True):
        chose = letter if isinstance(letter, str) else ""
        found = bool(chose) and pd.notna(slot) and chose == LETTERS[int(slot)]
        one = (asked[run], chose or NONE, found, bool(answered))
        answers.setdefault((instance, run), []).append(one)
        asked[run] += 1
    made: dict[str, dict[str, Choices]] = {}
    for (instance, run), own in answers.items():
        positions, letters, found_at, answered_at = zip(*own, strict=True)
        made.setdefault(instance, {})[run] = Choices(
            "".join(letters), sum(found_at), sum(answered_at), positions
        )
    return made
