"""The documents of parquet and Arrow files, of every type of column that can hold a text.

Read only in a process with a limit on memory (``pool.Scanners``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dcq.incoming.plain_file import open_plain
from dcq.overlap.scan.records import BROKEN, Documents, Missed, record

FORMS = frozenset({"parquet", "arrow"})
_BUFFER, _BATCH = 1 << 20, 16_000_000  # bytes of parquet that are read and decoded at once
_ROWS = 1000  # rows decoded at once
_FILE_MARK = b"ARROW1"  # of the file format; Hugging Face's cache has the stream format


def read_parquet(path: Path, start: int = 0, end: int | None = None) -> Documents:
    """The records of the row groups from ``start`` to ``end``."""
    import pyarrow as pa  # here, because few files need it
    from pyarrow import parquet

    pa.set_memory_pool(pa.system_memory_pool())  # the others reserve a gigabyte at once
    missed: Counter[str] = Counter()
    try:
        with parquet.ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER) as file:
            names = [f.name for f in file.schema_arrow if _matters(f, missed)]
            groups = list(range(start, file.num_row_groups if end is None else end))
            for batch in file.iter_batches(
                _rows_at_once(file.metadata), row_groups=groups, columns=names, use_threads=False
            ):
                for row in _rows(batch, missed):
                    yield record(row, missed)
    except (pa.ArrowException, OSError, ValueError, MemoryError):
        yield BROKEN
    yield from _all_missed(missed)


def read_arrow(path: Path) -> Documents:
    """The records of an Arrow file (also Feather) or stream."""
    import pyarrow as pa

    pa.set_memory_pool(pa.system_memory_pool())
    missed: Counter[str] = Counter()
    try:
        with open_plain(path) as file:
            for batch in _batches(file):
                names = [f.name for f in batch.schema if _matters(f, missed)]
                for at in range(0, batch.num_rows, _ROWS):
                    for row in _rows(batch.slice(at, _ROWS).select(names), missed):
                        yield record(row, missed)
    except (pa.ArrowException, OSError, ValueError, MemoryError):
        yield BROKEN
    yield from _all_missed(missed)


def row_groups(path: Path) -> int:
    """The row groups of a parquet file; 0 if the file is not parquet."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            return int(file.num_row_groups)
    except (pa.ArrowException, OSError, ValueError):
        return 0


def _batches(file: Any) -> Iterator[Any]:
    import pyarrow as pa

    is_file = file.read(len(_FILE_MARK)) == _FILE_MARK
    file.seek(0)
    if not is_file:
        with pa.ipc.open_stream(file) as reader:
            yield from reader
        return
    with pa.ipc.open_file(file) as reader:
        for number in range(reader.num_record_batches):
            yield reader.get_batch(number)


def _all_missed(missed: Counter[str]) -> Iterator[Missed]:
    return (Missed(what, count) for what, count in missed.items())


def _matters(field: Any, missed: Counter[str]) -> bool:
    """Whether a column can hold a text, or names the record."""
    import pyarrow as pa

    if _holds_text(field.type):
        return True
    kind = field.type
    if hasattr(kind, "value_type") and pa.types.is_integer(kind.value_type):
        missed[f"column {field.name} (lists of numbers, perhaps tokens)"] += 1
    return field.name in {"id", "doc_id"}


def _holds_text(kind: Any) -> bool:
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        return _holds_text(kind.storage_type)
    if pa.types.is_map(kind):
        return _holds_text(kind.key_type) or _holds_text(kind.item_type)
    if pa.types.is_struct(kind) or pa.types.is_union(kind):
        return any(_holds_text(kind.field(number).type) for number in range(kind.num_fields))
    if hasattr(kind, "value_type"):  # lists, dictionaries, run ends
        return _holds_text(kind.value_type)
    return any(
        is_kind(kind)
        for is_kind in (
            pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view,
            pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view,
            pa.types.is_fixed_size_binary,
        )
    ) and not pa.types.is_decimal(kind)  # fmt: skip


def _rows(batch: Any, missed: Counter[str]) -> Iterator[dict[str, Any]]:
    """The rows of a batch; a column of a name that another has is told from it by its number."""
    columns: dict[str, list[Any]] = {}
    for number, (name, column) in enumerate(zip(batch.schema.names, batch.columns, strict=True)):
        values = _values(column)
        if values is None:
            values = [_value(item, f"column {name} ({column.type})", missed) for item in column]
        columns[f"{name} {number}" if name in columns else name] = values
    for number in range(batch.num_rows):
        yield {name: values[number] for name, values in columns.items()}


def _values(column: Any) -> list[Any] | None:
    """The column's values in Python; texts that are not UTF-8 as bytes. None if they cannot be
    read at once."""
    import pyarrow as pa

    try:
        return list(column.to_pylist())
    except (pa.ArrowException, ValueError, TypeError, NotImplementedError):
        pass
    try:
        return list(column.cast(pa.large_binary()).to_pylist())
    except (pa.ArrowException, ValueError, TypeError, NotImplementedError):
        return None


def _value(item: Any, what: str, missed: Counter[str]) -> Any:
    """A value in Python; one that cannot be read is counted, and None."""
    import pyarrow as pa

    try:
        return item.as_py()
    except (pa.ArrowException, ValueError, TypeError, NotImplementedError):
        missed[what] += 1
        return None


def _rows_at_once(metadata: Any) -> int:
    """Rows per batch so that one takes about 16 MB, by the sizes that the file declares; at most
    1,000."""
    size = sum(metadata.row_group(n).total_byte_size for n in range(metadata.num_row_groups))
    return max(1, min(_ROWS, int(_BATCH * metadata.num_rows // max(1, size))))
