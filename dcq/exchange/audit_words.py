"""An audit in sentences that can be read aloud."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dcq.evidence.leak import leaks
from dcq.evidence.power import ALPHA
from dcq.evidence.protocol2 import Range
from dcq.evidence.verdict import ENOUGH_VALID, Ruling
from dcq.exchange.answers_file import Answers, Judged
from dcq.exchange.release import Release

_COUNTED = {
    Ruling.CONTAMINATED: ("is contaminated", "are contaminated"),
    Ruling.NO_EVIDENCE: ("shows no evidence of it", "show no evidence of it"),
    Ruling.INCONCLUSIVE: ("is inconclusive", "are inconclusive"),
}


def describe_release(found: Release) -> str:
    """The range by the protocol's rule, the verdict on it, and what stands in its way."""
    whole = found.whole
    return (
        f"By the protocol's rule {found.name} shows {range_words(whole.range)} contamination over "
        f"{whole.n:,} instances; the verdict is {whole.ruling}, {_because(found)}."
    )


def _because(found: Release) -> str:
    if found.clean.n < ENOUGH_VALID * found.whole.n:
        return f"because {found.whole.n - found.clean.n:,} rows have a defect"
    solved = leaks(found.whole.text_only)
    if solved:
        scores = {name: found.whole.text_only[name].score or 0.0 for name in solved}
        best = max(scores, key=lambda name: scores[name])
        return f"because taking {strategy_words(best)} option finds {percent(scores[best])}"
    if found.whole.ruling is Ruling.NO_EVIDENCE:
        return "because guessing explains it as well"
    return "because no control partition tells what an unseen text would score"


def describe_clean(found: Release) -> str:
    """What is left of the range without the rows that have a defect."""
    dropped = found.whole.n - found.clean.n
    if not dropped:
        return "No row has a defect, so nothing has to be left out."
    rows = "the row that has a defect" if dropped == 1 else f"the {dropped:,} rows with a defect"
    if not found.clean.n:
        return f"Without {rows} nothing is left."
    return (
        f"Without {rows} it is {range_words(found.clean.range)} over {found.clean.n:,} instances."
    )


def describe_answers(found: Answers) -> str:
    """The one result with its decisive reason, or how many fall to each verdict."""
    tested = found.tested
    controls = len(found.results) - len(tested)
    if not tested:
        return (
            f"{found.name} holds controls only, which are a yardstick and not a result: add "
            "answers on a target partition."
        )
    if len(tested) == 1:
        one = tested[0]
        subject = f"{one.group.model} on {one.group.partition}"
        return f"{subject} is {_verdict_words(one)}. {one.reasons[0]}"
    counts = Counter(one.ruling for one in tested)
    parts = [
        f"{counts[ruling]:,} {words[counts[ruling] != 1]}" for ruling, words in _COUNTED.items()
    ]
    beside = (
        f" beside {controls:,} {'control' if controls == 1 else 'controls'}" if controls else ""
    )
    return f"Of {len(tested):,} results{beside}, {', '.join(parts[:2])} and {parts[2]}."


def describe_uncontrolled(tested: Sequence[Judged]) -> str:
    """What a comparison with chance alone would have called contaminated."""
    above = sum(one.kappa.p_value is not None and one.kappa.p_value <= ALPHA for one in tested)
    return (
        f"By a comparison with chance alone, without controls, {above:,} of {len(tested):,} would "
        "count as contaminated."
    )


def range_words(found: Range) -> str:
    """``78.8 % to 79.0 %``, a dash where there is no row."""
    if found.low is None or found.high is None:
        return "–"
    low, high = percent(found.low), percent(found.high)
    return low if low == high else f"{low} to {high}"


def percent(share: float) -> str:
    """With one decimal and a true minus sign."""
    return f"{100 * share:.1f} %".replace("-", "−")


def strategy_words(name: str) -> str:
    """A strategy without memory as a person says it."""
    words = {"medoid": "most central", "frequent": "commonest wording"}
    return f"always the {words.get(name, name)}"


def row_words(numbers: Sequence[int], most: int = 20) -> str:
    """Rising row numbers with runs drawn together, ``1–3, 7``; at most so many runs."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    shown = [str(first) if first == last else f"{first}–{last}" for first, last in runs[:most]]
    rest = sum(last - first + 1 for first, last in runs[most:])
    return f"{', '.join(shown)} and {rest:,} more" if rest else ", ".join(shown)


def _verdict_words(one: Judged) -> str:
    return "without evidence" if one.ruling is Ruling.NO_EVIDENCE else one.ruling.value
