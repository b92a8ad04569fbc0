"""The datasets that can be chosen by name, from ``data/catalog.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter, ValidationError
from rapidfuzz import fuzz, process, utils

from dcq.errors import PartitionError
from dcq.partitions.format import Layout
from dcq.records import Partition, PartitionRole
from dcq.settings import DATA


@dataclass(frozen=True)
class Entry:
    """One dataset: where it is, how its rows are laid out, and the words a prompt uses for it.

    ``splits`` maps a split's name to its word in the prompt. Exactly one of ``files``, ``wheel``
    and ``hub`` is read, in this order of preference. ``release`` is how the authors' release lays
    a row out, where the rule of ``dcq.partitions.format`` does not give it.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    key: str
    title: str
    layout: Layout
    splits: Mapping[str, str]
    release: Layout | None = None
    hub: str = ""
    config: str | None = None
    files: tuple[str, ...] = ()
    wheel: str = ""
    role: PartitionRole = PartitionRole.TARGET
    language: str = "en"
    licence: str = "unknown"
    published: date | None = None

    @property
    def is_offline(self) -> bool:
        """Whether it comes with the installation, so that it needs no network."""
        return bool(self.files or self.wheel)

    @property
    def origin(self) -> str:
        """Where its rows come from: ``bundled``, ``wheel`` or ``hub``."""
        return "bundled" if self.files else "wheel" if self.wheel else "hub"

    @property
    def is_small(self) -> bool:
        """Whether it is one of the small controls, of which a study asks several."""
        return any(name.startswith("control/small/") for name in self.files)

    def partition(self, split: str, source: str) -> Partition:
        """The record of one split; a split that the catalog does not list keeps its own name."""
        return Partition(
            key=self.key,
            split=split,
            title=self.title,
            split_title=self.splits.get(split, split),
            role=self.role,
            task=self.layout.task,
            language=self.language,
            licence=self.licence,
            published=self.published,
            source=source,
        )


def entries() -> tuple[Entry, ...]:
    """The catalog, in the order of its file."""
    return tuple(_catalog().values())


def find(name: str) -> Entry | None:
    """The entry with this key, title or Hub name; ``key:config`` chooses another configuration."""
    identifier, _, config = name.strip().partition(":")
    for entry in entries():
        if identifier.casefold() in {entry.key.casefold(), entry.title.casefold()} or (
            identifier == entry.hub and (config or None) == entry.config
        ):
            if not config or config == entry.config:
                return entry
            if entry.config is not None:
                return replace(entry, key=f"{entry.key}:{config}", config=config)
    return None


def require(name: str) -> Entry:
    """As ``find``; PartitionError with the closest names for an unknown one."""
    entry = find(name)
    if entry is not None:
        return entry
    close = process.extract(
        name,
        [entry.key for entry in entries()],
        scorer=fuzz.WRatio,
        processor=utils.default_process,
        limit=3,
        score_cutoff=60,
    )
    near = f" (the closest: {', '.join(key for key, _, _ in close)})" if close else ""
    raise PartitionError(
        f'No dataset is called "{name}"; choose a key of the catalog{near}, give a name on the Hub '
        "such as owner/name, or give a file."
    )


def read_catalog(path: Path) -> dict[str, Entry]:
    """Parse and check a catalog file; PartitionError names the entry and the field at fault."""
    try:
        tables: dict[str, dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PartitionError(f"The catalog {path.name} cannot be read: {error}.") from error
    try:
        catalog = TypeAdapter(dict[str, Entry]).validate_python(
            {key: {"key": key, **table} for key, table in tables.items()}
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PartitionError(
            f"The catalog {path.name} is wrong at {where}: {first['msg']}; correct that line."
        ) from error
    for entry in catalog.values():
        if not entry.splits or not (entry.files or entry.wheel or entry.hub):
            raise PartitionError(
                f"The catalog entry {entry.key} needs splits and one of files, wheel or hub."
            )
    return catalog


@cache
def _catalog() -> dict[str, Entry]:
    return read_catalog(DATA / "catalog.toml")
