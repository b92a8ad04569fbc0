"""What runs that asked originals and rewordings show, kept as scores of their partition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from dcq.effect import stored
from dcq.effect.matter import ScoreContext
from dcq.effect.questions import NAME, ScoreTask, role_of
from dcq.effect.scores import (
    ItemVersion,
    ModelRole,
    ModelScores,
    Scores,
    VersionedAnswer,
    gather,
    wording_of,
)
from dcq.jobs import lock
from dcq.records import Outcome
from dcq.store import Store, frozen, method_runs, runs, samples, score_sets

_KEEPING = "scores"  # the lock: who keeps scores reads those of other models first
_Request = tuple[str, str]  # an instance and the id of one of its wordings


@dataclass(frozen=True)
class _Asked:
    """One run: in which ``role`` its model was asked, among which ``choices`` and in which
    ``wordings``, and the answers so far."""

    role: ModelRole
    choices: tuple[str, ...]
    wordings: frozenset[_Request]
    answers: Mapping[_Request, VersionedAnswer]

    def is_like(self, other: _Asked) -> bool:
        return (self.role, self.choices) == (other.role, other.choices)


def keep_runs(store: Store, run_ids: Iterable[str], author: str = "") -> None:
    """Keep the scores of these runs' models beside those of others. Where nothing was answered in
    both wordings, all stays as it was."""
    plans = [runs.load(store, run_id).plan for run_id in run_ids]
    for sample_id, model in dict.fromkeys((plan.sample_id, plan.model) for plan in plans):
        partition = samples.partition_of(store, sample_id).id
        # Two runs of a model may end together: what one has read must not come after the other's.
        with lock.wait_for(store, _KEEPING):
            scores_and_chance = _of_model(store, sample_id, model)
            if scores_and_chance is not None:
                asked = _models(store, partition)
                stored.add(store, partition, *scores_and_chance, asked, author)


def keep_brought(
    store: Store, benchmark: str, scores: Scores, context: ScoreContext, author: str = ""
) -> str:
    """Keep scores that a person brought in place of others that were brought; a model that was
    asked here and is not among them stays. Returns the name of the benchmark as it is kept. Raises
    InputError for a name that is none."""
    if benchmark not in _partitions(store).values():
        benchmark = score_sets.checked_name(benchmark)
    asked = _models(store, benchmark)
    with lock.wait_for(store, _KEEPING):
        stored.keep_beside(store, benchmark, scores, context, asked, author)
    return benchmark


def _partitions(store: Store) -> dict[str, str]:
    """The partition of each sample."""
    return {sample.id: sample.partition for sample in samples.listing(store)}


def _models(store: Store, partition: str) -> set[str]:
    """The models that were asked about a partition."""
    partitions = _partitions(store)
    return {
        run.model
        for run in method_runs.runs_of(store, [NAME])
        if partitions.get(run.sample) == partition and run.replies
    }


def _of_model(store: Store, sample_id: str, model: str) -> tuple[ModelScores, float] | None:
    """The scores of a model on a sample, and how often a guess is right.

    The run that was answered last says what counts: its wordings, choices and role. What it did not
    ask yet is taken from earlier runs that asked the same, so a part that is asked again takes
    nothing from the rest.
    """
    newest: _Asked | None = None
    answers: dict[_Request, VersionedAnswer] = {}
    for run_id in _answered(store, sample_id, model):
        asked = _asked(store, run_id)
        if newest is None:
            if not _paired(asked.answers):
                continue
            newest = asked
        if asked.is_like(newest):
            for request in asked.answers.keys() & newest.wordings - answers.keys():
                answers[request] = asked.answers[request]
        if len(answers) == len(newest.wordings):
            break
    if newest is None:
        return None
    scores = gather([answers[request] for request in sorted(answers)]).models[0]
    chance = 1 / len(newest.choices) if newest.choices else 0.0
    return replace(scores, role=newest.role), chance


def _answered(store: Store, sample_id: str, model: str) -> list[str]:
    """Runs with replies, the one that got its last reply latest first."""
    answered_runs = [
        run
        for run in method_runs.runs_of(store, [NAME])
        if (run.sample, run.model) == (sample_id, model) and run.replies
    ]
    answered_runs.sort(key=lambda run: run.answered_at or run.made_at, reverse=True)
    return [run.run for run in answered_runs]


def _paired(answers: Mapping[_Request, VersionedAnswer]) -> bool:
    """Whether any instance is answered in both wordings."""
    return len({instance for instance, _ in answers}) < len(answers)


def _asked(store: Store, run_id: str) -> _Asked:
    """A request without a reply is none; what gives no answer is wrong."""
    plan = runs.load(store, run_id).plan
    frozen_requests = frozen.load(store, plan.subject)
    task = ScoreTask.of(plan.wording, frozen_requests)
    names = [(each.instance_id, str(each.facts.get("id", ""))) for each in task.requests]
    answers = {}
    for position, answer in method_runs.answers(store, run_id, replies=False).items():
        if answer.outcome == Outcome.ERROR:
            continue
        instance, name = names[position]
        answers[instance, name] = VersionedAnswer(
            plan.model,
            instance,
            ItemVersion(task.requests[position].facts["version"]),
            float(task.is_right(position, answer)),
            wording=wording_of(name),
        )
    role = role_of(frozen_requests.design, plan.model)
    return _Asked(role, tuple(task.choices), frozenset(names), answers)
