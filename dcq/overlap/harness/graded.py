"""Which of a log's metrics tells right from wrong, and what it says of each instance.

A log may have several metrics or scorers, in any order, and instances without any grade. The metric
is chosen over the whole file, because a single F1 of 1 looks like a right answer.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dcq.errors import InputError
from dcq.incoming.numbers import read_number
from dcq.words import counted, listed

# Metrics of harnesses that are right or wrong for a single answer, those to prefer first.
_KNOWN = (
    *("acc", "accuracy", "exact_match", "em", "exact", "correct", "is_correct", "match"),
    *("choice", "pass@1", "pass_at_1", "right", "success", "score", "acc_norm"),
)
# And those that give a part of the points, even where a small file has only whole ones.
_PARTIAL = ("f1", "bleu", "rouge", "chrf", "ter", "perplexity", "likelihood", "brier", "loss")
TRUTH = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
_WORDS = TRUTH | {"c": 1.0, "i": 0.0, "p": 0.5, "n": 0.0}  # of inspect_ai's scorers
_MISSING = {"", "nan"}
UNSCORED = "without a grade"


@dataclass(frozen=True)
class HarnessAnswer:
    """One instance answered by one model: 1 right, 0 wrong, between them the mean of several
    answers. ``texts`` are those of the instance that the file has, its parts or its prompt;
    ``benchmark`` is None where the file does not name it."""

    model: str
    instance_id: str
    correct: float
    subject: str | None = None
    texts: tuple[str, ...] = ()
    benchmark: str | None = None


@dataclass(frozen=True)
class GradedRow:
    """One instance of a log, with all its grades as the log has them, by metric. ``problem`` says
    why there is none, for example that the sample ended in an error."""

    model: str
    instance_id: str
    grades: Mapping[str, Any]
    subject: str | None = None
    texts: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class HarnessFile:
    """The answers of a file. ``metric`` is the one that told right from wrong, empty where a form
    has no names for them; ``others`` could be chosen in its place. ``left_out`` counts instances by
    the reason."""

    answers: list[HarnessAnswer]
    metric: str = ""
    others: tuple[str, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)

    def remarks(self, name: str) -> list[str]:
        """What a person should know of how the file ``name`` was read, a sentence each."""
        said = []
        if self.others:
            said.append(
                f"{name}: {self.metric} says what is right; it also has {listed(self.others, 6)}, "
                "which --metric chooses."
            )
        said += [
            f"{name}: {counted(count, 'instance')} {reason} {_be(count)} left out."
            for reason, count in self.left_out.items()
        ]
        return said


def _be(count: int) -> str:
    return "is" if count == 1 else "are"


def reading_document(files: Iterable[HarnessFile]) -> dict[str, Any]:
    """How files were read, as JSON: ``metrics`` that said what is right, and how many instances
    were ``left_out`` by the reason."""
    left_out: Counter[str] = Counter()
    metrics: set[str] = set()
    for file in files:
        left_out.update(file.left_out)
        metrics |= {file.metric} - {""}
    return {"metrics": sorted(metrics), "left_out": dict(left_out)}


def grade(value: Any) -> float | None:
    """A grade from 0 to 1; the mean of several; None for a missing one, NaN for what is none."""
    if isinstance(value, list):
        parts = [grade(part) for part in value]
        known = [part for part in parts if part is not None]
        return math.fsum(known) / len(known) if known else None
    if value is None:
        return None
    if isinstance(value, str):
        plain = value.strip().lower()
        if plain in _MISSING:
            return None
        number = _WORDS.get(plain, read_number(plain))
    else:
        number = _number(value)
    if number is None:
        return math.nan
    if math.isnan(number):
        return None
    return number if 0 <= number <= 1 else math.nan


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def read_grades(rows: Sequence[GradedRow], name: str, wanted: str = "") -> HarnessFile:
    """What the metric ``wanted``, or else the one that tells right from wrong, says of each row of
    the file ``name``. Raises ``InputError`` where there is no such metric."""
    columns: dict[str, list[float | None]] = defaultdict(list)
    for row in rows:
        for metric, value in row.grades.items():
            columns[metric].append(grade(value))
    chosen, others = _choose(columns, name, wanted)
    answers: list[HarnessAnswer] = []
    left_out: Counter[str] = Counter()
    for row in rows:
        correct = grade(row.grades.get(chosen))
        if row.problem or correct is None:
            left_out[row.problem or UNSCORED] += 1
        else:
            answers.append(
                HarnessAnswer(row.model, row.instance_id, correct, row.subject, row.texts)
            )
    return HarnessFile(averaged(answers), chosen, others, dict(left_out))


def _choose(
    columns: Mapping[str, Sequence[float | None]], name: str, wanted: str
) -> tuple[str, tuple[str, ...]]:
    """The metric, and which could be chosen in its place."""
    known = {m: [v for v in values if v is not None] for m, values in columns.items()}
    shares = [m for m, values in known.items() if values and not any(map(math.isnan, values))]
    if wanted:
        if wanted not in columns:
            raise InputError(
                f"{name} has no metric {wanted!r}; choose from {listed(list(columns), 8)}."
            )
        if wanted not in shares:
            raise InputError(
                f"{name} has values of {wanted} that are not from 0 to 1; choose another --metric."
            )
        return wanted, tuple(metric for metric in shares if metric != wanted)
    if not any(known.values()):
        return next(iter(columns), ""), ()  # nothing was graded
    whole = [m for m in shares if set(known[m]) <= {0.0, 0.5, 1.0} and not _is_partial(m)]
    # Where instances were asked repeatedly, a known metric has their mean.
    candidates = whole or [m for m in shares if _rank(m) < len(_KNOWN)]
    if not candidates and len(columns) == 1:
        candidates = shares
    if not candidates:
        raise InputError(
            f"{name} has no metric that tells right from wrong ({listed(list(columns), 8)}); "
            "choose one from 0 to 1 with --metric, or give a csv of model, instance_id, correct."
        )
    best = min(candidates, key=_rank)
    return best, tuple(metric for metric in shares if metric != best)


def _plain(metric: str) -> str:
    """The metric's own name, without the scorer before it or the filter behind it."""
    return metric.rpartition("/")[2].partition(",")[0].lower()


def _rank(metric: str) -> int:
    plain = _plain(metric)
    return _KNOWN.index(plain) if plain in _KNOWN else len(_KNOWN)


def _is_partial(metric: str) -> bool:
    return any(word in _plain(metric) for word in _PARTIAL)


def averaged(answers: Iterable[HarnessAnswer]) -> list[HarnessAnswer]:
    """Answers averaged by model, benchmark, instance and text."""
    grouped: dict[tuple[object, ...], list[HarnessAnswer]] = defaultdict(list)
    for answer in answers:
        instance = (answer.benchmark, answer.instance_id, answer.texts)
        grouped[answer.model, *instance].append(answer)
    return [
        replace(
            some[0],
            correct=math.fsum(harness_answer.correct for harness_answer in some) / len(some),
        )
        for some in grouped.values()
    ]
