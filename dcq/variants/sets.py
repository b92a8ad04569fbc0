"""Several sets of variants of the same instances, each written in its own way.

A set is a sample of its own, so everything that works on a sample works on it: rewording, curation,
quiz and runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from dcq.store import Store, samples, sets, variants
from dcq.store.sets import WrittenBy


def new_set(store: Store, sample_id: str, name: str) -> str:
    """Store an empty set of variants over the instances of a sample (its id or the beginning of
    it); returns the id of the set. Raises InputError if there is no such sample, or for a name that
    is empty, too long or taken."""
    return sets.add(store, samples.load(store, sample_id).id, name)


def begin_set(store: Store, sample_id: str, name: str) -> str:
    """As ``new_set``, or the set of this name where that is still empty, so that what failed can be
    begun again."""
    sample = samples.load(store, sample_id)
    named = sets.set_id(sample.set_of or sample.id, " ".join(name.split()))
    is_there = any(known.id == named for known in samples.listing(store))
    if is_there and not variants.current(store, named, candidates=True):
        return named
    return new_set(store, sample_id, name)


def writer_line(writers: Sequence[WrittenBy]) -> str:
    """Who wrote a set, with prompt and temperature: ``gpt-4o, perturb-v1, temperature 1``."""
    names = list(dict.fromkeys(_one(writer) for writer in writers))
    more = f"; and {len(names) - 3} more" if len(names) > 3 else ""
    return "; ".join(names[:3]) + more if names else "nothing written yet"


def _one(writer: WrittenBy) -> str:
    who = writer.origin.removeprefix("model:")
    prompt = f", {writer.prompt}" if writer.prompt else ""
    if writer.temperature is None or not writer.prompt:
        return f"{who}{prompt}"
    return f"{who}{prompt}, temperature {writer.temperature:g}"
