"""The rewordings of a target: written, and chosen so that the text alone gives no original away.

Each instance first gets four. Where a strategy without memory finds originals among them, more are
written and the best four are chosen. What failed is asked for once more with another prompt. What
was asked for before is not asked for again.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from dcq.asking.cost import CostEstimate
from dcq.asking.options import Options
from dcq.asking.plan import FINISHED
from dcq.asking.task import Ended
from dcq.errors import InputError
from dcq.investigation import blocks
from dcq.quiz import build
from dcq.records import Instance, QuizKind
from dcq.store import Store, balancings, reviews, rewordings, runs, samples, variants
from dcq.store.runs import Event
from dcq.store.samples import StoredSample
from dcq.store.variants import Decision, NewVariant, StoredVariant
from dcq.variants import choose_candidates, control_writing, offline, offline_writer, reword
from dcq.variants.control_writing import texts_each
from dcq.variants.freeze import LEAST, SLOTS, Recipe, freeze_some
from dcq.variants.method import EXCLUSIVE, REWORDING
from dcq.variants.placebo_writing import PlaceboWriter, writer_of
from dcq.variants.prompts import Protocol
from dcq.words import counted, listed

SOME_MODEL = "MODEL"  # stands for a name that a person chooses
MORE = 8  # texts of an instance, where four give originals away
_STEPS = (SLOTS, MORE)
_FREE_STEPS = (SLOTS, MORE, 12, 16)  # of the offline generator
ANYWHERE = tuple(range(build.SLOTS))
_SHOWN = 5  # rows named
_Slots = dict[str, dict[int, None]]  # by instance


def leak_of(store: Store, sample_id: str, positions: Sequence[int | None] = ANYWHERE) -> str:
    """Which strategy without memory finds originals of a sample at one of the positions (None: the
    one that a quiz would have now), as a sentence; empty where none does."""
    sample = samples.load(store, sample_id)
    try:
        leaks = [blocks.find_leak(store, sample, QuizKind.STANDARD, slot)[0] for slot in positions]
    except InputError:  # no question yet
        return ""
    return next(filter(None, leaks), "")


async def write(
    store: Store,
    sample_id: str,
    writer: PlaceboWriter,
    options: Options,
    *,
    retry: bool = False,
) -> Ended:
    """Have the rewordings written that a sample lacks, and chosen where four give originals away;
    how the last run ended. ``retry`` asks again for what failed before."""
    had = texts_each(store, sample_id)
    with store.keep_open(), EXCLUSIVE.hold(store, sample_id):
        for texts in [step for step in _steps(writer) if step >= had] or [had]:
            new = False
            for recipe in _recipes(writer):
                run, ended = await _fill(store, sample_id, writer, recipe, texts, options, retry)
                new = new or run
                if ended.event is not Event.FINISHED:
                    return ended
            if not leak_of(store, sample_id):
                break
            if texts > SLOTS and (new or balancings.newest(store, sample_id) is None):
                choose_candidates.choose_now(store, samples.load(store, sample_id))
                if not leak_of(store, sample_id):
                    break
    if sentence := left_out(store, sample_id):
        options.watch.on_news(sentence)
    return FINISHED


def take_over(store: Store, sample_id: str, origin: str = "") -> None:
    """Give a sample without rewordings those of the same instances in the newest other sample of
    its partition, with what people decided about them. ``origin``: only those of this writer.

    So a row that was changed in a file is the only one to be written anew.
    """
    own = {each.id for each in samples.load(store, sample_id).instances}
    for other in earlier_samples(store, sample_id):
        present = variants.current(store, other, candidates=True)
        taken = {key: slots for key, slots in present.items() if key in own}
        by_writer = variants.writers(store, [other]).get(other, "")
        if taken and origin in {"", by_writer}:
            _copy(store, sample_id, taken)
            return


def earlier_samples(store: Store, sample_id: str) -> list[str]:
    """The other samples of a split with a sample's name, the newest first. A file that was changed
    is another partition with the same name, by which prompts call it."""
    listing = samples.listing(store)
    [name] = {(each.title, each.split_title) for each in listing if each.id == sample_id}
    return [
        each.id
        for each in listing
        if (each.title, each.split_title) == name and each.id != sample_id
    ]


def _copy(store: Store, sample_id: str, taken: Mapping[str, Mapping[int, StoredVariant]]) -> None:
    texts = [each for slots in taken.values() for each in slots.values()]
    variants.add(
        store,
        sample_id,
        [
            NewVariant(
                each.instance_id,
                each.slot,
                each.text,
                each.origin,
                each.author,
                each.findings,
                each.prompt,
            )
            for each in texts
        ],
    )
    copied = variants.current(store, sample_id, candidates=True)
    by_whom: dict[tuple[Decision, str], list[StoredVariant]] = {}
    for each in texts:
        if each.decision is not Decision.OPEN:
            decided = copied[each.instance_id][each.slot]
            by_whom.setdefault((each.decision, each.reviewer), []).append(decided)
    for (decision, reviewer), of_reviewer in by_whom.items():
        reviews.decide(store, sample_id, of_reviewer, decision, reviewer)


def left_out(store: Store, sample_id: str) -> str:
    """Which instances have too few rewordings for a question, as a sentence; empty where none."""
    sample, usable = samples.load(store, sample_id), variants.usable_texts(store, sample_id)
    out = [each for each in sample.instances if len(usable.get(each.id, {})) < LEAST]
    if not out:
        return ""
    rows = [str(each.row + 1) for each in out if each.row is not None]
    where = f" (row {listed(rows, _SHOWN)})" if rows else ""
    return (
        f"{len(out)} of {counted(len(sample.instances), 'instance')} cannot be asked, because "
        f"fewer than {LEAST} rewordings passed the checks{where}. Write some on the page Variants."
    )


def other_writer(store: Store, sample_id: str) -> str:
    """Who is to write a sample's rewordings instead of whoever wrote those that are there, as the
    option ``--rewordings`` takes it; ``SOME_MODEL`` where a person must choose one."""
    writer = writer_of(store, sample_id)
    language = samples.partition_of(store, sample_id).language
    by_generator = writer is not None and writer.model is None
    return SOME_MODEL if by_generator or offline.unavailable(language) else offline_writer.NAME


def stand_in(store: Store, sample_id: str, writer: PlaceboWriter) -> CostEstimate:
    """Put texts in the place of rewordings that a sample lacks, for a plan in a copy of the store:
    the words of the original in another order, which are as long and give nothing away. Returns
    what it takes to have them written; more are counted where the offline generator is not the
    writer, because four of one model's mostly give originals away."""
    sample, leaky = samples.load(store, sample_id), leak_of(store, sample_id)
    lacking = _never_asked(store, sample, writer, _recipes(writer)[0], SLOTS, retry=False)
    if not lacking and not leaky:
        return CostEstimate(0, 0, 0, 0.0)
    texts = SLOTS if writer.model is None and not leaky else MORE
    missing = _never_asked(store, sample, writer, _recipes(writer)[0], texts, retry=False)
    cost = CostEstimate(0, 0, 0, 0.0)
    if not lacking and _gave_all(store, sample, writer):
        return cost
    if writer.model is not None:
        cost = reword.estimate(writer.model, sample.instances, missing, writer.protocol)
    slots = {each.id: range(texts) for each in sample.instances} if leaky else missing
    variants.add(
        store,
        sample_id,
        [
            NewVariant(instance.id, slot, _in_other_order(instance, slot), writer.origin)
            for instance in sample.instances
            for slot in slots.get(instance.id, ())
        ],
    )
    return cost


def _gave_all(store: Store, sample: StoredSample, writer: PlaceboWriter) -> bool:
    """Whether a writer was asked for all texts that it is ever asked for, and the best of them were
    chosen: nothing will change by itself."""
    most = _steps(writer)[-1]
    missing = _never_asked(store, sample, writer, _recipes(writer)[0], most, retry=False)
    return not missing and balancings.newest(store, sample.id) is not None


def _steps(writer: PlaceboWriter) -> Sequence[int]:
    """How many texts of an instance are asked for, one number after the other."""
    return _FREE_STEPS if writer.model is None else _STEPS


def _in_other_order(instance: Instance, slot: int) -> str:
    words = instance.text.split(" ")
    random.Random(slot).shuffle(words)  # noqa: S311  # keeps no secret
    mixed = " ".join(words)
    return mixed if mixed != instance.text and len(words) > SLOTS else f"{instance.text}{slot}"


def _recipes(writer: PlaceboWriter) -> Sequence[Recipe]:
    """How a writer is asked, and how once more for what failed; an offline generator would say the
    same again."""
    if writer.model is None:
        return (writer.kind,)
    other = {Protocol.V1: Protocol.V2, Protocol.V2: Protocol.V1}.get(writer.protocol)
    return (writer.protocol, other) if other else (writer.protocol,)


async def _fill(
    store: Store,
    sample_id: str,
    writer: PlaceboWriter,
    recipe: Recipe,
    texts: int,
    options: Options,
    retry: bool,  # private
) -> tuple[bool, Ended]:
    """Ask by one recipe for what it was not asked for before. Returns whether anything was asked,
    and how that ended."""
    name = control_writing.name_of(writer)
    newest = rewordings.newest_run(store, sample_id, name)
    if newest is not None and runs.load(store, newest).event is not Event.FINISHED:
        ended = (await reword.go_on_now(store, newest, options)).ended
        if ended.event is not Event.FINISHED:
            return True, ended
    sample = samples.load(store, sample_id)
    missing = _never_asked(store, sample, writer, recipe, texts, retry=retry)
    if not missing:
        return False, FINISHED
    try:
        frozen = freeze_some(store, sample_id, missing, recipe)
    except InputError:  # candidates are rewordings of variants, and there is none
        return False, FINISHED
    who = control_writing.endpoint_of(writer)
    return True, (await reword.ask_frozen(store, frozen, who, options)).ended


def _never_asked(
    store: Store,
    sample: StoredSample,
    writer: PlaceboWriter,
    recipe: Recipe,
    texts: int,
    *,
    retry: bool,
) -> _Slots:
    """The empty slots, of so many ``texts`` for each instance, that no finished run of a writer was
    asked to fill by a recipe, in this sample or in an earlier one of the same instances."""
    present = variants.current(store, sample.id, candidates=True)
    asked: set[tuple[str, int]] = set()
    name = control_writing.name_of(writer)
    run_ids = [
        run_id
        for sample_id in ([] if retry else [sample.id, *earlier_samples(store, sample.id)])
        for run_id in runs.all_of(store, REWORDING.name, name, sample_id=sample_id)
    ]
    for run_id in run_ids:
        run = runs.load(store, run_id)
        plan = rewordings.load(store, run.plan.subject)
        if run.event is Event.FINISHED and plan.protocol == str(recipe):
            asked |= {(slot.instance_id, slot.slot) for slot in plan.slots}
    empty: _Slots = {}
    for instance in sample.instances:
        slots = {
            slot: None
            for slot in range(texts)
            if slot not in present.get(instance.id, {}) and (instance.id, slot) not in asked
        }
        if slots:
            empty[instance.id] = slots
    return empty
