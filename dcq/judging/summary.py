"""One finding in a sentence that can be read aloud, based on the same controls as its verdict."""

from __future__ import annotations

import numpy as np

from dcq.judging import wording
from dcq.judging.judged import JudgedResult
from dcq.quiz.ranked import MIDRANK
from dcq.quiz.results import OPTIONS, Result, quiz_row
from dcq.records import LETTERS, PartitionRole, QuizKind
from dcq.words import kappa_words, model_title, percent


def summarise(finding: JudgedResult) -> str:
    """Which model, which partition, how much, compared with what; plain text. Where replies of
    others are part of it, that comes first."""
    return f"{wording.rests_on(finding.senders)}{_summary(finding)}"


def _summary(finding: JudgedResult) -> str:
    result = quiz_row(finding.evidence)
    if result.n == 0:
        return f"{model_title(result.model)} on {result.place}: no usable answer{_so_far(result)}."
    if result.score is None:
        return f"{_opening(result)}{_without_original(result)}"
    return f"{_opening(result)}{_found(result)}{_against(finding)}."


def _opening(result: Result) -> str:
    if result.finished:
        return ""
    return f"So far, with {result.progress} questions answered: "


def _so_far(result: Result) -> str:
    return " yet, so κ has no value" if not result.finished else ", so κ has no value"


def _found(result: Result) -> str:
    model = model_title(result.model)
    if result.kind is QuizKind.ROTATED:
        calls = OPTIONS * result.n
        return (
            f"{model} picked the original in {result.correct:,} of {calls:,} calls on "
            f"{result.n:,} instances of {result.place}"
        )
    return (
        f"{model} picked the original in {result.correct:,} of {result.n:,} instances of "
        f"{result.place}"
    )


def _without_original(result: Result) -> str:
    shares = [count / result.n for count in result.chosen]
    least = max(slot for slot, share in enumerate(shares) if share == min(shares))
    return (
        f"Without the original, {model_title(result.model)} chose slot {LETTERS[least]} least: in "
        f"{percent(shares[least])} of {result.n:,} instances of {result.place}."
    )


def _against(finding: JudgedResult) -> str:
    result, calibration = quiz_row(finding.evidence), finding.deciding
    if calibration is not None:
        used = finding.used_controls
        control_words = f"control: {used[0].place}" if len(used) == 1 else f"{len(used)} controls"
        if calibration.kappa_control is None or not calibration.leaves_room:
            return f", and the score on unseen text leaves no room above it ({control_words})"
        kappa = kappa_words(
            calibration.kappa_control, calibration.kappa_low, calibration.kappa_high
        )
        return f": κ {kappa} compared with unseen text ({control_words})"
    kappa = kappa_words(result.kappa.kappa_fixed, result.kappa.kappa_low, result.kappa.kappa_high)
    if result.ablation is not None and result.ablation.modified_share is not None:
        share = percent(result.ablation.modified_share)
        return f", and the same slot in {share} without it: κ {kappa}"
    if result.kind is QuizKind.BCQ:
        return "; without a bdq there is nothing to compare that with"
    if result.chance is None:
        return f": κ {kappa}, but without a control there is nothing to compare that with"
    return f": κ {kappa}, where guessing gives 0"


def ranked_words(result: JudgedResult) -> str:
    """How a scored quiz's originals rank among their variants by likelihood, besides the share that
    the verdict rests on; empty where nothing was scored."""
    ranked = [measure for measure in result.evidence.side_measures if measure.name == MIDRANK]
    if not ranked:
        return ""
    text = f"likelier than {percent(float(np.nanmean(ranked[0].values)), 1)} of its variants"
    calibration = result.side_calibrations.get(MIDRANK)
    if calibration is None or result.evidence.role == PartitionRole.CONTROL:
        return f"{text}, on average"
    return (
        f"{text}, on average; {percent(calibration.control_score, 1)} are expected on unseen text"
    )
