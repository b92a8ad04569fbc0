"""Two annotators who decide."""

from __future__ import annotations

from dcq.store import Store, opinions, pairs, samples, variants
from dcq.store.pairs import AnnotatorPair
from dcq.store.variants import Decision


def assign(
    store: Store, sample: str, share: float = 0.5, names: tuple[str, str] = ("Ada", "Ben")
) -> AnnotatorPair:
    ids = [one.id for one in samples.load(store, sample).instances]
    return pairs.assign(store, sample, names, share, seed=0, author="Cy", instance_ids=ids)


ACCEPTED, REJECTED = Decision.ACCEPTED, Decision.REJECTED


def say(store: Store, sample: str, who: str, words: str, *, instance: int = 0) -> None:
    """Decide about the slots of an instance in their order: a, r, or - for nothing."""
    key = samples.load(store, sample).instances[instance].id
    slots = variants.current(store, sample)[key]
    for slot, word in enumerate(words):
        decision = {"a": ACCEPTED, "r": REJECTED}.get(word)
        if decision:
            opinions.decide(store, sample, [slots[slot]], decision, who)
