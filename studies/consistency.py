"""Do results move with the set of variants? A model asked the same instances in several sets.

    python -m studies.consistency --work FOLDER     # writes the sets, asks, writes the figures
    python -m studies.consistency                   # draws and prints them again

The embedded model takes the quiz by likelihood on verses that it has surely seen and on control
news that it cannot have seen. Both partitions are reworded offline: two draws of synonyms, one
with letters swapped or dropped, one with neighbouring words turned round. The control news come
with variants written for dcq as well. Started again, it goes on where it was.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

import pandas as pd

from dcq import api, charts
from dcq.quiz import consistency
from dcq.store import Store, sets
from dcq.store.samples import StoredSample
from dcq.variants import reword
from dcq.variants.perturbations import Perturbation
from dcq.variants.sets import new_set
from dcq.words import kappa_words, p_words, two_decimals

MODEL = "likelihood:embedded"
SEED, SLOT = 0, "D"
PARTITIONS = (("kjv", "verses", 40), ("control-news", "test", 20))
WORDS = ("synonyms 1", "synonyms 2")
KINDS = {
    "synonyms 1": Perturbation.WORD,
    "letters": Perturbation.CHARACTER,
    "word order": Perturbation.ORDER,
    "synonyms 2": Perturbation.WORD,
}
FIGURES = Path(__file__).with_suffix(".json")
PICTURES = Path(__file__).with_suffix("")


def main() -> None:
    """Run what is not there yet, draw, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--work", type=Path, help="where the store is kept")
    chosen = parser.parse_args()
    if chosen.work:
        FIGURES.write_text(json.dumps(_short(run(chosen.work)), indent=1) + "\n", "utf-8")
    figures = json.loads(FIGURES.read_text("utf-8"))
    charts.write_images(charts.kappa_intervals(rows(figures)), PICTURES)
    print(tabulate(figures))


def run(work: Path) -> dict[str, Any]:
    """All figures of the study: for each partition what ``consistency --json`` prints, of all sets
    and of the draws of synonyms alone."""
    store = api.open_store(work / "dcq.duckdb")
    partitions = []
    for dataset, split, n in PARTITIONS:
        sample = api.draw_sample(store, dataset, split, n, seed=SEED)
        ask(store, sample)
        [kinds] = consistency.studies(store, sample.id, names=(sets.FIRST, *KINDS))
        [draws] = consistency.studies(store, sample.id, names=WORDS)
        partitions.append({"all": kinds.document(), "synonyms": draws.document()})
        print(kinds.sentence(), draws.sentence(), sep="\n", flush=True)
    return {"model": MODEL, "seed": SEED, "partitions": partitions}


def ask(store: Store, sample: StoredSample) -> None:
    """Write the sets that are not there, and put each to the model."""
    samples_by_name = {
        member.name: member.sample for member in sets.siblings(sets.members(store), sample.id)
    }
    asked = [sample.id] if sample.partition.key.startswith("control") else []
    for name, kind in KINDS.items():
        set_sample = samples_by_name.get(name) or new_set(store, sample.id, name)
        asyncio.run(
            reword.reword_sample(store, set_sample, None, reword.RewordingDesign(kind=kind))
        )
        asked.append(set_sample)
    for each in asked:
        quiz = api.freeze_quiz(store, each, slot=SLOT)
        done = api.run_quiz(store, quiz, MODEL, resume=True)
        print(f"{each}: {done['correct']} of {done['n']}", flush=True)


def rows(figures: dict[str, Any]) -> pd.DataFrame:
    """Each set of each partition, as ``charts.kappa_intervals`` takes them."""
    return pd.DataFrame(
        [
            {
                "name": f"{partition['all']['partition']}: {_name(set_result['name'])}",
                "kappa": set_result["kappa_fixed"],
                "low": set_result["kappa_low"],
                "high": set_result["kappa_high"],
                "n": set_result["n"],
                "whole": False,
            }
            for partition in figures["partitions"]
            for set_result in partition["all"]["sets"]
        ]
    )


def tabulate(figures: dict[str, Any]) -> str:
    """The tables of studies/consistency.md, in Markdown."""
    lines = ["| partition and set | κ [95 %] | n |", "|---|---|---|"]
    for row in rows(figures).to_dict("records"):
        has_value = not pd.isna(row["kappa"])
        kappa = kappa_words(row["kappa"], row["low"], row["high"]) if has_value else "no value"
        lines.append(f"| {row['name']} | {kappa} | {row['n']} |")
    lines += ["", "| compared | n | Q | p | τ | within | widening | α [95 %] | same |"]
    lines.append("|---|---|---|---|---|---|---|---|---|")
    for partition in figures["partitions"]:
        for name, comparison in partition.items():
            lines.append(_comparison(f"{comparison['partition']}, {name} sets", comparison))
    return "\n".join(lines)


def _comparison(name: str, comparison: dict[str, Any]) -> str:
    p = "no value" if comparison["p_value"] is None else p_words(comparison["p_value"])
    numbers = [_number(comparison[key]) for key in ("tau", "within", "widening")]
    alpha = kappa_words(comparison["alpha"], comparison["alpha_low"], comparison["alpha_high"])
    cells = [
        name,
        str(comparison["n"]),
        _number(comparison["q"]),
        p,
        *numbers,
        alpha,
        _number(comparison["same"]),
    ]
    return f"| {' | '.join(cells)} |"


def _number(value: float | None) -> str:
    return "no value" if value is None else two_decimals(value)


def _name(name: str) -> str:
    return "as it comes" if name == sets.FIRST else name


def _short(figures: Any) -> Any:
    """The same with five decimals."""
    return json.loads(json.dumps(figures), parse_float=lambda number: round(float(number), 5))


if __name__ == "__main__":
    main()
