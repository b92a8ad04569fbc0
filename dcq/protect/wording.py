"""The sentences for what a check of a protected benchmark found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dcq.evidence.check import CheckWords
from dcq.evidence.record import Evidence, MethodWords
from dcq.words import p_words, percent

if TYPE_CHECKING:
    from dcq.evidence.controls import Calibration


def finding(
    evidence: Evidence, calibrations: Mapping[str, Calibration], by_letters: Calibration | None
) -> str:
    """The share of published wordings that are preferred, compared with what chance gives."""
    share, p, chance = evidence.estimate.share, evidence.estimate.p_value, evidence.chance
    if share is None or p is None or chance is None:
        return "There is no usable reply."
    return (
        f"The published wording is preferred in {percent(share, 1)} of {evidence.estimate.n:,} "
        f"items, where the lot alone gives {percent(chance, 1)} ({p_words(p)})."
    )


def unfinished(count: int, of: int) -> CheckWords:
    return CheckWords(
        f"{count:,} of {of:,}",
        f"The check is unfinished: {count:,} of {of:,} requests were asked. So its p-value is one "
        "that holds whenever a person looks, and is larger than it will be.",
    )


HONEST = (
    "By letter, models find benchmarks that they have memorised; what was read once takes "
    "likelihoods and 500 items or more."
)
WORDS = MethodWords(
    finding,
    effect="a recognised share",
    otherwise="",
    seen="prefers the published wordings",
    unseen="does not prefer the published wordings",
    figure="picked the published wording in {share} of the items",
)
