"""Logs of inspect_ai: ``.eval``, a zip archive of JSON, or the ``.json`` of the same.

Members of the archive are packed with Zstandard, method 93 of zip, which Python reads from version
3.14 on; here they are unpacked by the library zstandard. A long text of a sample is kept once, in
its ``attachments``, and named where it stands (``inspect_ai.log._condense``).
"""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dcq.errors import InputError
from dcq.incoming import reader_process
from dcq.incoming.plain_file import open_plain
from dcq.overlap.harness.graded import GradedRow

MOST_LOG = 500_000_000  # bytes of a log once it is unpacked

_ZSTANDARD = 93
_LOCAL_HEADER = 30  # bytes before the name and the extra field of a member
_ATTACHMENT = re.compile(r"attachment://([0-9a-f]{32})")


class ScoredSample(NamedTuple):
    """A sample with the values of its scorers by name, where a scorer with several values has one
    for each as ``scorer/name``. ``problem`` says why there is none; ``subject`` may be None."""

    id: str
    grades: dict[str, Any]
    text: str
    subject: str | None
    problem: str = ""


def read_eval(path: Path) -> tuple[str, list[ScoredSample]]:
    """The model of a log ``.eval``, and its samples; read in a process of its own. Raises
    ``InputError`` where the file is no finished log, or takes too much memory."""
    model, *samples = reader_process.values(unpacked, path, _unfinished(path))
    return model, [ScoredSample(*sample) for sample in samples]


def rows(model: str, samples: Iterable[ScoredSample]) -> list[GradedRow]:
    """The samples as rows of grades."""
    return [
        GradedRow(
            model,
            sample.id,
            sample.grades,
            sample.subject,
            (sample.text,) if sample.text else (),
            sample.problem,
        )
        for sample in samples
    ]


def unpacked(path: Path) -> Iterator[Any]:
    """The model and then the samples of ``read_eval``, one after the other."""
    from zstandard import ZstdError

    try:
        with open_plain(path) as file, zipfile.ZipFile(file) as archive:
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


def scored(samples: Iterable[Any]) -> Iterator[ScoredSample]:
    """The samples of a log with their grades."""
    for sample in samples:
        if not isinstance(sample, dict):
            continue
        scores = sample.get("scores")
        grades: dict[str, Any] = {}
        for name, score in (scores if isinstance(scores, dict) else {}).items():
            value = score.get("value") if isinstance(score, dict) else None
            if isinstance(value, dict):
                grades |= {f"{name}/{part}": each for part, each in value.items()}
            else:
                grades[name] = value
        metadata = sample.get("metadata")
        subject = metadata.get("subject") if isinstance(metadata, dict) else None
        yield ScoredSample(
            str(sample.get("id")), grades, input_of(sample), str(subject) if subject else None,
            "whose sample ended in an error" if sample.get("error") and not grades else "",
        )  # fmt: skip


def input_of(sample: Mapping[str, Any]) -> str:
    """The input of a sample: a text, or the last message of a user; attachments in their place."""
    prompt = sample.get("input")
    if isinstance(prompt, list):
        user_messages = [
            m["content"] for m in prompt if isinstance(m, dict) and m.get("role") == "user"
        ]
        prompt = user_messages[-1] if user_messages else ""
    if isinstance(prompt, list):  # text between pictures
        prompt = "\n".join(
            part["text"] for part in prompt if isinstance(part, dict) and "text" in part
        )
    return _resolved(prompt, sample.get("attachments")) if isinstance(prompt, str) else ""


def _resolved(text: str, attachments: Any) -> str:
    if not isinstance(attachments, dict):
        return text

    def content(match: re.Match[str]) -> str:
        attached = attachments.get(match[1])
        return attached if isinstance(attached, str) else match[0]

    return _ATTACHMENT.sub(content, text)
