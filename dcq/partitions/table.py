"""Rows with named columns, wherever they come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, cast

from dcq.partitions.format import Row

if TYPE_CHECKING:
    from datasets import Dataset  # type: ignore[import-untyped]  # it ships no types


@dataclass(frozen=True)
class PartitionTable:
    """``rows`` may be a lazy ``Dataset``; ``label_names`` holds the class names that the data
    itself carries, by column; ``source`` is what a partition records; ``has_variants`` says that
    the column ``variants`` holds rewordings; ``notes`` are sentences to show;
    ``words_for_missing`` says that the format, csv, has no sign of its own for a missing value;
    ``revision`` is the commit or the hash of the file."""

    rows: Sequence[Row]
    columns: tuple[str, ...]
    source: str
    label_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    has_variants: bool = False
    notes: tuple[str, ...] = ()
    words_for_missing: bool = False
    revision: str = ""

    def __len__(self) -> int:
        return len(self.rows)

    def head(self, limit: int = 5) -> list[Row]:
        """The first rows, with all columns."""
        return list(islice(self.read(self.columns), limit))

    def read(self, columns: Iterable[str]) -> Iterator[Row]:
        """All rows; of a ``Dataset`` only these columns, which spares decoding long documents."""
        if hasattr(self.rows, "select_columns"):
            outer = dict.fromkeys(
                name if name in self.columns else name.split(".")[0] for name in columns
            )
            return _read_batches(cast("Dataset", self.rows).select_columns(list(outer)))
        return iter(self.rows)


def from_dataset(
    dataset: Dataset, source: str, notes: tuple[str, ...] = (), revision: str = ""
) -> PartitionTable:
    """Wrap a ``Dataset`` without copying it."""
    names = {
        column: tuple(feature.names)
        for column, feature in dataset.features.items()
        if hasattr(feature, "names")
    }
    return PartitionTable(
        rows=cast("Sequence[Row]", dataset),
        columns=tuple(dataset.column_names),
        source=source,
        label_names=names,
        notes=notes,
        revision=revision,
    )


def _read_batches(dataset: Dataset) -> Iterator[Row]:
    """Rows one by one, as they are stored: what a column is said to be is not followed, or an
    "image" would be fetched from whatever address its cell holds. In batches, which is several
    times as fast."""
    for batch in dataset.with_format("arrow").iter(batch_size=1000):
        yield from batch.to_pylist()
