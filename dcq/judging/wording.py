"""The checks of a verdict in words: one function for each thing that a check can find.

Figures are fractions, p-values and counts; names are those on the screen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dcq.evidence.check import MOST_UNUSABLE, Check, Topic, Words
from dcq.evidence.controls import EASIER, FEWEST_CONTROL, FEWEST_TARGET, MANY
from dcq.evidence.leak import strategy_words
from dcq.evidence.power import ENOUGH_POWER, POWER
from dcq.words import listed, p_number, p_words, percent

_NAMED = 4  # controls named in a sentence

# What a line of a verdict's checklist is called.
TOPICS = {
    Topic.COMPLETE: "Complete",
    Topic.REPLIES: "Replies",
    Topic.SERVED: "Model",
    Topic.CONTROLS: "Controls",
    Topic.MARGIN: "Margin",
    Topic.DATES: "Dates",
    Topic.LEAK: "Text alone",
    Topic.PEOPLE: "People",
    Topic.SLOT: "Slot",
    Topic.WRITER: "Writer",
    Topic.POWER: "Power",
    Topic.FAMILY: "All results",
}

# What could not be checked.
UNSEEN = "what unseen text would score"
LEAK = "whether the options' text alone gives originals away"

# Replies


def no_answer() -> Words:
    return Words("n = 0", "There is no usable answer.")


def unusable(share: float) -> Words:
    return Words(_usable(share), f"{percent(share)} of the instances lack a usable reply, {_few()}")


def controls_unusable(share: float, theirs: float) -> Words:
    return Words(
        _usable(share),
        f"{percent(theirs)} of the controls' instances lack a usable reply, {_few()}",
    )


def all_usable() -> Words:
    return Words(_usable(0.0), "All replies are usable.")


def mostly_usable(share: float, p_refused: float | None = None) -> Words:
    words = _usable_words(share)
    if p_refused is not None:
        words += f" With the rest counted as wrong p would be {p_number(p_refused)}."
    return Words(_usable(share), words)


def refused_decide(share: float, p_value: float, p_refused: float) -> Words:
    return Words(
        _usable(share),
        f"{_usable_words(share)} With the calls that have no answer counted as wrong p would be "
        f"{p_number(p_refused)} instead of {p_number(p_value)}, so the result depends on what was "
        "refused.",
    )


def refused_decide_among_others(p_refused: float, q_refused: float) -> Words:
    return Words(
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
    return f"more than {percent(MOST_UNUSABLE)}: the others need not be representative."


# Controls


def compared(names: Sequence[str], controls: int) -> Words:
    return Words(_controls(controls), f"{_beside(names)}.")


def compared_with_few(names: Sequence[str], controls: int) -> Words:
    return Words(
        _controls(controls),
        f"{_beside(names)}. With fewer than {MANY} controls, how much unseen partitions differ is "
        "assumed, not measured.",
    )


def compared_unfairly(names: Sequence[str], controls: int, why: Check) -> Words:
    return Words(_controls(controls), f"{_beside(names)}. {why.sentence}")


def too_few_instances(names: Sequence[str], controls: int, n: int, theirs: int) -> Words:
    return Words(
        _controls(controls),
        f"{_beside(names)}, but {n} instances against {theirs} are too few: {FEWEST_TARGET} of the "
        f"target and {FEWEST_CONTROL} of all its controls are needed.",
    )


def control_set_aside(
    names: Sequence[str], controls: int, aside: Sequence[str], p_all: float | None = None
) -> Words:
    sentence = f"{_beside(names)}. {listed(aside, _NAMED)} scores as only seen text does: check it."
    if p_all is not None:
        sentence += f" With it among the controls p would be {p_all:.3f}."
    return Words(_controls(controls), sentence)


def other_text(theirs: Sequence[str], own: str) -> Words:
    return Words(
        "none",
        f"The only controls are of another task or language ({', '.join(theirs)}; the target is "
        f"{own}), so the comparison is not fair.",
        UNSEEN,
    )


def controls_changed(names: Sequence[str]) -> Words:
    return Words(
        "none",
        f"The looks were planned with controls that have changed since: {_first(names)}.",
        UNSEEN,
    )


def silent_controls(names: Sequence[str]) -> Words:
    return Words("none", f"{_first(names)} gave no usable answer.", UNSEEN)


def own_baseline() -> Words:
    return Words(
        "own baseline",
        "Compared with the model's own choices without the original; there is no control "
        "partition.",
    )


def no_control(otherwise: str) -> Words:
    return Words("none", f"There is no control partition, so {otherwise}.", UNSEEN)


def none_alike(differs: Sequence[str]) -> Words:
    """``differs`` are names of settings."""
    verb = "differs" if len(differs) == 1 else "differ"
    return Words(
        "none alike",
        f"The controls of this model were asked in another way ({listed(differs)} {verb}), so they "
        "are no fair comparison.",
    )


def unusable_left_out(names: Sequence[str]) -> Words:
    return Words(
        f"{len(names)} left out",
        f"Left out, because more than {percent(MOST_UNUSABLE)} of the instances lack a usable "
        f"reply: {_first(names)}.",
    )


def controls_today(controls: int, p_value: float) -> Words:
    return Words(
        f"{controls} now",
        f"Against the {controls} controls available today, p would be {p_number(p_value)}.",
    )


def odd_control(
    name: str, score: float, expected: float, p_without: float, change: str = "", measure: str = ""
) -> Words:
    """``change`` is what the verdict would be without it, empty where it would be the same;
    ``measure`` in what it disagrees, if there are several."""
    where = f" in {measure}" if measure else ""
    sentence = (
        f"Of the controls, {name} disagrees most with the others{where}: it scores "
        f"{percent(score, 1)}, where they lead to expect {percent(expected, 1)}. Without it p "
        f"would be {p_number(p_without)}"
    )
    if change:
        sentence += (
            f", and the verdict {change}. Check whether it may have been seen, or is of another "
            "kind."
        )
    else:
        sentence += ", with the same verdict."
    return Words(p_words(p_without), sentence)


def _controls(count: int) -> str:
    return "1 control" if count == 1 else f"{count} controls"


def _beside(names: Sequence[str]) -> str:
    return f"Compared with {listed(names, _NAMED)}"


def _first(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:_NAMED])} and {more} more"


# Margin, dates, who answered, who wrote


def easier_text(p_easier: float, q_easier: float, explains: bool, alpha: float) -> Words:
    values = p_words(p_easier)
    if q_easier > alpha >= p_easier:
        values += f" ({p_words(q_easier, 'q')} among all results)"
    sentence = (
        f"If unseen text of this kind scored {100 * EASIER:.0f} points more than the controls, "
        f"there would be {values if explains else p_words(p_easier)}"
    )
    if explains:
        sentence += (
            ": a text that is only that much easier than its controls would explain the result"
        )
    return Words(p_words(p_easier), f"{sentence}.")


def controls_may_be_seen(cutoff: str, names: Sequence[str]) -> Words:
    verb, them = ("was", "it") if len(names) == 1 else ("were", "them")
    return Words(
        f"cut-off {cutoff}",
        f"{listed(names, _NAMED)} {verb} published before the model's cut-off ({cutoff}), so it "
        f"may have trained on {them}; write fresh controls.",
    )


def too_new_to_be_seen(cutoff: str, published: str, certain: bool) -> Words:
    judged = (
        "cannot be in the training data by its date"
        if certain
        else "is unlikely to be in the training data by its date"
    )
    return Words(
        f"cut-off {cutoff}",
        f"The partition was published on {published}, after the model's cut-off ({cutoff}), and "
        f"{judged}: a high score needs another explanation.",
    )


def several_served(values: int, noun: str, sides: str) -> Words:
    return Words(
        f"{values:,} {noun.split()[1]}",
        f"The endpoint gave {values:,} {noun} for what is compared here, so it may not be one "
        f"model ({sides}).",
    )


def same_writer(mine: str) -> Words:
    return Words("same", f"The variants of target and controls are {mine}.")


def other_writer(mine: str, theirs: Sequence[str]) -> Words:
    return Words(
        "differ",
        f"The variants here are {mine}, those of a control {', '.join(theirs)}: a preference for "
        "one writer's wording looks like memory.",
    )


def other_writer_left_out(names: Sequence[str]) -> Words:
    return Words(
        f"{len(names)} left out",
        f"Left out, because another writer wrote the variants: {_first(names)}.",
    )


# The text alone


def no_options() -> Words:
    return Words("–", "There is no option to choose by its text.", LEAK)


def options_unseen() -> Words:
    return Words(
        "not checked",
        "The options are not available, so only the controls check whether their text alone gives "
        "originals away.",
        LEAK,
    )


def leaky(best: float, solved: Mapping[str, float]) -> Words:
    named = ", ".join(f"{strategy_words(name)}: {percent(share)}" for name, share in solved.items())
    return Words(
        f"{percent(best)} at most",
        f"The quiz is leaky: its text alone gives originals away, without memory ({named}).",
    )


def no_leak(
    strategy: str,
    best: float,
    n: int,
    least: float | None,
    score: float | None,
    could_explain: bool = False,
) -> Words:
    found = (
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
        rest = "."
    elif could_explain:
        rest = (
            f", and the model found {percent(score)}: a leak too small to be noticed could reach "
            "that."
        )
    else:
        rest = f"; the model found {percent(score)}."
    return Words(f"{percent(best)} at most", f"{found} {seen}{rest}")


def none_of_these(mine: float, theirs: float, differs: bool) -> Words:
    said = f"“None of these” is {percent(mine)} of the answers here and {percent(theirs)}"
    rest = (
        ": a model that says it less often chooses every slot more often, so part of the "
        "difference need not be memory."
        if differs
        else "."
    )
    return Words(f"{percent(mine)} against {percent(theirs)}", f"{said} on the controls{rest}")


# Power and family


def found_with_power(n: int, minimum: float | None, effect: str) -> Words:
    return Words(_effect(minimum, effect), _reached(n, minimum, effect))


def too_small_alone(n: int, minimum: float | None, effect: str) -> Words:
    return Words(
        _effect(minimum, effect), f"The sample is too small. {_reached(n, minimum, effect)}"
    )


def no_room(minimum: float | None, effect: str) -> Words:
    return Words(
        _effect(minimum, effect),
        "The controls leave no room above them: the model finds their originals too.",
    )


def controls_too_different(minimum: float | None, effect: str) -> Words:
    return Words(
        _effect(minimum, effect),
        "The controls differ too much to find an effect. More instances will not help; closer or "
        "more controls may.",
    )


def too_small(minimum: float | None, needed: int, effect: str) -> Words:
    return Words(
        _effect(minimum, effect),
        f"The sample is too small: about {needed:,} instances are needed to find {effect} of "
        f"{ENOUGH_POWER:.1f}.",
    )


def only_result(q: float) -> Words:
    return Words(p_words(q, "q"), "It is the only result that is compared.")


def among_results(q: float, size: int) -> Words:
    return Words(p_words(q, "q"), f"{_among(q, size)}.")


def not_among_so_many(q: float, size: int) -> Words:
    return Words(
        p_words(q, "q"), f"{_among(q, size)}: too likely to be a false call among so many."
    )


def not_by_holm(q: float, size: int, strict: float) -> Words:
    return Words(
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
