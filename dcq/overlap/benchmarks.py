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
from dcq.overlap.harness.graded import HarnessAnswer


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


def parse_named_file(path: Path) -> tuple[str | None, Path]:
    """``NAME=FILE`` as a benchmark and its file; None and the file if no name is given. A file with
    an equals sign in its own name is taken as it is. Raises ``InputError`` where either is
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
    files_by_benchmark: dict[str | None, list[Path]] = defaultdict(list)
    spelled: dict[str, str] = {}
    for path in paths:
        name, file = parse_named_file(path)
        files_by_benchmark[
            None if name is None else spelled.setdefault(name.casefold(), name)
        ].append(file)
    if None in files_by_benchmark and len(files_by_benchmark) > 1:
        raise InputError(
            f"{files_by_benchmark[None][0]} names no benchmark, and other labels do; write "
            "NAME=FILE for each."
        )
    return dict(files_by_benchmark)


def split_answers(
    answers: Sequence[HarnessAnswer], benchmarks: Iterable[str]
) -> tuple[dict[str, list[HarnessAnswer]], int]:
    """The answers of each benchmark, by its name in any case, and how many are of other benchmarks.
    Raises ``InputError`` for answers that name none, and for a benchmark without answers."""
    answers_by_benchmark: dict[str, list[HarnessAnswer]] = {name: [] for name in benchmarks}
    spellings = {name.casefold(): name for name in answers_by_benchmark}
    others = 0
    for answer in answers:
        if answer.benchmark is None:
            raise InputError(
                f"The results of {answer.model} name no benchmark, and the labels do; write "
                "NAME=FILE for each file of results too."
            )
        name = spellings.get(answer.benchmark.casefold())
        if name is None:
            others += 1
        else:
            answers_by_benchmark[name].append(replace(answer, benchmark=None))
    for name, benchmark_answers in answers_by_benchmark.items():
        if not benchmark_answers:
            available = ", ".join(sorted({str(result.benchmark) for result in answers})) or "none"
            raise InputError(
                f"No results are of {name:.80}; the results have {available:.200}: use the same "
                "name, or write NAME=FILE."
            )
    return answers_by_benchmark, others


def means(effects: Mapping[str, Sequence[Effect]]) -> list[MeanEffect]:
    """The mean over benchmarks of each model that has answers for all of them, in the order of the
    first."""
    models: dict[str, list[Effect]] = defaultdict(list)
    for benchmark_effects in effects.values():
        for effect in benchmark_effects:
            models[effect.model].append(effect)
    names = tuple(effects)
    return [
        _mean(model, names, own_effects)
        for model, own_effects in models.items()
        if len(own_effects) == len(names)
    ]


def _mean(model: str, benchmarks: tuple[str, ...], effects: Sequence[Effect]) -> MeanEffect:
    """The limits are those of independent differences, recovered from their own (Zou and Donner
    2008), as Newcombe's are from those of the shares."""
    gaps = [effect.difference for effect in effects]
    values = [gap.difference for gap in gaps if gap.difference is not None]
    below = [g.difference - g.low for g in gaps if g.difference is not None and g.low is not None]
    above = [g.high - g.difference for g in gaps if g.difference is not None and g.high is not None]
    count = len(effects)
    value = math.fsum(values) / count if len(values) == count else None
    limited = value is not None and len(below) == len(above) == count
    return MeanEffect(
        model,
        benchmarks,
        {
            name: _category([effect.categories[name] for effect in effects])
            for name in effects[0].categories
        },
        value,
        value - math.hypot(*below) / count if limited and value is not None else None,
        value + math.hypot(*above) / count if limited and value is not None else None,
    )


def _category(parts: Sequence[Accuracy]) -> MeanCategory:
    accuracies = [part.accuracy for part in parts if part.accuracy is not None]
    complete = len(accuracies) == len(parts)
    return MeanCategory(
        sum(part.n for part in parts), math.fsum(accuracies) / len(accuracies) if complete else None
    )
