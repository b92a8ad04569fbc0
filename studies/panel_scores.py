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
    store: Store, instances: int, measures: Sequence[LikelihoodMeasure] = MEASURES
) -> list[PanelSet]:
    """All of ``CONTROLS``, so many instances of each."""
    drawn = [draw_sample(open_partition(key, "test"), 40) for key in CONTROLS]
    for one in drawn:
        samples.save(store, one)
    return [keep(store, one, instances, measures) for one in drawn]


def keep(
    store: Store,
    sample: Sample,
    instances: int,
    measures: Sequence[LikelihoodMeasure] = MEASURES,
) -> PanelSet:
    """A sample as a set, once the controls are drawn."""
    partition = sample.partition
    alone = partition.language != "en"  # ReCaLL has no other unseen partition to take texts from
    given = [one for one in measures if one is not RECALL or not alone]
    made = cut(store, samples.save(store, sample), given)
    if made.variants != WORDINGS - 1:
        raise ValueError(f"{partition.key} has {made.variants} variants an instance")
    task = LikelihoodTask(made.requests, given, partition.language)
    most = min(instances, task.size)
    return PanelSet(partition.key, partition.language, partition.task, task, most)


def score(weights: Path, wanted: Sequence[PanelSet], kept: Path) -> None:
    """Score what is not in the file ``kept`` yet: the first instance of each set, then the second
    and so on, so that whatever is done is balanced."""
    done = {(row["set"], row["place"], name) for row in _lines(kept) for name in row["measures"]}
    todo = [
        (one, place)
        for place in range(max(one.most for one in wanted))
        for one in wanted
        if place < one.most
        if not all((one.name, place, measure.name) in done for measure in one.task.measures)
    ]
    if not todo:
        return
    with closing(ChildScorer(NUMPY, weights)) as scorer, kept.open("a", encoding="utf-8") as file:
        for one, place in todo:
            found = asyncio.run(scorer.score(one.task.texts(place)))
            line = {
                "set": one.name,
                "place": place,
                "measures": [measure.name for measure in one.task.measures],
                "values": one.task.values(place, write_likelihoods(found)[0]),
            }
            file.write("\n" + json.dumps(line))
            file.flush()


def read(kept: Path) -> dict[str, dict[str, dict[int, float]]]:
    """What is kept, by set, value and place."""
    found: dict[str, dict[str, dict[int, float]]] = {}
    for row in _lines(kept):
        for name, value in row["values"].items():
            found.setdefault(row["set"], {}).setdefault(name, {})[row["place"]] = value
    return found


def _lines(kept: Path) -> list[dict[str, Any]]:
    """A line whose writing was broken off is left out."""
    found = []
    for line in kept.read_text("utf-8").splitlines() if kept.is_file() else ():
        with contextlib.suppress(ValueError):
            found.append(json.loads(line))
    return found


def rows_of(values: Values, size: int) -> dict[str, PanelRow]:
    """What each measure says of a set of ``size`` instances, by name."""
    return {
        one.name: panel.row(one, scores_of(values, one.name, WORDINGS, size)) for one in MEASURES
    }


def against(target: PanelRow, controls: Sequence[PanelRow]) -> float | None:
    """p of a measure's mean midrank beside those of unseen sets, by dcq's rule for controls; None
    where no instance has a value, or no set is left."""
    found = calibrate(target.ranks[:, None], [one.ranks[:, None] for one in controls], prior=None)
    return None if found is None else found.p_value
