"""A protected benchmark as a method of detection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dcq.detection import AskedRun, Field, SampleMethod
from dcq.errors import InputError
from dcq.evidence.check import Check, Mark, Topic
from dcq.evidence.lot import LotTest, assess
from dcq.evidence.record import Context, Evidence, MethodEstimate
from dcq.protect import NAME, wording
from dcq.store import Store, frozen
from dcq.words import p_number, percent

if TYPE_CHECKING:  # what asks models takes long to import, and whoever judges asks none
    from dcq.asking.task import Method, Proposal

UNIT = "share recognised"


class _ProtectDetection(SampleMethod):
    name = NAME
    title = "Protected benchmark"
    words = wording.WORDS
    question = "Does it prefer the wordings that were published?"
    explanation = (
        "The published wording of each item was drawn at random among several. A model that never "
        "saw the benchmark cannot know the lot, whatever it prefers, so no control is needed."
    )
    needs_texts = False
    fields = (
        Field("wordings", "Wordings", lambda evidence: evidence.wordings),
        Field(
            "picked",
            "Published picked",
            lambda evidence: evidence.estimate.share,
            percent,
            "Published picked",
        ),
        Field(
            "p_value",
            "p of the draw",
            lambda evidence: evidence.estimate.p_value,
            p_number,
            "p of the draw",
        ),
        Field(
            "e_value",
            "E",
            lambda evidence: evidence.figures.get("e_value"),
            "{:.3g}".format,
            "E",
        ),
    )
    needs_replies = False

    @property
    def kinds(self) -> Sequence[Method]:
        from dcq.protect.method import ProtectMethod

        return (ProtectMethod(),)

    @property
    def investigated(self) -> bool:
        """A sample alone does not tell what its author kept."""
        return False

    def propose(self, store: Store, sample_id: str) -> Proposal:
        raise InputError("A protected benchmark is checked with its secret: dcq protect check.")

    def subject(self, store: Store, sample_id: str) -> str:
        raise InputError("A protected benchmark is checked with its secret: dcq protect check.")

    def run_evidence(self, store: Store, asked: AskedRun, context: Context) -> Evidence:
        design = frozen.design_of(store, asked.run.subject)
        table = scores_of(store, asked, design)
        if not len(table):
            return asked.evidence(self.name, context, MethodEstimate(None, None, None, UNIT))
        lot_test = assess(list(table))
        silent = float(np.isnan(table).all(axis=1).mean())
        evidence = asked.evidence(self.name, context, _estimate(lot_test, finished=asked.finished))
        setting = (*evidence.setting, ("by", str(design.get("by"))), ("asks", str(_asks(design))))
        unfinished = Check(
            Topic.COMPLETE,
            Mark.CAUTION,
            wording.unfinished,
            {"count": asked.run.asked, "of": asked.requests},
        )
        return replace(
            evidence,
            usable=lot_test.items,
            planned=asked.requests // _asks(design),
            unusable=silent,
            setting=setting,
            family_key=(self.name, evidence.model, *setting, evidence.partition),
            needs_controls=False,
            chance=1 / table.shape[1],
            wordings=table.shape[1],
            text_only={},
            checks=() if asked.finished else (unfinished,),
            words=wording.WORDS,
            figures={"e_value": lot_test.e_value, "test": lot_test, "scores": table},
        )


def scores_of(store: Store, asked: AskedRun, design: dict[str, Any]) -> NDArray[np.float64]:
    """The scores of the items that were asked about in full, in their order, the published
    wording's first, NaN for a missing score; shape (items, wordings)."""
    from dcq.protect.conclude import table_of

    asks = _asks(design)
    done = [
        first
        for first in range(0, asked.requests, asks)
        if all(first + turn in asked.answers for turn in range(asks))
    ]
    wordings = design.get("wordings")
    if not isinstance(wordings, int) or not 2 <= wordings <= 64:
        return np.empty((0, 2))
    return table_of(frozen.values_of(store, asked.run.run), wordings, asks, done)


def _asks(design: dict[str, Any]) -> int:
    asks = design.get("asks")
    return asks if isinstance(asks, int) and 1 <= asks <= 4 else 1


def _estimate(lot_test: LotTest, *, finished: bool) -> MethodEstimate:
    return MethodEstimate(
        lot_test.recognised,
        lot_test.recognised_low,
        lot_test.recognised_high,
        UNIT,
        share=lot_test.share,
        p_value=lot_test.p_value if finished else lot_test.p_anytime,
        n=lot_test.items,
    )


PROTECT_DETECTION = _ProtectDetection()
