"""The texts of a sample that are scored: each instance with its rewordings, and the contexts that
some measures put before them.

They are frozen, so that a variant that is edited later changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dcq.errors import InputError
from dcq.likelihood.measures import LikelihoodMeasure, ScoringContext
from dcq.records import Instance, PartitionRole, fingerprint
from dcq.store import Store, samples, variants
from dcq.store.frozen import FrozenRequest
from dcq.store.samples import StoredSample
from dcq.variants import placebo

MOST_VARIANTS = 3  # as many as a quiz shows beside the original, so that both tell it from as many
# Texts in the prefix of ReCaLL, and characters in all of them: ours, the authors try many numbers.
SHOTS, _PREFIX_CHARACTERS = 5, 6_000
_BETWEEN = "\n\n"  # between texts: so do the authors of CoDeC; those of ReCaLL put nothing there


@dataclass(frozen=True)
class LikelihoodCut:
    """The requests of a sample, one for each instance, and how many ``variants`` each has."""

    requests: tuple[FrozenRequest, ...]
    variants: int


def cut(store: Store, sample_id: str, measures: Sequence[LikelihoodMeasure]) -> LikelihoodCut:
    """The instances of a sample that have as many rewordings as most of them, which are scored with
    what the ``measures`` put before them.

    The text of a request is the original; its facts are ``variants``, ``prefix`` and ``neighbour``,
    the last two empty where no measure needs them. Raises InputError where no instance has a
    variant, or there is nothing to put before the texts.
    """
    sample = samples.load(store, sample_id)
    usable = placebo.without_originals(sample, variants.usable_texts(store, sample.id))
    rewordings = {
        entry.id: _rewordings(entry, usable.get(entry.id, {})) for entry in sample.instances
    }
    counts = Counter(len(texts) for texts in rewordings.values() if texts)
    if not counts:
        raise InputError(
            f"No instance of sample {sample.id} has a usable variant to compare it with; write some"
            f" with: python -m dcq perturb {sample.id}"
        )
    most = max(counts, key=lambda number: (counts[number], number))
    contexts = {entry.context for entry in measures}
    prefix = _prefix(store, sample) if ScoringContext.PREFIX in contexts else ""
    return LikelihoodCut(
        tuple(
            FrozenRequest(
                entry.id,
                entry.text,
                {
                    "variants": rewordings[entry.id][:most],
                    "prefix": prefix,
                    "neighbour": _neighbour(sample, entry)
                    if ScoringContext.NEIGHBOUR in contexts
                    else "",
                },
            )
            for entry in sample.instances
            if len(rewordings[entry.id]) >= most
        ),
        most,
    )


def _rewordings(original: Instance, texts: Mapping[int, str]) -> list[str]:
    """Usable variants in the order of their slots, none of them twice or the original itself."""
    distinct = dict.fromkeys(texts[slot] for slot in sorted(texts))
    return [text for text in distinct if text != original.text][:MOST_VARIANTS]


def _prefix(store: Store, sample: StoredSample) -> str:
    """Texts of controls that are not this sample's: those of its own task first, each sample's in
    its order, the oldest sample first."""
    sample_texts = {entry.text for entry in sample.instances}
    partition = sample.partition
    controls = [
        entry
        for entry in samples.listing(store)
        if entry.role is PartitionRole.CONTROL
        and entry.partition != partition.id
        and entry.language == partition.language
        and not entry.placebo_of
    ]
    controls.sort(key=lambda entry: (entry.task is not partition.task, entry.made_at, entry.id))
    texts: list[str] = []
    for control in controls:
        for entry in samples.load(store, control.id).instances:
            if (
                entry.text in sample_texts
                or sum(map(len, (*texts, entry.text))) > _PREFIX_CHARACTERS
            ):
                continue
            texts.append(entry.text)
            if len(texts) == SHOTS:
                return _joined(texts)
    if not texts:
        raise InputError(
            "ReCaLL puts texts that no model has seen before each text; draw a sample of another "
            "control partition first, or leave recall out."
        )
    return _joined(texts)


def _neighbour(sample: StoredSample, instance: Instance) -> str:
    """Another instance of the sample, drawn by its seed."""
    others = [other.text for other in sample.instances if other.id != instance.id]
    if not others:
        raise InputError(
            "CoDeC puts another instance of the sample before each text; draw more instances, or "
            "leave codec out."
        )
    place = int(fingerprint("neighbour", str(sample.seed), instance.id), 16) % len(others)
    return _joined([others[place]])


def _joined(texts: Sequence[str]) -> str:
    """As it stands before a text."""
    return "".join(f"{text}{_BETWEEN}" for text in texts)
