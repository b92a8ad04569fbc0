"""Decodes parquet files in a process of its own: ``python -P parquet_child.py FILE… LIMIT``.

A parquet file is code for its reader: a page says how large it becomes, and what a file says of
itself may be a lie. So the process may take twice LIMIT bytes beyond its start, and of what it
decodes it counts what Python will take for it before any of it leaves. Rows leave as an Arrow
stream a file on stdout, in slices of some megabytes. A file's own account of what its columns mean
("an image at this address") is not followed.

Exit codes: 0, 3 too large, 4 not to be read. Imports nothing of ours: it must start fast.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

TOO_LARGE, UNREADABLE = 3, 4
_ROWS = 1000
_SLICE = 8_000_000  # bytes
_CELL, _ROW = 64, 240  # bytes in Python, see ``dcq.partitions.memory``


def _limit_memory(more: int) -> None:
    """Let this process take ``more`` bytes; where the system cannot, counting alone must do."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource
        from pathlib import Path

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + more
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


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
    """A batch in slices that are small, or a row: whoever converts one holds it twice."""
    if batch.nbytes <= _SLICE or batch.num_rows == 1:
        yield batch
    else:
        half = batch.num_rows // 2
        yield from _parts(batch.slice(0, half))
        yield from _parts(batch.slice(half))


def main(paths: Sequence[str], limit: int) -> int:
    """Write the rows of ``paths`` to stdout; returns the exit code."""
    pa.set_memory_pool(pa.system_memory_pool())  # the others reserve a gigabyte at once
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    _limit_memory(2 * limit)
    left = limit
    try:
        for path in paths:
            took = _write(path, left)
            if took is None:
                return TOO_LARGE
            if not took and len(paths) > 1:  # the next stream would be taken for this one
                return UNREADABLE
            left -= took
        sys.stdout.buffer.flush()
    except (MemoryError, pa.ArrowMemoryError):
        return TOO_LARGE
    except Exception:  # whatever a damaged file causes
        return UNREADABLE
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
        shown = pa.RecordBatch.from_arrays(columns, names=batch.schema.names)
        if writer is None:
            known = {b"huggingface": (batch.schema.metadata or {}).get(b"huggingface", b"")}
            schema = shown.schema.with_metadata(known)
            writer = pa.ipc.new_stream(sys.stdout.buffer, schema)
        for part in _parts(shown):
            writer.write_batch(part)
    if writer is not None:
        writer.close()
    return took


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:-1], int(sys.argv[-1])))
