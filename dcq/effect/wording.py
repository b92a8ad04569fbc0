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
    found = finding.inflation
    if found is None:
        return f"{scores}."
    lost = f"clean models lose {number(found.expected)}"
    if found.expected < 0:
        lost = f"clean models gain {number(-found.expected)}"
    return f"{scores}; {lost}; {inflation_words(found)}."


def inflation_words(inflation: Inflation) -> str:
    """``inflation 4.1 [1.9, 6.3] points``."""
    return (
        f"inflation {number(inflation.inflation)} {interval(inflation.low, inflation.high)} points"
    )


def reasons(finding: MatterFinding) -> list[str]:
    """Why the ruling is as it is, and how far to believe it; one sentence each."""
    return list(_reasons(finding))


def _reasons(one: MatterFinding) -> Iterator[str]:
    found = one.inflation
    if found is None:
        yield _too_few(one)
    else:
        yield from _compared(one, found)
    for why in LeftOut:
        names = [reference.model for reference in one.references if reference.left_out is why]
        if names:
            yield f"Left out, {why}: {listed(names, SHOWN)}."
    if one.forced:
        yield (
            f"{listed(one.forced, SHOWN)} counted by force although called contaminated: what such "
            "references gain is taken off the inflation."
        )
    if unknown := [reference.model for reference in one.used if reference.answer is None]:
        yield f"Nothing is known here of whether {listed(unknown, SHOWN)} saw the benchmark."


def _too_few(one: MatterFinding) -> str:
    used = len(one.used)
    if used < LEAST_REFERENCES:
        return (
            f"{counted(used, 'reference')} can be compared, and {LEAST_REFERENCES} are needed; "
            "name more models that are clean by their dates and about as good."
        )
    return f"Fewer than {LEAST_INSTANCES} instances are common to all; answer more of them."


def _compared(one: MatterFinding, found: Inflation) -> Iterator[str]:
    tested = "" if one.q_value is None else f", {p_words(one.q_value, 'q')} over the targets"
    yield (
        f"{found.n:,} instances and {counted(found.references, 'reference')}; "
        f"{p_words(found.p_value)}{tested}."
    )
    if one.ruling is not EffectRuling.INFLATED:
        yield f"An inflation of {number(found.smallest)} points would have been found in 80 %."
    if one.ruling is EffectRuling.NOT_ENOUGH:
        yield (
            f"That is more than {number(LARGEST)} points; more instances or references are needed."
        )
    if found.references < HEADLINE_REFERENCES:
        yield f"With fewer than {HEADLINE_REFERENCES} references, one of them decides much."
    yield from _sensitivity(one, found)


def _sensitivity(one: MatterFinding, found: Inflation) -> Iterator[str]:
    left = [(other.model, other.without) for other in one.used if other.without is not None]
    if not left:
        return
    values = [without.inflation for _, without in left]
    model = max(left, key=lambda pair: abs(pair[1].inflation - found.inflation))[0]
    yield (
        f"Without one reference the inflation is {number(min(values))} to {number(max(values))} "
        f"points; {model} matters most."
    )


def within_sentence(finding: MatterFinding) -> str:
    """The comparison within the model; "" without one."""
    found = finding.within
    if found is None or found.seen is None or found.rest is None:
        return ""
    said = (
        f"{finding.model} loses {number(found.seen)} points on {found.n_seen:,} instances that it "
        f"recognised and {number(found.rest)} on {found.n_rest:,} others"
    )
    if found.difference is None or found.low is None or found.high is None or found.p_value is None:
        return f"{said}; too few of equal difficulty to compare."
    return (
        f"{said}; above clean models, {number(found.difference)} "
        f"{interval(found.low, found.high)} points more, {p_words(found.p_value)}."
    )


def complaints(scores: Scores) -> list[str]:
    """What does not fit together in the files, a sentence for each model and kind of problem."""
    said = []
    for one in scores.models:
        kinds: tuple[tuple[str, Sequence[str]], ...] = (
            ("without its other version, left out", one.unpaired),
            ("answered several times, counted as the mean", one.doubled),
            ("missing", scores.missing.get(one.model, ())),
            ("foreign", scores.foreign.get(one.model, ())),
        )
        said += [
            f"{one.model}: {counted(len(ids), 'instance')} {kind}: {listed(ids, SHOWN)}."
            for kind, ids in kinds
            if ids
        ]
    return said
