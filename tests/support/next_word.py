"""A toy method of detection, as whoever writes a method would: the last word of each instance is
asked for, given the rest. CONTRIBUTING.md sends them here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dcq.asking.prompt import Prompt, fill
from dcq.asking.task import Method, Proposal, Task
from dcq.detection import AskedRun, Field, SampleMethod
from dcq.errors import InputError
from dcq.evidence.interval import wilson
from dcq.evidence.record import Context, Evidence, Measure, MethodEstimate, MethodWords
from dcq.evidence.share_prediction import MATCHES
from dcq.records import Mode, Outcome, Reading, Reply
from dcq.sections import Chart, Exhibit
from dcq.store import Store, frozen, samples
from dcq.store.frozen import FrozenRequest
from dcq.store.runs import Plan
from dcq.words import percent

if TYPE_CHECKING:
    from dcq.evidence.controls import Calibration

NAME = "next-word"
PROMPT = Prompt(NAME, "v1", "Which word comes next?\n\n{text}", 0.0, 8)
KNOWN = "known"  # the measure: the word came as it stands in the text


@dataclass(frozen=True)
class NextWordTask:
    """Asks for the last word of each instance, given the rest."""

    wording: str
    requests: Sequence[FrozenRequest]

    @property
    def size(self) -> int:
        return len(self.requests)

    def count_first(self, limit: int) -> int:
        return min(limit, self.size)

    def text(self, position: int) -> str:
        return fill(self.wording, {"{text}": self.requests[position].text})

    def read(self, position: int, reply: Reply) -> Reading:
        words = (reply.text or "").split()
        if not words:
            return Reading(Outcome.INVALID, None, "an empty reply")
        return Reading(Outcome.ANSWERED, words[0], "the first word")


class NextWord(Method):
    """How its runs are asked."""

    @property
    def name(self) -> str:
        return NAME

    def propose(self, store: Store, subject: str, mode: Mode) -> Proposal:
        if mode is Mode.LIKELIHOOD:
            raise InputError("A next word is asked for; name a model without likelihood:.")
        known = frozen.load(store, subject)
        return Proposal(PROMPT, NextWordTask(PROMPT.wording, known.requests), known.sample_id)

    def reopen(self, store: Store, plan: Plan) -> Task:
        return NextWordTask(plan.wording, frozen.load(store, plan.subject).requests)


def cut(store: Store, sample_id: str) -> list[FrozenRequest]:
    """The instances of a sample without their last words, which are kept beside them."""
    made = []
    for one in samples.load(store, sample_id).instances:
        rest, _, word = one.text.rpartition(" ")
        made.append(FrozenRequest(one.id, rest, {"word": word}))
    return made


def finding(
    evidence: Evidence, calibrations: Mapping[str, Calibration], by_letters: Calibration | None
) -> str:
    share, known = evidence.estimate.share, calibrations.get(KNOWN)
    if share is None:
        return "There is no usable word."
    expected = f", {percent(known.control_score, 1)} on unseen text" if known else ""
    return f"The next word is right in {percent(share, 1)} of the instances{expected}."


class NextWordDetection(SampleMethod):
    """What its runs show."""

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
        return (METHOD,)

    @property
    def fields(self) -> Sequence[Field]:
        return (Field("words", "Words right", lambda one: one.figures["words"]),)

    def exhibits(self, found: Sequence[Evidence]) -> Sequence[Exhibit]:
        rows = pd.DataFrame(
            {"name": one.place, "kappa": one.estimate.value, "low": one.estimate.low}
            | {"high": one.estimate.high, "n": one.estimate.n, "whole": False}
            for one in found
        )
        table = rows[["name", "n"]].rename(columns={"name": "Partition"})
        return [Exhibit("Words right", ("Made up",), table, Chart("kappa_intervals", rows))]

    def propose(self, store: Store, sample_id: str) -> Proposal:
        return Proposal(PROMPT, NextWordTask(PROMPT.wording, cut(store, sample_id)), sample_id)

    def subject(self, store: Store, sample_id: str) -> str:
        return frozen.freeze(store, NAME, sample_id, cut(store, sample_id))

    def say(self, store: Store, asked: AskedRun, context: Context) -> Evidence:
        known = np.full(asked.whole, np.nan)
        for position, request in enumerate(frozen.load(store, asked.run.subject).requests):
            answer = asked.answers.get(position)
            if answer is not None and answer.value is not None:
                known[position] = answer.value == request.facts["word"]
        n, right = int((~np.isnan(known)).sum()), int(np.nansum(known))
        limits = wilson(right, n) if n else None
        share, low, high = (right / n, *limits) if limits else (None, None, None)
        estimate = MethodEstimate(share, low, high, "share of words", share=share, n=n)
        return replace(
            asked.evidence(self.name, context, estimate),
            measures=(Measure(KNOWN, known[:, None], prior=MATCHES),),
            words=MethodWords(finding),
            figures={"words": right},
        )


METHOD = NextWord()
NEXT_WORD = NextWordDetection()
