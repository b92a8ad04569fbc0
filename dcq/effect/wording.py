"""The effect on scores in sentences, the same on screens, in documents and on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dcq.effect.matter import LARGEST, EffectRuling, LeftOut, MatterFinding
from dcq.effect.scores import SHOWN, Scores
from dcq.evidence.inflation import (
    HEADLINE_REFERENCES,
    LEAST_INSTANCES,
    LEAST_REFERENCES,
    Inflation,
)
from dcq.words import counted, listed, model_title, p_words, points

_ONE_DECIMAL = 1


def number(share: float) -> str:
    """A share as score sheets write it: ``71.2``."""
    return points(share, _ONE_DECIMAL).lstrip("+")


def interval(low: float, high: float) -> str:
    """``[1.9, 6.3]``."""
    return f"[{number(low)}, {number(high)}]"


def headline(finding: MatterFinding) -> str:
    """The finding as it can be read aloud: ``m: 71.2 → 66.0 on rewordings; clean models lose 1.1;
    inflation 4.1 [1.9, 6.3] points.``"""
    title, drop = model_title(finding.model), finding.drop
    if drop.original is None or drop.reworded is None:
        return f"{title}: no answer to both an original and its rewording."
    scores = f"{title}: {number(drop.original)} → {number(drop.reworded)} on rewordings"
    inflation = finding.inflation
    if inflation is None:
        return f"{scores}."
    lost = f"clean models lose {number(inflation.expected)}"
    if inflation.expected < 0:
        lost = f"clean models gain {number(-inflation.expected)}"
    return f"{scores}; {lost}; {inflation_words(inflation)}."


def inflation_words(inflation: Inflation) -> str:
    """``inflation 4.1 [1.9, 6.3] points``."""
    return (
        f"inflation {number(inflation.inflation)} {interval(inflation.low, inflation.high)} points"
    )


def reasons(finding: MatterFinding) -> list[str]:
    """Why the ruling is as it is, and how far to believe it; one sentence each."""
    return list(_reasons(finding))


def _reasons(finding: MatterFinding) -> Iterator[str]:
    inflation = finding.inflation
    if inflation is None:
        yield _too_few(finding)
    else:
        yield from _compared(finding, inflation)
    for why in LeftOut:
        names = [reference.model for reference in finding.references if reference.left_out is why]
        if names:
            mend = "; ask all models again" if why is LeftOut.OTHER_WORDING else ""
            yield f"Left out, {why}: {listed(names, SHOWN)}{mend}."
    if finding.forced:
        yield (
            f"{listed(finding.forced, SHOWN)} counted by force although called contaminated: what "
            "such references gain is taken off the inflation."
        )
    if unknown := [reference.model for reference in finding.used if reference.answer is None]:
        yield f"Nothing is known here of whether {listed(unknown, SHOWN)} saw the benchmark."


def _too_few(finding: MatterFinding) -> str:
    if not finding.drop.n:
        return "No rewording has an answer, so nothing can be said about inflation."
    used = len(finding.used)
    if used < LEAST_REFERENCES:
        return (
            f"{counted(used, 'reference')} can be compared, and {LEAST_REFERENCES} are needed; "
            "name more models that are clean by their dates and about as good."
        )
    return f"Fewer than {LEAST_INSTANCES} instances are common to all; answer more of them."


def _compared(finding: MatterFinding, inflation: Inflation) -> Iterator[str]:
    tested = (
        "" if finding.q_value is None else f", {p_words(finding.q_value, 'q')} over the targets"
    )
    yield (
        f"{inflation.n:,} instances and {counted(inflation.references, 'reference')}; "
        f"{p_words(inflation.p_value)}{tested}."
    )
    if finding.ruling is not EffectRuling.INFLATED:
        yield f"An inflation of {number(inflation.smallest)} points would have been found in 80 %."
    if finding.ruling in (EffectRuling.SEEN_NOT_INFLATED, EffectRuling.NOT_INFLATED):
        yield "What a model gains on rewordings, too, does not show in a drop."
    if finding.ruling is EffectRuling.NOT_ENOUGH:
        yield (
            f"That is more than {number(LARGEST)} points; more instances or references are needed."
        )
    if inflation.references < HEADLINE_REFERENCES:
        yield f"With fewer than {HEADLINE_REFERENCES} references, one of them decides much."
    yield from _sensitivity(finding, inflation)


def _sensitivity(finding: MatterFinding, inflation: Inflation) -> Iterator[str]:
    left = [(other.model, other.without) for other in finding.used if other.without is not None]
    if not left:
        return
    values = [without.inflation for _, without in left]
    model = max(left, key=lambda pair: abs(pair[1].inflation - inflation.inflation))[0]
    yield (
        f"Without one reference the inflation is {number(min(values))} to {number(max(values))} "
        f"points; {model} matters most."
    )


def within_sentence(finding: MatterFinding) -> str:
    """The comparison within the model; "" without one."""
    within = finding.within
    if within is None or within.drop_seen is None or within.drop_rest is None:
        return ""
    sentence = (
        f"{finding.model} loses {number(within.drop_seen)} points on {within.n_seen:,} instances "
        f"that it recognised and {number(within.drop_rest)} on {within.n_rest:,} others"
    )
    if (
        within.difference is None
        or within.low is None
        or within.high is None
        or within.p_value is None
    ):
        return f"{sentence}; too few of equal difficulty to compare."
    return (
        f"{sentence}; above clean models, {number(within.difference)} "
        f"{interval(within.low, within.high)} points more, {p_words(within.p_value)}."
    )


def complaints(scores: Scores) -> list[str]:
    """How logs were read, and what does not fit together in the files, a sentence for each model
    and kind of problem."""
    sentences = [said for name, log in scores.logs.items() for said in log.remarks(name)]
    for model_scores in scores.models:
        kinds: tuple[tuple[str, Sequence[str]], ...] = (
            ("without its other version, left out of the drop", model_scores.unpaired),
            ("answered several times, counted as the mean", model_scores.doubled),
            ("missing", scores.missing.get(model_scores.model, ())),
            ("foreign", scores.foreign.get(model_scores.model, ())),
        )
        sentences += [
            f"{model_scores.model}: {counted(len(ids), 'instance')} {kind}: {listed(ids, SHOWN)}."
            for kind, ids in kinds
            if ids
        ]
    return sentences
