"""All models on all partitions of a study: one cell for each pair, with its conclusion and the
result of each method; and how the rows and columns are chosen, sorted and grouped."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from dcq.evidence.record import Evidence
from dcq.judging import every_method
from dcq.judging.answer import Answer
from dcq.judging.judged import JudgedResult, Ruling
from dcq.judging.study import rank_verdict, strongest
from dcq.quiz.results import quiz_row
from dcq.records import PartitionRole
from dcq.store import Store
from dcq.store.studies import EVERYTHING, Study
from dcq.words import model_title

_ROLES = [PartitionRole.TARGET, PartitionRole.POSITIVE, PartitionRole.CONTROL]
_WORST = (Ruling.CONTAMINATED, Ruling.INCONCLUSIVE, Ruling.NO_EVIDENCE)
_NEVER = datetime.min


@dataclass(frozen=True)
class Cell:
    """The results of a model on a partition: the ``answer`` and the strongest quiz result, each
    None where there is none, and the strongest result of each of the ``others`` methods, by
    name."""

    finding: JudgedResult | None = None
    others: Mapping[str, JudgedResult] = field(default_factory=dict)
    answer: Answer | None = None

    @property
    def ruling(self) -> Ruling | None:
        """The ruling of the answer; None on a control."""
        return self.answer.ruling if self.answer else None

    @property
    def above(self) -> float | None:
        """The share found less that which is expected on unseen text, from -1 to 1; None where
        nothing could be compared."""
        leading = self.answer.leading if self.answer else None
        return leading.above if leading else None

    @property
    def share(self) -> float | None:
        """The share of originals that was found; None where there is no reply."""
        return quiz_row(self.finding.evidence).score if self.finding else None

    @property
    def newest(self) -> datetime:
        """When it was last asked."""
        results = [*([self.finding] if self.finding else []), *self.others.values()]
        return max((result.evidence.at for result in results), default=_NEVER)

    @property
    def rank(self) -> tuple[int, float]:
        """Where a cell stands in a list, worst first: contaminated ones, undecided ones, those
        without evidence, controls; of these what is highest above unseen text."""
        height = self.above if self.above is not None else self.share
        place = len(_WORST) if self.ruling is None else _WORST.index(self.ruling)
        return place, -(-2.0 if height is None else height)


@dataclass(frozen=True)
class MatrixRow:
    """A partition: its cells by model, and its newest search or scan."""

    partition: str
    place: str
    role: PartitionRole
    cells: Mapping[str, Cell]
    overlap: Evidence | None = None


class MatrixOrder(StrEnum):
    """By what rows and columns are sorted: what has the most contaminated pairs and the highest
    figure, the name, or what was asked last."""

    FOUND = "most found"
    NAME = "name"
    NEWEST = "newest"


@dataclass(frozen=True)
class Matrix:
    """``models`` and ``rows`` in the order in which they are shown."""

    models: tuple[str, ...]
    rows: tuple[MatrixRow, ...]

    @property
    def cells(self) -> list[tuple[str, MatrixRow, Cell]]:
        """Each model, its row and its cell, as far as something was asked; the worst first."""
        listed = [
            (model, row, row.cells[model])
            for row in self.rows
            for model in self.models
            if model in row.cells
        ]
        return sorted(listed, key=lambda entry: entry[2].rank)

    def of(
        self, takes: Callable[[str, MatrixRow, Cell], bool], hidden: Collection[str] = ()
    ) -> Matrix:
        """The cells that ``takes`` takes, without models and partitions whose keys are ``hidden``,
        and without rows and columns that are empty then."""
        rows = [
            replace(
                row,
                cells={
                    model: cell
                    for model, cell in row.cells.items()
                    if model not in hidden and takes(model, row, cell)
                },
            )
            for row in self.rows
            if row.partition not in hidden
        ]
        kept = {model for row in rows for model in row.cells}
        return Matrix(
            tuple(model for model in self.models if model in kept),
            tuple(row for row in rows if row.cells),
        )

    def arranged(
        self,
        order: MatrixOrder,
        pinned: Sequence[str] = (),
        family: Callable[[str], str] | None = None,
    ) -> Matrix:
        """The same in an ``order``: what is ``pinned`` first, tested partitions before controls;
        with a ``family``, the models of one side by side, each family where its first model is."""
        targets = [row for row in self.rows if row.role is not PartitionRole.CONTROL]
        last = len(pinned)

        def pin(name: str) -> int:
            return pinned.index(name) if name in pinned else last

        models = sorted(
            self.models,
            key=lambda model: (
                pin(model),
                *_place([row.cells[model] for row in targets if model in row.cells], order),
                _natural(model_title(model)),
            ),
        )
        if family is not None:
            firsts: dict[str, int] = {}
            for place, model in enumerate(models):
                firsts.setdefault(family(model), place)
            models.sort(key=lambda model: (pin(model), firsts[family(model)]))
        rows = sorted(
            self.rows,
            key=lambda row: (
                pin(row.partition),
                _ROLES.index(row.role),
                *_place(list(row.cells.values()), order),
                _natural(row.place),
            ),
        )
        return Matrix(tuple(models), tuple(rows))


def family_of(model: str) -> str:
    """The family of a model by the beginning of its name: ``qwen`` of ``Qwen/Qwen2.5-7B``."""
    name = model_title(model).rpartition("/")[2]
    letters = re.match(r"[^\W\d_]+", name)
    return letters[0].lower() if letters else name


def matrix(
    store: Store,
    findings: Sequence[JudgedResult],
    answers: Sequence[Answer],
    within: Study = EVERYTHING,
) -> Matrix:
    """The matrix of a study, what is most found first; ``findings`` are the quiz results that it
    shows, ``answers`` its conclusions."""
    grouped_findings: dict[str, dict[str, list[JudgedResult]]] = defaultdict(
        lambda: defaultdict(list)
    )
    places: dict[str, tuple[str, PartitionRole]] = {}
    for finding in findings:
        result = quiz_row(finding.evidence)
        grouped_findings[result.partition][result.model].append(finding)
        places[result.partition] = (result.place, PartitionRole(result.role))
    others: dict[str, dict[str, dict[str, JudgedResult]]] = defaultdict(lambda: defaultdict(dict))
    for other_result in sorted(
        every_method.of_other_methods(store, within), key=lambda entry: rank_verdict(entry.verdict)
    ):
        by = other_result.evidence
        others[by.partition][by.model].setdefault(by.method, other_result)
        places.setdefault(by.partition, (by.place, PartitionRole(by.role)))
    answered = {entry.pair: entry for entry in answers}
    searched: dict[str, Evidence] = {}
    # A search for a control is shown beside it, whichever targets the study has.
    for run in every_method.searched(store, replace(within, partitions=None)):
        if run.partition in places:
            searched.setdefault(run.partition, run)
    rows = [
        MatrixRow(
            partition,
            place,
            role,
            {
                model: Cell(
                    strongest(grouped_findings[partition][model]),
                    others[partition][model],
                    answered.get((model, partition)),
                )
                for model in {*grouped_findings[partition], *others[partition]}
            },
            searched.get(partition),
        )
        for partition, (place, role) in places.items()
    ]
    models = {model for row in rows for model in row.cells}
    return Matrix(tuple(models), tuple(rows)).arranged(MatrixOrder.FOUND)


def _place(cells: Sequence[Cell], order: MatrixOrder) -> tuple[float, float]:
    if order is MatrixOrder.NAME:
        return 0.0, 0.0
    if order is MatrixOrder.NEWEST:
        newest = max((cell.newest for cell in cells), default=_NEVER)
        return 0.0, -(newest - _NEVER).total_seconds()
    called = sum(cell.ruling is Ruling.CONTAMINATED for cell in cells)
    heights = [height for cell in cells if (height := cell.above) is not None]
    heights = heights or [share - 2.0 for cell in cells if (share := cell.share) is not None]
    return -called, -max(heights, default=-3.0)


def _natural(name: str) -> tuple[tuple[bool, int, str], ...]:
    """A key that sorts ``gpt-10`` behind ``gpt-9``."""
    parts = re.findall(r"\d+|\D+", name.lower())
    return tuple((False, int(part), "") if part.isdecimal() else (True, 0, part) for part in parts)
