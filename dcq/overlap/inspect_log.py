"""Answers from logs of inspect_ai: ``.eval``, a zip archive of JSON, or the ``.json`` of the same.

Members of the archive are packed with Zstandard, method 93 of zip, which Python reads from version
3.14 on; here they are unpacked by the library zstandard.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dcq.errors import InputError

MOST_LOG = 500_000_000  # bytes of a log once it is unpacked

_ZSTANDARD = 93
_LOCAL_HEADER = 30  # bytes before the name and the extra field of a member


def read_eval(path: Path) -> dict[str, Any]:
    """The log as its ``.json`` would be: ``eval`` and ``samples``. Raises ``InputError`` where the
    file is no finished log, or unpacks to too much."""
    from zstandard import ZstdError

    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            size = sum(member.file_size for member in members)
            if size > MOST_LOG:
                raise InputError(f"{path.name} unpacks to {size / 1e6:,.0f} MB, which is too much.")
            by_name = {member.filename: member for member in members}
            header = json.loads(_unpacked(archive, file, by_name["header.json"]))
            samples = [
                json.loads(_unpacked(archive, file, member))
                for name, member in by_name.items()
                if name.startswith("samples/")
            ]
    except (
        zipfile.BadZipFile, ZstdError, NotImplementedError, RuntimeError, EOFError, OSError,
        KeyError, ValueError, RecursionError, struct.error,
    ) as error:  # fmt: skip
        raise InputError(
            f"{path.name} is not a finished log of inspect_ai; write it again."
        ) from error
    if not isinstance(header, dict) or not isinstance(header.get("eval"), dict):
        raise InputError(f"{path.name} is not a finished log of inspect_ai; write it again.")
    return {"eval": header["eval"], "samples": samples}


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


def scored(log: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], Any]]:
    """The samples that have a score, with the value of their first one."""
    samples = log.get("samples")
    for sample in samples if isinstance(samples, list) else []:
        scores = sample.get("scores") if isinstance(sample, dict) else None
        first = next(iter(scores.values()), None) if isinstance(scores, dict) else None
        if isinstance(first, dict):
            yield sample, first.get("value")


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
