"""Every measure of the likelihood panel on models contaminated on purpose, read without torch.

    python -m studies.panel --work FOLDER        # trains, scores, writes the figures
    python -m studies.panel                      # draws and prints them again

The embedded model is trained further on one half of a control partition, as in
studies.contaminate, and its weights are kept as GGUF files after 1, 3 and 10 exposures. Then both
halves and the controls of the same kind are scored by numpy alone. There are two partitions, and
for one of them two seeds, which draw the halves and the order of training. FOLDER takes 5 GB and is
that of benchmarks.panel, too; started again, it goes on where it was. Only the training needs
requirements-likelihood.txt.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dcq import charts
from dcq.evidence.auroc import auroc
from dcq.likelihood.measures import MEASURES, LikelihoodMeasure, choose
from dcq.likelihood.panel import PanelRow
from dcq.likelihood.values import scores_of
from dcq.models.embedded import MODEL
from dcq.partitions import draw_sample, open_partition
from dcq.records import PartitionRole, Sample
from dcq.store import Store
from studies import panel_scores
from studies.exposure import halve, training_text
from studies.local_model import expose, weights_by_dose
from studies.panel_figure import describe, draw, tabulate
from studies.panel_scores import WORDINGS, PanelSet, Values, against, rows_of

DOSES = (0, 1, 3, 10)
DRAWN = 40  # instances of a partition; half of them are trained on
FIGURES = Path(__file__).with_suffix(".json")
PICTURES = Path(__file__).with_suffix("")


@dataclass(frozen=True)
class Training:
    """A partition of which one half, drawn by ``seed``, is trained on."""

    key: str
    seed: int

    @property
    def name(self) -> str:
        """Of its folder."""
        return f"{self.key}-{self.seed}"

    def halves(self) -> tuple[Sample, Sample]:
        """What is trained on and what is held out, as partitions of their own."""
        drawn = draw_sample(open_partition(self.key, "test"), DRAWN, seed=self.seed)
        members, others = (
            replace(
                drawn,
                instances=tuple(half),
                variants={instance.id: drawn.variants[instance.id] for instance in half},
                partition=replace(
                    drawn.partition, key=f"{self.name}-{side}", role=PartitionRole.TARGET
                ),
            )
            for side, half in zip(
                ("members", "others"), halve(drawn.instances, seed=self.seed), strict=True
            )
        )
        return members, others

    def train(self, work: Path, threads: int) -> dict[int, Path]:
        """The weights by dose, trained unless they are there."""
        partition = open_partition(self.key, "test").partition
        texts = [training_text(instance, partition) for instance in self.halves()[0].instances]
        return expose(work / self.name, texts, DOSES, seed=self.seed, threads=threads)

    def ready(self, work: Path) -> dict[int, Path]:
        """Those weights that are there, by dose."""
        paths = weights_by_dose(work / self.name, DOSES)
        return {dose: path for dose, path in paths.items() if path.is_file()}


TRAININGS = (
    Training("control-news", 0),
    Training("control-reviews", 0),
    Training("control-news", 1),
)


def main() -> None:
    """Run what is not there yet, draw, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--work", type=Path, help="where weights and scores are kept")
    parser.add_argument("--threads", type=int, default=1, help="of the training; 1 if left out")
    parser.add_argument("--instances", type=int, default=20, help="of a half and of a control")
    parser.add_argument(
        "--alone", action="store_true", help="only measures that need no context: a third of it"
    )
    parser.add_argument(
        "--ready", action="store_true", help="train nothing: score the weights that are there"
    )
    arguments = parser.parse_args()
    if arguments.work:
        measures = choose(None) if arguments.alone else MEASURES
        figures = run(arguments, measures)
        FIGURES.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    figures = json.loads(FIGURES.read_text("utf-8"))
    charts.write_images(draw(figures), PICTURES)
    print(tabulate(figures), describe(figures), sep="\n")


def run(arguments: argparse.Namespace, measures: Sequence[LikelihoodMeasure]) -> dict[str, Any]:
    """All figures of the study."""
    work, store = arguments.work, Store(arguments.work / "dcq.duckdb")
    controls = panel_scores.draw_controls(store, arguments.instances, measures)
    trained = []
    for training in TRAININGS:
        weights = (
            training.ready(work) if arguments.ready else training.train(work, arguments.threads)
        )
        if len(weights) < 2:  # no more than the embedded model itself
            continue
        halves = [
            panel_scores.keep(store, half, arguments.instances, measures)
            for half in training.halves()
        ]
        alike = [
            panel_set
            for panel_set in controls
            if panel_set.alike == halves[0].alike and panel_set.name != training.key
        ]
        doses = []
        for dose in weights:
            place = work / training.name / f"scores-{dose}.jsonl"
            scores_path = place if dose else work / "scores-embedded.jsonl"
            panel_scores.score(weights[dose], [*halves, *alike], scores_path)
            print(f"{training.name}, dose {dose}: scored", flush=True)
            doses.append(
                {"exposures": dose, **_judge(panel_scores.read(scores_path), halves, alike)}
            )
        trained.append({"partition": training.key, "seed": training.seed, "doses": doses})
    return {"model": MODEL, "trainings": trained}


def _judge(
    values: Mapping[str, Values], halves: Sequence[PanelSet], controls: Sequence[PanelSet]
) -> dict[str, Any]:
    """What each measure says of one model: of both halves beside the controls, of each control
    beside the others, and how well it tells the halves apart."""
    rows = {
        panel_set.name: rows_of(values[panel_set.name], panel_set.most)
        for panel_set in (*halves, *controls)
    }
    members, others = halves
    return {
        "measures": {
            measure.name: {
                "members": _beside(measure, members, controls, rows),
                "others": _beside(measure, others, controls, rows),
                "controls": [
                    _beside(
                        measure, panel_set, [two for two in controls if two is not panel_set], rows
                    )
                    for panel_set in controls
                ],
                "auroc": _auroc(
                    *(rows[panel_set.name][measure.name].ranks for panel_set in halves)
                ),
                "auroc_of_value": _auroc(
                    *(
                        scores_of(values[panel_set.name], measure.name, WORDINGS, panel_set.most)[
                            :, 0
                        ]
                        for panel_set in halves
                    )
                ),
            }
            for measure in MEASURES
            if rows[members.name][measure.name].n
        }
    }


def _beside(
    measure: LikelihoodMeasure,
    target: PanelSet,
    controls: Sequence[PanelSet],
    rows: Mapping[str, Mapping[str, PanelRow]],
) -> dict[str, Any]:
    target_row = rows[target.name][measure.name]
    p = against(target_row, [rows[control.name][measure.name] for control in controls])
    return {"set": target.name, "n": target_row.n, "rank": _round(target_row.rank), "p": _round(p)}


def _auroc(members: Any, others: Any) -> dict[str, Any] | None:
    estimate = auroc(members, others)
    if estimate is None:
        return None
    return {name: _round(getattr(estimate, name)) for name in ("value", "low", "high")}


def _round(number: float | None) -> float | None:
    return None if number is None or np.isnan(number) else round(float(number), 5)


if __name__ == "__main__":
    main()
