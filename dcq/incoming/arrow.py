"""Decodes parquet files, in the process of ``child``.

A page of parquet says how large it becomes, and that may be a lie. So the memory that decoded
values take in Python is counted before any of them leaves the process. Rows leave as an Arrow
stream for each file on stdout, in slices of some megabytes. Metadata about the meaning of columns
("an image at this address") is ignored.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dcq.incoming.child import TOO_LARGE, UNREADABLE
from dcq.incoming.memory import CELL as _CELL
from dcq.incoming.memory import ROW as _ROW

_ROWS = 1000
_SLICE = 8_000_000  # bytes


def _size(array: pa.Array) -> int:
    """About the bytes that Python takes for an array's values, those within others included."""
    array = _plain(array)
    kind = array.type
    if pa.types.is_map(kind):
        return len(array) * _CELL + _size(array.keys) + _size(array.items)
    if pa.types.is_struct(kind):  # a dict each, as a row is
        return len(array) * _ROW + sum(_size(part) for part in array.flatten())
    if pa.types.is_nested(kind) and hasattr(array, "flatten"):
        return len(array) * _CELL + _size(array.flatten())
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return len(array) * _CELL + (_text_size(array) if text else int(array.nbytes))


def _text_size(array: pa.Array) -> int:
    """The bytes of Python's texts: each character takes as many as the widest of its cell."""
    lengths = pc.utf8_length(array)
    size = pc.sum(lengths).as_py() or 0
    # Two bytes beyond U+00FF, four beyond U+FFFF.
    for widest, more in (("\\xFF", 1), ("\\x{FFFF}", 2)):
        wide = pc.match_substring_regex(array, rf"[^\x{{0}}-{widest}]")
        size += more * (pc.sum(pc.filter(lengths, wide)).as_py() or 0)
    return int(size)


def _plain(array: pa.Array) -> pa.Array:
    """Without an extension's meaning, a dictionary's short cut or a view's."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if isinstance(array, pa.DictionaryArray):
        array = array.dictionary_decode()
    return array.cast(pa.large_string()) if pa.types.is_string_view(array.type) else array


def _parts(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """A batch in small slices, at least one row each, because converting a slice holds it in memory
    twice."""
    if batch.nbytes <= _SLICE or batch.num_rows == 1:
        yield batch
    else:
        half = batch.num_rows // 2
        yield from _parts(batch.slice(0, half))
        yield from _parts(batch.slice(half))


def write(limit: int, *paths: str) -> int:
    """Write the rows of ``paths`` to stdout; returns the exit code."""
    pa.set_memory_pool(pa.system_memory_pool())  # the others reserve a gigabyte at once
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    left = limit
    for path in paths:
        took = _write(path, left)
        if took is None:
            return TOO_LARGE
        if not took and len(paths) > 1:  # the next stream would be taken for this one
            return UNREADABLE
        left -= took
    return 0


def _write(path: str, limit: int) -> int | None:
    """Write the rows of a file, if there are any; returns what they take, None above ``limit``."""
    file = pq.ParquetFile(path, pre_buffer=False)
    meta = file.metadata
    if meta.num_rows * (_ROW + _CELL * meta.num_columns) > limit:
        return None
    took = 0
    writer: pa.RecordBatchStreamWriter | None = None
    for batch in file.iter_batches(batch_size=_ROWS, use_threads=False):
        columns = [_plain(column) for column in batch.columns]
        for column in columns:
            column.validate(full=True)  # or broken UTF-8 would fail in whoever reads it
        took += batch.num_rows * _ROW + sum(map(_size, columns))
        if took > limit:
            return None
        plain_batch = pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
        if writer is None:
            schema_metadata = {
                b"huggingface": (batch.schema.metadata or {}).get(b"huggingface", b"")
            }
            schema = plain_batch.schema.with_metadata(schema_metadata)
            writer = pa.ipc.new_stream(sys.stdout.buffer, schema)
        for part in _parts(plain_batch):
            writer.write_batch(part)
    if writer is not None:
        writer.close()
    return took
