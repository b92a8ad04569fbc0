"""The answer that a statement states, made again from its figures.

A signer can sign any words. So the sentence and the reasons that are shown are written by the code
that writes those of every answer, from the figures of the statement, and figures that contradict
one another are refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from dcq import methods, naming
from dcq.errors import InputError
from dcq.evidence.check import Topic
from dcq.evidence.power import ALPHA
from dcq.evidence.record import KAPPA, MATCH_RATE, MIDRANK, SHARE_FOUND
from dcq.files.bundle_outcomes import same
from dcq.judging import answer_words
from dcq.judging.answer import MethodAnswer, PairAnswer, share_of
from dcq.judging.answers import combine, title_of
from dcq.judging.judged import Lacking, Ruling
from dcq.judging.rule import rule
from dcq.protect.detection import UNIT as RECOGNISED
from dcq.records import PartitionRole, QuizKind
from dcq.store.studies import QUIZ

# The least that an estimate can be; the most is 1.
_LEAST = {KAPPA: -1.0, RECOGNISED: -1.0, MATCH_RATE: 0.0, MIDRANK: 0.0, SHARE_FOUND: 0.0}
_ROUNDING = 1e-9
_MOST_METHODS = 1_000
_MOST_N = 10**9


class WrongFormError(Exception):
    """The message is a sentence on what is wrong."""


def read_answer(
    stated: Mapping[str, Any], compared: Sequence[Mapping[str, Any]], by_rule: int
) -> PairAnswer:
    """The answer with these members, its sentence and its reasons made again; its place is the key
    of the partition. ``compared`` is what its methods found beside what controls lead to expect,
    and ``by_rule`` as ``dcq.store.studies.Study.rule``. Raises WrongFormError where members
    contradict one another, KeyError, TypeError or ValueError where one cannot be an answer's."""
    _check_names(stated)
    answer = PairAnswer(
        model=stated["model"],
        partition=stated["partition"],
        place=stated["partition"],
        role=PartitionRole(stated["role"]),
        ruling=Ruling(stated["ruling"]),
        p_value=number(stated["p_value"], 0.0),
        q_value=number(stated["q_value"], 0.0),
        sentence="",
        basis="",
        contradiction="",
        would_change=(),
        reasons=(),
        methods=tuple(_compared(map(_read_method, stated["methods"]), compared)),
        senders=tuple(stated.get("senders", ())),
    )
    for is_right, problem in _AGREEMENTS:
        if not is_right(answer):
            raise WrongFormError(problem)
    if not _ruling_agrees(answer, by_rule):
        raise WrongFormError("Its ruling is not the one that its figures give.")
    answer = replace(answer, contradiction=answer_words.contradiction(answer.methods))
    survives = answer.ruling is Ruling.CONTAMINATED
    return replace(
        answer,
        sentence=answer_words.sentence(answer),
        reasons=tuple(answer_words.reasons_of_methods(answer, survives_refusals=survives)),
    )


def sentences(answer: PairAnswer, place: str) -> set[str]:
    """All sentences in which an answer with these figures can be given. ``place`` is the name of
    its partition on screens. Where nothing votes they differ in the reason, which no figure
    tells."""
    named = replace(answer, place=place)
    reasons: list[dict[str, Any]] = [{"lacks": lacks} for lacks in Lacking]
    if not named.voting or any(each.is_high and not each.votes for each in named.methods):
        reasons = [{"only_small": True} | reason for reason in reasons]
        reasons += [{"failed": topic} for topic in (None, *Topic)]
        # A difference may have been compared and no share: then the sentence has no figure.
        reasons += [{"failed": topic, "score": None} for topic in Topic]
    return {
        answer_words.sentence(
            replace(named, methods=tuple(replace(each, **reason) for each in named.methods))
        )
        for reason in reasons
    }


def number(value: Any, least: float, most: float = 1.0) -> float | None:
    """A number of JSON from ``least`` to ``most``, or None. Raises ValueError for another one, and
    TypeError for what is none."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError("no number")
    if not least - _ROUNDING <= value <= most + _ROUNDING:
        raise WrongFormError("It has a number that lies outside of what is possible.")
    return float(value)


def text(value: Any, what: str, *, most: int = naming.LONGEST_MODEL) -> str:
    """A text of one line of signs that can be seen. Raises WrongFormError or TypeError for what is
    none."""
    if not isinstance(value, str):
        raise TypeError("no text")
    try:
        naming.check_line(value, what, most)
    except InputError:
        raise WrongFormError(f"It has a {what} that cannot be one.") from None
    return value


def _check_names(stated: Mapping[str, Any]) -> None:
    text(stated["partition"], "partition")
    try:
        naming.check_model(text(stated["model"], "model"))
    except InputError:
        raise WrongFormError("It has a model that cannot be one.") from None
    for sender in _list(stated.get("senders", ["nobody"]), "senders"):
        text(sender, "sender")
    for reason in _list(stated["reasons"]):
        if not isinstance(reason, str):
            raise TypeError("no text")
    if not 0 < len(_list(stated["methods"])) <= _MOST_METHODS:
        raise WrongFormError("Its answer rests on no method.")


def _list(value: Any, at_least_one: str = "") -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("no list")
    if at_least_one and not value:
        raise ValueError(f"no {at_least_one}")
    return value


def _read_method(stated: Mapping[str, Any]) -> MethodAnswer:
    name, kind, unit, why_not = (stated[key] for key in ("method", "kind", "unit", "why_not"))
    if name not in methods.names() or unit not in _LEAST or (kind is None) != (unit != KAPPA):
        raise WrongFormError("It rests on a method that this release does not know.")
    n, votes, weight = stated["n"], stated["votes"], number(stated["weight"], 0.0)
    if type(n) is not int or not isinstance(votes, bool) or weight is None:
        raise TypeError("another type")
    if not 0 <= n <= _MOST_N or (n == 0 and stated["estimate"] is not None):
        raise WrongFormError("It rests on a number of instances that is impossible.")
    estimate, low, high = (number(stated[key], _LEAST[unit]) for key in ("estimate", "low", "high"))
    if not is_interval(low, estimate, high):
        raise WrongFormError("It has an interval that does not contain its estimate.")
    return MethodAnswer(
        method=name,
        title=title_of(name, kind or ""),
        kind="" if kind is None else QuizKind(kind).value,
        run=text(stated["run"], "run"),
        n=n,
        estimate=estimate,
        low=low,
        high=high,
        unit=unit,
        p_value=number(stated["p_value"], 0.0),
        verdict=None if stated["verdict"] is None else Ruling(stated["verdict"]),
        votes=votes,
        weight=weight,
        why_not=None if why_not is None else text(why_not, "reason", most=2_000),
        sample=text(stated["sample"], "sample") if stated.get("sample") else "",
        found_nothing_on=text(stated["found_nothing_on"], "partition")
        if stated.get("found_nothing_on")
        else "",
        words=methods.named(QUIZ if kind else name).words,
    )


def _compared(
    read: Iterable[MethodAnswer], compared: Sequence[Mapping[str, Any]]
) -> Iterator[MethodAnswer]:
    """The methods with the shares that were compared or, where nothing was, that were found."""
    by_run = {one["run"]: one for one in compared}
    for each in read:
        one = by_run.get(each.run, {})
        score, expected = (number(one.get(key), -1.0) for key in ("score", "expected"))
        score = share_of(each.estimate, each.unit) if score is None else score
        yield replace(each, score=score, expected=expected)


def is_interval(low: float | None, middle: float | None, high: float | None) -> bool:
    """Whether an interval contains what lies in its ``middle``. None is not known; an interval of
    nothing is none."""
    known = [value for value in (low, middle, high) if value is not None]
    return (middle is not None or not known) and all(
        first <= second + _ROUNDING for first, second in pairwise(known)
    )


def _votes_are_possible(answer: PairAnswer) -> bool:
    """Whether each result that votes has all that a vote takes, and each other one a reason."""
    return all(
        each.weight > 0 and each.p_value is not None and each.verdict is not None
        if each.votes and each.why_not is None
        else not each.votes and bool(each.why_not)
        for each in answer.methods
    )


def _verdicts_are_possible(answer: PairAnswer) -> bool:
    """Whether each verdict is one that its p-value can give."""
    limits = {Ruling.CONTAMINATED: ALPHA, Ruling.NO_EVIDENCE: 1.0}
    return all(
        each.verdict not in limits
        or (each.p_value is not None and each.p_value <= limits[each.verdict])
        for each in answer.methods
    )


def _p_values_agree(answer: PairAnswer) -> bool:
    """Whether the p-value is that of the results that vote. Where none does, it is 1 for a sample
    that is too small."""
    expected = combine(answer.methods)
    return same(answer.p_value, expected) or (expected is None and answer.p_value == 1.0)


def _q_value_agrees(answer: PairAnswer) -> bool:
    """Whether the q-value can be that of the p-value: a correction never lowers it."""
    p, q = answer.p_value, answer.q_value
    return (p is None) == (q is None) and (p is None or q is None or q >= p - _ROUNDING)


def _ruling_agrees(answer: PairAnswer, by_rule: int) -> bool:
    return answer.ruling in {
        rule(answer.methods, answer.q_value, survives_refusals=survives, by_rule=by_rule)
        for survives in (True, False)
    }


_AGREEMENTS: Sequence[tuple[Callable[[PairAnswer], bool], str]] = (
    (
        lambda answer: len({each.run for each in answer.methods}) == len(answer.methods),
        "Its answer counts a run twice.",
    ),
    (
        lambda answer: math.fsum(each.weight for each in answer.methods) <= 1 + _ROUNDING,
        "The weights of its methods are more than the whole.",
    ),
    (
        lambda answer: answer.role != PartitionRole.CONTROL,
        "It is about a control, on which there is no answer.",
    ),
    (_votes_are_possible, "A method votes that cannot, or one does not vote without a reason."),
    (_verdicts_are_possible, "A method has a verdict that its p-value does not give."),
    (_p_values_agree, "Its p-value is not that of its methods together."),
    (_q_value_agrees, "Its q-value is not one that its p-value can have."),
)
