"""Likelihood as a method of detection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dcq.detection import AskedRun, ChosenText, Field, SampleMethod
from dcq.evidence.check import Check, Mark, Topic
from dcq.evidence.record import MIDRANK, ByInstance, Context, Evidence, MethodEstimate
from dcq.likelihood import NAME, panel, wording
from dcq.likelihood.cut import LikelihoodCut, cut
from dcq.likelihood.measures import DECIDING, MEASURES, LikelihoodMeasure, choose
from dcq.likelihood.panel import PanelRow
from dcq.likelihood.values import credit_in, scores_of
from dcq.models.endpoints import surely_scores
from dcq.sections import Chart, Exhibit
from dcq.store import Store, frozen, samples, variants
from dcq.store import runs as stored_runs
from dcq.variants.leakage import summarise
from dcq.words import model_title, p_number, percent, two_decimals

if TYPE_CHECKING:  # what asks models takes long to import, and whoever judges asks none
    from dcq.asking.task import Method, Proposal
    from dcq.evidence.controls import Calibration
    from dcq.invented import InventedMeasure
    from dcq.models.endpoints import Endpoint
    from dcq.store.studies import Study

RANKED = "ranked first"


class _LikelihoodDetection(SampleMethod):
    name = NAME
    title = "Likelihood"
    words = wording.WORDS
    weight = 1 / 8
    question = "Does it find the original likelier than its rewordings?"
    explanation = (
        "Nothing is asked: each wording of an instance is scored by its log-probability under "
        "the model, and the original is ranked among its rewordings, from 0 (below all) to 1 "
        "(above all)."
    )
    needs_texts = False
    shows_rewordings = True
    fields = (
        Field("first", "Original first", lambda evidence: evidence.estimate.share, percent),
        Field("wordings", "Wordings", lambda evidence: evidence.wordings),
    )
    needs_replies = False

    def surely_asks(self, endpoint: Endpoint) -> bool:
        return surely_scores(endpoint)

    @property
    def kinds(self) -> Sequence[Method]:
        from dcq.likelihood.method import METHOD

        return (METHOD,)

    @property
    def invented(self) -> Sequence[Sequence[InventedMeasure]]:
        from dcq.invented import ranks

        return (ranks(),)

    def propose(self, store: Store, sample_id: str) -> Proposal:
        from dcq.asking.task import Proposal
        from dcq.likelihood.method import PROMPT, LikelihoodTask

        measures = choose(None)
        likelihood_cut = cut(store, sample_id, measures)
        language = samples.partition_of(store, sample_id).language
        return Proposal(
            PROMPT, LikelihoodTask(likelihood_cut.requests, measures, language), sample_id
        )

    def subject(self, store: Store, sample_id: str) -> str:
        return freeze(store, sample_id, choose(None))

    def evidence(
        self, store: Store, rows: Sequence[AskedRun], context: Context, within: Study
    ) -> dict[str, Evidence]:
        """As of any method, with the writer of the variants that were asked about."""
        subjects = {asked.run.run: asked.run.subject for asked in rows}
        writers = variants.writers_of_requests(store, [*dict.fromkeys(subjects.values())])
        return {
            run: replace(of_run, writer=writers.get(subjects[run], ""))
            for run, of_run in super().evidence(store, rows, context, within).items()
        }

    def run_evidence(self, store: Store, asked: AskedRun, context: Context) -> Evidence:
        rows, credit, wordings = read_panel(store, asked)
        deciding = rows.get(DECIDING.name) or panel.row(DECIDING, np.full((0, 2), np.nan))
        low, high = panel.limits_of(deciding.ranks) or (None, None)
        estimate = MethodEstimate(
            deciding.rank, low, high, MIDRANK, share=deciding.score, n=deciding.n
        )
        evidence = asked.evidence(self.name, context, estimate)
        setting = (*evidence.setting, ("variants", str(wordings - 1)))
        return replace(
            evidence,
            measures=tuple(
                entry for entry in deciding.compared if entry.name == deciding.rank_name
            ),
            side_measures=tuple(entry for row in rows.values() for entry in row.compared),
            setting=setting,
            family_key=(self.name, evidence.model, *setting, evidence.partition),
            text_only={name: summarise(entry, 1 / wordings) for name, entry in credit.items()},
            wordings=wordings,
            checks=() if evidence.finished else (_unfinished(asked),),
            words=wording.WORDS,
            figures={"panel": tuple(rows.values())},
            each=ByInstance(
                frozen.instances_of(store, asked.run.subject), deciding.first[:, None], RANKED
            ),
        )

    def opened(self, store: Store, runs: Sequence[str], instance_id: str) -> Sequence[ChosenText]:
        """The wordings, with whose likeliest each is."""
        likeliest: dict[str, dict[str, int]] = {}
        for run in runs:
            subject = stored_runs.load(store, run).plan.subject
            position = frozen.position_of(store, subject, instance_id)
            if position is None:
                continue
            request = frozen.request_at(store, subject, position)
            texts = [request.text, *map(str, request.facts.get("variants", ()))]
            by_text = [likeliest.setdefault(text, {}) for text in texts]
            values = frozen.values_at(store, run, position)
            likelihoods = [values.get(f"{DECIDING.name}-{place}") for place in range(len(texts))]
            scores = [entry for entry in likelihoods if entry is not None]
            if len(scores) == len(texts):
                by_text[scores.index(max(scores))][run] = 1
        chosen_texts = [
            ChosenText(text, place == 0, by) for place, (text, by) in enumerate(likeliest.items())
        ]
        return [entry for entry in chosen_texts if entry.text]

    def exhibits(
        self, results: Sequence[Evidence], calibrations: Mapping[str, Mapping[str, Calibration]]
    ) -> Sequence[Exhibit]:
        """What each measure says of each result, with the controls'."""
        rows = [
            (evidence, row, calibrations.get(evidence.run, {}))
            for evidence in results
            for row in panel_of(evidence)
        ]
        if not rows:
            return ()
        table = pd.DataFrame([_cells(*row) for row in rows])
        controls = [evidence for evidence in results if evidence.role == "control"]
        drawn = [row for row in rows if row[0] not in controls] or rows
        rulers = pd.DataFrame([_ruler(*row, controls) for row in drawn])
        chart = Chart("verdict_ruler", rulers, (None,))
        caption = (f"The original is ranked among its rewordings. {wording.BESIDE}",)
        return [Exhibit("Likelihood: the panel of measures", caption, table, chart)]


def freeze(store: Store, sample_id: str, measures: Sequence[LikelihoodMeasure]) -> str:
    """Store the texts of a sample that are scored; returns their id."""
    likelihood_cut: LikelihoodCut = cut(store, sample_id, measures)
    design = {
        "measures": [measure.name for measure in measures],
        "variants": likelihood_cut.variants,
    }
    return frozen.freeze(store, NAME, sample_id, likelihood_cut.requests, design=design)


def read_panel(
    store: Store, asked: AskedRun
) -> tuple[dict[str, PanelRow], dict[str, list[float]], int]:
    """The measures of a run by their names; the credit of strategies without memory; and how many
    wordings each instance has."""
    values = frozen.values_of(store, asked.run.run)
    wordings = 1 + int(frozen.design_of(store, asked.run.subject)["variants"])
    rows = {}
    for measure in MEASURES:
        if f"{measure.name}-0" in values:
            scores = scores_of(values, measure.name, wordings, asked.requests)
            rows[measure.name] = panel.row(measure, scores)
    return rows, credit_in(values), wordings


def panel_of(evidence: Evidence) -> tuple[PanelRow, ...]:
    """The measures of a result, the deciding one first."""
    rows = evidence.figures.get("panel", ())
    return rows if isinstance(rows, tuple) else ()


def _unfinished(asked: AskedRun) -> Check:
    figures = {"count": asked.run.replies, "of": asked.requests}
    return Check(Topic.COMPLETE, Mark.BAD, wording.unfinished, figures)


def _cells(
    evidence: Evidence, row: PanelRow, calibrations: Mapping[str, Calibration]
) -> dict[str, object]:
    calibration, first = calibrations.get(row.rank_name), panel.expected(row, calibrations)
    judged = calibration is not None and evidence.role != "control"
    return {
        "Model": model_title(evidence.model),
        "Partition": evidence.place,
        "Measure": row.measure.title + (" (decides)" if row.decides else ""),
        "n": row.n,
        "Mean midrank": "" if row.rank is None else two_decimals(row.rank),
        "On unseen text": two_decimals(calibration.control_score) if calibration and judged else "",
        "Original first": "" if row.score is None else percent(row.score),
        "First on unseen text": percent(first) if first is not None and judged else "",
        "p": p_number(calibration.p_value) if calibration and judged else "",
    }


def _ruler(
    evidence: Evidence,
    row: PanelRow,
    calibrations: Mapping[str, Calibration],
    controls: Sequence[Evidence],
) -> dict[str, object]:
    """As ``dcq.documents.ruler_drawings.verdict_ruler`` takes it."""
    low, high = panel.limits_of(row.ranks) or (np.nan, np.nan)
    calibration = calibrations.get(row.rank_name)
    ranks = [
        other.rank
        for control in controls
        if control.model == evidence.model
        for other in panel_of(control)
        if other.measure is row.measure
    ]
    return {
        "run": evidence.run,
        "name": row.measure.title,
        "group": f"{model_title(evidence.model)} · {evidence.place}",
        "n": row.n,
        "found": np.nan if row.rank is None else row.rank,
        "low": low,
        "high": high,
        "expected_low": calibration.control_low if calibration else np.nan,
        "expected_high": calibration.control_high if calibration else np.nan,
        "dots": ranks,
        "ruling": "",
    }


LIKELIHOOD_DETECTION = _LikelihoodDetection()
