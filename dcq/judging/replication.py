"""The replications of a study with their verdicts: by default all in the store."""

from __future__ import annotations

from dcq.errors import InputError
from dcq.evidence.controls import Calibration
from dcq.evidence.record import GAIN, MATCHES
from dcq.evidence.replication.replicated import FalseAlarms, false_alarms
from dcq.judging.judged import JudgedResult
from dcq.judging.study import judged
from dcq.replication.evidence import replication_row
from dcq.store import Store
from dcq.store.studies import EVERYTHING, REPLICATION, Study


def results(
    store: Store, within: Study = EVERYTHING, *, every_run: bool = False
) -> list[JudgedResult]:
    """The most complete run of each model, partition, wording and judge of a study, or every run,
    with their verdicts; by partition and model."""
    if not within.uses(REPLICATION):
        return []
    judged_study = judged(store, within)
    replicated = [
        result
        for run, result in judged_study.results.items()
        if result.evidence.method == REPLICATION
        and (every_run or run in judged_study.snapshot.counting)
    ]
    return sorted(replicated, key=lambda result: (result.evidence.partition, result.evidence.model))


def of_run(store: Store, run_id: str) -> JudgedResult:
    """The result of one run. Raises InputError where it has none."""
    replicated = next(
        (result for result in results(store, every_run=True) if result.evidence.run == run_id), None
    )
    if replicated is None:
        raise InputError(f"Run {run_id!r} replicates nothing yet; name a run of `replicate`.")
    return replicated


def rate(result: JudgedResult) -> Calibration | None:
    """The rate of matches against the controls; None without any."""
    return dict(result.calibrations).get(MATCHES)


def gain(result: JudgedResult) -> Calibration | None:
    """Guided minus general against the controls; None without any."""
    return dict(result.calibrations).get(GAIN)


def alarms_on_controls(result: JudgedResult) -> tuple[FalseAlarms, FalseAlarms]:
    """What the paper's Algorithms 1 and 2 say of the controls of a replication."""
    measured = [replication_row(control).measured for control in result.controls]
    return (
        false_alarms([control.guidance.contaminated for control in measured]),
        false_alarms([control.matches.contaminated for control in measured]),
    )
