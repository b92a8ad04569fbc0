"""The checks of a result that are computed from numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from dcq.evidence.check import MOST_UNUSABLE, Check, CheckWords, Mark, Topic
from dcq.evidence.compare import compare_unpaired
from dcq.evidence.controls import FEWEST_CONTROL, FEWEST_TARGET, MANY
from dcq.evidence.leak import leaks, smallest_leak
from dcq.evidence.power import ALPHA, ENOUGH_POWER
from dcq.evidence.record import HERE, ServedModel
from dcq.judging import wording, wording_controls
from dcq.judging.judged import JudgedResult, Lacking
from dcq.variants.writer_words import writer_words
from dcq.words import names_for_others, percent

if TYPE_CHECKING:
    from dcq.models.cutoffs import Cutoff
    from dcq.text_kind import TextKind


MOST_TIMES = 3.0  # as long as the target, or as short, that a control may be
FEWEST_COMMON = 0.15  # of the 50 commonest words; English prose shares a quarter to three quarters
NONE_APART = 0.05  # shares of "none of these" that differ by less are not worth a caution
_SHOWN = 4  # names; an endpoint may report a different one with every reply
_LONGEST = 60  # characters of a name in a sentence


def replies(result: JudgedResult, alpha: float) -> Check:
    """Are enough of the instances usable, on the target and on its controls, and would the verdict
    be the same if refused answers counted as wrong?"""
    share, control_share = result.evidence.unusable, result.control_unusable
    if (counts := result.evidence.prompts) is not None and counts.cut:
        share = max(share, counts.cut / counts.n)  # answers to questions that were not seen whole
    if share > MOST_UNUSABLE and result.evidence.needs_controls:
        return _check(Topic.REPLIES, Mark.BAD, wording.unusable, share=share)
    if result.calibration is not None and control_share > MOST_UNUSABLE:
        bad = wording.controls_unusable
        return _check(Topic.REPLIES, Mark.BAD, bad, share=share, control_share=control_share)
    if not share:
        return _check(Topic.REPLIES, Mark.GOOD, wording.all_usable)
    p = result.against_controls(lambda calibration: calibration.p_value)
    p_refused = result.against_controls(lambda calibration: calibration.p_refused)
    if p is None or p_refused is None:
        return _check(Topic.REPLIES, Mark.GOOD, wording.mostly_usable, share=share)
    figures = {"share": share, "p_refused": p_refused}
    if (p <= alpha) != (p_refused <= alpha):
        return _check(Topic.REPLIES, Mark.BAD, wording.refused_decide, **figures, p_value=p)
    return _check(Topic.REPLIES, Mark.GOOD, wording.mostly_usable, **figures)


def controls(result: JudgedResult, alpha: float) -> Check:
    """Which controls is the result compared with, and are they enough?"""
    calibration, names = result.calibration, [control.place for control in result.controls]
    if calibration is None:
        return _uncontrolled(result, alpha)
    used = [name for place, name in enumerate(names) if place not in calibration.aside]
    figures: dict[str, Any] = {"names": used, "controls": calibration.controls}
    if result.unfair is not None:
        bad = wording_controls.compared_unfairly
        return _check(Topic.CONTROLS, Mark.BAD, bad, **figures, why=result.unfair)
    if calibration.n < FEWEST_TARGET or calibration.control_instances < FEWEST_CONTROL:
        figures |= {"n": calibration.n, "control_instances": calibration.control_instances}
        return _check(Topic.CONTROLS, Mark.BAD, wording_controls.too_few_instances, **figures)
    if calibration.aside:
        figures["aside"] = [names[place] for place in calibration.aside]
        if calibration.p_value <= alpha < calibration.p_all:
            figures["p_all"] = calibration.p_all
        return _check(Topic.CONTROLS, Mark.CAUTION, wording_controls.control_set_aside, **figures)
    if calibration.controls < MANY:
        return _check(Topic.CONTROLS, Mark.CAUTION, wording_controls.compared_with_few, **figures)
    return _check(Topic.CONTROLS, Mark.GOOD, wording_controls.compared, **figures)


def _uncontrolled(result: JudgedResult, alpha: float) -> Check:
    if result.unfair is not None:
        return result.unfair
    if not result.evidence.needs_controls:
        return _check(Topic.CONTROLS, Mark.GOOD, wording_controls.none_needed)
    own_ablation = result.evidence.ablation
    if (
        own_ablation is not None
        and own_ablation.p_value is not None
        and own_ablation.p_value > alpha
    ):
        return _check(Topic.CONTROLS, Mark.CAUTION, wording_controls.own_baseline)
    otherwise = result.evidence.words.otherwise
    return _check(Topic.CONTROLS, Mark.BAD, wording_controls.no_control, otherwise=otherwise)


def odd_control(result: JudgedResult, change: str) -> Check | None:
    """Which control disagrees most with the others? ``change`` is what the verdict would be without
    it, empty where it would be the same. None with fewer than three."""
    odd = result.odd_control
    if odd is None:
        return None
    return _check(
        Topic.CONTROLS,
        Mark.CAUTION if change else Mark.GOOD,
        wording_controls.odd_control,
        name=odd.name,
        score=odd.control.score,
        expected=odd.control.expected,
        p_without=odd.control.p_without,
        change=change,
        measure=result.evidence.words.measures.get(odd.measure, odd.measure),
    )


def easier(p_easier: float, q_easier: float, alpha: float) -> Check:
    """Would the verdict hold if the originals of this text were a little easier to find than those
    of the controls, seen or not?"""
    explains = q_easier > alpha
    return _check(
        Topic.MARGIN,
        Mark.CAUTION if explains else Mark.GOOD,
        wording_controls.easier_text,
        p_easier=p_easier,
        q_easier=q_easier,
        explains=explains,
        alpha=alpha,
    )


def dates(result: JudgedResult, cutoff: Cutoff | None) -> list[Check]:
    """Which controls may the model have trained on, and is the target newer than its training data?
    Empty where a date is unknown."""
    if cutoff is None:
        return []
    checks = []
    old = [
        control.place
        for control in result.controls
        if control.published is not None and cutoff.may_cover(control.published)
    ]
    if old:
        seen = wording_controls.controls_may_be_seen
        checks.append(_check(Topic.DATES, Mark.CAUTION, seen, cutoff=str(cutoff), names=old))
    day = result.evidence.published
    if day is not None and not cutoff.may_cover(day):
        figures = {"cutoff": str(cutoff), "published": str(day), "certain": cutoff.of_training}
        checks.append(
            _check(Topic.DATES, Mark.CAUTION, wording_controls.too_new_to_be_seen, **figures)
        )
    return checks


def kind_of_text(result: JudgedResult) -> Check | None:
    """How far are the controls from the target in length, commonest words and form of labels? A
    caution where one is another kind of text; None where texts are not there."""
    target = result.evidence.texts
    controls = [(control.place, control.texts) for control in result.used_controls]
    known = [(name, texts) for name, texts in controls if texts is not None]
    if target is None or not known:
        return None
    others = {name: why for name, texts in known if (why := _why_other(target, texts))}
    shares = [target.common_words(texts) for _, texts in known]
    figures: dict[str, Any] = {
        "times": max(target.times_as_long(texts) for _, texts in known),
        "low": min(shares),
        "high": max(shares),
        "sources": sorted({_source_words(texts.source) for _, texts in known}),
        "target_source": _source_words(target.source),
    }
    if not others:
        return _check(Topic.TEXT, Mark.GOOD, wording_controls.same_kind_of_text, **figures)
    other = wording_controls.other_kind_of_text
    return _check(Topic.TEXT, Mark.CAUTION, other, **figures, others=others, known=len(known))


def _source_words(source: str) -> str:
    """Where texts come from, after "from"."""
    words = {
        "bundled": "texts that come with dcq",
        "file": "a file",
        "hub": "the Hub",
        "wheel": "a package",
    }
    return words.get(source.partition(":")[0], wording_controls.UNKNOWN_SOURCE)


def _why_other(target: TextKind, control: TextKind) -> str:
    """Why a control is another kind of text than its target; empty where it is not."""
    times = target.times_as_long(control)
    if times > MOST_TIMES:
        longer = "longer" if control.length > target.length else "shorter"
        return f"{times:.1f} times {longer}"
    if control.labels != target.labels:
        return f"labels: {control.labels}, not {target.labels}"
    share = target.common_words(control)
    return f"{percent(share)} of the commonest words" if share < FEWEST_COMMON else ""


def writer(result: JudgedResult) -> Check | None:
    """Were the variants of target and controls written by the same writer? A model may prefer one
    writer's wording or avoid another's, which would bias the comparison."""
    target_writer = result.evidence.writer
    if target_writer is None or not result.controls:
        return None
    others = {writer_words(c.writer) for c in result.controls if c.writer is not None}
    figures: dict[str, Any] = {"writer": writer_words(target_writer)}
    if others <= {figures["writer"]}:
        return _check(Topic.WRITER, Mark.GOOD, wording_controls.same_writer, **figures)
    figures["control_writers"] = sorted(others - {figures["writer"]})
    return _check(Topic.WRITER, Mark.BAD, wording_controls.other_writer, **figures)


def served(result: JudgedResult) -> Check | None:
    """Did one model answer all that is compared? A caution where its endpoint reported several
    names or fingerprints; None where it reported one or none."""
    sides = dict(result.evidence.served)
    for control in result.controls:
        if HERE in control.served:
            sides[f"control {control.place}"] = control.served[HERE]
    for of, noun in ((_name, "model names"), (_fingerprint, "system fingerprints")):
        values = {
            value
            for served_models in sides.values()
            for served_model in served_models
            if (value := of(served_model))
        }
        if len(values) < 2:
            continue
        descriptions = [
            f"{where}: {_dated(served_models, of)}"
            for where, served_models in sides.items()
            if any(of(model) for model in served_models)
        ]
        figures = {"values": len(values), "noun": noun, "sides": _cut(descriptions, "; ")}
        return _check(Topic.SERVED, Mark.CAUTION, wording_controls.several_served, **figures)
    return None


def prompts(result: JudgedResult) -> Check | None:
    """Did the server read the whole prompts, on the target and on its controls? None where it did,
    or no prompt was sent."""
    sides = {"": result.evidence, **{control.place: control for control in result.controls}}
    for where, side in sides.items():
        if side.prompts is not None and side.prompts.cut:
            figures = side.prompts._asdict() | {"where": where}
            del figures["uncounted"]
            return _check(Topic.PROMPTS, Mark.BAD, wording.prompts_cut, **figures)
    if any(side.prompts is not None and side.prompts.uncounted for side in sides.values()):
        return _check(Topic.PROMPTS, Mark.CAUTION, wording.prompts_uncounted)
    return None


def leak(result: JudgedResult, *, significant: bool) -> Check | None:
    """Do strategies without memory find originals from their text, and could one that this check
    does not notice explain the model's score? None where no text can give anything away."""
    text_only = result.evidence.text_only
    if text_only is None:
        return _check(Topic.LEAK, Mark.CAUTION, wording.options_unseen)
    if not text_only:
        return None
    scores = {name: kappa.score for name, kappa in text_only.items() if kappa.score is not None}
    best = max(scores, key=lambda name: scores[name], default=None)
    if best is None:
        return _check(Topic.LEAK, Mark.GOOD, wording.no_options)
    solved = {name: scores[name] for name in leaks(text_only)}
    if solved:
        return _check(Topic.LEAK, Mark.BAD, wording.leaky, best=scores[best], solved=solved)
    n, score = text_only[best].n, result.evidence.estimate.share
    least = smallest_leak(n, len(scores), 1 / result.evidence.wordings)
    explains = score is not None and significant and (least is None or score <= least)
    return _check(
        Topic.LEAK,
        Mark.CAUTION if explains else Mark.GOOD,
        wording.no_leak,
        strategy=best,
        best=scores[best],
        n=n,
        least=least,
        score=score,
        could_explain=explains,
    )


def none_of_these(result: JudgedResult) -> Check | None:
    """Protocol v2: is "none of these" said as often on the target as on its controls? None where
    one side has no answer, or neither says it.

    A model that says it less often on the target chooses the original's slot more often, seen or
    not. Two shares are called different by Fisher's exact test at 5 % and five points.
    """
    declined = result.evidence.declined
    control_counts = [
        control.declined for control in result.controls if control.declined is not None
    ]
    (target_count, n), (control_count, m) = (
        declined or (0, 0),
        (sum(side[i] for side in control_counts) for i in (0, 1)),
    )
    if not n or not m or not (target_count or control_count):
        return None
    comparison = compare_unpaired(
        *(
            np.repeat([1.0, 0.0], [k, size - k])[:, None]
            for k, size in ((control_count, m), (target_count, n))
        )
    )
    apart = abs(target_count / n - control_count / m) >= NONE_APART
    differs = comparison.p_value is not None and comparison.p_value <= ALPHA and apart
    return _check(
        Topic.SLOT,
        Mark.CAUTION if differs else Mark.GOOD,
        wording.none_of_these,
        share=target_count / n,
        control_share=control_count / m,
        differs=differs,
    )


def power(result: JudgedResult, *, significant: bool) -> Check:
    """Could the sample have found an effect worth knowing?"""
    calibration, minimum = result.calibration, result.minimum_effect
    figures: dict[str, Any] = {
        "minimum": minimum,
        "effect": result.evidence.words.effect,
    }
    if significant or (minimum is not None and minimum <= ENOUGH_POWER):
        return _check(Topic.POWER, Mark.GOOD, wording.found_with_power, n=result.n, **figures)
    if calibration is None:
        return _check(Topic.POWER, Mark.BAD, wording.too_small_alone, n=result.n, **figures)
    if result.lacking is Lacking.ROOM:
        return _check(Topic.POWER, Mark.BAD, wording.no_room, **figures)
    if result.lacking is Lacking.CONTROLS:
        count = len(result.used_controls)
        return _check(Topic.POWER, Mark.BAD, wording.too_few_controls, controls=count, **figures)
    if result.lacking is Lacking.LIKENESS:
        return _check(Topic.POWER, Mark.BAD, wording.controls_too_different, **figures)
    return _check(Topic.POWER, Mark.BAD, wording.too_small, needed=calibration.needed_n, **figures)


def family(p: float, q: float, strict: float, size: int, alpha: float) -> Check:
    """Does the result hold among the ``size`` results of the study?"""
    if size == 1:
        return _check(Topic.FAMILY, Mark.GOOD, wording.only_result, q=q)
    figures: dict[str, Any] = {"q": q, "size": size}
    if p <= alpha < q:
        return _check(Topic.FAMILY, Mark.BAD, wording.not_among_so_many, **figures)
    if q <= alpha < strict:
        caution = wording.not_by_holm
        return _check(Topic.FAMILY, Mark.CAUTION, caution, **figures, strict=strict)
    return _check(Topic.FAMILY, Mark.GOOD, wording.among_results, **figures)


def _check(topic: Topic, mark: Mark, says: Callable[..., CheckWords], **figures: Any) -> Check:
    return Check(topic, mark, says, figures)


def _name(served_model: ServedModel) -> str | None:
    return served_model.model


def _fingerprint(served_model: ServedModel) -> str | None:
    return served_model.fingerprint


def _dated(served_models: Iterable[ServedModel], of: Callable[[ServedModel], str | None]) -> str:
    """Each value with the days on which it was given, in their order."""
    days: dict[str, list[datetime]] = {}
    for served_model in served_models:
        if value := of(served_model):
            days.setdefault(value, []).extend((served_model.first, served_model.last))
    ordered = sorted(days.items(), key=lambda pair: (min(pair[1]), pair[0]))
    names = names_for_others(days)
    return _cut(
        [f"{names[value][:_LONGEST]}, {_span(min(at), max(at))}" for value, at in ordered], " and "
    )


def _span(first: datetime, last: datetime) -> str:
    days = [f"{day:%d %b %Y}" for day in (first, last)]
    return days[0] if days[0] == days[1] else f"{days[0]} to {days[1]}"


def _cut(parts: Sequence[str], between: str) -> str:
    more = len(parts) - _SHOWN
    return between.join(parts[:_SHOWN]) + (f"{between}{more:,} more" if more > 0 else "")
