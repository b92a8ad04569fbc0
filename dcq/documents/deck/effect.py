"""The section on what contamination did to scores. It stands beside the verdicts and changes
none."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dcq.documents.deck import captions
from dcq.documents.deck.model import Part
from dcq.effect import dates_wording, document
from dcq.effect.dates import OverTime
from dcq.effect.matter import targets
from dcq.effect.scores import ItemVersion
from dcq.effect.stored import StoredEffect, all_stored
from dcq.effect.wording import headline
from dcq.evidence.inflation import HEADLINE_REFERENCES
from dcq.sections import Chart, Exhibit, Section
from dcq.store import Store
from dcq.store.studies import Study

READ_ALOUD = 3


def sections(store: Store, within: Study) -> list[Section]:
    """The section on the effect on scores, and the one on scores over time; neither where the store
    has no scores on originals and rewordings, the second only where dates and cut-offs are known.
    """
    effects = [effect for effect in all_stored(store, within) if targets(effect.findings)]
    dated = [(effect, trends) for effect in effects if (trends := _trends(effect))]
    return [*([_effects(effects)] if effects else []), *([_over_time(dated)] if dated else [])]


def _effects(effects: Sequence[StoredEffect]) -> Section:
    sentences = [
        f"{finding.ruling.value.capitalize()}: {headline(finding)}"
        for effect in effects
        for finding in targets(effect.findings)
        if finding.ruling is not None
        and (finding.inflation is None or finding.inflation.references >= HEADLINE_REFERENCES)
    ]
    explained = (
        "Clean models lose a little on rewordings too; what a model loses above them is the "
        "inflation. It changes no verdict."
    )
    return Section(
        Part.EFFECT,
        "Does it matter for the score?",
        (explained, *sentences[:READ_ALOUD]),
        tuple(exhibit(effect) for effect in effects),
    )


def _over_time(dated: Sequence[tuple[StoredEffect, Sequence[OverTime]]]) -> Section:
    sentences = [dates_wording.sentences(trend)[0] for _, trends in dated for trend in trends]
    return Section(
        Part.EFFECT,
        "Does the score fall where the training data end?",
        (dates_wording.OLD_FACTS, *sentences[:READ_ALOUD], dates_wording.REWRITTEN),
        tuple(
            Exhibit(
                f"Falls at the end of the training data: {effect.score_set.benchmark}",
                _caption(effect),
                dates_wording.table(trends),
                Chart("estimate_intervals", dates_wording.falls(trends), ("share",)),
            )
            for effect, trends in dated
        ),
    )


def _trends(effect: StoredEffect) -> list[OverTime]:
    return [trend for trend in effect.over_time.values() if trend is not None]


def _caption(effect: StoredEffect) -> tuple[str, str]:
    return (
        f"Scores kept {captions.days([effect.score_set.made_at])}",
        captions.version_and_time(),
    )


def exhibit(effect: StoredEffect) -> Exhibit:
    """Each model of one benchmark as a table, with the slopes of the targets."""
    return Exhibit(
        f"Originals and rewordings: {effect.score_set.benchmark}",
        _caption(effect),
        document.table(effect.findings),
        Chart("effect_slopes", slope_rows(effect)),
    )


def slope_rows(effect: StoredEffect) -> pd.DataFrame:
    """The rows of the chart ``effect_slopes``."""
    models = {model_scores.model: model_scores for model_scores in effect.scores.models}
    seen = effect.context.seen
    rows: list[dict[str, object]] = []

    def add(panel: str, model: str, line: str, ids: list[str]) -> None:
        if ids:
            values = zip(ItemVersion, models[model].on(ids), strict=True)
            means = {version.value: float(answers.mean()) for version, answers in values}
            rows.append({"panel": panel, "model": model, "line": line, **means})

    for finding in targets(effect.findings):
        target, instances = finding.model, list(models[finding.model].original)
        for reference in finding.used:
            common = [name for name in instances if name in models[reference.model].original]
            add(target, reference.model, "clean model", common)
        add(target, target, "all instances", instances)
        recognition = seen.get(target, {})
        for line, recognised in (("recognised", True), ("not recognised", False)):
            add(target, target, line, [i for i in instances if recognition.get(i) is recognised])
    return pd.DataFrame(rows, columns=["panel", "model", "line", "original", "reworded"])
