"""Rewordings of controls that have none, by the writer of the target's: a control is a fair
comparison only if its variants were written in the same way."""

from __future__ import annotations

from collections.abc import Sequence

from dcq.asking.cost import CostEstimate
from dcq.errors import ModelChoiceError
from dcq.models.endpoints import Endpoint
from dcq.store import Store, rewordings, runs, samples, variants
from dcq.store.moment import at_one_moment
from dcq.store.runs import Event
from dcq.variants import offline, offline_writer, reword
from dcq.variants.freeze import LEAST, SLOTS, freeze, lacking_slots
from dcq.variants.method import REWORDING
from dcq.variants.placebo_writing import PlaceboWriter, writer_of


@at_one_moment
def lacking(store: Store, target_id: str, sample_ids: Sequence[str]) -> tuple[str, ...]:
    """The samples, of these controls of a target, whose rewordings its writer still has to write:
    those without any, and those that it has begun. Empty where no machine reworded the target."""
    writer = writer_of(store, target_id)
    if writer is None:
        return ()
    listed_samples = {sample.id: sample for sample in samples.listing(store)}
    return tuple(
        sample_id
        for sample_id in sample_ids
        if _is_open(store, sample_id, writer, written=listed_samples[sample_id].with_variants)
    )


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


def estimate(store: Store, sample_id: str, writer: PlaceboWriter) -> CostEstimate:
    """The cost of the rewordings that a sample lacks, as ``reword.estimate``; nothing offline."""
    if writer.model is None:
        return CostEstimate(0, 0, 0, 0.0)
    sample = samples.load(store, sample_id)
    slots = lacking_slots(store, sample, SLOTS)
    return reword.estimate(writer.model, sample.instances, slots, writer.protocol)


def freeze_missing(store: Store, sample_id: str, writer: PlaceboWriter) -> str | None:
    """Keep which rewordings a sample lacks; the subject of a run of ``REWORDING``, None where it
    lacks none."""
    return freeze(store, sample_id, writer.kind if writer.model is None else writer.protocol)


def count_usable(store: Store, sample_id: str) -> int:
    """How many instances of a sample have enough usable rewordings for a question."""
    usable = variants.usable_texts(store, sample_id)
    return sum(len(texts) >= LEAST for texts in usable.values())
