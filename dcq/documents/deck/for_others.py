"""The data of a document as others get it: datasets by where they are, models without paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dcq.partitions.origin import find_origin
from dcq.store import Store
from dcq.store import partitions as stored
from dcq.words import names_for_others, replace_names


def datasets(store: Store, partitions: Iterable[str]) -> list[dict[str, Any]]:
    """The dataset of each partition: its ``name`` in what is published, and its id on the ``hub``,
    empty where it is not there."""
    sources = stored.origins(store)
    found = {name: find_origin(name, sources.get(name, "")) for name in partitions}
    return [
        {"partition": name, "name": origin.name, "hub": origin.hub, "config": origin.config}
        for name, origin in found.items()
    ]


def renamed(data: Any, models: Iterable[str]) -> Any:
    """``data`` of JSON, in which each of the ``models`` that is a path on this machine has its name
    for others."""
    names = {model: name for model, name in names_for_others(models).items() if name != model}

    def rename(inner: Any) -> Any:
        if isinstance(inner, str):
            return replace_names(inner, names)
        if isinstance(inner, Mapping):
            return {key: rename(entry) for key, entry in inner.items()}
        return [rename(entry) for entry in inner] if isinstance(inner, list | tuple) else inner

    return rename(data) if names else data
