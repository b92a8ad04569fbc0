"""Next words as a method of detection: what its runs show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dcq.detection import AskedRun, ChosenText, Field, SampleMethod
from dcq.evidence.record import ByInstance, Context, Evidence, Measure, MethodWords, estimate_share
from dcq.evidence.share_prediction import MATCHES
from dcq.sections import Chart, Exhibit
from dcq.store import Store, frozen, method_runs
from dcq.store import runs as stored_runs
from dcq.words import percent
from tests.support.next_word.cut import NAME, cut

if TYPE_CHECKING:  # what asks models takes long to import, and whoever judges asks none
    from dcq.asking.task import Method, Proposal
    from dcq.evidence.controls import Calibration

KNOWN = "known"  # the measure: the word came as it stands in the text


def finding(
    evidence: Evidence, calibrations: Mapping[str, Calibration], by_letters: Calibration | None
) -> str:
    """The share of words that came, and what is expected of unseen text."""
    share, known = evidence.estimate.share, calibrations.get(KNOWN)
    if share is None:
        return "There is no usable word."
    expected = f", {percent(known.control_score, 1)} on unseen text" if known else ""
    return f"The next word is right in {percent(share, 1)} of the instances{expected}."


class _NextWordDetection(SampleMethod):
    @property
    def name(self) -> str:
        return NAME

    @property
    def title(self) -> str:
        return "Next word"

    @property
    def question(self) -> str:
        return "Does it know the next word?"

    @property
    def explanation(self) -> str:
        return "The model gets each instance without its last word and says which word comes next."

    @property
    def kinds(self) -> Sequence[Method]:
        from tests.support.next_word.method import METHOD

        return (METHOD,)

    @property
    def fields(self) -> Sequence[Field]:
        return (Field("words", "Words right", lambda one: one.figures["words"]),)

    def exhibits(
        self, found: Sequence[Evidence], beside: Mapping[str, Mapping[str, Calibration]]
    ) -> Sequence[Exhibit]:
        rows = pd.DataFrame(
            {"name": one.place, "kappa": one.estimate.value, "low": one.estimate.low}
            | {"high": one.estimate.high, "n": one.estimate.n, "whole": False}
            for one in found
        )
        table = rows[["name", "n"]].rename(columns={"name": "Partition"})
        return [Exhibit("Words right", ("Made up",), table, Chart("kappa_intervals", rows))]

    def propose(self, store: Store, sample_id: str) -> Proposal:
        from dcq.asking.task import Proposal
        from tests.support.next_word.method import PROMPT, NextWordTask

        return Proposal(PROMPT, NextWordTask(PROMPT.wording, cut(store, sample_id)), sample_id)

    def subject(self, store: Store, sample_id: str) -> str:
        return frozen.freeze(store, NAME, sample_id, cut(store, sample_id))

    def opened(self, store: Store, runs: Sequence[str], instance_id: str) -> Sequence[ChosenText]:
        words: dict[str, dict[str, int]] = {}
        for run in runs:
            subject = stored_runs.load(store, run).plan.subject
            position = frozen.position_of(store, subject, instance_id)
            if position is not None:
                words.setdefault(frozen.request_at(store, subject, position).facts["word"], {})
                answer = method_runs.answer_at(store, run, position)
                if answer is not None and answer.value:
                    words.setdefault(answer.value, {})[run] = 1
        return [ChosenText(text, place == 0, by) for place, (text, by) in enumerate(words.items())]

    def run_evidence(self, store: Store, asked: AskedRun, context: Context) -> Evidence:
        known = np.full(asked.requests, np.nan)
        for position, request in enumerate(frozen.load(store, asked.run.subject).requests):
            answer = asked.answers.get(position)
            if answer is not None and answer.value is not None:
                known[position] = answer.value == request.facts["word"]
        n, right = int((~np.isnan(known)).sum()), int(np.nansum(known))
        estimate = estimate_share(right, n, "share of words")
        return replace(
            asked.evidence(self.name, context, estimate),
            # A word that is guessed is nearly never right.
            measures=(Measure(KNOWN, known[:, None], prior=MATCHES),),
            each=ByInstance(frozen.instances_of(store, asked.run.subject), known[:, None], KNOWN),
            words=MethodWords(finding),
            figures={"words": right},
        )


NEXT_WORD = _NextWordDetection()
