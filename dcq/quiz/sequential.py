"""Plans a run that may end early: its controls, and when to look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dcq import settings
from dcq.errors import InputError, ModelChoiceError
from dcq.evidence.choice import group_alike, is_usable
from dcq.evidence.controls import FEWEST_CONTROL, Expected, expect
from dcq.evidence.looks import plan_looks, plan_shares
from dcq.evidence.record import Context
from dcq.models.endpoints import Endpoint, resolve
from dcq.quiz import evidence, modes
from dcq.records import Item, PartitionRole, QuizKind, slot_letter
from dcq.store import Store, looks, quizzes, runs, samples
from dcq.store.moment import at_one_moment

KINDS = (
    QuizKind.STANDARD,
    QuizKind.ROTATED,
)  # quizzes whose answers are compared with controls alone


@at_one_moment
def why_not(
    store: Store, requests: Iterable[tuple[str, str, int | None]], kind: QuizKind
) -> str | None:
    """Why no looks can be planned for one of the ``requests`` (sample, model and slot each); None
    if they can be planned for all."""
    try:
        for sample_id, model, slot in requests:
            endpoint = resolve(model, settings.load())
            _check_quiz(store, sample_id, kind)
            prompt = modes.of(endpoint.mode).prompt_now(kind).id
            _expected(store, sample_id, kind, slot, endpoint, prompt)
            _when(len(samples.load(store, sample_id).instances))
    except (InputError, ModelChoiceError) as error:
        return str(error)
    return None


@at_one_moment
def check(store: Store, quiz_id: str, endpoint: Endpoint) -> None:
    """Raise ``InputError`` if no looks can be planned for this quiz and model."""
    quiz = quizzes.load(store, quiz_id)
    _check_quiz(store, quiz.sample_id, quiz.kind)
    prompt = modes.of(endpoint.mode).prompt_of(quiz).id
    _expected(store, quiz.sample_id, quiz.kind, quiz.slot, endpoint, prompt)
    _when(_instances(quiz.items))


def plan(store: Store, run_id: str, endpoint: Endpoint, *, futility: bool) -> None:
    """Store the looks at a run that has asked nothing yet, and the controls to compare it with.
    With ``futility`` it may also end if it is unlikely to find anything. Raises ``InputError`` if
    no looks can be planned, or the run has answers."""
    run = runs.load(store, run_id).plan
    quiz = quizzes.load(store, run.subject)
    expected, controls = _expected(
        store, quiz.sample_id, quiz.kind, quiz.slot, endpoint, run.prompt
    )
    planned = plan_looks(expected.prediction, _when(_instances(quiz.items)))
    looks.save_plan(
        store,
        run_id,
        looks.LookPlan(planned.n, planned.limits, planned.times, controls, futility),
    )


def _check_quiz(store: Store, sample_id: str, kind: QuizKind) -> None:
    if kind not in KINDS:
        raise InputError(
            f"Looking early needs a standard or a rotated quiz; a {kind} quiz is asked whole."
        )
    partition = samples.partition_of(store, sample_id)
    if partition.role is PartitionRole.CONTROL:
        raise InputError(f"{partition.id} is a control, and controls are asked whole.")


def _instances(items: Sequence[Item]) -> int:
    return len({item.instance_id for item in items})


def _when(instances: int) -> Sequence[int]:
    """After how many instances to look."""
    schedule = plan_shares(instances)
    if len(schedule) < 2:
        raise InputError(f"{instances} instances are too few to look before their end.")
    return schedule


def _expected(
    store: Store, sample_id: str, kind: QuizKind, slot: int | None, endpoint: Endpoint, prompt: str
) -> tuple[Expected, tuple[str, ...]]:
    """What the stored controls lead one to expect of an unseen partition, and their runs."""
    partition = samples.partition_of(store, sample_id)
    asked = evidence.asked_alike(endpoint.name, kind, endpoint.mode, prompt, slot)
    stored_evidence = evidence.evidence(evidence.read(store), Context(), {}, {}).values()
    first = {candidate.family_key: candidate for candidate in reversed(list(stored_evidence))}
    alike = [
        candidate
        for candidate in group_alike(first.values()).get(asked, ())
        if is_usable(candidate)
    ]
    fitting = [
        candidate for candidate in alike if candidate.text == (partition.task, partition.language)
    ]
    if alike and not fitting:
        control_texts = sorted({f"{candidate.task} in {candidate.language}" for candidate in alike})
        raise InputError(
            f"The only controls are of another task or language ({', '.join(control_texts)}; the "
            f"target is {partition.task} in {partition.language}), so the comparison is not fair."
        )
    expected = expect([candidate.measures[0].values for candidate in fitting])
    if expected is None:
        letter = slot_letter(slot)
        at = f" with the original at {letter}" if letter else ""
        raise InputError(
            f"Looking early compares with controls: ask {endpoint.name} a {kind} quiz{at} of a "
            "control partition first, to its end."
        )
    if expected.instances < FEWEST_CONTROL:
        raise InputError(
            f"The controls of {endpoint.name} have {expected.instances} instances; looking early "
            f"needs {FEWEST_CONTROL}."
        )
    return expected, tuple(candidate.run for candidate in fitting)
