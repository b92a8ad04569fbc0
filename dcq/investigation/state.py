"""The state of an investigation: its steps, which of them are answered, and its slot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dcq import methods
from dcq.models.endpoints import Endpoint
from dcq.quiz import build, freeze, looks, modes
from dcq.quiz.choice import QuizChoice
from dcq.quiz.method import QUIZ
from dcq.records import QuizKind, slot_letter
from dcq.store import Store, choices, investigations, quizzes, runs
from dcq.store.answers import answered_and_failed
from dcq.store.investigations import Investigation, Place
from dcq.store.moment import at_one_moment, until_run_written
from dcq.variants.method import REWORDING


@dataclass(frozen=True)
class InvestigationStep:
    """One quiz of an investigation, or the run of another method. ``run`` is None while there is
    none; ``reused``: it had its answers before."""

    kind: str
    sample: str
    run: str | None
    reused: bool


def steps(store: Store, record: Investigation) -> list[InvestigationStep]:
    """The steps of an investigation, in their order. Rewordings that it had written come before the
    first quiz on a control."""
    written = [place for place in record.runs if place[0] == REWORDING.name]
    first = sum(sample == record.sample for _, sample in record.places[:2])
    investigation_steps = []
    for kind, sample_id in (*record.places[:first], *written, *record.places[first:]):
        adopted_run = record.runs.get((kind, sample_id))
        run_id = adopted_run.run if adopted_run else None
        reused = run_id is not None and runs.load(store, run_id).event_at < record.made_at
        investigation_steps.append(InvestigationStep(kind, sample_id, run_id, reused))
    return investigation_steps


def begun(store: Store, sample_id: str, model: str) -> bool:
    """True if there is an investigation of a sample by a model, done or not."""
    return investigations.newest(store, sample_id, model) is not None


def is_done(store: Store, record: Investigation) -> bool:
    """True if all steps have been asked; failed calls may be made again."""
    adopted_runs = [record.runs.get(place) for place in record.places]
    return all(
        adopted_run is not None and is_asked(store, adopted_run.run, record.limit)
        for adopted_run in adopted_runs
    )


@until_run_written
def is_asked(store: Store, run_id: str, limit: int | None, *, failed_too: bool = True) -> bool:
    """Whether a run has a reply to the questions of the first ``limit`` instances, or ended at a
    planned look. A failed call counts as a reply, unless ``failed_too`` is False."""
    plan = runs.load(store, run_id).plan
    task = methods.kind_of(plan.method).reopen(store, plan)
    count = task.size if limit is None else task.count_first(limit)
    replied, failed = answered_and_failed(store, run_id)
    if replied | (set(failed) if failed_too else set()) >= set(range(count)):
        return True
    stored_looks = looks.outcome(store, run_id)
    return stored_looks is not None and stored_looks.fallen


def is_quiz(place: Place) -> bool:
    """Whether the step at a place is a quiz."""
    return place[0] in set(QuizKind)


def endpoint_for(method: str, endpoint: Endpoint) -> Endpoint:
    """The same model as another method asks it, such as by likelihood. Raises ModelChoiceError
    where it cannot."""
    return methods.named(method).kinds[0].endpoint(endpoint.name)


def check_methods(names: Sequence[str], endpoint: Endpoint) -> None:
    """Raise ModelChoiceError where a model cannot be asked by one of these methods."""
    for name in names:
        endpoint_for(name, endpoint)


def quiz_run(store: Store, quiz_id: str, model: str, limit: int | None) -> str | None:
    """The existing run of a quiz with which an investigation goes on; None if there is none."""
    return _known(store, runs.all_of(store, QUIZ.name, model, subject=quiz_id), limit)


def method_run(store: Store, place: Place, model: str, limit: int | None) -> str | None:
    """The existing run of another method about a sample with which an investigation goes on; None
    if there is none."""
    name, sample_id = place
    kind = methods.named(name).kinds[0].name
    return _known(store, runs.all_of(store, kind, model, sample_id=sample_id), limit)


def _known(store: Store, run_ids: Sequence[str], limit: int | None) -> str | None:
    """The newest that has its answers, else the newest there is. One that waits for a batch is left
    alone."""
    complete = [run for run in run_ids if is_asked(store, run, limit, failed_too=False)]
    begun = [run for run in run_ids if not runs.load(store, run).plan.by_batch]
    return next(iter([*complete, *begun]), None)


def slot_of(store: Store, record: Investigation) -> str | None:
    """The letter at which the original stands in an investigation; None if it has no single slot,
    or the modified quiz is not done."""
    adopted_run = record.runs.get((record.kind, record.sample))
    if adopted_run is None:
        return None
    return slot_letter(quizzes.load(store, runs.load(store, adopted_run.run).plan.subject).slot)


def propose(store: Store, sample_id: str, endpoint: Endpoint, kind: QuizKind) -> str | None:
    """The letter for the original once the modified quiz is done: the slot that the model chose
    least in it. In likelihood mode it is D, because no slot is avoided."""
    if kind not in build.PLACED:
        return None
    if not modes.of(endpoint.mode).lettered:
        return slot_letter(build.DEFAULT_SLOT)
    slot, _ = freeze.propose(store, sample_id, endpoint.name)
    return slot_letter(slot)


@at_one_moment
def open_record(
    store: Store, choice: QuizChoice, model: str, limit: int | None
) -> Investigation | None:
    """The newest investigation of a model, if it is of this choice and limit, is not done, and did
    not end for lack of answers."""
    record = investigations.newest(store, choice.sample, model)
    if record is None or record.limit != limit or not of_choice(record, choice):
        return None
    first = record.runs.get((QuizKind.MODIFIED, record.sample))
    if (
        first
        and is_asked(store, first.run, record.limit)
        and silent(store, QuizKind.MODIFIED, first.run)
    ):
        return None
    return None if is_done(store, record) else record


def of_choice(record: Investigation, choice: QuizChoice) -> bool:
    """Whether an investigation has the target, controls, kind of quiz and other methods of this
    choice."""
    record_choice = (record.sample, record.kind, set(record.controls), set(record.methods))
    return record_choice == (choice.sample, choice.kind, set(choice.controls), set(choice.methods))


def silent(store: Store, kind: str, run_id: str) -> str:
    """Why an investigation ends after a modified quiz without a single answer: no slot can be
    chosen, and a model that refuses this quiz refuses the others. Empty for any other quiz or
    run."""
    if kind != QuizKind.MODIFIED or choices.calls(store, [run_id])["letter"].notna().any():
        return ""
    model = runs.load(store, run_id).plan.model
    return (
        f"{model} gave no usable answer in the modified quiz (run {run_id}), so nothing more is "
        "asked; see how it replied on Answers, and ask that quiz again on Quiz if it may reply now."
    )
