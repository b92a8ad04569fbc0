"""The panel of likelihood measures under a GGUF file, without torch and without a store of runs.

What is scored, how, and what follows from it is ``dcq.likelihood``'s; here it is kept an instance a
line, so that days of scoring can be broken off, and read before they end.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dcq.evidence.controls import calibrate
from dcq.likelihood import panel
from dcq.likelihood.cut import cut
from dcq.likelihood.measures import MEASURES, RECALL, LikelihoodMeasure
from dcq.likelihood.method import LikelihoodTask
from dcq.likelihood.panel import PanelRow
from dcq.likelihood.reply import write_likelihoods
from dcq.likelihood.values import scores_of
from dcq.models.scorers.child import NUMPY
from dcq.models.scorers.child_scorer import ChildScorer
from dcq.partitions import draw_sample, open_partition
from dcq.records import DatasetTask, Sample
from dcq.store import Store, samples

WORDINGS = 4
# The bundled partitions that no model has seen. ReCaLL takes its prefix from the first that is of
# the same task, so those that the studies train on do not come first.
CONTROLS = tuple(
    f"control-{name}"
    for name in (
        *("notices", "requests", "reviews", "news"),
        *("nli", "nli-work", "nli-nature", "nli-home"),
        *("summaries", "minutes", "incidents", "stories"),
        *("arithmetic", "reading", "places", "spanish", "chinese"),
    )
)
Values = Mapping[str, Mapping[int, float]]  # as ``dcq.store.frozen.values_of`` reads them


@dataclass(frozen=True)
class PanelSet:
    """What is scored as one partition: the first ``most`` instances of a sample."""

    name: str
    language: str
    kind: DatasetTask
    task: LikelihoodTask
    most: int

    @property
    def alike(self) -> tuple[DatasetTask, str]:
        """What a control shares with the partitions that it is a control for."""
        return self.kind, self.language


def draw_controls(
    store: Store,
    instances: int,
    measures: Sequence[LikelihoodMeasure] = MEASURES,
    keys: Sequence[str] = CONTROLS,
) -> list[PanelSet]:
    """All of ``keys``, so many instances of each."""
    drawn = [draw_sample(open_partition(key, "test"), 40) for key in keys]
    for sample in drawn:
        samples.save(store, sample)
    return [keep(store, sample, instances, measures) for sample in drawn]


def keep(
    store: Store,
    sample: Sample,
    instances: int,
    measures: Sequence[LikelihoodMeasure] = MEASURES,
) -> PanelSet:
    """A sample as a set, once the controls are drawn."""
    partition = sample.partition
    alone = partition.language != "en"  # ReCaLL has no other unseen partition to take texts from
    usable_measures = [measure for measure in measures if measure is not RECALL or not alone]
    likelihood_cut = cut(store, samples.save(store, sample), usable_measures)
    if likelihood_cut.variants != WORDINGS - 1:
        raise ValueError(f"{partition.key} has {likelihood_cut.variants} variants an instance")
    task = LikelihoodTask(likelihood_cut.requests, usable_measures, partition.language)
    most = min(instances, task.size)
    return PanelSet(partition.key, partition.language, partition.task, task, most)


def score(weights: Path, sets: Sequence[PanelSet], path: Path) -> None:
    """Score what is not in the file at ``path`` yet: the first instance of each set, then the
    second and so on, so that whatever is done is balanced."""
    done = {(row["set"], row["place"], name) for row in _lines(path) for name in row["measures"]}
    todo = [
        (panel_set, place)
        for place in range(max(panel_set.most for panel_set in sets))
        for panel_set in sets
        if place < panel_set.most
        if not all(
            (panel_set.name, place, measure.name) in done for measure in panel_set.task.measures
        )
    ]
    if not todo:
        return
    with closing(ChildScorer(NUMPY, weights)) as scorer, path.open("a", encoding="utf-8") as file:
        for panel_set, place in todo:
            likelihoods = asyncio.run(scorer.score(panel_set.task.texts(place)))
            line = {
                "set": panel_set.name,
                "place": place,
                "measures": [measure.name for measure in panel_set.task.measures],
                "values": panel_set.task.values(place, write_likelihoods(likelihoods)[0]),
            }
            file.write("\n" + json.dumps(line))
            file.flush()


def read(path: Path) -> dict[str, dict[str, dict[int, float]]]:
    """What is kept, by set, value and place."""
    values: dict[str, dict[str, dict[int, float]]] = {}
    for row in _lines(path):
        for name, value in row["values"].items():
            values.setdefault(row["set"], {}).setdefault(name, {})[row["place"]] = value
    return values


def _lines(path: Path) -> list[dict[str, Any]]:
    """A line whose writing was broken off is left out."""
    rows = []
    for line in path.read_text("utf-8").splitlines() if path.is_file() else ():
        with contextlib.suppress(ValueError):
            rows.append(json.loads(line))
    return rows


def rows_of(values: Values, size: int) -> dict[str, PanelRow]:
    """What each measure says of a set of ``size`` instances, by name."""
    return {
        measure.name: panel.row(measure, scores_of(values, measure.name, WORDINGS, size))
        for measure in MEASURES
    }


def against(target: PanelRow, controls: Sequence[PanelRow]) -> float | None:
    """p of a measure's mean midrank beside those of unseen sets, by dcq's rule for controls; None
    where no instance has a value, or no set is left."""
    calibration = calibrate(
        target.ranks[:, None], [control.ranks[:, None] for control in controls], prior=None
    )
    return None if calibration is None else calibration.p_value
