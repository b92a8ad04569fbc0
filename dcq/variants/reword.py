"""Having variants written for a sample, in this process or a separate one (``dcq.asking.launch``),
and the outcome."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from dcq.asking import launch
from dcq.asking.cost import CostEstimate
from dcq.asking.options import DEFAULTS, Options
from dcq.asking.plan import FINISHED, RunJob, ask_rest, pick_up, plan
from dcq.asking.task import Ended
from dcq.errors import InputError
from dcq.jobs.state import RunState, state_of
from dcq.models import prices
from dcq.models.endpoints import Endpoint
from dcq.records import Instance
from dcq.store import Store, rewordings, run_progress, runs, samples, sources
from dcq.store.rewordings import SlotCounts
from dcq.store.run_progress import RunProgress
from dcq.store.runs import Event, StoredRun
from dcq.variants import offline_writer
from dcq.variants.freeze import SLOTS, Chosen, freeze, freeze_some, is_variant
from dcq.variants.method import EXCLUSIVE, REWORDING
from dcq.variants.perturbations import Perturbation
from dcq.variants.prompts import Protocol, choose_rewording, perturbation_prompt
from dcq.words import listed

REPEATED = "Some replies repeated variants that were there already."
CHANGED = "Variants that people changed in the meantime were left as they are."

OnInstance = Callable[[int, int], None]


@dataclass(frozen=True)
class Written:
    """The outcome of rewording a sample: ``instances`` that lacked variants, ``variants`` written,
    ``failed`` slots that stayed as they were, notes to show, the ``run`` (None where nothing had to
    be written) and why it ``ended``."""

    sample: str
    instances: int
    variants: int
    failed: int
    notes: tuple[str, ...]
    run: str | None = None
    ended: Ended = FINISHED


@dataclass(frozen=True)
class RewordingDesign:
    """The settings of a rewording: ``variants_each`` variants of each instance or, where more, so
    many ``candidates`` to choose them from; only missing texts, or all of them ``again``. A model
    is asked with the prompt of ``protocol``, the offline generator writes variants of this
    ``kind``."""

    variants_each: int = SLOTS
    candidates: int = SLOTS
    protocol: Protocol = Protocol.V1
    kind: Perturbation = Perturbation.WORD
    again: bool = False


STANDARD = RewordingDesign()


async def reword_sample(
    store: Store,
    sample_id: str,
    endpoint: Endpoint | None,
    design: RewordingDesign = STANDARD,
    options: Options = DEFAULTS,
    *,
    resume: bool = False,
    on_instance: OnInstance | None = None,
) -> Written:
    """Have the empty slots of every instance filled; variants are saved as the replies come.

    ``endpoint`` None means the offline generator. The limit counts instances that lack variants.
    ``resume`` goes on with the newest rewording of this sample by this model, if there is one.
    ``on_instance`` is called with (done, total) instances. Raises InputError, before anything is
    asked, if another process is writing variants of the sample.
    """
    sample = samples.load(store, sample_id)
    who = endpoint or offline_writer.ENDPOINTS[offline_writer.name_of(design.kind)]
    terms = replace(options.terms, limit=None)
    with EXCLUSIVE.hold(store, sample.id):
        # Read under the lock, so that nothing is written and paid for twice.
        run = rewordings.newest_run(store, sample.id, who.name) if resume else None
        if run:
            if options.by_batch and not runs.load(store, run).plan.by_batch:
                raise InputError(f"Run {run} is not asked by batch; resume it without --batch.")
            _check_resumed(store, run, design, options.terms.limit)
            pick_up(store, REWORDING, [run], terms)
        else:
            frozen = freeze(
                store,
                sample.id,
                design.protocol if endpoint else design.kind,
                variants_each=design.variants_each,
                candidates=design.candidates,
                again=design.again,
                limit=options.terms.limit,
                author=options.author,
            )
            if frozen is None:
                return Written(sample.id, 0, 0, 0, _whose(store, sample.id))
            [(run, _)] = await plan(
                store, REWORDING, [frozen], [who], terms, by_batch=options.by_batch
            )
        return await _ask(store, run, who, replace(options, terms=terms), on_instance)


def _check_resumed(store: Store, run: str, design: RewordingDesign, limit: int | None) -> None:
    """Raise InputError for a design or a limit that a run which goes on does not have: it fills the
    slots that it was planned for."""
    plan = rewordings.load(store, runs.load(store, run).plan.subject)
    slots = {slot.slot for slot in plan.slots}
    instances = len({slot.instance_id for slot in plan.slots})
    differs = {
        "number of variants": any(design.variants_each <= slot < SLOTS for slot in slots),
        "number of candidates": any(slot >= design.candidates > SLOTS for slot in slots)
        or (design.candidates > SLOTS and max(slots, default=0) < SLOTS),
        "prompt": design.protocol not in {STANDARD.protocol, plan.protocol}
        and plan.protocol in set(Protocol),
        "limit": limit is not None and limit < instances,
    }
    if wrong := [name for name, is_other in differs.items() if is_other]:
        raise InputError(
            f"Run {run} goes on with what it was planned for; leave the {listed(wrong)} out, or "
            "start a new run without --resume."
        )


async def go_on(
    store: Store,
    run_id: str,
    options: Options = DEFAULTS,
    *,
    on_instance: OnInstance | None = None,
) -> Written:
    """Ask what is left of a run that was planned before. Raises InputError as ``reword_sample``."""
    with EXCLUSIVE.hold(store, runs.load(store, run_id).plan.sample_id):
        return await go_on_now(store, run_id, options, on_instance=on_instance)


async def go_on_now(
    store: Store,
    run_id: str,
    options: Options = DEFAULTS,
    *,
    on_instance: OnInstance | None = None,
) -> Written:
    """As ``go_on``, for a caller that holds ``EXCLUSIVE`` already."""
    [(run, endpoint)] = pick_up(store, REWORDING, [run_id], options.terms)
    return await _ask(store, run, endpoint, options, on_instance)


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
    done = await ask_frozen(store, frozen, who)
    if done.variants == sum(map(len, chosen.values())):
        return None
    return done.ended.detail or done.notes[-1]


async def ask_frozen(
    store: Store, frozen: str, who: Endpoint, options: Options = DEFAULTS
) -> Written:
    """Ask for what a frozen rewording lacks, in a new run. The caller holds ``EXCLUSIVE`` where
    others may write."""
    [(run_id, _)] = await plan(store, REWORDING, [frozen], [who], options.terms)
    return await _ask(store, run_id, who, options)


async def _ask(
    store: Store,
    run_id: str,
    endpoint: Endpoint,
    options: Options,
    on_instance: OnInstance | None = None,
) -> Written:
    subject = runs.load(store, run_id).plan.subject
    total = rewordings.slot_counts(store, subject).instances

    def count(answers: int) -> None:
        options.watch.on_answers(answers)
        if on_instance is not None:
            on_instance(total - rewordings.slot_counts(store, subject).open_instances, total)

    count(0)
    watching = replace(options, watch=replace(options.watch, on_answers=count))
    ended = await ask_rest(store, RunJob(run_id, endpoint, REWORDING), watching)
    return sum_up(store, run_id, ended)


def sum_up(store: Store, run_id: str, ended: Ended = FINISHED) -> Written:
    """The outcome of a rewording run so far: variants written, failures, cost."""
    run = runs.load(store, run_id)
    counts = rewordings.slot_counts(store, run.plan.subject)
    return Written(
        run.plan.sample_id,
        counts.instances,
        counts.written,
        counts.open,
        (*notes_on(store, run, counts), *_whose(store, run.plan.sample_id)),
        run_id,
        ended,
    )


def _whose(store: Store, sample_id: str) -> tuple[str, ...]:
    sentence = sources.whose_rewordings(store, sample_id)
    return (sentence,) if sentence else ()


def notes_on(store: Store, run: StoredRun, counts: SlotCounts) -> tuple[str, ...]:
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
) -> CostEstimate:
    """The estimate for a model to fill the ``missing`` slots (instance id -> slots), if every reply
    is complete. A rewording is assumed to be as long as its text."""
    texts, tokens_out = [], 0
    for instance in instances:
        slots = missing.get(instance.id, ())
        variants_missing = sum(map(is_variant, slots))
        for total in (variants_missing, len(slots) - variants_missing):
            left = total
            while left > 0:
                prompt, count = choose_rewording(protocol, left)
                texts.append(perturbation_prompt(prompt, instance.text, count, instruction))
                tokens_out += count * (prices.estimate_tokens(instance.text) + _LETTER_TOKENS)
                left -= count
    tokens_in = sum(map(prices.estimate_tokens, texts))
    cost = prices.cost(model, tokens_in, tokens_out)
    return CostEstimate(len(texts), tokens_in, tokens_out, cost)


_LETTER_TOKENS = 4  # the letter of an option, and the lines around it


@dataclass(frozen=True)
class RewordingProgress:
    """The newest rewording of a sample: ``done`` of ``planned`` variants are written. ``asked`` is
    the progress of its run; ``notes`` say why variants are missing, once it has ended."""

    state: RunState
    run: str
    planned: int
    done: int
    asked: RunProgress
    notes: tuple[str, ...]

    @property
    def writer(self) -> str:
        """The model's name, or empty for an offline generator."""
        return "" if self.asked.model in offline_writer.ENDPOINTS else self.asked.model


def start(
    store: Store,
    sample_id: str,
    model: str | None,
    design: RewordingDesign = STANDARD,
    options: Options = DEFAULTS,
) -> str:
    """Start writing the missing variants and candidates (all if ``again``); returns the id of the
    run. ``model`` None means the offline generator.

    Raises InputError if the model cannot be used as named, nothing is missing, or a rewording is in
    progress already. Later problems appear in the run.
    """
    sample = samples.load(store, sample_id)
    name = offline_writer.name_of(design.kind) if model is None else model
    REWORDING.endpoint(name)  # before anything is kept
    _check_free(store, sample.id)
    frozen = freeze(
        store,
        sample.id,
        design.kind if model is None else design.protocol,
        candidates=design.candidates,
        again=design.again,
        limit=options.terms.limit,
        author=options.author,
    )
    if frozen is None:
        total = len(sample.instances) * design.candidates
        raise InputError(f"All {total} variants exist already; write them again, or edit them.")
    run_options = replace(options, terms=replace(options.terms, limit=None))
    return launch.begin(store, REWORDING, [frozen], [name], run_options)[0]


def start_some(
    store: Store,
    sample_id: str,
    chosen: Chosen,
    model: str | None,
    *,
    protocol: Protocol = Protocol.V1,
    author: str = "",
    instruction: str = "",
) -> str:
    """Start writing these slots again, as ``reword_some`` does; returns the id of the run. Raises
    InputError as ``start``."""
    name = offline_writer.name_of(Perturbation.WORD) if model is None else model
    REWORDING.endpoint(name)
    _check_free(store, sample_id)
    recipe = Perturbation.WORD if model is None else protocol
    frozen = freeze_some(store, sample_id, chosen, recipe, author, instruction)
    return launch.begin(store, REWORDING, [frozen], [name])[0]


def state(store: Store, sample_id: str) -> RewordingProgress | None:
    """The newest rewording of this sample; None if there was none."""
    run_id = rewordings.newest_run(store, sample_id)
    if run_id is None:
        return None
    run = runs.load(store, run_id)
    now = state_of(store, run_id, run.event, run.event_at)  # first: an end comes with its reason
    if not now.live and EXCLUSIVE.is_held(store, sample_id):
        now = RunState.RUNNING  # its process is about to leave
    [asked_progress] = run_progress.progress(store, [run_id])
    counts = rewordings.slot_counts(store, run.plan.subject)
    # A page asks this each second: the reasons are read once it has ended.
    notes = () if now.live else notes_on(store, run, counts)
    return RewordingProgress(
        now, run_id, counts.written + counts.open, counts.written, asked_progress, notes
    )


def _check_free(store: Store, sample_id: str) -> None:
    """Before anything is kept; ``launch`` looks again."""
    newest = rewordings.newest_run(store, sample_id)
    if newest and launch.is_live(store, newest):
        raise InputError(EXCLUSIVE.busy(""))
    EXCLUSIVE.check_free(store, sample_id)
