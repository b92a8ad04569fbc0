"""Placebo samples: a control for every partition, made from its own variants.

In a placebo one variant of each instance takes the role of the original, and rewordings of it are
the variants. The quiz, its prompt and the name of the dataset stay the same, and no model can have
seen the "originals", so its score is a preference: for a slot, or for the text that all others
were made from. It cannot show a preference for the style of human writers, because its
originals are rewordings themselves; a control partition of human text shows that too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dcq.errors import InputError
from dcq.records import Instance, PartitionRole, Sample
from dcq.store import Store, samples, variants
from dcq.store.samples import StoredSample

_TRUE_ORIGINAL = "original"  # the field that keeps the text that a placebo's instance came from


@dataclass(frozen=True)
class Placebo:
    """A placebo sample just saved, without variants so far, and notes to show."""

    sample: str
    instances: int
    notes: tuple[str, ...]


def make(store: Store, sample_id: str) -> Placebo:
    """Store the sample that ``propose`` gives. The same variants give the same placebo."""
    proposed = propose(store, sample_id)
    return Placebo(samples.save(store, proposed), len(proposed.instances), proposed.notes)


def propose(store: Store, sample_id: str) -> Sample:
    """A placebo of a sample: partition ``KEY-placebo``, role control, and as instances the first
    usable variant of each instance.

    Raises InputError if no instance has a usable variant, or the sample is a placebo itself.
    """
    source = samples.load(store, sample_id)
    if source.partition.placebo_of:
        raise InputError(
            f"Sample {source.id} is a placebo already; make one from the sample it came from."
        )
    usable = variants.usable_texts(store, source.id)
    new_instances: dict[str, Instance] = {}
    for original in source.instances:
        texts = usable.get(original.id, {})
        if texts and texts[min(texts)] != original.text:
            instance = _recast(original, texts[min(texts)])
            new_instances.setdefault(instance.id, instance)
    if not new_instances:
        raise InputError(
            f"Sample {source.id} has no usable variant that could be an original; write some "
            f"with: python -m dcq perturb {source.id}"
        )
    missing = len(source.instances) - len(new_instances)
    notes = [f"Placebo of sample {source.id}: its originals are rewordings, so none was ever seen."]
    if missing:
        notes.append(
            f"Left out because they have no usable variant: {missing} of "
            f"{len(source.instances)} instances."
        )
    return Sample(
        partition=replace(
            source.partition,
            key=f"{source.partition.key}-placebo",
            role=PartitionRole.CONTROL,
            published=None,
            source=f"placebo:{source.id}",
            placebo_of=source.id,
        ),
        instances=tuple(new_instances.values()),
        requested=len(source.instances),
        available=len(new_instances),
        seed=source.seed,
        stratified=False,
        notes=tuple(notes),
        layout=source.layout,
    )


def without_originals(
    sample: StoredSample, usable: Mapping[str, Mapping[int, str]]
) -> Mapping[str, Mapping[int, str]]:
    """The variants that a quiz of ``sample`` may show: a rewording of a placebo that equals the
    true original, which a model may know, is left out. Other samples pass unchanged."""
    if not sample.partition.placebo_of:
        return usable
    true = {instance.id: instance.fields.get(_TRUE_ORIGINAL) for instance in sample.instances}
    return {
        instance_id: {slot: text for slot, text in texts.items() if text != true[instance_id]}
        for instance_id, texts in usable.items()
    }


def _recast(original: Instance, text: str) -> Instance:
    return Instance(
        text=text,
        fields={_TRUE_ORIGINAL: original.text},
        label=original.label,
        # A person may have accepted a variant that changes what is protected.
        protected=tuple(part for part in original.protected if part in text),
    )
