"""The sentences of checks on controls, dates, served models and writers: one function for each
outcome, as in ``dcq.judging.wording``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dcq.evidence.check import MOST_UNUSABLE, Check, CheckWords
from dcq.evidence.controls import EASIER, FEWEST_CONTROL, FEWEST_TARGET, MANY
from dcq.words import listed, p_number, p_words, percent

_NAMED = 4  # controls named in a sentence
_AS_LONG = 1.25  # times
UNKNOWN_SOURCE = "an unknown source"

UNSEEN = "what unseen text would score"  # could not be checked


# Controls


def compared(names: Sequence[str], controls: int) -> CheckWords:
    return CheckWords(_controls(controls), f"{_beside(names)}.")


def none_needed() -> CheckWords:
    return CheckWords(
        "none needed",
        "No control is needed: the published wordings were drawn at random, so what a model that "
        "never saw them would do is known exactly.",
    )


def compared_with_few(names: Sequence[str], controls: int) -> CheckWords:
    return CheckWords(
        _controls(controls),
        f"{_beside(names)}. With fewer than {MANY} controls, how much unseen partitions differ is "
        "assumed, not measured.",
    )


def compared_unfairly(names: Sequence[str], controls: int, why: Check) -> CheckWords:
    return CheckWords(_controls(controls), f"{_beside(names)}. {why.sentence}")


def too_few_instances(
    names: Sequence[str], controls: int, n: int, control_instances: int
) -> CheckWords:
    return CheckWords(
        _controls(controls),
        f"{_beside(names)}, but {n} instances against {control_instances} are too few: "
        f"{FEWEST_TARGET} of the target and {FEWEST_CONTROL} of all its controls are needed.",
    )


def control_set_aside(
    names: Sequence[str], controls: int, aside: Sequence[str], p_all: float | None = None
) -> CheckWords:
    sentence = f"{_beside(names)}. {listed(aside, _NAMED)} scores as only seen text does: check it."
    if p_all is not None:
        sentence += f" With it among the controls p would be {p_all:.3f}."
    return CheckWords(_controls(controls), sentence)


def other_text(control_texts: Sequence[str], target_text: str) -> CheckWords:
    return CheckWords(
        "none",
        f"The only controls are of another task or language ({', '.join(control_texts)}; the "
        f"target is {target_text}), so the comparison is not fair.",
        UNSEEN,
    )


def controls_changed(names: Sequence[str]) -> CheckWords:
    return CheckWords(
        "none",
        f"The looks were planned with controls that have changed since: {_first(names)}.",
        UNSEEN,
    )


def silent_controls(names: Sequence[str]) -> CheckWords:
    return CheckWords("none", f"{_first(names)} gave no usable answer.", UNSEEN)


def own_baseline() -> CheckWords:
    return CheckWords(
        "own baseline",
        "Compared with the model's own choices without the original; there is no control "
        "partition.",
    )


def no_control(otherwise: str) -> CheckWords:
    return CheckWords("none", f"There is no control partition, so {otherwise}.", UNSEEN)


def none_alike(differs: Sequence[str]) -> CheckWords:
    """``differs`` are names of settings."""
    verb = "differs" if len(differs) == 1 else "differ"
    return CheckWords(
        "none alike",
        f"The controls of this model were asked in another way ({listed(differs)} {verb}), so they "
        "are no fair comparison.",
    )


def unusable_left_out(names: Sequence[str]) -> CheckWords:
    return CheckWords(
        f"{len(names)} left out",
        f"Left out, because more than {percent(MOST_UNUSABLE)} of the instances lack a usable "
        f"reply: {_first(names)}.",
    )


def controls_today(controls: int, p_value: float) -> CheckWords:
    return CheckWords(
        f"{controls} now",
        f"Against the {controls} controls available today, p would be {p_number(p_value)}.",
    )


def odd_control(
    name: str, score: float, expected: float, p_without: float, change: str = "", measure: str = ""
) -> CheckWords:
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
    return CheckWords(p_words(p_without), sentence)


def same_kind_of_text(
    times: float, low: float, high: float, sources: Sequence[str], target_source: str
) -> CheckWords:
    return CheckWords(
        f"{times:.1f} × as long",
        "The controls are texts of the target's kind. "
        f"{_distance(times, low, high)}{_sources(sources, target_source)}",
    )


def other_kind_of_text(
    times: float,
    low: float,
    high: float,
    sources: Sequence[str],
    target_source: str,
    others: Mapping[str, str],
    known: int,
) -> CheckWords:
    named = listed([f"{name} ({why})" for name, why in others.items()], _NAMED)
    return CheckWords(
        f"{len(others)} of {known} differ",
        "These controls are another kind of text, on which the model may behave differently: "
        f"{named}. {_distance(times, low, high)}{_sources(sources, target_source)}",
    )


def _distance(times: float, low: float, high: float) -> str:
    length = (
        "about as long as the target"
        if times < _AS_LONG
        else f"up to {times:.1f} times as long or as short as the target"
    )
    one = round(low, 2) == round(high, 2)
    shares = percent(low) if one else f"{percent(low)} to {percent(high)}"
    return f"Controls are {length} and share {shares} of its 50 commonest words."


def _sources(sources: Sequence[str], target_source: str) -> str:
    """Nothing where no source is known."""
    if {*sources, target_source} == {UNKNOWN_SOURCE}:
        return ""
    return f" They come from {listed(sources)}, the target from {target_source}."


def _controls(count: int) -> str:
    return "1 control" if count == 1 else f"{count} controls"


def _beside(names: Sequence[str]) -> str:
    return f"Compared with {listed(names, _NAMED)}"


def _first(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:_NAMED])} and {more} more"


# Margin, dates, who answered, who wrote

_EASIER = (
    f"If this text were {100 * EASIER:.0f} points easier than its controls, unseen as they are"
)


def easier_text(p_easier: float, q_easier: float, explains: bool, alpha: float) -> CheckWords:
    values = p_words(p_easier)
    if not explains:
        return CheckWords(values, f"{_EASIER}, the result would still stand ({values}).")
    if q_easier > alpha >= p_easier:
        corrected = p_words(q_easier, "q")
        reason = f"the result would not stand after correction for all results ({corrected})"
    else:
        reason = f"the result would not stand ({values})"
    return CheckWords(values, f"{_EASIER}, {reason}: an easier text could explain it.")


def controls_may_be_seen(cutoff: str, names: Sequence[str]) -> CheckWords:
    verb, pronoun = ("was", "it") if len(names) == 1 else ("were", "them")
    return CheckWords(
        f"cut-off {cutoff}",
        f"{listed(names, _NAMED)} {verb} published before the model's cut-off ({cutoff}), so it "
        f"may have trained on {pronoun}; write fresh controls.",
    )


def too_new_to_be_seen(cutoff: str, published: str, certain: bool) -> CheckWords:
    judged = (
        "cannot be in the training data by its date"
        if certain
        else "is unlikely to be in the training data by its date"
    )
    return CheckWords(
        f"cut-off {cutoff}",
        f"The partition was published on {published}, after the model's cut-off ({cutoff}), and "
        f"{judged}: a high score needs another explanation.",
    )


def several_served(values: int, noun: str, sides: str) -> CheckWords:
    return CheckWords(
        f"{values:,} {noun.split()[1]}",
        f"The endpoint gave {values:,} {noun} for what is compared here, so it may not be one "
        f"model ({sides}).",
    )


def same_writer(writer: str) -> CheckWords:
    return CheckWords("same", f"The variants of target and controls are {writer}.")


def other_writer(writer: str, control_writers: Sequence[str]) -> CheckWords:
    return CheckWords(
        "different",
        f"The rewordings of the target are {writer}, but those of a control are "
        f"{', '.join(control_writers)}. A preference for one writer's style looks like memory.",
    )


def other_writer_left_out(names: Sequence[str]) -> CheckWords:
    return CheckWords(
        f"{len(names)} left out",
        f"Left out, because another writer wrote the variants: {_first(names)}.",
    )
