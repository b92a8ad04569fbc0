"""A comparison in one sentence, by method."""

from __future__ import annotations

from dcq.evidence.record import GAIN, MATCHES
from dcq.judging.case import Case
from dcq.words import p_words, percent


def finding_sentence(case: Case) -> str:
    """What was found beside what is expected on unseen text."""
    if case.evidence.method == "replication":
        return _replication(case)
    return _quiz(case)


def _quiz(case: Case) -> str:
    evidence, known, letters = case.evidence, case.calibration, case.by_letters
    share, own = evidence.estimate.share, evidence.own
    if not evidence.usable or share is None:
        return "There is no usable answer."
    if known is not None and letters is not None:
        return (
            f"The originals had {percent(known.score, 1)} of the options' probability, where "
            f"{percent(known.control_score, 1)} are expected on unseen text "
            f"({percent(known.control_low)} to {percent(known.control_high)}); by letters "
            f"{percent(letters.score, 1)} were found, where {percent(letters.control_score, 1)} "
            f"are expected ({p_words(letters.p_value)})."
        )
    if known is not None:
        return (
            f"{percent(known.score, 1)} of the originals were found, where "
            f"{percent(known.control_score, 1)} are expected on unseen text "
            f"({percent(known.control_low)} to {percent(known.control_high)})."
        )
    found = f"{percent(share, 1)} of the originals were found"
    if own is not None and own.modified_share is not None:
        return (
            f"{found}; without the original the model chose its slot in "
            f"{percent(own.modified_share, 1)} of the same instances."
        )
    if evidence.chance is None:
        return f"{found}, and there is nothing to compare that with."
    return f"{found}, where guessing finds {percent(evidence.chance)}."


def _replication(case: Case) -> str:
    parts, known, share = [], dict(case.calibrations), case.evidence.estimate.share
    if share is not None:
        words = f"{percent(share, 1)} of the instances were completed exactly or nearly"
        if (rate := known.get(MATCHES)) is not None:
            words += (
                f", where {percent(rate.control_score, 1)} are expected on unseen text "
                f"({percent(rate.control_low)} to {percent(rate.control_high)})"
            )
        parts.append(f"{words}.")
    if (gained := case.evidence.mean(GAIN)) is not None:
        words = f"Naming the dataset changed the overlap by {_points(gained)} points"
        if (gain := known.get(GAIN)) is not None:
            words += f", where {_points(gain.control_score)} are expected on unseen text"
        parts.append(f"{words}.")
    return " ".join(parts) or "There is no usable completion."


def _points(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")
