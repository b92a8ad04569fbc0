"""The ways to fix a failed check, with their price: asking more, resuming, or a page of the app."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from dcq import settings
from dcq.asking import launch
from dcq.asking.cost import CostEstimate
from dcq.asking.prompt import Prompt
from dcq.errors import InputError, ModelChoiceError
from dcq.evidence.check import MOST_UNUSABLE, Mark, Topic
from dcq.evidence.controls import MANY
from dcq.investigation import more_controls
from dcq.jobs.state import RunState, state_of
from dcq.judging.judged import JudgedResult
from dcq.models.endpoints import resolve
from dcq.partitions import find
from dcq.quiz import freeze, prompts
from dcq.quiz.build import propose_slot
from dcq.quiz.estimate import estimate_questions
from dcq.quiz.evidence import asked_alike
from dcq.quiz.method import QUIZ
from dcq.quiz.results import OPTIONS, Result, quiz_row
from dcq.records import Outcome, PartitionRole, QuizKind, slot_letter
from dcq.store import Store, quizzes, runs, samples
from dcq.store.answers import answered_and_failed
from dcq.variants.curation import Queue
from dcq.words import usd_words

_LINKS = 2  # pages per check at most


@dataclass(frozen=True)
class Spend:
    """A fix that asks a model. ``label`` says what, with the number of calls and the cost;
    ``start`` does it and returns the runs; ``why_not`` is the reason why it cannot start, None if
    it can; ``names`` are the partitions, if the label only counts them."""

    label: str
    start: Callable[[Store], list[str]]
    why_not: str | None = None
    names: str = ""


@dataclass(frozen=True)
class Visit:
    """A page where the user can fix it, opened with ``choices`` in its address."""

    label: str
    page: str
    choices: Mapping[str, str] = field(default_factory=dict)


Fix = Spend | Visit


def fixes(store: Store, finding: JudgedResult, results: Sequence[Result]) -> dict[Topic, list[Fix]]:
    """The fixes of each check of a finding that is not passed; checks without a fix are left out.
    ``results`` are the results of the store."""
    if finding.verdict is None:
        return {}
    short = {check.topic for check in finding.verdict.checks if check.mark is not Mark.GOOD}
    fixes_by_topic = {
        topic: _MAKERS[topic](store, finding, results) for topic in short & _MAKERS.keys()
    }
    return {topic: new_fixes for topic, new_fixes in fixes_by_topic.items() if new_fixes}


def _complete(store: Store, finding: JudgedResult, results: Sequence[Result]) -> list[Fix]:
    return [_go_on(store, quiz_row(finding.evidence), "Ask the rest")]


def _replies(store: Store, finding: JudgedResult, results: Sequence[Result]) -> list[Fix]:
    poor = [entry for entry in (finding.evidence,) if entry.unusable > MOST_UNUSABLE]
    poor = poor or [control for control in finding.controls if control.unusable > MOST_UNUSABLE]
    failed = [quiz_row(entry) for entry in poor if entry.outcomes.get(Outcome.ERROR, 0)]
    if failed:
        return [
            _go_on(store, result, f"Retry the failed calls on {result.place}") for result in failed
        ]
    return [_run_card("See how the model replied")]


def _controls(store: Store, finding: JudgedResult, results: Sequence[Result]) -> list[Fix]:
    result, calibration = quiz_row(finding.evidence), finding.calibration
    if result.kind is QuizKind.BCQ and result.ablation is None:
        return []  # the check of the slot offers the bdq, without which no control helps
    if calibration is not None and calibration.aside:
        named = [finding.controls[at] for at in calibration.aside if at < len(finding.controls)]
        return [
            Visit(f"Review the role of {control.place}", "dataset") for control in named[:_LINKS]
        ]
    prompt = _prompt_now(result)
    if prompt.id != result.prompt:
        return [
            Visit(
                "Ask the target again: its prompt is an earlier version",
                "quiz",
                {"quiz_sample": result.sample},
            )
        ]
    further = finding.further_controls
    return _more_controls(store, result, results, further.count if further else MANY)


def _more_controls(
    store: Store, result: Result, results: Sequence[Result], needed: int
) -> list[Fix]:
    """Ask ``needed`` controls: those begun, those that can be asked at once, or small ones."""
    if not needed:
        return []
    begun = [
        other_result
        for other_result in results
        if other_result.role == PartitionRole.CONTROL
        and _asked(other_result) == _asked(result)
        and (other_result.task, other_result.language) == (result.task, result.language)
    ]
    unfinished = [other for other in begun if not other.finished][:needed]
    going_on: list[Fix] = [_go_on(store, o, f"Ask the rest of {o.place}") for o in unfinished]
    if len(going_on) == needed:
        return going_on
    begun_partitions = [other.partition for other in begun]
    open_to = more_controls.candidates(store, result, begun_partitions)
    new = list(islice(open_to, needed - len(going_on)))
    if new:
        return [*going_on, _ask_controls(result, new, _prompt_now(result))]
    small = more_controls.propose_small(store, result.sample)[:needed] if not going_on else []
    if small:
        noun = "control" if len(small) == 1 else "controls"
        where = {"investigate_sample": result.sample}
        return [Visit(f"Add {len(small)} small {noun}", "investigate", where)]
    return going_on or _make_a_control(store, result, begun)


def _asked(result: Result) -> Hashable:
    return asked_alike(result.model, result.kind, result.mode, result.prompt, result.slot)


def _ask_controls(result: Result, new: Sequence[more_controls.Candidate], prompt: Prompt) -> Spend:
    name = new[0].name if len(new) == 1 else f"{len(new)} controls"
    letter = slot_letter(result.slot)
    at = f" at slot {letter}" if letter else ""
    price = _price(candidate.estimate(result.asked_name, prompt) for candidate in new)
    return Spend(
        f"Ask {name}{at}: {price}",
        lambda store: launch.begin(
            store,
            QUIZ,
            [quiz for control in new for quiz in control.freeze(store, result)],
            [result.asked_name],
        ),
        _why_not(result),
        ", ".join(control.name for control in new) if len(new) > 1 else "",
    )


def _make_a_control(store: Store, result: Result, begun: Sequence[Result]) -> list[Fix]:
    """Where no control of this task and language can be asked at once."""
    lacking = more_controls.unwritten(
        store, result, [begun_result.partition for begun_result in begun]
    )
    pages: list[Fix] = [
        Visit(
            f"Have variants of {unwritten.name} written",
            "variants",
            {"variants_sample": unwritten.sample},
        )
        for unwritten in lacking[:_LINKS]
    ]
    if not any(begun_result.placebo for begun_result in begun) and not pages:
        pages.append(
            Visit(
                "Make a placebo of this sample",
                "investigate",
                {"investigate_sample": result.sample},
            )
        )
    pages.append(Visit("Choose a control text", "dataset"))
    return pages


def _slot(store: Store, finding: JudgedResult, results: Sequence[Result]) -> list[Fix]:
    result = quiz_row(finding.evidence)
    bare = result.without_originals
    if bare is None or bare.unusable > MOST_UNUSABLE:
        kind = QuizKind.BDQ if result.kind is QuizKind.BCQ else QuizKind.MODIFIED
        return [_ask(store, result, kind, None, f"Ask the {kind} quiz")]
    least = propose_slot(bare.chosen)
    if least == result.slot or bare.chosen[least] / bare.n > 1 / OPTIONS:
        return []
    letter = slot_letter(least)
    return [_ask(store, result, result.kind, letter, f"Ask it at {letter}, chosen least")]


def _ask(store: Store, result: Result, kind: QuizKind, letter: str | None, label: str) -> Fix:
    """Another quiz of the same sample."""
    sample, prompt = samples.load(store, result.sample), prompts.prompt_for(kind)
    at = None if letter is None else freeze.read_slot(letter)
    try:
        items = freeze.questions(store, sample, kind, at).items
    except InputError:
        return Visit(
            f"Have all four variants written for the {kind} quiz",
            "variants",
            {"variants_sample": result.sample},
        )
    partition = sample.partition
    needs = estimate_questions(
        result.asked_name, prompt, partition.title, partition.split_title, items
    )
    of_model = result.asked_name if kind is QuizKind.BCQ else None
    return Spend(
        f"{label}: {_price([needs])}",
        lambda store: launch.begin(
            store,
            QUIZ,
            [freeze.freeze(store, result.sample, kind, slot=letter, model=of_model).quiz],
            [result.asked_name],
        ),
        _why_not(result),
    )


def _leak(store: Store, finding: JudgedResult, results: Sequence[Result]) -> list[Fix]:
    return [
        Visit(
            "Reword the instances that its text gives away",
            "variants",
            {"variants_sample": finding.evidence.sample, "variants_show": str(Queue.LEAKY)},
        )
    ]


def _writer(store: Store, finding: JudgedResult, results: Sequence[Result]) -> list[Fix]:
    others = [entry for entry in finding.controls if entry.writer != finding.evidence.writer]
    return [
        Visit(
            f"Have {control.place} reworded by the same writer",
            "variants",
            {"variants_sample": control.sample},
        )
        for control in others[:_LINKS]
    ]


def _power(store: Store, finding: JudgedResult, results: Sequence[Result]) -> list[Fix]:
    calibration, result = finding.calibration, quiz_row(finding.evidence)
    further = finding.further_controls
    more = _more_controls(store, result, results, further.count) if further else []
    if calibration is not None and calibration.needed_n is None:
        return more  # more instances would not help
    words = f"about {calibration.needed_n:,}" if calibration is not None else "more"
    key, _, split = result.partition.rpartition("/")
    choices = {"dataset": key, "split": split} if find(key) else {}
    return [*more, Visit(f"Draw a sample of {words} instances", "dataset", choices)]


_MAKERS: Mapping[Topic, Callable[[Store, JudgedResult, Sequence[Result]], list[Fix]]] = {
    Topic.COMPLETE: _complete,
    Topic.REPLIES: _replies,
    Topic.CONTROLS: _controls,
    Topic.SLOT: _slot,
    Topic.LEAK: _leak,
    Topic.WRITER: _writer,
    Topic.POWER: _power,
}


def _go_on(store: Store, result: Result, label: str) -> Fix:
    """Resume the run of a result to the end of its quiz."""
    run = runs.load(store, result.run)
    now = state_of(store, run.id, run.event, run.event_at)
    if now.live:
        return _run_card("The run is in progress: watch it")
    if now is RunState.STOPPED:  # by a budget or an error, which its card explains
        return _run_card("See why the run stopped")
    quiz = quizzes.load(store, result.quiz)
    done, _ = answered_and_failed(store, run.id)
    left = [item for position, item in enumerate(quiz.items) if position not in done]
    prompt = result.how.prompt_of(quiz)
    needs = estimate_questions(result.asked_name, prompt, quiz.dataset, quiz.split, left)

    def start(store: Store) -> list[str]:
        launch.resume(store, QUIZ, run.id, all_of_it=True)
        return [run.id]

    return Spend(f"{label}: {_price([needs])}", start, _why_not(result))


def _run_card(label: str) -> Visit:
    return Visit(label, "quiz", {"quiz_all_runs": "true"})


def _price(needs: Iterable[CostEstimate]) -> str:
    """``40 calls, $0.02``."""
    listed_estimates = list(needs)
    calls = sum(estimate.calls for estimate in listed_estimates)
    costs = [need.cost_usd for need in listed_estimates if need.cost_usd is not None]
    usd = sum(costs) if len(costs) == len(listed_estimates) else None
    return f"{calls:,} calls, {'free' if usd == 0 else usd_words(usd)}"


def _prompt_now(result: Result) -> Prompt:
    """The prompt that a quiz of this kind would have today."""
    return result.how.prompt_now(result.kind)


def _why_not(result: Result) -> str | None:
    try:
        resolve(result.asked_name, settings.load())
    except ModelChoiceError as error:
        return str(error)
    return None
