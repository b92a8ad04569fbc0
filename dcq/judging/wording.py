"""The sentences of a verdict's checks: one function for each outcome of a check.

Figures are fractions, p-values and counts; names are those on the screen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dcq.evidence.check import MOST_UNUSABLE, CheckWords, Topic
from dcq.evidence.leak import strategy_words
from dcq.evidence.power import ENOUGH_POWER, POWER
from dcq.words import counted, listed, p_number, p_words, percent

_MORE_CONTROLS = "More instances will not help; more controls will."
# What a line of a verdict's checklist is called.
TOPICS = {
    Topic.COMPLETE: "Complete",
    Topic.REPLIES: "Replies",
    Topic.PROMPTS: "Prompts",
    Topic.SERVED: "Model",
    Topic.CONTROLS: "Controls",
    Topic.MARGIN: "Margin",
    Topic.DATES: "Dates",
    Topic.TEXT: "Kind of text",
    Topic.LEAK: "Text alone",
    Topic.PEOPLE: "People",
    Topic.SLOT: "Slot",
    Topic.WRITER: "Writer",
    Topic.POWER: "Power",
    Topic.FAMILY: "All results",
}

# What could not be checked.
LEAK = "whether the options' text alone gives originals away"

# Replies


def rests_on(senders: Sequence[str]) -> str:
    """The first sentence of what rests on replies of others, with a space after it; empty where
    nothing does."""
    if not senders:
        return ""
    return f"Rests on replies from {listed(list(senders))} that were not asked here. "


def share_found(share: float | None) -> str:
    if share is None:
        return "There is no usable answer."
    return f"{percent(share, 1)} of the answers count for memory."


def no_answer() -> CheckWords:
    return CheckWords("n = 0", "There is no usable answer.")


def unusable(share: float) -> CheckWords:
    return CheckWords(
        _usable(share), f"{percent(share)} of the instances lack a usable reply, {_few()}"
    )


def controls_unusable(share: float, control_share: float) -> CheckWords:
    return CheckWords(
        _usable(share),
        f"{percent(control_share)} of the controls' instances lack a usable reply, {_few()}",
    )


def all_usable() -> CheckWords:
    return CheckWords(_usable(0.0), "All replies are usable.")


def mostly_usable(share: float, p_refused: float | None = None) -> CheckWords:
    words = _usable_words(share)
    if p_refused is not None:
        words += f" With the rest counted as wrong p would be {p_number(p_refused)}."
    return CheckWords(_usable(share), words)


def refused_decide(share: float, p_value: float, p_refused: float) -> CheckWords:
    return CheckWords(
        _usable(share),
        f"{_usable_words(share)} With the calls that have no answer counted as wrong p would be "
        f"{p_number(p_refused)} instead of {p_number(p_value)}, so the result depends on what was "
        "refused.",
    )


def refused_decide_among_others(p_refused: float, q_refused: float) -> CheckWords:
    return CheckWords(
        p_words(q_refused, "q"),
        f"With the calls that have no answer counted as wrong p would be {p_number(p_refused)}, "
        "which is too likely to be a false call among so many results: the result depends on what "
        "was refused.",
    )


def _usable(unusable: float) -> str:
    return f"{percent(1 - unusable)} usable"


def _usable_words(unusable: float) -> str:
    return f"{percent(1 - unusable, 1)} of the instances have usable replies."


def _few() -> str:
    return (
        f"above the limit of {percent(MOST_UNUSABLE)}, so those that have one may not be typical."
    )


# Prompts


def prompts_cut(n: int, cut: int, tokens: int, where: str) -> CheckWords:
    """``where`` is the control whose prompts were cut; empty for the target."""
    on = f" on the control {where}" if where else ""
    return CheckWords(
        f"{cut:,} of {n:,} cut",
        f"The server cut {cut:,} of {n:,} prompts{on} to {tokens:,} tokens, so the model did not"
        " see the whole question. Give it a larger context (Ollama: num_ctx or"
        " OLLAMA_CONTEXT_LENGTH) and ask again in a new run.",
    )


def prompts_uncounted() -> CheckWords:
    return CheckWords(
        "not counted",
        "The endpoint does not report prompt tokens, so we cannot tell whether prompts were cut.",
        "whether the server read the prompts whole",
    )


# The text alone


def no_options() -> CheckWords:
    return CheckWords("–", "There is no option to choose by its text.", LEAK)


def options_unseen() -> CheckWords:
    return CheckWords(
        "not checked",
        "The options are not available, so only the controls check whether their text alone gives "
        "originals away.",
        LEAK,
    )


def leaky(best: float, solved: Mapping[str, float]) -> CheckWords:
    named = ", ".join(f"{strategy_words(name)}: {percent(share)}" for name, share in solved.items())
    return CheckWords(
        f"{percent(best)} at most",
        f"The wordings are leaky: their text alone gives originals away, without memory ({named}).",
    )


def no_leak(
    strategy: str,
    best: float,
    n: int,
    least: float | None,
    score: float | None,
    could_explain: bool = False,
) -> CheckWords:
    opening = (
        "The text of the options alone does not give originals away: "
        f"{strategy_words(strategy)} finds {percent(best)}, the most of all strategies."
    )
    if least is None:
        seen = f"With n = {n:,} no leak could have been noticed"
    else:
        seen = (
            f"With n = {n:,} a leak is noticed in {percent(POWER)} of cases if it finds "
            f"{percent(least)} or more"
        )
    if score is None:
        ending = "."
    elif could_explain:
        ending = (
            f", and the model found {percent(score)}: a leak too small to be noticed could reach "
            "that."
        )
    else:
        ending = f"; the model found {percent(score)}."
    return CheckWords(f"{percent(best)} at most", f"{opening} {seen}{ending}")


def none_of_these(share: float, control_share: float, differs: bool) -> CheckWords:
    opening = (
        f"“None of these” is {percent(share)} of the answers here and {percent(control_share)}"
    )
    ending = (
        ": a model that says it less often chooses every slot more often, so part of the "
        "difference need not be memory."
        if differs
        else "."
    )
    return CheckWords(
        f"{percent(share)} against {percent(control_share)}", f"{opening} on the controls{ending}"
    )


# Power and family


def found_with_power(n: int, minimum: float | None, effect: str) -> CheckWords:
    return CheckWords(_effect(minimum, effect), _reached(n, minimum, effect))


def too_small_alone(n: int, minimum: float | None, effect: str) -> CheckWords:
    return CheckWords(
        _effect(minimum, effect), f"The sample is too small. {_reached(n, minimum, effect)}"
    )


def no_room(minimum: float | None, effect: str) -> CheckWords:
    return CheckWords(
        _effect(minimum, effect),
        "The controls leave no room above them: the model does as well on unseen text.",
    )


def too_few_controls(minimum: float | None, effect: str, controls: int) -> CheckWords:
    return CheckWords(
        _effect(minimum, effect),
        f"{counted(controls, 'control')} cannot tell how much scores on unseen texts differ. "
        f"{_MORE_CONTROLS}",
    )


def controls_too_different(minimum: float | None, effect: str) -> CheckWords:
    return CheckWords(
        _effect(minimum, effect),
        f"The controls differ too much to find an effect. {_MORE_CONTROLS}",
    )


def too_small(minimum: float | None, needed: int, effect: str) -> CheckWords:
    return CheckWords(
        _effect(minimum, effect),
        f"The sample is too small: about {needed:,} instances are needed to find {effect} of "
        f"{ENOUGH_POWER:.1f}.",
    )


def only_result(q: float) -> CheckWords:
    return CheckWords(p_words(q, "q"), "It is the only result that is compared.")


def among_results(q: float, size: int) -> CheckWords:
    return CheckWords(p_words(q, "q"), f"{_among(q, size)}.")


def not_among_so_many(q: float, size: int) -> CheckWords:
    return CheckWords(
        p_words(q, "q"), f"{_among(q, size)}: too likely to be a false call among so many."
    )


def not_by_holm(q: float, size: int, strict: float) -> CheckWords:
    return CheckWords(
        p_words(q, "q"), f"{_among(q, size)}; by Holm's strict reading it is {strict:.3f}."
    )


def _among(q: float, size: int) -> str:
    return f"Among the {size:,} results compared, {p_words(q, 'q')} (Benjamini–Hochberg)"


def _effect(minimum: float | None, effect: str) -> str:
    return "–" if minimum is None else f"{effect.split()[-1]} ≥ {minimum:.2f}"


def _reached(n: int, minimum: float | None, effect: str) -> str:
    if minimum is None:
        return f"With n = {n:,} no effect could be found with a power of {percent(POWER)}."
    return (
        f"With n = {n:,} {effect} of {minimum:.2f} or more is found with a power of "
        f"{percent(POWER)}, tested alone."
    )
