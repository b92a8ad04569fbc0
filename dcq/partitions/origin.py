"""What the dataset of a partition is called in what is published, and where it is on the Hub.

The name of a partition does not tell: anybody may give a file the name of a dataset. The source
that its sample was drawn from does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from dcq.partitions import catalog

_REVISION = re.compile(r"^[0-9a-f]{40}$")


@dataclass(frozen=True)
class Origin:
    """A dataset by ``name``, and its id on the ``hub``, empty where it is not there. ``config`` and
    ``revision`` are None where they are not known."""

    name: str
    hub: str = ""
    config: str | None = None
    revision: str | None = None


def find_origin(partition: str, source: str) -> Origin:
    """The dataset of a ``partition`` (``key/split``) that was drawn from a ``source``, as
    ``Partition.source`` has it. What is neither from the catalog nor from the Hub and is called as
    if it were says so in its name."""
    key = partition.rpartition("/")[0]
    kind, _, location = source.partition(":")
    place, _, version = location.partition(" " if kind == "wheel" else "@")
    on_hub = place if kind == "hub" else ""
    revision = version if on_hub and _REVISION.match(version) else None
    entry = catalog.find(key)
    if entry is not None:
        origins = {"hub": entry.hub, "bundled": entry.key, "wheel": entry.wheel}
        if place and origins.get(kind) == place:
            return Origin(entry.title, entry.hub, entry.config, revision)
    if on_hub:
        return Origin(key, on_hub, key.partition(":")[2] or None, revision)
    is_called_like_another = entry is not None or "/" in key
    return Origin(f"{key} (own data)" if is_called_like_another else key)
