"""Rewordings of controls that have none, by the writer of the target's: a control is a fair
comparison only if its variants were written, and chosen among as many texts, in the same way."""

from __future__ import annotations

from collections.abc import Sequence

from dcq.asking.cost import CostEstimate
from dcq.errors import ModelChoiceError
from dcq.models.endpoints import Endpoint
from dcq.store import Store, balancings, quizzes, rewordings, runs, samples, variants
from dcq.store.moment import at_one_moment, until_written, until_written_to
from dcq.store.runs import Event
from dcq.variants import choose_candidates, offline, offline_writer, reword
from dcq.variants.freeze import LEAST, SLOTS, freeze, lacking_slots
from dcq.variants.method import REWORDING
from dcq.variants.placebo_writing import PlaceboWriter, writer_of


def lacking(store: Store, target_id: str, sample_ids: Sequence[str]) -> tuple[str, ...]:
    """The samples, of these controls of a target, whose rewordings its writer still has to write:
    those without any, and those that it has begun, or of which none were chosen yet where those of
    the target were. Empty where no machine reworded the target."""
    return _lacking(store, target_id, tuple(sample_ids))


@until_written
@at_one_moment
def _lacking(store: Store, target_id: str, sample_ids: tuple[str, ...]) -> tuple[str, ...]:
    writer = writer_of(store, target_id)
    if writer is None:
        return ()
    chosen = texts_each(store, target_id) > SLOTS
    listed_samples = {sample.id: sample for sample in samples.listing(store)}
    return tuple(
        sample_id
        for sample_id in sample_ids
        if _is_open(store, sample_id, writer, written=listed_samples[sample_id].with_variants)
        or (chosen and not _is_chosen(store, sample_id))
    )


def texts_each(store: Store, sample_id: str) -> int:
    """How many texts the instances of a sample have at most, candidates included; four, where
    there are fewer."""
    written = variants.current(store, sample_id, candidates=True).values()
    return max((max(slots) + 1 for slots in written if slots), default=SLOTS)


@until_written_to()
def _is_chosen(store: Store, sample_id: str) -> bool:
    """False for a sample with candidates, of which none were chosen or asked about."""
    if texts_each(store, sample_id) <= SLOTS or balancings.newest(store, sample_id) is not None:
        return True
    return bool((quizzes.listing(store)["sample"] == sample_id).any())


def choose_variants(store: Store, target_id: str, sample_id: str) -> None:
    """Choose a control's variants among its candidates, where there are some and the target's were
    chosen. The caller holds ``EXCLUSIVE``."""
    if texts_each(store, target_id) > SLOTS and not _is_chosen(store, sample_id):
        choose_candidates.choose_now(store, samples.load(store, sample_id))


def _is_open(store: Store, sample_id: str, writer: PlaceboWriter, *, written: int) -> bool:
    run_id = rewordings.newest_run(store, sample_id, name_of(writer))
    if run_id is None:
        return not written
    return runs.load(store, run_id).event is not Event.FINISHED


def name_of(writer: PlaceboWriter) -> str:
    """The name by which a writer is asked."""
    return offline_writer.name_of(writer.kind) if writer.model is None else writer.model


def endpoint_of(writer: PlaceboWriter) -> Endpoint:
    """Who is asked for the rewordings. Raises ModelChoiceError where that model cannot be asked."""
    return REWORDING.endpoint(name_of(writer))


def why_not(writer: PlaceboWriter | None, language: str) -> str:
    """Why a writer cannot reword controls in a language, as a sentence; empty if it can."""
    if writer is None:
        return "No model and no generator wrote the target's rewordings, so none can write theirs."
    if writer.model is None:
        return offline.unavailable(language) or ""
    try:
        endpoint_of(writer)
    except ModelChoiceError as error:
        return str(error)
    return ""


def estimate(store: Store, sample_id: str, writer: PlaceboWriter, texts: int) -> CostEstimate:
    """The cost of the rewordings that a sample lacks, as ``reword.estimate``; nothing offline.
    ``texts`` is how many each instance is to have."""
    if writer.model is None:
        return CostEstimate(0, 0, 0, 0.0)
    sample = samples.load(store, sample_id)
    slots = lacking_slots(store, sample, texts)
    return reword.estimate(writer.model, sample.instances, slots, writer.protocol)


def freeze_missing(store: Store, sample_id: str, writer: PlaceboWriter, texts: int) -> str | None:
    """Keep which rewordings a sample lacks of so many ``texts`` for each instance; the subject of a
    run of ``REWORDING``, None where it lacks none."""
    recipe = writer.kind if writer.model is None else writer.protocol
    return freeze(store, sample_id, recipe, candidates=texts)


def count_usable(store: Store, sample_id: str) -> int:
    """How many instances of a sample have enough usable rewordings for a question."""
    usable = variants.usable_texts(store, sample_id)
    return sum(len(texts) >= LEAST for texts in usable.values())
