"""Writing variants for a sample, by a model or by the offline generator, and saving them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dcq.asking.calls import Ask, asking
from dcq.errors import EndpointRefusedError, InputError
from dcq.jobs import lock
from dcq.models import similarity
from dcq.models.endpoints import Endpoint
from dcq.models.hooks import Hooks
from dcq.models.limits import pace_for
from dcq.records import Finding, Instance
from dcq.store import Store, samples, variants
from dcq.store.samples import StoredSample
from dcq.store.variants import NewVariant, StoredVariant
from dcq.variants import offline
from dcq.variants.checks import check
from dcq.variants.perturb import Reworded, perturb
from dcq.variants.prompts import Protocol, choose_rewording

SLOTS = 4
BUSY = "The variants of this sample are being written already; wait or stop it."

OnInstance = Callable[[int, int], None]


@dataclass(frozen=True)
class Written:
    """The outcome of rewording a sample: ``instances`` that needed variants, ``variants`` saved,
    ``failed`` slots that stayed empty, and notes to show."""

    sample: str
    instances: int
    variants: int
    failed: int
    notes: tuple[str, ...]


async def reword_sample(
    store: Store,
    sample_id: str,
    endpoint: Endpoint | None,
    *,
    wanted: int = SLOTS,
    protocol: Protocol = Protocol.V1,
    again: bool = False,
    author: str = "",
    on_instance: OnInstance | None = None,
) -> Written:
    """Fill the empty slots (all slots if ``again``) of every instance; saved after each instance.

    ``endpoint`` None means the offline generator; a model is asked with the prompt of ``protocol``.
    ``on_instance`` is called with (done, total). Raises InputError, before anything is asked, if
    another process is writing variants of the sample.
    """
    if wanted not in {3, SLOTS}:
        raise InputError(
            f"{wanted} variants cannot make a quiz; ask for 3, or 4 to include the modified quiz."
        )
    sample = samples.load(store, sample_id)
    with lock.hold(store, lock_name(sample.id), BUSY):
        # Read under the lock, so that nothing is written and paid for twice.
        seen = variants.current(store, sample.id)
        there = {} if again else seen
        todo = [
            (instance, [s for s in range(wanted) if s not in there.get(instance.id, {})])
            for instance in sample.instances
        ]
        todo = [(instance, slots) for instance, slots in todo if slots]
        job = _Job(
            *(store, sample, there, seen, endpoint, protocol, author, len(todo), sample.seed),
            on_instance,
        )
        if on_instance:
            on_instance(0, len(todo))
        if todo:
            await job.run(todo)
    return Written(sample.id, len(todo), job.written, job.failed, tuple(dict.fromkeys(job.notes)))


def lock_name(sample_id: str) -> str:
    """The name of the lock that is held while a sample is reworded."""
    return f"reword-{sample_id}"


async def reword_slot(
    store: Store,
    sample_id: str,
    instance: Instance,
    slot: int,
    endpoint: Endpoint | None,
    *,
    seen: StoredVariant | None,
    protocol: Protocol = Protocol.V1,
    author: str = "",
) -> str | None:
    """Write another variant to replace the one that was ``seen`` (None: the slot was empty);
    returns why it could not be written, or None."""
    sample = samples.load(store, sample_id)
    present = dict(variants.current(store, sample.id).get(instance.id, {}))
    present.pop(slot, None)
    if seen is not None:
        present[slot] = seen
    seed = sample.seed + (seen.seq if seen else 0)  # another draw each time
    there = {instance.id: present}
    job = _Job(store, sample, there, there, endpoint, protocol, author, 1, seed)
    await job.run([(instance, [slot])])
    return None if job.written else job.notes[-1]


def inspect(
    instance: Instance, text: str, others: Sequence[str], language: str
) -> tuple[Finding, ...]:
    """All checks of one variant, including meaning if it can be compared."""
    close = None
    if text.strip() and similarity.unavailable(language) is None:
        close = float(similarity.similarity([(instance.text, text)])[0])
    return tuple(check(instance, text, others, close))


class _Job:
    """One pass over the instances that lack variants. ``there`` are the variants that new ones must
    differ from, ``seen`` all that existed when it began."""

    def __init__(
        self,
        store: Store,
        sample: StoredSample,
        there: Mapping[str, Mapping[int, StoredVariant]],
        seen: Mapping[str, Mapping[int, StoredVariant]],
        endpoint: Endpoint | None,
        protocol: Protocol,
        author: str,
        total: int,
        seed: int,
        on_instance: OnInstance | None = None,
    ) -> None:
        self.store, self.sample, self.there, self.seen = store, sample, there, seen
        self.endpoint, self.protocol, self.author = endpoint, protocol, author
        self.total, self.seed, self.on_instance = total, seed, on_instance
        self.done = self.written = self.failed = 0
        self.notes: list[str] = []

    async def run(self, todo: Sequence[tuple[Instance, Sequence[int]]]) -> None:
        if self.endpoint is None:
            for instance, slots in todo:
                await asyncio.to_thread(self._offline, instance, slots)
            return
        prompt, _ = choose_rewording(self.protocol, SLOTS)
        async with asking(
            self.endpoint,
            temperature=prompt.temperature,
            max_tokens=prompt.max_tokens,
            hooks=Hooks(pace_for(self.endpoint, folder=self.store.runs_folder)),
        ) as ask:
            gate = asyncio.Semaphore(self.endpoint.concurrency)
            tasks = [
                asyncio.create_task(self._by_model(ask, gate, instance, slots))
                for instance, slots in todo
            ]
            try:
                await asyncio.gather(*tasks)
            except EndpointRefusedError:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                raise

    async def _by_model(
        self, ask: Ask, gate: asyncio.Semaphore, instance: Instance, slots: Sequence[int]
    ) -> None:
        assert self.endpoint is not None  # noqa: S101  (run() chose this way)
        async with gate:
            done = await perturb(
                ask, instance, len(slots), protocol=self.protocol, kept=self._kept(instance, slots)
            )
        self.notes += done.shortfalls
        await asyncio.to_thread(
            self._keep, instance, slots, done.made, f"model:{self.endpoint.name}"
        )

    def _offline(self, instance: Instance, slots: Sequence[int]) -> None:
        known = {v.text for v in self.there.get(instance.id, {}).values()}
        texts = offline.reword(
            instance.text,
            len(slots) + len(known),
            language=self.sample.partition.language,
            protected=instance.protected,
            seed=self.seed,
        )
        fresh = [Reworded(text, None) for text in texts if text not in known][: len(slots)]
        if len(fresh) < len(slots):
            self.notes.append("The offline generator knows too few synonyms for some instances.")
        self._keep(instance, slots, fresh, "offline")

    def _kept(self, instance: Instance, slots: Sequence[int]) -> list[str]:
        return [v.text for s, v in self.there.get(instance.id, {}).items() if s not in slots]

    def _keep(
        self, instance: Instance, slots: Sequence[int], made: Sequence[Reworded], origin: str
    ) -> None:
        kept = self._kept(instance, slots)
        texts = [one.text for one in made]
        language = self.sample.partition.language
        present = self.seen.get(instance.id, {})
        changed = variants.replace(
            self.store,
            self.sample.id,
            [
                (
                    NewVariant(
                        instance.id,
                        slot,
                        one.text,
                        origin,
                        self.author,
                        inspect(instance, one.text, [*kept, *texts[:index]], language),
                        one.prompt,
                    ),
                    present.get(slot),
                )
                for index, (slot, one) in enumerate(zip(slots, made, strict=False))
            ],
        )
        if changed:
            self.notes.append("Variants that people changed in the meantime were left as they are.")
        self.written += len(texts) - len(changed)
        self.failed += len(slots) - len(texts)
        self.done += 1
        if self.on_instance:
            self.on_instance(self.done, self.total)
