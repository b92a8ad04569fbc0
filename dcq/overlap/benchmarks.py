"""Several benchmarks in one report: the files of each, and the mean over them.

The contamination report's Table 2 averages accuracy and differences over benchmarks, each of which
counts alike, however many instances it has.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dcq.errors import InputError
from dcq.evidence.subsets import Accuracy
from dcq.overlap.effect import Effect
from dcq.overlap.results import HarnessAnswer


@dataclass(frozen=True)
class MeanCategory:
    """``n`` instances of all benchmarks together, and the mean of their accuracies; None where a
    benchmark has no such instance."""

    n: int
    accuracy: float | None


@dataclass(frozen=True)
class MeanEffect:
    """One model over ``benchmarks``, each of which counts alike: accuracy by category, and the mean
    ``difference`` with its limits, None where a benchmark has none."""

    model: str
    benchmarks: tuple[str, ...]
    categories: Mapping[str, MeanCategory]
    difference: float | None
    low: float | None
    high: float | None


def named(path: Path) -> tuple[str | None, Path]:
    """``NAME=FILE`` as a benchmark and its file; None and the file if no name is given. A file with
    an equals sign in its own name is taken as it is. Raises ``InputError`` where the name is
    empty."""
    name, sign, file = str(path).partition("=")
    if not sign or path.exists():
        return None, path
    if not name.strip() or not file.strip():
        raise InputError(f"{path} names no benchmark and file; write NAME=FILE.")
    return name.strip(), Path(file.strip()).expanduser()


def by_benchmark(paths: Iterable[Path]) -> dict[str | None, list[Path]]:
    """The files of each benchmark; under None if no file names one. Raises ``InputError`` where
    some files name one and some do not."""
    found: dict[str | None, list[Path]] = defaultdict(list)
    spelled: dict[str, str] = {}
    for path in paths:
        name, file = named(path)
        found[None if name is None else spelled.setdefault(name.casefold(), name)].append(file)
    if None in found and len(found) > 1:
        raise InputError(
            f"{found[None][0]} names no benchmark, and other labels do; write NAME=FILE for each."
        )
    return dict(found)


def split_answers(
    answers: Sequence[HarnessAnswer], benchmarks: Iterable[str]
) -> tuple[dict[str, list[HarnessAnswer]], int]:
    """The answers of each benchmark, by its name in any case, and how many are of other benchmarks.
    Raises ``InputError`` for answers that name none, and for a benchmark without answers."""
    found: dict[str, list[HarnessAnswer]] = {name: [] for name in benchmarks}
    known = {name.casefold(): name for name in found}
    others = 0
    for answer in answers:
        if answer.benchmark is None:
            raise InputError(
                f"The results of {answer.model} name no benchmark, and the labels do; write "
                "NAME=FILE for each file of results too."
            )
        name = known.get(answer.benchmark.casefold())
        if name is None:
            others += 1
        else:
            found[name].append(replace(answer, benchmark=None))
    for name, some in found.items():
        if not some:
            there = ", ".join(sorted({str(one.benchmark) for one in answers})) or "none"
            raise InputError(
                f"No results are of {name:.80}; the results have {there:.200}: use the same name, "
                "or write NAME=FILE."
            )
    return found, others


def means(effects: Mapping[str, Sequence[Effect]]) -> list[MeanEffect]:
    """The mean over benchmarks of each model that has answers for all of them, in the order of the
    first."""
    models: dict[str, list[Effect]] = defaultdict(list)
    for some in effects.values():
        for effect in some:
            models[effect.model].append(effect)
    names = tuple(effects)
    return [
        _mean(model, names, own_effects)
        for model, own_effects in models.items()
        if len(own_effects) == len(names)
    ]


def _mean(model: str, benchmarks: tuple[str, ...], own: Sequence[Effect]) -> MeanEffect:
    """The limits are those of independent differences, recovered from their own (Zou and Donner
    2008), as Newcombe's are from those of the shares."""
    gaps = [effect.difference for effect in own]
    values = [gap.difference for gap in gaps if gap.difference is not None]
    below = [g.difference - g.low for g in gaps if g.difference is not None and g.low is not None]
    above = [g.high - g.difference for g in gaps if g.difference is not None and g.high is not None]
    count = len(own)
    value = math.fsum(values) / count if len(values) == count else None
    limited = value is not None and len(below) == len(above) == count
    return MeanEffect(
        model,
        benchmarks,
        {name: _category([one.categories[name] for one in own]) for name in own[0].categories},
        value,
        value - math.hypot(*below) / count if limited and value is not None else None,
        value + math.hypot(*above) / count if limited and value is not None else None,
    )


def _category(parts: Sequence[Accuracy]) -> MeanCategory:
    known = [part.accuracy for part in parts if part.accuracy is not None]
    whole = len(known) == len(parts)
    return MeanCategory(
        sum(part.n for part in parts), math.fsum(known) / len(known) if whole else None
    )
