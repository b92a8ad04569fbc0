"""The finished parts of a scan, on disk, so that an interrupted scan resumes.

A file of JSON lines: first the queries and settings, then each finished shard with its hits. A line
that a killed scan left half written is ignored. A shard counts as done while its file is the same,
by size and fingerprint.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dcq import writer
from dcq.errors import InputError
from dcq.incoming.plain_file import read_bytes
from dcq.overlap.match import Category
from dcq.overlap.meteor import MeteorSettings
from dcq.overlap.scan.blocks import Hit
from dcq.overlap.scan.index import ScanQuery
from dcq.overlap.scan.shards import Shard, ShardResult, fingerprint

_FORM = 3  # of these lines, and of what makes two scans comparable


class ScanManifest:
    """The finished shards of one scan in ``path``, which may not be there yet.

    Raises ``InputError`` if the file is another scan's: of other queries or settings.
    """

    def __init__(self, path: Path, queries: Sequence[ScanQuery], settings: MeteorSettings) -> None:
        self._path = path
        self._prints: dict[Path, str] = {}
        self._done: dict[tuple[Any, ...], ShardResult] = {}
        scan_id = _scan_id(queries, settings)
        lines = _lines(path)
        if not lines:
            writer.write(path, (json.dumps({"scan": scan_id}) + "\n").encode())
            return
        if lines[0].get("scan") != scan_id:
            raise InputError(
                f"{path.name} was written by a scan for other queries or with other settings; "
                "name another file."
            )
        for line in lines[1:]:
            self._done[tuple(line["shard"])] = read_found(line)

    def result_of(self, shard: Shard) -> ShardResult | None:
        """The result of ``shard``, if it is done."""
        return self._done.get(self._key(shard))

    def add(self, shard: Shard, shard_result: ShardResult) -> None:
        """Store the result of a shard."""
        line = {"shard": self._key(shard), **asdict(shard_result)}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _key(self, shard: Shard) -> tuple[Any, ...]:
        path = shard.path
        if path not in self._prints:
            self._prints[path] = fingerprint(path)
        return str(path), path.stat().st_size, self._prints[path], shard.start, shard.end


def read_found(written: Mapping[str, Any]) -> ShardResult:
    """A result from the JSON that ``asdict`` gave."""
    hits = tuple(
        Hit(
            **{
                **hit,
                "category": Category(hit["category"]),
                "marks": tuple((start, end) for start, end in hit["marks"]),
            }
        )
        for hit in written["hits"]
    )
    documents = written["documents"]
    return ShardResult(
        documents,
        written["broken"],
        hits,
        written.get("texts", documents),  # earlier versions did not count them
        written.get("missed", {}),
    )


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        texts = read_bytes(path).decode("utf-8", "replace").split("\n")
    except FileNotFoundError:
        return []
    if texts == [""]:
        return []
    lines = []
    for text in texts[:-1]:  # what follows the last end of line was being written
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if not isinstance(line, dict) or not ({"scan", "shard"} & line.keys()):
            raise InputError(f"{path.name} is not the manifest of a scan; name another file.")
        lines.append(line)
    if texts[-1]:
        writer.write(path, "".join(f"{text}\n" for text in texts[:-1]).encode())
    return lines


def _scan_id(queries: Sequence[ScanQuery], settings: MeteorSettings) -> str:
    content = [_FORM, [asdict(query) for query in queries], asdict(settings)]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()
