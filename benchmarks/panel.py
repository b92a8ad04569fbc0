"""False alarms of each likelihood measure: every bundled control judged against the others.

    python -m benchmarks.panel --work FOLDER

The embedded model has seen none of them. A control is judged against those of the same task and
language, as dcq does, and against all others; called is p ≤ .05. What is scored is kept in FOLDER,
so a run that was broken off goes on. An instance with all measures takes some 4 s of a core.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks import read_options
from dcq.evidence.power import ALPHA
from dcq.likelihood.measures import MEASURES, choose
from dcq.likelihood.panel import PanelRow
from dcq.models.embedded import find_weights
from dcq.store import Store
from studies import panel_scores
from studies.panel_scores import PanelSet, against

Rows = Mapping[str, Mapping[str, PanelRow]]  # set → measure


def main() -> None:
    """Score what is missing, judge, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--work", type=Path, help="where scores are kept; lost if left out")
    parser.add_argument("--instances", type=int, default=30, help="of each control")
    parser.add_argument(
        "--alone", action="store_true", help="only measures that need no context: a third of it"
    )
    parser.add_argument("--partitions", type=int, help="the first so many; all if left out")
    arguments = read_options(parser, instances=1, partitions=2, alone=True)
    measures = choose(None) if arguments.alone else MEASURES
    with tempfile.TemporaryDirectory() as lost:
        work = arguments.work or Path(lost)
        work.mkdir(parents=True, exist_ok=True)
        store = Store(work / "dcq.duckdb")
        # A measure with a context takes it from any of them.
        keys = panel_scores.CONTROLS[: arguments.partitions if arguments.alone else None]
        sets = panel_scores.draw_controls(store, arguments.instances, measures, keys)
        sets = sets[: arguments.partitions]
        scores_path = work / "scores-embedded.jsonl"
        panel_scores.score(find_weights(), sets, scores_path)
        values = panel_scores.read(scores_path)
    rows = {
        panel_set.name: panel_scores.rows_of(values[panel_set.name], panel_set.most)
        for panel_set in sets
    }
    print("\n".join(tabulate(sets, rows)))


def tabulate(sets: Sequence[PanelSet], rows: Rows) -> list[str]:
    """A Markdown table, a line a measure."""
    instances = [rows[panel_set.name][MEASURES[0].name].n for panel_set in sets]
    lines = [
        f"{len(sets)} partitions, {min(instances)} to {max(instances)} instances each",
        "| measure | mean midrank | spread of partitions | same kind: called, smallest p "
        "| all others: called, smallest p |",
        "|---|---|---|---|---|",
    ]
    for measure in MEASURES:
        rows_by_set = {panel_set.name: rows[panel_set.name][measure.name] for panel_set in sets}
        means = [row.rank for row in rows_by_set.values() if row.rank is not None]
        if not means:  # it was not wanted
            continue
        alike_p_values = _judge(sets, rows_by_set, same_kind=True)
        p_values = _judge(sets, rows_by_set, same_kind=False)
        lines.append(
            f"| {measure.title} | {np.mean(means):.2f} | {np.std(means):.2f} "
            f"| {_called(alike_p_values)} | {_called(p_values)} |"
        )
    return lines


def _judge(
    sets: Sequence[PanelSet], rows_by_set: Mapping[str, PanelRow], *, same_kind: bool
) -> list[float]:
    """p of each set that has another to be compared with."""
    p_values = []
    for panel_set in sets:
        others = [
            rows_by_set[other.name]
            for other in sets
            if other is not panel_set and (other.alike == panel_set.alike or not same_kind)
        ]
        p = against(rows_by_set[panel_set.name], others) if others else None
        if p is not None:
            p_values.append(p)
    return p_values


def _called(p_values: Sequence[float]) -> str:
    called = sum(p <= ALPHA for p in p_values)
    return f"{called} of {len(p_values)}, p = {min(p_values):.2g}" if p_values else "–"


if __name__ == "__main__":
    main()
