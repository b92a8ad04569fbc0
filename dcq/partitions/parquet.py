"""A parquet file as rows: decoded in a separate process, and nothing that it names is fetched."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from dcq.errors import PartitionError
from dcq.incoming import reader_process
from dcq.incoming.memory import LIMIT, Budget
from dcq.incoming.plain_file import check_plain
from dcq.partitions.table import PartitionTable

if TYPE_CHECKING:
    import pyarrow as pa

_DECODER = ("dcq.incoming.arrow", "write")  # by name: it brings pyarrow, which few commands need


def read_parquet(path: Path, source: str) -> PartitionTable:
    """The rows of ``path`` and the class names that it carries.

    Raises:
        PartitionError: it is damaged, or takes too much memory.

    """
    with _decoding([path], LIMIT) as stream:
        rows, columns, metadata = _take(stream, path.name)
    if len(set(columns)) < len(columns):
        raise PartitionError(f"{path.name} has two columns of the same name; rename one.")
    return PartitionTable(
        rows=rows, columns=columns, source=source, label_names=_class_names(metadata, columns)
    )


def read_arrow(paths: Sequence[Path], limit: int) -> list[pa.Table]:
    """Files as tables of Arrow; ``limit`` is how many bytes all their rows would take in Python.

    Raises:
        PartitionError: one is damaged or without rows, or they take too much memory.

    """
    import pyarrow as pa

    tables: list[pa.Table] = []
    # Where a stream breaks off, the process says why.
    with _decoding(paths, limit) as stream, contextlib.suppress(pa.ArrowInvalid, OSError):
        for _ in paths:
            with pa.ipc.open_stream(stream) as reader:
                tables.append(reader.read_all())
    if len(tables) < len(paths):
        raise PartitionError(f"{paths[len(tables)].name} has no rows; write it again.")
    return tables


@contextmanager
def _decoding(paths: Sequence[Path], limit: int) -> Iterator[IO[bytes]]:
    """The Arrow streams that a process of its own decodes files to. Raises PartitionError at the
    end where that process could not: then the last stream broke off."""
    for path in paths:
        check_plain(path)  # the other process would wait for it
    name = paths[0].name
    refusal = PartitionError(f"{name} is not a parquet file that can be read; write it again.")
    words = [str(path.absolute()) for path in paths]
    # Twice as much, as an array and what it is decoded from are there at once.
    with reader_process.output(_DECODER, words, limit, 2 * limit, name, refusal) as stream:
        yield stream


def _take(stream: Any, name: str) -> tuple[list[dict[str, Any]], tuple[str, ...], bytes]:
    """The rows and columns of an Arrow stream, as far as it goes, and the file's own account."""
    import pyarrow as pa

    budget = Budget(name)
    rows: list[dict[str, Any]] = []
    columns: tuple[str, ...] = ()
    metadata = b""
    try:
        with pa.ipc.open_stream(stream) as reader:
            columns = tuple(reader.schema.names)
            metadata = (reader.schema.metadata or {}).get(b"huggingface", b"")
            for batch in reader:  # small ones; the child has counted what Python takes for them
                some = batch.to_pylist()
                budget.spend_rows(some)
                rows += some
    except (pa.ArrowInvalid, OSError):
        pass  # it ended early, or never began: its exit code says why
    return rows, columns, metadata


def _class_names(metadata: bytes, columns: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Names of classes by column, if the file's metadata lists them: strings only."""
    try:
        features = json.loads(metadata)["info"]["features"]
        names_by_column = {
            column: feature["names"]
            for column, feature in features.items()
            if column in columns and feature.get("_type") == "ClassLabel"
        }
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}
    return {
        column: tuple(names)
        for column, names in names_by_column.items()
        if isinstance(names, list) and all(isinstance(name, str) for name in names)
    }
