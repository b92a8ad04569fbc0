"""All models on all partitions of a study: one cell for each pair, with the result of each
method."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from dcq.evidence.record import Evidence
from dcq.judging import every_method
from dcq.judging.answer import Answer
from dcq.judging.answers import answers
from dcq.judging.judged import JudgedResult, Ruling
from dcq.judging.study import rank_verdict, strongest
from dcq.quiz.results import quiz_row
from dcq.records import PartitionRole
from dcq.store import Store
from dcq.store.studies import EVERYTHING, Study

_ROLES = [PartitionRole.TARGET, PartitionRole.POSITIVE, PartitionRole.CONTROL]


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
    def kappa(self) -> float | None:
        """κ above the controls; None without any."""
        calibration = self.finding.deciding if self.finding else None
        return calibration.kappa_control if calibration else None

    @property
    def share(self) -> float | None:
        """The share of originals that was found; None where there is no answer."""
        return quiz_row(self.finding.evidence).score if self.finding else None

    @property
    def height(self) -> float | None:
        """κ above the controls, or above guessing. It only orders cells and is never shown."""
        if self.kappa is None and self.finding is not None:
            return quiz_row(self.finding.evidence).kappa.kappa_fixed
        return self.kappa


@dataclass(frozen=True)
class MatrixRow:
    """A partition: its cells by model, and its newest search or scan."""

    partition: str
    place: str
    role: PartitionRole
    cells: Mapping[str, Cell]
    overlap: Evidence | None = None


@dataclass(frozen=True)
class Matrix:
    """``rows`` and ``models`` with what matters most first: tested partitions before controls,
    those called contaminated before the rest, and then by the highest κ."""

    models: tuple[str, ...]
    rows: tuple[MatrixRow, ...]


def matrix(store: Store, findings: Sequence[JudgedResult], within: Study = EVERYTHING) -> Matrix:
    """The matrix of a study; ``findings`` are the quiz results that it shows."""
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
    answered = {entry.pair: entry for entry in answers(store, within)}
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
    targets = [row for row in rows if row.role is not PartitionRole.CONTROL]
    return Matrix(
        tuple(
            sorted(
                models,
                key=lambda model: (
                    _rank([row.cells[model] for row in targets if model in row.cells]),
                    model,
                ),
            )
        ),
        tuple(
            sorted(
                rows,
                key=lambda row: (
                    _ROLES.index(row.role),
                    _rank(list(row.cells.values())),
                    row.partition,
                ),
            )
        ),
    )


def _rank(cells: Sequence[Cell]) -> tuple[int, float]:
    called = sum(cell.ruling is Ruling.CONTAMINATED for cell in cells)
    highest = max((height for cell in cells if (height := cell.height) is not None), default=-2.0)
    return -called, -highest
