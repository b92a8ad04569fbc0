"""Replication on the engine: completions, their judgements, and the request for a split's first
instances.

Three methods with one command. The subject of a ``replication`` run is a frozen replication, that
of a ``judge`` run the run whose completions are judged, that of a ``cheat`` run a sample.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dcq.asking.exclusive import Exclusive
from dcq.asking.prompt import Prompt, sha256
from dcq.asking.task import ChainStep, Method, Proposal, Task
from dcq.errors import InputError, ModelChoiceError
from dcq.models.endpoints import LIKELIHOOD, Endpoint
from dcq.records import Instance, Mode, Outcome, Partition, Reading, Reply
from dcq.replication.cheat import (
    FIRST_INSTANCES,
    CheatFinding,
    first_instances_text,
    marks_of,
    read_finding,
)
from dcq.replication.completion import read_completion
from dcq.replication.freeze import pieces_of
from dcq.replication.judge import JUDGES, judge_text, read_judgement
from dcq.replication.pieces import PieceForm, Pieces, split
from dcq.replication.prompts import Instruction, Version, prompt_for, prompt_text
from dcq.replication.scores import exact
from dcq.store import Store, method_runs, readings, replications, runs, samples
from dcq.store.answers import answered_and_failed
from dcq.store.replications import Replication
from dcq.store.runs import Plan

COMMAND = "replicate"
_REREAD = "the completion was read again by a newer release; resume to have it judged again"


@dataclass(frozen=True)
class ReplicationTask:
    """The requests for completions: all instructions of the first instance, then of the next. The
    request of instruction k of m about piece i is at position i·m + k."""

    version: Version
    instructions: tuple[Instruction, ...]
    pieces: tuple[Pieces, ...]
    wrong_labels: tuple[str | None, ...]
    dataset: str
    split: str

    @property
    def size(self) -> int:
        """How many completions are asked for."""
        return len(self.pieces) * len(self.instructions)

    def count_first(self, limit: int) -> int:
        """How many of them are of the first ``limit`` pieces."""
        return min(limit, len(self.pieces)) * len(self.instructions)

    def text(self, position: int) -> str:
        """The exact text sent."""
        piece, instruction = self.request(position)
        pieces = self.pieces[piece]
        wrong = instruction is Instruction.WRONG_LABEL
        return prompt_text(
            prompt_for(self.version, instruction, pieces.form),
            pieces,
            self.dataset,
            self.split,
            label=self.wrong_labels[piece] if wrong else None,
        )

    def read(self, position: int, reply: Reply) -> Reading:
        """The completion read from a reply; None where the reply holds none."""
        return read_completion(reply, self.pieces[self.request(position)[0]]).reading

    def request(self, position: int) -> tuple[int, Instruction]:
        """Which piece a request is about, and with which instruction."""
        piece, place = divmod(position, len(self.instructions))
        return piece, self.instructions[place]


@dataclass(frozen=True)
class JudgeTask:
    """The requests to a judge: pairs of reference and candidate."""

    prompt: Prompt
    pairs: Sequence[tuple[str, str]]

    @property
    def size(self) -> int:
        """How many pairs there are."""
        return len(self.pairs)

    def count_first(self, limit: int) -> int:
        """How many the first ``limit`` completions are."""
        return min(limit, len(self.pairs))

    def text(self, position: int) -> str:
        """The exact text sent."""
        return judge_text(self.prompt, *self.pairs[position])

    def read(self, position: int, reply: Reply) -> Reading:
        """The reading of a judge's reply, with the value ``exact``, ``near-exact`` or ``inexact``,
        if the judge says."""
        return read_judgement(reply).reading


@dataclass(frozen=True)
class CheatTask:
    """One request: for the first instances of a split."""

    dataset: str
    split: str
    instances: Sequence[str]
    marks: Sequence[str]
    size: int = 1

    def count_first(self, limit: int) -> int:
        """One, whatever the limit."""
        return self.size

    def text(self, position: int) -> str:
        """The exact text sent."""
        return first_instances_text(self.dataset, self.split)

    def read(self, position: int, reply: Reply) -> Reading:
        """The conclusion from the reply; a refusal may show something too."""
        conclusion = read_finding(reply, self.instances, self.marks)
        if conclusion is CheatFinding.NOTHING:
            return Reading(Outcome.INVALID, None, conclusion.value)
        refused = reply.refusal or reply.finish_reason == "content_filter"
        return Reading(
            Outcome.REFUSED if refused else Outcome.ANSWERED, conclusion.value, conclusion.value
        )


# Completions and their judgements are one thing to ask.
EXCLUSIVE = Exclusive(
    "replicate-", "{who} is completing this sample already; wait, or cancel its run."
)


class _ReplicationMethod(Method):
    """What the three have in common: a command, and models that write."""

    command = COMMAND

    def endpoint(self, model: str) -> Endpoint:
        endpoint = super().endpoint(model)
        _words_only(endpoint.mode)  # before anything is kept, or asked of another model
        return endpoint


class _Replication(_ReplicationMethod):
    name = "replication"
    exclusive = EXCLUSIVE

    def followers(
        self, store: Store, run_id: str, judge: Endpoint | None = None
    ) -> Iterator[ChainStep]:
        """The judge of the completions: ``judge``, or the one that was frozen with them."""
        frozen = replications.load(store, runs.load(store, run_id).plan.subject)
        endpoint = judge or (JUDGE.endpoint(frozen.judge) if frozen.judge else None)
        if endpoint is not None and JUDGE.take_up(store, run_id):
            newest_run = runs.newest_run(store, JUDGE.name, endpoint.name, subject=run_id)
            yield ChainStep(JUDGE, run_id, endpoint, newest_run)

    def propose(self, store: Store, subject: str, mode: Mode) -> Proposal:
        _words_only(mode)
        replication = replications.load(store, subject)
        task = _task(replication, samples.partition_of(store, replication.sample_id))
        guided = prompt_for(task.version, Instruction.GUIDED, task.pieces[0].form)
        prompt = Prompt(
            COMMAND, task.version, guided.wording, guided.temperature, guided.max_tokens
        )
        return Proposal(prompt, task, replication.sample_id)

    def reopen(self, store: Store, plan: Plan) -> ReplicationTask:
        replication = replications.load(store, plan.subject)
        return _task(replication, runs.partition_asked(store, plan))


class _Judge(_ReplicationMethod):
    name = "judge"
    follows = True

    def take_up(self, store: Store, run_id: str) -> bool:
        """List the guided completions that do not equal their reference: those that do need no
        judge (``dcq.store.replications.to_judge``)."""
        replications.add_to_judge(store, run_id, unequal(store, run_id))
        return bool(replications.to_judge(store, run_id))

    def propose(self, store: Store, subject: str, mode: Mode) -> Proposal:
        _words_only(mode)
        run = runs.load(store, subject)
        if run.plan.method != REPLICATION.name:
            raise InputError(f"Run {run.id} has no completions to judge; name a replication run.")
        return Proposal(
            JUDGES[_version(replications.load(store, run.plan.subject))],
            _judge_task(store, run.id),
            run.plan.sample_id,
        )

    def reopen(self, store: Store, plan: Plan) -> JudgeTask:
        return _judge_task(store, plan.subject)


class _Cheat(_ReplicationMethod):
    name = "cheat"

    def propose(self, store: Store, subject: str, mode: Mode) -> Proposal:
        _words_only(mode)
        sample = samples.load(store, subject)
        task = _cheat_task(sample.instances, sample.partition)
        return Proposal(FIRST_INSTANCES, task, sample.id)

    def reopen(self, store: Store, plan: Plan) -> Task:
        instances = samples.load(store, plan.subject).instances
        return _cheat_task(instances, runs.partition_asked(store, plan))


REPLICATION = _Replication()
JUDGE = _Judge()
CHEAT = _Cheat()
METHODS: Mapping[str, Method] = {method.name: method for method in (REPLICATION, JUDGE, CHEAT)}


def unequal(store: Store, run_id: str) -> list[int]:
    """The guided completions of a run that do not equal their reference, by the place of their
    piece."""
    replication = replications.load(store, runs.load(store, run_id).plan.subject)
    completions = _guided(store, run_id, replication)
    return [
        place
        for place, piece in enumerate(replication.pieces)
        if place in completions and not exact(piece.second, completions[place])
    ]


def judge_again(store: Store, run_id: str, changed: Collection[int]) -> None:
    """Have judges asked again, when they are resumed, about completions that are read otherwise
    now: those at the positions ``changed`` that do not equal their reference."""
    replication = replications.load(store, runs.load(store, run_id).plan.subject)
    width = len(replication.instructions)
    guided = replication.instructions.index(Instruction.GUIDED)
    places = {position // width for position in changed if position % width == guided}
    places &= set(unequal(store, run_id))
    for judge_run in runs.all_of(store, subject=run_id):
        task = _judge_task(store, run_id)
        done, _ = answered_and_failed(store, judge_run)
        for position, place in enumerate(replications.to_judge(store, run_id)):
            if place in places and position in done:
                readings.void(store, judge_run, position, sha256(task.text(position)), _REREAD)


def _guided(store: Store, run_id: str, replication: Replication) -> dict[int, str]:
    """The guided completions of a run, by the place of their piece."""
    width, guided = (
        len(replication.instructions),
        replication.instructions.index(Instruction.GUIDED),
    )
    return {
        position // width: answer.value
        for position, answer in method_runs.answers(store, run_id).items()
        if position % width == guided and answer.value is not None
    }


def _task(replication: Replication, partition: Partition) -> ReplicationTask:
    return ReplicationTask(
        _version(replication),
        tuple(map(Instruction, replication.instructions)),
        tuple(pieces_of(piece) for piece in replication.pieces),
        tuple(piece.wrong_label for piece in replication.pieces),
        partition.title,
        partition.split_title,
    )


def _judge_task(store: Store, run_id: str) -> JudgeTask:
    replication = replications.load(store, runs.load(store, run_id).plan.subject)
    completions = _guided(store, run_id, replication)
    return JudgeTask(
        JUDGES[_version(replication)],
        [
            (replication.pieces[piece].second, completions.get(piece, ""))
            for piece in replications.to_judge(store, run_id)
        ],
    )


def _cheat_task(instances: Sequence[Instance], partition: Partition) -> CheatTask:
    texts = []
    for instance in instances:
        pieces = split(instance, partition.task, language=partition.language)
        if isinstance(pieces, Pieces):
            # Of a pair, whose sentences stand apart in a reply, the longer one.
            pair = pieces.form is PieceForm.NLI
            texts.append(max(pieces.first, pieces.second, key=len) if pair else pieces.text)
    return CheatTask(partition.title, partition.split_title, texts, marks_of(instances))


def _version(replication: Replication) -> Version:
    try:
        return Version(replication.version)
    except ValueError:
        raise InputError(
            f"Replication {replication.id} uses the wordings {replication.version!r}, which this "
            "release of "
            "dcq does not have; update dcq to go on."
        ) from None


def _words_only(mode: Mode) -> None:
    if mode is Mode.LIKELIHOOD:
        raise ModelChoiceError(
            f"A model named with {LIKELIHOOD} scores texts and writes none; name one without."
        )
