"""Having variants written for a sample, and what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from dcq.asking.estimate import Estimate
from dcq.asking.plan import Job, carry_out, pick_up, plan
from dcq.asking.prepare import NO_TERMS, Terms
from dcq.asking.reuse import reuse_answers
from dcq.asking.task import Ended
from dcq.errors import InputError
from dcq.jobs import lock
from dcq.models import prices
from dcq.models.endpoints import Endpoint
from dcq.models.pacing.limits import Limits, settle_limits
from dcq.records import Instance
from dcq.store import Store, rewordings, runs, samples
from dcq.store.rewordings import Counts
from dcq.store.runs import Event, StoredRun
from dcq.variants import offline_writer
from dcq.variants.freeze import SLOTS, Chosen, freeze, freeze_some, is_variant
from dcq.variants.method import REWORDING
from dcq.variants.perturbations import Perturbation
from dcq.variants.prompts import Protocol, choose_rewording, perturbation_prompt

BUSY = "The variants of this sample are being written already; wait or stop it."
REPEATED = "Some replies repeated variants that were there already."
CHANGED = "Variants that people changed in the meantime were left as they are."

NO_LIMITS = Limits()
_DONE = Ended(Event.FINISHED, "")
OnInstance = Callable[[int, int], None]


@dataclass(frozen=True)
class Written:
    """What came of rewording a sample: ``instances`` that lacked variants, ``variants`` written,
    ``failed`` slots that stayed as they were, notes to show, the ``run`` (None where nothing was
    to be done) and why it ``ended``."""

    sample: str
    instances: int
    variants: int
    failed: int
    notes: tuple[str, ...]
    run: str | None = None
    ended: Ended = _DONE


def lock_name(sample_id: str) -> str:
    """The name of the lock that is held while a sample is reworded."""
    return f"reword-{sample_id}"


async def reword_sample(
    store: Store,
    sample_id: str,
    endpoint: Endpoint | None,
    terms: Terms = NO_TERMS,
    *,
    wanted: int = SLOTS,
    candidates: int = SLOTS,
    protocol: Protocol = Protocol.V1,
    kind: Perturbation = Perturbation.WORD,
    again: bool = False,
    resume: bool = False,
    by_batch: bool = False,
    reuse: bool = False,
    author: str = "",
    limits: Limits = NO_LIMITS,
    cancelled: asyncio.Event | None = None,
    on_instance: OnInstance | None = None,
    on_news: Callable[[str], None] = lambda sentence: None,
) -> Written:
    """Have the empty slots (all slots if ``again``) of every instance filled; variants are saved as
    the replies come. More than four ``candidates`` are texts to choose variants from.

    ``endpoint`` None means the offline generator of this ``kind``; a model is asked with the prompt
    of ``protocol``. ``terms.limit`` counts instances that lack variants. ``resume`` goes on with
    the newest rewording of this sample by this model, if there is one. ``on_instance`` is called
    with (done, total) instances. Raises InputError, before anything is asked, if another process is
    writing variants of the sample.
    """
    sample = samples.load(store, sample_id)
    who = endpoint or offline_writer.ENDPOINTS[offline_writer.name_of(kind)]
    with lock.hold(store, lock_name(sample.id), BUSY):
        # Read under the lock, so that nothing is written and paid for twice.
        known = rewordings.newest_run(store, sample.id, who.name) if resume else None
        whole = Terms(None, terms.budget_usd, terms.max_calls, terms.concurrency)
        if known:
            if by_batch and not runs.load(store, known).plan.by_batch:
                raise InputError(f"Run {known} is not asked by batch; resume it without --batch.")
            pick_up(store, REWORDING, [known], whole)
        else:
            frozen = freeze(
                store,
                sample.id,
                protocol if endpoint else kind,
                wanted=wanted,
                candidates=candidates,
                again=again,
                limit=terms.limit,
                author=author,
            )
            if frozen is None:
                return Written(sample.id, 0, 0, 0, ())
            [(known, _)] = await plan(store, REWORDING, [frozen], [who], whole, by_batch=by_batch)
        return await _carry_out(
            store,
            known,
            who,
            reuse=reuse,
            limits=limits,
            cancelled=cancelled,
            on_instance=on_instance,
            on_news=on_news,
        )


async def go_on(
    store: Store,
    run_id: str,
    terms: Terms = NO_TERMS,
    *,
    reuse: bool = False,
    limits: Limits = NO_LIMITS,
    cancelled: asyncio.Event | None = None,
    on_instance: OnInstance | None = None,
    on_news: Callable[[str], None] = lambda sentence: None,
) -> Written:
    """Ask what is left of a run that was planned before. Raises InputError as ``reword_sample``."""
    sample_id = runs.load(store, run_id).plan.sample_id
    with lock.hold(store, lock_name(sample_id), BUSY):
        [(known, endpoint)] = pick_up(store, REWORDING, [run_id], terms)
        return await _carry_out(
            store,
            known,
            endpoint,
            reuse=reuse,
            limits=limits,
            cancelled=cancelled,
            on_instance=on_instance,
            on_news=on_news,
        )


async def reword_some(
    store: Store,
    sample_id: str,
    chosen: Chosen,
    endpoint: Endpoint | None,
    *,
    protocol: Protocol = Protocol.V1,
    author: str = "",
    instruction: str = "",
) -> str | None:
    """Have other variants written in these slots, to replace those that were seen in them; returns
    why some could not be written, or None. Raises InputError as ``freeze_some``."""
    recipe = protocol if endpoint else Perturbation.WORD
    frozen = freeze_some(store, sample_id, chosen, recipe, author, instruction)
    who = endpoint or offline_writer.ENDPOINTS[offline_writer.name_of(Perturbation.WORD)]
    [(run_id, _)] = await plan(store, REWORDING, [frozen], [who], NO_TERMS)
    done = await _carry_out(store, run_id, who)
    if done.variants == sum(map(len, chosen.values())):
        return None
    return done.ended.detail or done.notes[-1]


async def _carry_out(
    store: Store,
    run_id: str,
    endpoint: Endpoint,
    *,
    reuse: bool = False,
    limits: Limits = NO_LIMITS,
    cancelled: asyncio.Event | None = None,
    on_instance: OnInstance | None = None,
    on_news: Callable[[str], None] = lambda sentence: None,
) -> Written:
    subject = runs.load(store, run_id).plan.subject
    total = rewordings.count(store, subject).instances

    def count(answers: int) -> None:
        if on_instance is not None:
            on_instance(total - rewordings.count(store, subject).open_instances, total)

    count(0)
    if reuse:
        reused = reuse_answers(store, REWORDING, run_id)
        on_news(f"{reused} replies are reused from earlier runs; the rest is asked.")
    ended = await carry_out(
        store,
        Job(run_id, endpoint, REWORDING),
        limits=settle_limits(endpoint, limits),
        cancelled=cancelled,
        on_answers=count,
        on_news=on_news,
    )
    return sum_up(store, run_id, ended)


def sum_up(store: Store, run_id: str, ended: Ended = _DONE) -> Written:
    """What came of a run that rewords a sample, so far."""
    run = runs.load(store, run_id)
    counts = rewordings.count(store, run.plan.subject)
    return Written(
        run.plan.sample_id,
        counts.instances,
        counts.written,
        counts.open,
        notes_on(store, run, counts),
        run_id,
        ended,
    )


def notes_on(store: Store, run: StoredRun, counts: Counts) -> tuple[str, ...]:
    """Why a run has not filled all slots of its rewording."""
    lacking = rewordings.open_instances(store, run.plan.subject)
    reasons = rewordings.shortfalls(store, run.plan.subject, lacking)
    notes = list(reasons)
    if run.event is Event.FINISHED and set(lacking) - set().union(*reasons.values()):
        notes.append(REPEATED)
    if counts.open + counts.written < counts.slots:
        notes.append(CHANGED)
    return tuple(notes)


def estimate(
    model: str,
    instances: Sequence[Instance],
    missing: Mapping[str, Collection[int]],
    protocol: Protocol,
    instruction: str = "",
) -> Estimate:
    """What a model takes to fill slots: instance id → which, if no reply lacks any. A rewording is
    taken to be as long as its text."""
    texts, tokens_out = [], 0
    for instance in instances:
        slots = missing.get(instance.id, ())
        variants_missing = sum(map(is_variant, slots))
        for wanted in (variants_missing, len(slots) - variants_missing):
            left = wanted
            while left > 0:
                prompt, count = choose_rewording(protocol, left)
                texts.append(perturbation_prompt(prompt, instance.text, count, instruction))
                tokens_out += count * (prices.estimate_tokens(instance.text) + _LETTER_TOKENS)
                left -= count
    tokens_in = sum(map(prices.estimate_tokens, texts))
    cost = prices.cost(model, tokens_in, tokens_out)
    return Estimate(len(texts), tokens_in, tokens_out, cost)


_LETTER_TOKENS = 4  # the letter of an option, and the lines around it
