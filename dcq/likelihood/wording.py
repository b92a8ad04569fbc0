"""The sentences for what a run of likelihoods found and checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dcq.evidence.check import CheckWords
from dcq.evidence.record import Evidence, MethodWords
from dcq.words import percent

if TYPE_CHECKING:
    from dcq.evidence.controls import Calibration


def unfinished(count: int, of: int) -> CheckWords:
    number = f"{count:,} of {of:,}"
    return CheckWords(number, f"The run is unfinished: {number} instances were scored so far.")


def finding(
    evidence: Evidence, calibrations: Mapping[str, Calibration], by_letters: Calibration | None
) -> str:
    """The mean midrank compared with that of unseen text, and how often the original comes
    first."""
    rank, share = evidence.estimate.value, evidence.estimate.share
    if rank is None or share is None:
        return "There is no usable likelihood."
    opening = f"On average the original is likelier than {percent(rank, 1)} of its rewordings"
    first = f"it is the likeliest of all in {percent(share, 1)} of the instances"
    calibration = next(iter(calibrations.values()), None)
    if calibration is None:
        return f"{opening}, and there is nothing to compare that with; {first}."
    return (
        f"{opening}, where {percent(calibration.control_score, 1)} are expected on unseen text "
        f"({percent(calibration.control_low)} to {percent(calibration.control_high)}); {first}."
    )


WORDS = MethodWords(
    finding,
    otherwise="memory cannot be told from a preference for the wording of whoever wrote the "
    "original",
    seen="finds the original likelier than its rewordings",
    unseen="does not find the original likelier than its rewordings",
    figure="found the original likeliest in {share} of the instances",
)
BESIDE = "It is shown beside the verdict, which the mean log-probability alone decides."
