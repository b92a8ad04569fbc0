"""The rewordings that controls of an investigation lack, written before the controls are asked.

They are runs of the investigation like its quizzes, on the same budget. A bundled control that is
left with too few questions makes way for one of another source.
"""

from __future__ import annotations

import asyncio

from dcq.asking import prepare
from dcq.asking.chain import CANCELLED, Chain
from dcq.asking.options import Terms, Watch
from dcq.asking.plan import FINISHED
from dcq.asking.task import ChainStep, Ended
from dcq.errors import AskedAlreadyError
from dcq.investigation import more_controls
from dcq.investigation.adopt import Adopter
from dcq.quiz.choice import QuizChoice, to_write
from dcq.store import Store, investigations, partitions, rewordings, runs, samples
from dcq.store.investigations import Investigation
from dcq.store.runs import Event
from dcq.variants import control_writing
from dcq.variants.method import EXCLUSIVE, REWORDING
from dcq.variants.placebo_writing import writer_of

LOOK_SECONDS = 0.5  # between looks at whether another process has written them


def check_writer(store: Store, choice: QuizChoice, terms: Terms) -> None:
    """Raise InputError where the controls of a choice lack rewordings and their writer cannot be
    asked on these terms."""
    writer = writer_of(store, choice.sample)
    if writer is not None and to_write(store, choice):
        prepare.check_price(control_writing.endpoint_of(writer), terms)


class ControlRewordings:
    """Writes them for one investigation, whose controls may change by it: ``record`` is the
    investigation as it is then."""

    def __init__(self, store: Store, record: Investigation, chain: Chain, watch: Watch) -> None:
        self.store, self.record, self.chain, self.watch = store, record, chain, watch
        self._writer = writer_of(store, record.sample)
        self._left_out: set[str] = set()  # partitions
        self._written = False

    def first_open(self) -> str | None:
        """The run that writes the first of them, planned if there is none; None if all of them are
        written."""
        choice = QuizChoice(self.record.sample, self.record.kind, self.record.controls)
        runs = (self._run(sample_id) for sample_id in to_write(self.store, choice))
        return next((run for run in runs if run is not None), None)

    async def write(self) -> Ended:
        """Write all of them, until one run does not finish, and replace controls with too few."""
        pending = [] if self._written else list(self.record.controls)
        while pending:
            sample_id = pending.pop(0)
            ended = await self._write(sample_id)
            if ended.event is not Event.FINISHED:
                return ended
            pending += self._replace(sample_id)
        self._written = True
        return FINISHED

    async def _write(self, sample_id: str) -> Ended:
        """Where another process writes them, for another model, they are waited for."""
        target_id = self.record.sample
        while not self.chain.cancelled:
            try:
                with EXCLUSIVE.hold(self.store, sample_id):
                    if not control_writing.lacking(self.store, target_id, [sample_id]):
                        return FINISHED
                    run_id, ended = self._run(sample_id), FINISHED
                    if run_id is not None:
                        ended = await self.chain.ask(self._step(sample_id, run_id))
                    if ended.event is Event.FINISHED:
                        control_writing.choose_variants(self.store, target_id, sample_id)
                    return ended
            except AskedAlreadyError:
                await asyncio.sleep(LOOK_SECONDS)
        return CANCELLED

    def _run(self, sample_id: str) -> str | None:
        """The run that writes the rewordings of a sample: the one that was begun, or a new one."""
        assert self._writer is not None  # noqa: S101  (or nothing would be lacking)
        name = control_writing.name_of(self._writer)
        run_id, subject = rewordings.newest_run(self.store, sample_id, name), None
        if run_id is None:
            texts = control_writing.texts_each(self.store, self.record.sample)
            subject = control_writing.freeze_missing(self.store, sample_id, self._writer, texts)
            if subject is None:
                return None
        adopter = Adopter(self.store, self.record.id, self.chain)
        return adopter.adopt(
            (REWORDING.name, sample_id),
            run_id,
            control_writing.endpoint_of(self._writer),
            lambda: self._step(sample_id, None, subject or ""),
        )

    def _step(self, sample_id: str, run_id: str | None, subject: str = "") -> ChainStep:
        assert self._writer is not None  # noqa: S101  (as above)
        if run_id is not None:
            subject = runs.load(self.store, run_id).plan.subject
        return ChainStep(
            REWORDING,
            subject,
            control_writing.endpoint_of(self._writer),
            run_id,
            name=f"Rewordings of {self._name(sample_id)}",
            logprobs=False,
        )

    def _replace(self, sample_id: str) -> list[str]:
        """The control that takes the place of one with too few usable instances, by its sample."""
        sample = samples.load(self.store, sample_id)
        usable, n = control_writing.count_usable(self.store, sample_id), len(sample.instances)
        is_asked = (self.record.kind, sample_id) in self.record.runs
        if is_asked or not more_controls.has_too_few(self.store, sample_id):
            return []
        name, reason = self._name(sample_id), f"only {usable} of its {n} instances can be used"
        other = self._another_source(n)
        if other is None:
            self.watch.on_news(
                f"{name} stays a control, although {reason}: there is no further bundled text of "
                "this task and language."
            )
            return []
        self._left_out.add(sample.partition.id)
        new_id = other.draw(self.store)
        self.record = investigations.replace_control(self.store, self.record.id, sample_id, new_id)
        self.watch.on_news(
            f"{name} is left out, because {reason}. {self._name(new_id)} takes its place."
        )
        return [new_id]

    def _another_source(self, n: int) -> more_controls.SmallSource | None:
        """A bundled text of ``n`` instances that is neither a control of the investigation nor was
        left out."""
        target = samples.load(self.store, self.record.sample)
        partitions_used = {
            samples.partition_of(self.store, control).id for control in self.record.controls
        }
        taken = self._left_out | partitions_used
        sources = more_controls.small_sources(target.partition, target.instances, n)
        return next((source for source in sources if source.partition not in taken), None)

    def _name(self, sample_id: str) -> str:
        return partitions.place(self.store, samples.partition_of(self.store, sample_id))
