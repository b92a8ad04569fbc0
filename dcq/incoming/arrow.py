"""Decodes parquet files, in the process of ``child``.

A page of parquet says how large it becomes, and that may be a lie. So the memory that decoded
values take in Python is counted: each batch before it leaves the process. Rows leave as an Arrow
stream for each file on stdout, in slices of some megabytes. Arrow extension types are decoded as
their storage; of the file's metadata only Hugging Face's is passed on.
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
    """About the bytes that Python takes for an array's values, nested ones included."""
    array = _plain(array)
    data_type = array.type
    if pa.types.is_map(data_type):
        return len(array) * _CELL + _size(array.keys) + _size(array.items)
    if pa.types.is_struct(data_type):  # a dict each, as a row is
        return len(array) * _ROW + sum(_size(part) for part in array.flatten())
    if pa.types.is_nested(data_type) and hasattr(array, "flatten"):
        return len(array) * _CELL + _size(array.flatten())
    text = pa.types.is_string(data_type) or pa.types.is_large_string(data_type)
    return len(array) * _CELL + (_text_size(array) if text else int(array.nbytes))


def _text_size(array: pa.Array) -> int:
    """The bytes of the texts as Python strings: each character takes as many as the widest of its
    cell."""
    lengths = pc.utf8_length(array)
    size = pc.sum(lengths).as_py() or 0
    # Two bytes beyond U+00FF, four beyond U+FFFF.
    for widest, extra_bytes in (("\\xFF", 1), ("\\x{FFFF}", 2)):
        wide = pc.match_substring_regex(array, rf"[^\x{{0}}-{widest}]")
        size += extra_bytes * (pc.sum(pc.filter(lengths, wide)).as_py() or 0)
    return int(size)


def _plain(array: pa.Array) -> pa.Array:
    """The array as a plain type: no extension, dictionary or string view."""
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
    """Write the rows of ``paths`` to stdout; returns the exit code. ``limit`` is how many bytes the
    rows of all files may take in Python."""
    pa.set_memory_pool(pa.system_memory_pool())  # the others reserve a gigabyte at once
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    remaining = limit
    for path in paths:
        size = _write(path, remaining)
        if size is None:
            return TOO_LARGE
        if not size and len(paths) > 1:  # the next stream would be taken for this one
            return UNREADABLE
        remaining -= size
    return 0


def _write(path: str, limit: int) -> int | None:
    """Write the rows of a file, if there are any; returns what they take, None above ``limit``:
    part of them may be written by then."""
    file = pq.ParquetFile(path, pre_buffer=False)
    meta = file.metadata
    if meta.num_rows * (_ROW + _CELL * meta.num_columns) > limit:
        return None
    size = 0
    writer: pa.RecordBatchStreamWriter | None = None
    for batch in file.iter_batches(batch_size=_ROWS, use_threads=False):
        columns = [_plain(column) for column in batch.columns]
        for column in columns:
            column.validate(full=True)  # or broken UTF-8 would fail in whoever reads it
        size += batch.num_rows * _ROW + sum(map(_size, columns))
        if size > limit:
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
    return size
