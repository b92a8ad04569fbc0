"""The section on what contamination did to scores. It stands beside the verdicts and changes
none."""

from __future__ import annotations

import pandas as pd

from dcq.documents.deck import captions
from dcq.documents.deck.model import Part
from dcq.effect import document
from dcq.effect.matter import targets
from dcq.effect.scores import ItemVersion
from dcq.effect.stored import StoredEffect, all_stored
from dcq.effect.wording import headline
from dcq.evidence.inflation import HEADLINE_REFERENCES
from dcq.sections import Chart, Exhibit, Section
from dcq.store import Store
from dcq.store.studies import Study

READ_ALOUD = 3


def section(store: Store, within: Study) -> Section | None:
    """The section on the effect on scores; None where the store has no scores on originals and
    rewordings."""
    effects = [one for one in all_stored(store, within) if targets(one.findings)]
    if not effects:
        return None
    sentences = [
        f"{one.ruling.value.capitalize()}: {headline(one)}"
        for effect in effects
        for one in targets(effect.findings)
        if one.ruling is not None
        and (one.inflation is None or one.inflation.references >= HEADLINE_REFERENCES)
    ]
    explained = (
        "Clean models lose a little on rewordings too; what a model loses above them is the "
        "inflation. It changes no verdict."
    )
    return Section(
        Part.EFFECT,
        "Does it matter for the score?",
        (explained, *sentences[:READ_ALOUD]),
        tuple(exhibit(one) for one in effects),
    )


def exhibit(effect: StoredEffect) -> Exhibit:
    """Each model of one benchmark as a table, with the slopes of the targets."""
    return Exhibit(
        f"Originals and rewordings: {effect.score_set.benchmark}",
        (f"Scores kept {captions.days([effect.score_set.made_at])}", captions.version_and_time()),
        document.table(effect.findings),
        Chart("effect_slopes", slope_rows(effect)),
    )


def slope_rows(effect: StoredEffect) -> pd.DataFrame:
    """The rows that ``dcq.charts.effect_slopes`` takes."""
    models = {one.model: one for one in effect.scores.models}
    seen = effect.context.seen
    rows: list[dict[str, object]] = []

    def add(panel: str, model: str, line: str, ids: list[str]) -> None:
        if ids:
            values = zip(ItemVersion, models[model].on(ids), strict=True)
            means = {version.value: float(answers.mean()) for version, answers in values}
            rows.append({"panel": panel, "model": model, "line": line, **means})

    for one in targets(effect.findings):
        instances = list(models[one.model].original)
        for other in one.used:
            common = [name for name in instances if name in models[other.model].original]
            add(one.model, other.model, "clean model", common)
        add(one.model, one.model, "all instances", instances)
        own = seen.get(one.model, {})
        for line, recognised in (("recognised", True), ("not recognised", False)):
            add(one.model, one.model, line, [i for i in instances if own.get(i) is recognised])
    return pd.DataFrame(rows, columns=["panel", "model", "line", "original", "reworded"])
