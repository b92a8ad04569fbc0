"""What the steps of an investigation are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from dcq.records import Role
from dcq.store import Store
from dcq.store.investigations import Place
from dcq.store.samples import ListedSample
from dcq.ui import pick
from dcq.ui.names import kind_name, listed_partitions, sample_names


def step_words(store: Store, places: Iterable[Place]) -> dict[Place, str]:
    """``Modified on AG News test``, ``Standard on control Lakes test``."""
    listed = {one.id: one for one in pick.known(store)}
    named = listed_partitions(listed.values())
    found = {}
    for kind, sample_id in places:
        one = listed[sample_id]
        name = named[one.partition]
        said = "control" in name.casefold() or one.role is not Role.CONTROL
        found[kind, sample_id] = f"{kind_name(kind)} on {name if said else f'control {name}'}"
    return found


def control_names(listed: Sequence[ListedSample]) -> dict[str, str]:
    """What samples are called, by id: their partition, and more only where one has several."""
    partitions, whole = listed_partitions(listed), sample_names(listed)
    count = Counter(one.partition for one in listed)
    return {
        one.id: whole[one.id] if count[one.partition] > 1 else partitions[one.partition]
        for one in listed
    }
