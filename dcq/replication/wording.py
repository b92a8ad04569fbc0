"""Sentences on the findings of a replication and on its own checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dcq.evidence.check import CheckWords
from dcq.evidence.record import GAIN, MATCHES, Evidence, MethodWords
from dcq.words import percent, points

if TYPE_CHECKING:
    from dcq.evidence.controls import Calibration


def not_all_asked(count: int, of: int) -> CheckWords:
    number = f"{count:,} of {of:,}"
    return CheckWords(number, f"The run is unfinished: {number} completions were asked for so far.")


def endpoint_down(count: int, of: int) -> CheckWords:
    number = f"{count:,} of {of:,}"
    return CheckWords(number, f"The endpoint was down: {number} requests got a reply.")


def judge_not_done(count: int, of: int) -> CheckWords:
    number = f"{count:,} of {of:,}"
    return CheckWords(number, f"The judge is not done: {number} completions were judged so far.")


def finding(
    evidence: Evidence, calibrations: Mapping[str, Calibration], by_letters: Calibration | None
) -> str:
    parts, share = [], evidence.estimate.share
    if share is not None:
        words = f"{percent(share, 1)} of the instances were completed exactly or nearly"
        if (rate := calibrations.get(MATCHES)) is not None:
            words += (
                f", where {percent(rate.control_score, 1)} are expected on unseen text "
                f"({percent(rate.control_low)} to {percent(rate.control_high)})"
            )
        parts.append(f"{words}.")
    if (gained := evidence.mean(GAIN)) is not None:
        words = f"Naming the dataset changed the overlap by {points(gained, 1)} points"
        if (gain := calibrations.get(GAIN)) is not None:
            words += f", where {points(gain.control_score, 1)} are expected on unseen text"
        parts.append(f"{words}.")
    return " ".join(parts) or "There is no usable completion."


def note(evidence: Evidence) -> str:
    judged = evidence.figures["judge"] is not None
    return "" if judged else "No judge was asked, so only exact matches count."


WORDS = MethodWords(
    finding,
    otherwise="memory cannot be distinguished from fluent guessing",
    measures={MATCHES: "its rate of matches", GAIN: "what naming the dataset adds"},
    note=note,
    seen="completes instances",
    unseen="completes no more than unseen ones",
    figure="completed {share} of the instances",
)
