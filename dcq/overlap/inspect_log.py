"""Answers from logs of inspect_ai: ``.eval``, a zip archive of JSON, or the ``.json`` of the same.

Members of the archive are packed with Zstandard, method 93 of zip, which Python reads from version
3.14 on; here they are unpacked by the library zstandard.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dcq.errors import InputError
from dcq.incoming import apart

MOST_LOG = 500_000_000  # bytes of a log once it is unpacked

_ZSTANDARD = 93
_LOCAL_HEADER = 30  # bytes before the name and the extra field of a member


class Scored(NamedTuple):
    """A sample that has a score, with the value of its first one; ``subject`` may be None."""

    id: str
    value: Any
    text: str
    subject: str | None


def read_eval(path: Path) -> tuple[str, list[Scored]]:
    """The model of a log ``.eval``, and its samples that have a score; read in a process of its
    own. Raises ``InputError`` where the file is no finished log, or takes too much memory."""
    model, *rows = apart.values(unpacked, path, _unfinished(path))
    return model, [Scored(*row) for row in rows]


def unpacked(path: Path) -> Iterator[Any]:
    """The model and then the samples of ``read_eval``, one after the other."""
    from zstandard import ZstdError

    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            size = sum(member.file_size for member in members)
            if size > MOST_LOG:
                raise InputError(
                    f"{path.name} unpacks to {size / 1e6:,.0f} MB; log fewer samples in one file."
                )
            by_name = {member.filename: member for member in members}
            header = json.loads(_unpacked(archive, file, by_name["header.json"]))
            yield str(header["eval"].get("model"))
            for name, member in by_name.items():
                if name.startswith("samples/"):
                    yield from scored([json.loads(_unpacked(archive, file, member))])
    except (
        zipfile.BadZipFile, ZstdError, NotImplementedError, RuntimeError, EOFError, OSError,
        KeyError, ValueError, RecursionError, struct.error, TypeError, AttributeError,
    ) as error:  # fmt: skip
        raise _unfinished(path) from error


def _unfinished(path: Path) -> InputError:
    return InputError(f"{path.name} is not a finished log of inspect_ai; write it again.")


def _unpacked(archive: zipfile.ZipFile, file: Any, member: zipfile.ZipInfo) -> bytes:
    if member.compress_type != _ZSTANDARD:
        return archive.read(member)
    from zstandard import ZstdDecompressor

    file.seek(member.header_offset)
    header = file.read(_LOCAL_HEADER)
    name, extra = struct.unpack("<HH", header[26:30])
    file.seek(member.header_offset + _LOCAL_HEADER + name + extra)
    packed = io.BytesIO(file.read(member.compress_size))
    # A long member is several frames. No more is read than the archive has announced.
    with ZstdDecompressor().stream_reader(packed, read_across_frames=True) as stream:
        content: bytes = stream.read(member.file_size)
    return content


def scored(samples: Iterable[Any]) -> Iterator[Scored]:
    """Those of a log's samples that have a score."""
    for sample in samples:
        scores = sample.get("scores") if isinstance(sample, dict) else None
        first = next(iter(scores.values()), None) if isinstance(scores, dict) else None
        if isinstance(first, dict):
            metadata = sample.get("metadata")
            subject = metadata.get("subject") if isinstance(metadata, dict) else None
            yield Scored(
                str(sample.get("id")), first.get("value"), input_of(sample),
                str(subject) if subject else None,
            )  # fmt: skip


def input_of(sample: Mapping[str, Any]) -> str:
    """The input of a sample: a text, or the last message of a user."""
    given = sample.get("input")
    if not isinstance(given, list):
        return given if isinstance(given, str) else ""
    said = [m["content"] for m in given if isinstance(m, dict) and m.get("role") == "user"]
    last = said[-1] if said else ""
    if isinstance(last, list):  # text between pictures
        last = "\n".join(part["text"] for part in last if isinstance(part, dict) and "text" in part)
    return last if isinstance(last, str) else ""
