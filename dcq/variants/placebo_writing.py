"""Makes the placebo of a sample and has it worded in one go, as the sample itself was worded.

A control is a fair comparison only if its variants were written in the same way as the target's, so
the writer is not chosen here.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from dcq.asking import prepare
from dcq.asking.cost import CostEstimate
from dcq.asking.options import NO_TERMS, Options, Terms
from dcq.errors import DcqError
from dcq.store import Store, rewordings, runs, samples, variants
from dcq.store.moment import RUNS, until_written_to
from dcq.store.unused import discard_unused
from dcq.variants import offline_writer, placebo, reword
from dcq.variants.freeze import SLOTS, read_recipe
from dcq.variants.method import REWORDING
from dcq.variants.perturbations import Perturbation
from dcq.variants.prompts import Protocol
from dcq.variants.reword import RewordingDesign

_BY_MODEL = "model:"


@dataclass(frozen=True)
class PlaceboWriter:
    """The writer: ``model`` None is the offline generator of this ``kind``, a model is asked with
    the prompt of ``protocol``."""

    model: str | None
    protocol: Protocol = Protocol.V1
    kind: Perturbation = Perturbation.WORD

    @property
    def origin(self) -> str:
        """How its variants name it."""
        return offline_writer.name_of(self.kind) if self.model is None else _BY_MODEL + self.model


@until_written_to(RUNS)
def writer_of(store: Store, sample_id: str) -> PlaceboWriter | None:
    """The writer of most of a sample's variants. None where that was no machine: there are none
    yet, they came with the data, or people wrote them."""
    origin = variants.writers(store, [sample_id]).get(sample_id, "")
    kinds = {offline_writer.name_of(kind): kind for kind in Perturbation}
    if origin in kinds:
        return PlaceboWriter(None, kind=kinds[origin])
    if not origin.startswith(_BY_MODEL):
        return None
    model = origin.removeprefix(_BY_MODEL)
    run_ids = runs.all_of(store, REWORDING.name, model, sample_id=sample_id, own=False)
    written = [rewordings.load(store, runs.load(store, run).plan.subject) for run in run_ids]
    if not written:  # they were imported
        return PlaceboWriter(model)
    # What failed may have been asked for once more with another prompt.
    recipe = read_recipe(max(written, key=lambda rewording: len(rewording.slots)).protocol)
    return PlaceboWriter(model, recipe if isinstance(recipe, Protocol) else Protocol.V1)


def is_machine(origin: str) -> bool:
    """Whether ``writer_of`` knows a writer by how its variants name it."""
    by_generator = {offline_writer.name_of(kind) for kind in Perturbation}
    return origin.startswith(_BY_MODEL) or origin in by_generator


def estimate(store: Store, sample_id: str, writer: PlaceboWriter) -> CostEstimate:
    """The cost of the writer for the placebo, as ``reword.estimate``; nothing offline. Raises
    InputError as ``placebo.propose``."""
    if writer.model is None:
        return CostEstimate(0, 0, 0, 0.0)
    new_instances = placebo.propose(store, sample_id).instances
    return reword.estimate(
        writer.model,
        new_instances,
        {instance.id: range(SLOTS) for instance in new_instances},
        writer.protocol,
    )


def start(
    store: Store,
    sample_id: str,
    writer: PlaceboWriter,
    terms: Terms = NO_TERMS,
    *,
    author: str = "",
) -> str:
    """Make the placebo and start writing its variants; returns the id of its sample. Raises
    InputError, before anything is kept, if no placebo can be made, or the writer cannot be asked on
    these terms."""
    placebo.propose(store, sample_id)
    if writer.model is not None:
        prepare.check_price(REWORDING.endpoint(writer.model), terms)
    before = {known.id for known in samples.listing(store)}
    placebo_id = placebo.make(store, sample_id).sample
    try:
        reword.start(
            store,
            placebo_id,
            writer.model,
            RewordingDesign(protocol=writer.protocol, kind=writer.kind),
            Options(terms, author=author),
        )
    except DcqError:
        if placebo_id not in before:
            discard_unused(store, placebo_id)
        raise
    return placebo_id


def command(store: Store, sample_id: str) -> str:
    """The command that does the same; without a writer where no machine worded the sample."""
    writer = writer_of(store, sample_id)
    words = ["python -m dcq perturb", sample_id, "--placebo"]
    if writer and writer.model is not None:
        words += ["--model", shlex.quote(writer.model)]
        words += {
            Protocol.V1: [],
            Protocol.V2: ["--prompt", "v2"],
            Protocol.PARAPHRASE: ["--kind", "paraphrase"],
        }[writer.protocol]
    elif writer and writer.kind is not Perturbation.WORD:
        words += ["--kind", str(writer.kind)]
    return " ".join(words)
