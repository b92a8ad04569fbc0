"""The one way to repair a failed check: what is done, the command that does it, and its price.

Pages draw it as a button that starts the command, `answer` prints it as the next step, JSON has it
as ``repair``: there is no second list. A check that nothing repairs has the reason instead.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dcq import protect
from dcq.evidence.check import MOST_UNUSABLE, Check, Mark, Topic
from dcq.evidence.controls import FEWEST_TARGET
from dcq.evidence.power import ALPHA
from dcq.investigation import more_controls
from dcq.investigation.control_sizes import SMALL_CONTROLS
from dcq.investigation.state import is_done
from dcq.judging.answer import Answer, MethodAnswer
from dcq.judging.judged import JudgedResult, Lacking, Ruling
from dcq.records import Outcome, PartitionRole
from dcq.store import Store, balancings
from dcq.study import engine, texts
from dcq.study.repair import Repair, RepairPrice
from dcq.study.repair_steps import (
    Case,
    Known,
    anew,
    by_another_method,
    go_on,
    investigate,
    larger,
    price_of,
    reworded,
    v2,
    with_controls,
)
from dcq.variants.placebo_writing import command as placebo_command
from dcq.variants.placebo_writing import writer_of

_OWN_CONTROLS = ("sample", "NAME", "SPLIT", "--file", "FILE", "--role", "control")
_NEWER_ROWS = ("sample", "BENCHMARK", "--role", "control", "--date-column", "COLUMN", "--after")


def repairs(store: Store, finding: JudgedResult) -> dict[Topic, Repair]:
    """One repair for each topic of which a check of the ``finding`` is not passed, or the reason
    why there is none."""
    if finding.verdict is None:
        return {}
    found, known = dict[Topic, Repair](), Known(store)
    checks = sorted(finding.verdict.checks, key=lambda check: check.mark is not Mark.BAD)
    for check in checks:
        if check.mark is not Mark.GOOD and check.topic not in found:
            found[check.topic] = repair_for(store, finding, check.topic, check, known)
    return found


def repair_of(
    store: Store, answer: Answer, known: Known | None = None
) -> tuple[Topic, Repair] | None:
    """The repair of what keeps an answer undecided, with the topic of the check; None where the
    answer is decided, or nothing was asked."""
    if answer.ruling is not Ruling.INCONCLUSIVE or answer.role != PartitionRole.TARGET:
        return None
    asked = [method for method in answer.methods if method.run and not method.aside]
    blocked = [method for method in asked if not method.votes and method.failed is not None]
    reason = max(blocked or asked, key=lambda method: method.weight, default=None)
    if reason is None or reason.judged is None or not reason.sample:
        return None
    topic = reason.failed or _open_topic(answer, reason)
    checks = reason.judged.verdict.checks if reason.judged.verdict else ()
    failed = [check for check in checks if check.topic is topic and check.mark is not Mark.GOOD]
    worst = min(failed, key=lambda check: check.mark is not Mark.BAD, default=None)
    return topic, repair_for(store, reason.judged, topic, worst, known)


def repair_command(store: Store, answer: Answer) -> str:
    """What to type so that an undecided answer may be decided; empty where it is decided, or no
    command helps."""
    found = repair_of(store, answer)
    return found[1].command if found is not None else ""


def with_repairs(store: Store, answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """The documents of answers with the key ``repair``, None where there is nothing to repair."""
    known = Known(store, {method.run for answer in answers for method in answer.methods})
    with store.hold():
        found = [repair_of(store, answer, known) for answer in answers]
    return [
        answer.document() | {"repair": None if repair is None else repair[1].document(repair[0])}
        for answer, repair in zip(answers, found, strict=True)
    ]


def _open_topic(answer: Answer, reason: MethodAnswer) -> Topic:
    """What to repair where no check failed."""
    if answer.q_value is not None and answer.q_value <= ALPHA:
        return Topic.REPLIES  # it depends on how refused replies are counted
    is_high = reason.votes and reason.p_value is not None and reason.p_value <= ALPHA
    return Topic.FAMILY if is_high or reason.found_nothing_on else Topic.POWER


def repair_for(
    store: Store,
    finding: JudgedResult,
    topic: Topic,
    check: Check | None = None,
    known: Known | None = None,
) -> Repair:
    """What repairs a ``check`` of a topic that a ``finding`` did not pass, None where no check says
    more than its topic."""
    known = known or Known(store)
    evidence = finding.evidence
    if evidence.sender:
        return Repair(why_not=f"{evidence.sender} sent these replies, so only they can ask again.")
    if evidence.method == protect.NAME:
        return Repair(why_not="Only people who have its secret can ask more about this benchmark.")
    run = known.run(evidence.run)
    if run is None or evidence.sample not in known.samples:
        return Repair(why_not="These replies came from a file, so whoever wrote it can ask again.")
    repair = _MAKERS[topic](Case(store, finding, check, run, known))
    why_not = known.why_not(run.plan.model) if repair.can_start else ""
    return replace(repair, why_not=why_not) if why_not else repair


def _complete(case: Case) -> Repair:
    return go_on(case, "Ask the rest", [case.run.id])


def _replies(case: Case) -> Repair:
    poor = [case.evidence] if case.evidence.unusable > MOST_UNUSABLE else []
    poor = poor or [each for each in case.finding.controls if each.unusable > MOST_UNUSABLE]
    failed = [each for each in poor or [case.evidence] if each.outcomes.get(Outcome.ERROR, 0)]
    if failed:
        where = failed[0].place if len(failed) == 1 else f"{len(failed)} controls"
        return go_on(case, f"Retry the failed calls on {where}", [each.run for each in failed])
    return by_another_method(case, ", because it would not answer these questions again")


def _prompts(case: Case) -> Repair:
    if case.outcome == "prompts_uncounted":
        return Repair(
            why_not="This server does not report how much of a prompt it reads. Look up its "
            "context length, and ask again if prompts are longer."
        )
    sides = (case.evidence, *case.finding.controls)
    cut = [side for side in sides if side.prompts is not None and side.prompts.cut]
    label = "First give the server a larger context, then ask again"
    return anew(case, label, [side.run for side in cut[:1] or sides[:1]])


def _served(case: Case) -> Repair:
    label = "Ask again about the target and its controls, at one time"
    return anew(case, label, [case.run.id, *(each.run for each in case.finding.controls)])


def _controls(case: Case) -> Repair:
    finding, calibration = case.finding, case.finding.calibration
    if case.is_v2:
        return v2(case)
    if case.outcome == "control_set_aside" and calibration is not None:
        at = next(iter(calibration.aside))
        control = finding.controls[at]
        return Repair(
            f"Check whether models could have seen {control.place}, and change its role if so",
            ("app",),
            "Only people can judge whether a control could have been seen.",
            "dataset",
        )
    if case.outcome == "odd_control":
        return Repair(why_not="The conclusion takes the difference into account.")
    if _few_controls(case):
        return with_controls(case, "Add controls and ask about them")
    if case.outcome == "compared_with_few":
        return _own_controls()
    if case.outcome == "too_few_instances" and case.evidence.usable >= FEWEST_TARGET:
        return _own_controls()
    if case.outcome == "too_few_instances":
        return larger(case) or by_another_method(case, ", because no more instances can be drawn")
    return with_controls(case, "Ask target and controls again, in the same way")


def _few_controls(case: Case) -> bool:
    """Whether controls could be added that were not proposed before."""
    if len(case.finding.controls) >= SMALL_CONTROLS:
        return False
    if case.record is None or not is_done(case.store, case.record):
        return True
    return more_controls.can_add(case.store, case.sample, case.record.controls)


def _margin(case: Case) -> Repair:
    return larger(case) or Repair(
        why_not="The conclusion holds. It rests on few instances, and there are no more to draw."
    )


def _dates(case: Case) -> Repair:
    if case.outcome == "too_new_to_be_seen":
        return Repair(why_not="Nothing needs repair: the target is newer than the training data.")
    return Repair(
        "Draw controls that are newer than the model's training data",
        (*_NEWER_ROWS, case.model),
        "Write a benchmark with dated rows, and the column of its dates, into the command.",
        "dataset",
    )


def _text(case: Case) -> Repair:
    """A placebo is of the target's kind of text."""
    store, sample = case.store, case.sample
    placebos = {each.id for each in case.known.samples.values() if each.placebo_of == sample}
    if placebos & {control.sample for control in case.finding.controls}:
        return Repair(why_not="A control made of the target's own instances is compared already.")
    if placebos and case.known.has_writer(sample):
        return investigate(case, "Ask about the control made of the target's own instances")
    writer = writer_of(store, sample)
    if writer is None:
        return reworded(case, "target and controls")
    words = tuple(shlex.split(placebo_command(store, sample))[3:])

    def find_price(store: Store) -> RepairPrice:
        return price_of([engine.placebo_cost(store, sample, writer)])

    label = "Make a control of the target's own instances, which is asked about next"
    return Repair(label, words, find_price=find_price)


def _leak(case: Case) -> Repair:
    store, sample = case.store, case.sample
    if case.outcome == "options_unseen":
        return Repair(why_not="The options of these questions are not in the store.")
    if case.outcome == "no_leak":
        return larger(case) or Repair(
            why_not="No strategy stands out. A smaller leak shows in a larger sample only."
        )
    if not texts.leak_of(store, sample, [None]):
        return investigate(case, "Ask again, with rewordings that give no original away")
    # Where the best of many texts leak, more of one writer's would too.
    is_chosen = balancings.newest(store, sample) is not None
    if is_chosen or writer_of(store, sample) is None:
        return reworded(case, "target and controls")
    return investigate(
        case, "Have more rewordings written, use those that give less away, and ask again"
    )


def _people(case: Case) -> Repair:
    return reworded(case, "target and controls")


def _slot(case: Case) -> Repair:
    if case.outcome == "none_of_these":
        return Repair(
            why_not="The model declines less often on the target, which asking again would not "
            "change."
        )
    if case.is_v2:
        return v2(case)
    return investigate(case, "Ask without originals, then with them where it guesses least")


def _writer(case: Case) -> Repair:
    label = "Have controls reworded by the target's writer, and ask about them"
    return with_controls(case, label)


def _power(case: Case) -> Repair:
    if case.finding.lacking is Lacking.ROOM:
        return by_another_method(case)
    if _few_controls(case):
        return with_controls(case, "Add controls and ask about them")
    if case.finding.lacking is Lacking.INSTANCES:
        return larger(case) or by_another_method(case, ", because no more instances can be drawn")
    other = by_another_method(case, ", because no further bundled text could be a control")
    return other if other.label else _own_controls()


def _own_controls() -> Repair:
    return Repair(
        "Add texts of your own that no model can have seen, as controls",
        _OWN_CONTROLS,
        "No further bundled text has this task and language. Write a name, a split and a file of "
        "such texts into the command, then investigate again.",
        "dataset",
    )


def _family(case: Case) -> Repair:
    return by_another_method(case)


_MAKERS: Mapping[Topic, Callable[[Case], Repair]] = {
    Topic.COMPLETE: _complete,
    Topic.REPLIES: _replies,
    Topic.PROMPTS: _prompts,
    Topic.SERVED: _served,
    Topic.CONTROLS: _controls,
    Topic.MARGIN: _margin,
    Topic.DATES: _dates,
    Topic.TEXT: _text,
    Topic.LEAK: _leak,
    Topic.PEOPLE: _people,
    Topic.SLOT: _slot,
    Topic.WRITER: _writer,
    Topic.POWER: _power,
    Topic.FAMILY: _family,
}
