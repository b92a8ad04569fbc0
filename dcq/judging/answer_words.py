"""The sentences in which an answer is given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dcq.evidence.check import Topic
from dcq.evidence.further_controls import INSTANCES
from dcq.evidence.power import ALPHA
from dcq.judging.judged import Lacking, Ruling
from dcq.judging.wording import rests_on as whose_replies
from dcq.version import __version__
from dcq.words import counted, listed, model_title, p_words, percent

if TYPE_CHECKING:
    from dcq.judging.answer import Answer, CouldAsk, MethodAnswer
    from dcq.store.answer_plans import AnswerPlan

NOTHING_TO_COMPARE = "There is nothing to compare it with."
_LEAST_SAID = 0.005  # a smaller share is rounded to 0 %
_MISSES = "would miss a model that knows a fifth of the instances"
_NOTICED = "A model that knows a fifth of the instances would probably have been noticed."
_FAILED = {  # why a result does not count, in few words; the checklist has all of them
    Topic.COMPLETE: "the {name} is not finished",
    Topic.REPLIES: "too many replies to the {name} cannot be used: the others may not be typical",
    Topic.PROMPTS: "the server cut the prompts of the {name}",
    Topic.CONTROLS: "the {name} has no control that can be compared with it",
    Topic.LEAK: "the rewordings of the {name} give originals away",
    Topic.WRITER: "target and controls of the {name} were reworded by different writers",
    Topic.POWER: f"the test is too small: it {_MISSES}",
}
_REPAIRS = {
    Topic.COMPLETE: "To repair it, resume the run.",
    Topic.REPLIES: "To repair it, retry the questions without a usable reply.",
    Topic.PROMPTS: "To repair it, give the server a larger context and ask again.",
    Topic.CONTROLS: "To repair it, ask the same model about controls in the same way.",
    Topic.LEAK: "To repair it, reword the instances that give their original away and ask again.",
    Topic.WRITER: "To repair it, have both reworded by the same writer.",
}
_OF_CONTROLS = {
    Lacking.CONTROLS: "there are too few controls",
    Lacking.LIKENESS: "the controls differ too much from each other",
}
_NOT_CONTAMINATED = "there would be no verdict of contamination"
_ANOTHER = "To settle it, ask by another method."
_OPEN = "Undecided: "
NEVER_VOTES = "It has no model or no null hypothesis, so it is shown and never counts."


def whether_it_counts(method: MethodAnswer) -> str:
    """Whether a result counts in the conclusion on its model and partition, as a sentence."""
    if method.votes and method.found_nothing_on and not method.is_high:
        return (
            f"That it found nothing means little: the {method.name} also found nothing in "
            f"{method.found_nothing_on}, which the model has surely seen."
        )
    if method.votes:
        return f"This result counts in the conclusion, with {p_words(method.p_value or 0.0)}."
    return f"This result does not count in the conclusion. {method.why_not}"


def no_weight(plan: AnswerPlan | None, *, later: bool) -> str:
    """Why a result without a weight does not vote. ``later``: its method has one."""
    if later:
        return "It was asked after another result of this method, which has the weight."
    if plan is None:
        return "The method has no weight."
    return f"It is not among what was fixed on {plan.made_at:%d %b %Y} before asking."


def sentence(answer: Answer) -> str:
    """The answer as it can be read aloud. Where it rests on replies of others, that comes first."""
    word = _OPEN if answer.ruling is Ruling.INCONCLUSIVE else ""
    return f"{whose_replies(answer.senders)}{word}{_conclusion(answer)}"


def below_its_word(answer: Answer) -> str:
    """The ``sentence`` where the word of its ruling stands above it, or before it, already."""
    return f"{whose_replies(answer.senders)}{_conclusion(answer, begins=True)}"


def _conclusion(answer: Answer, *, begins: bool = False) -> str:
    """``begins``: nothing but whole sentences stand before it."""
    where, model = answer.place, model_title(answer.model)
    if answer.ruling is Ruling.CONTAMINATED:
        strongest = min(answer.voting, key=lambda method: (method.p_value or 0.0) / method.weight)
        names = _names([method for method in answer.voting if method.is_high] or [strongest])
        figure = (strongest.is_above and _figure(strongest)) or strongest.words.seen
        return (
            f"{model} has probably seen {where}. It {figure} ({names}; "
            f"{p_words(answer.q_value or 0.0, 'q')})."
        )
    if answer.ruling is Ruling.NO_EVIDENCE:
        able = [method for method in answer.voting if method.says_no_evidence]
        figure, names = _figure(_first(able or answer.voting)), _names(able or answer.voting)
        found = f". It {figure}" if figure else ""
        noticed = f" {_NOTICED}" if able else ""  # an earlier rule asked less of a method
        return f"There is no evidence that {model} has seen {where}{found} ({names}).{noticed}"
    return _undecided(answer, begins=begins)


def _names(methods: Sequence[MethodAnswer]) -> str:
    return listed(list(dict.fromkeys(method.name for method in methods)))


def _figure(method: MethodAnswer) -> str:
    """What a model did, beside what is expected, after "it"; empty where no share was compared."""
    if method.score is None or method.expected is None:
        return ""
    return (
        f"{method.words.figure.format(share=percent(method.score))}; {percent(method.expected)} is "
        "expected on unseen text"
    )


def _uncounted(answer: Answer) -> list[MethodAnswer]:
    """Results whose figure is high and that do not count."""
    return [method for method in answer.methods if method.is_high and not method.votes]


def _depends_on_refusals(answer: Answer) -> bool:
    return answer.q_value is not None and answer.q_value <= ALPHA


def _undecided(answer: Answer, *, begins: bool) -> str:
    """What was found, why it decides nothing, and the repair."""
    model, where, why = model_title(answer.model), answer.place, _why_open(answer)
    method, repair = why.method, f" {why.repair}" if why.repair else ""
    if method and method.score is not None and (method.is_above or not method.is_high):
        expected = method.expected
        beside = "" if expected is None else f" ({percent(expected)} expected on unseen text)"
        figure = method.words.figure.format(share=percent(method.score))
        usable = " in its usable replies" if method.failed is Topic.REPLIES else ""
        return f"{model} {figure} of {where}{usable}{beside}, but {why.but}.{repair}"
    if method and method.is_high and not method.votes:
        opening = "The" if begins else "the"
        return (
            f"{opening} {method.name} of {model} on {where} is above what is expected, but "
            f"{why.but}.{repair}"
        )
    opening = "We" if begins else "we"
    because = why.because or why.but
    return f"{opening} cannot say yet whether {model} has seen {where}, because {because}.{repair}"


# How a sentence says its ruling, the narrowest first: the last is found in the others too.
_SAYS = (
    (Ruling.INCONCLUSIVE, r"\bcannot be said yet\b|(?:\A|were not asked here\. )Undecided: "),
    (Ruling.NO_EVIDENCE, r"\bThere is no evidence that .+ has seen "),
    (Ruling.CONTAMINATED, r"\S has (?:seen .+: it|probably seen .+\. It) "),
)


def ruling_said(text: str) -> Ruling | None:
    """The ruling that a ``sentence`` states; None where it states none."""
    return next((ruling for ruling, says in _SAYS if re.search(says, text, re.DOTALL)), None)


@dataclass(frozen=True)
class _Open:
    """Why a pair is undecided: the result that it is about, the reason after "but" and where no
    figure stands before it after "because", and the repair as a sentence, if there is one."""

    method: MethodAnswer | None
    but: str
    because: str = ""
    repair: str = ""


def _why_open(answer: Answer) -> _Open:
    if _depends_on_refusals(answer):
        return _Open(_first(answer.voting), "it depends on how refused replies are counted")
    blocked = [method for method in _uncounted(answer) if method.failed in _REPAIRS]
    if blocked:
        return _failed(max(blocked, key=lambda method: method.weight))
    significant_alone = [method for method in answer.voting if (method.p_value or 0.0) <= ALPHA]
    if significant_alone:
        return _Open(
            _first(significant_alone),
            "this may be chance among all that was tested",
            f"{_each_named(significant_alone)} would be significant alone, but not among all that "
            "was tested",
            _ANOTHER,
        )
    for method in _uncounted(answer):
        return _Open(method, f"the {method.name} does not count")
    if not answer.voting:
        return _none_votes(answer.methods)
    insensitive = [method for method in answer.voting if method.found_nothing_on]
    if insensitive:
        first = insensitive[0]
        if first.found_nothing_on == answer.place:
            surely = f"the model has surely seen it: the {first.name} failed to find that"
            return _Open(first, surely, repair=_ANOTHER)
        seen = f"{first.found_nothing_on}, which the model has surely seen"
        return _Open(
            first,
            f"the {first.name} also found nothing in {seen}",
            f"the {first.name} found nothing here, and nothing in {seen}",
            _ANOTHER,
        )
    return _too_small(_first(answer.voting))


def _first(methods: Sequence[MethodAnswer]) -> MethodAnswer:
    return max(methods, key=lambda method: method.weight)


def _too_small(method: MethodAnswer | None) -> _Open:
    if method is not None and method.lacks is Lacking.ROOM:
        return _Open(method, "the model does as well on unseen text", repair=_ANOTHER)
    if method is not None and method.lacks in _OF_CONTROLS:
        why = f"{_OF_CONTROLS[method.lacks]}: the test {_MISSES}"
        repair = "To repair it, add controls. More instances would not help."
        return _Open(method, why, repair=repair)
    why = f"the test is too small: it {_MISSES}"
    repair = "To repair it, ask about more instances or more controls."
    return _Open(method, why, repair=repair)


def _failed(method: MethodAnswer) -> _Open:
    """A failed check, with its repair."""
    assert method.failed is not None  # noqa: S101  (by the caller)
    return _Open(
        method,
        _FAILED[method.failed].format(name=method.name),
        repair=_REPAIRS.get(method.failed, ""),
    )


def _none_votes(methods: Sequence[MethodAnswer]) -> _Open:
    """The reason of the method with the largest weight."""
    first = next((method for method in methods if method.why_not and not method.aside), None)
    if first is None or not first.weight:
        return _Open(None, "no method gave a result that counts")
    if first.only_small:
        return _too_small(first)
    if first.failed not in _FAILED:
        return _Open(first, f"the {first.name} does not count")
    return _failed(first)


def basis(
    methods: Sequence[MethodAnswer], could_ask: Sequence[CouldAsk], plan: AnswerPlan | None
) -> str:
    """Which methods an answer rests on, and when their weights were fixed."""
    asked = [f"{method.name} {percent(method.weight)}" for method in methods if not method.aside]
    unasked = [f"{method.name} {percent(method.weight)} (not asked)" for method in could_ask]
    weights = [method.weight for method in methods] + [method.weight for method in could_ask]
    remaining_weight = 1 - sum(weights)
    others = [f"others {percent(remaining_weight)}"] if remaining_weight > _LEAST_SAID else []
    shares = listed([*asked, *unasked, *others])
    if plan is not None:
        when = f"{plan.made_at:%d %b %Y, %H:%M} UTC"
        return f"Weights, fixed on {when} before the first reply: {shares}."
    return (
        f"Weights, by default as nothing was fixed before the first reply (dcq {__version__}): "
        f"{shares}."
    )


def contradiction(methods: Sequence[MethodAnswer]) -> str:
    """A sentence if methods contradict each other; empty if they do not."""
    seen = [method for method in methods if method.votes and (method.p_value or 0.0) <= ALPHA]
    unseen = [method for method in methods if method.votes and method.verdict is Ruling.NO_EVIDENCE]
    if not seen or not unseen:
        return ""
    does = [method.words.seen for method in seen]
    does_not = [method.words.unseen for method in unseen]
    text = listed(list(dict.fromkeys([*does, *does_not])))
    return f"The methods disagree: it {text}."


def reasons(answer: Answer, *, survives_refusals: bool) -> tuple[str, ...]:
    """The reasons as whole sentences: what decided, what the answer rests on, and what would change
    it. ``survives_refusals``: it holds with what was refused counted as wrong."""
    sentences = [answer.basis]
    if answer.q_value is not None and answer.p_value is not None:
        sentences.insert(
            0,
            f"All methods together: {p_words(answer.p_value)}, {p_words(answer.q_value, 'q')} "
            f"among {counted(answer.pairs, 'pair')} of a model and a partition.",
        )
    sentences += reasons_of_methods(answer, survives_refusals=survives_refusals)
    return tuple(dict.fromkeys((*sentences, *answer.would_change)))


def reasons_of_methods(answer: Answer, *, survives_refusals: bool) -> list[str]:
    """The reasons that follow from the ruling and the results alone, whatever the study."""
    sentences = []
    if answer.q_value is not None and answer.q_value <= ALPHA and not survives_refusals:
        sentences.append(f"With what was refused counted as wrong, {_NOT_CONTAMINATED}.")
    sentences += [answer.contradiction] if answer.contradiction else []
    sentences += [
        f"The {method.name} does not count: {method.why_not}"
        for method in answer.methods
        if method.why_not and method.verdict is not None
    ]
    # Two slots of one quiz may be silent for one reason.
    return list(dict.fromkeys(sentences))


def rests_on(needed: Sequence[MethodAnswer], *, fragile: bool) -> list[str]:
    """The results without which the ruling would not hold, as sentences."""
    sentences = []
    if needed:
        sentences.append(f"Without {_each_named(needed)} {_NOT_CONTAMINATED}.")
    if fragile:
        sentences.append(
            "If its originals were five points easier to tell than those of its controls, "
            f"{_NOT_CONTAMINATED}."
        )
    return sentences


def needed_p_values(could_ask: Sequence[CouldAsk], p_limit: float) -> list[str]:
    """For each method not asked yet, the p-value at which the ruling would be "contaminated", as a
    sentence; ``p_limit`` is that of all methods together."""
    return [
        f"There would be a verdict of contamination if {method.name}, not asked yet, came "
        f"to p ≤ {method.weight * p_limit:.2g}."
        for method in could_ask
    ]


def more_controls(methods: Sequence[MethodAnswer]) -> list[str]:
    """How many further controls would help the result with the largest weight, and by how much;
    empty where none would, or something else keeps it from counting."""
    for method in sorted(methods, key=lambda method: -method.weight):
        if not method.weight or method.failed not in {None, Topic.POWER, Topic.CONTROLS}:
            continue
        further = method.judged.further_controls if method.judged else None
        if further is None:
            continue
        sentence = (
            f"{further.count} more controls of {INSTANCES} instances would raise the power of the "
            f"{method.name} from {percent(further.now)} to {percent(further.then)}, for a model "
            "that knows a fifth of the text."
        )
        return [sentence] if further.count else []
    return []


def _each_named(results: Sequence[MethodAnswer]) -> str:
    """The results by name; several of one name, such as two slots of a quiz, are named once."""
    return listed(list(dict.fromkeys(f"the {method.name}" for method in results)))
