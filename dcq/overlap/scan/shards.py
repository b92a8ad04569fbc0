"""A corpus in parts that can be scanned independently, and the result of one part."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dcq.errors import InputError
from dcq.incoming.plain_file import check_plain, open_plain
from dcq.overlap.meteor import MeteorSettings
from dcq.overlap.scan import documents
from dcq.overlap.scan.arrow_files import row_groups
from dcq.overlap.scan.blocks import BLOCK, Block, Hit, Piece
from dcq.overlap.scan.index import Index
from dcq.overlap.scan.records import BROKEN, Document, Documents, Missed
from dcq.overlap.scan.streams import packing

CORPUS = "corpus"  # the source of a scan
SHARD_BYTES = 64_000_000  # of a file that can be read from its middle
_LEAST_OVERLAP = 20_000  # characters that two parts of a long document share
_WORD = 10  # characters and spaces of a word, generously
_EDGE = 1 << 16  # bytes at both ends of a file that its fingerprint takes

UNREADABLE = "cannot be opened"
NO_TEXT = "no text was read in it"


@dataclass(frozen=True)
class Shard:
    """A file, or the part from ``start`` to ``end`` (as ``documents.read`` takes them)."""

    path: Path
    form: str
    start: int
    end: int | None
    bytes: int


@dataclass(frozen=True)
class ShardResult:
    """The result of a shard: the number of records read, and of unreadable ones, and the best hit
    of each query in each document. ``texts`` counts the records with a text in them, ``missed``
    values that may be texts and were not read, by what they are."""

    documents: int
    broken: int
    hits: tuple[Hit, ...]
    texts: int = 0
    missed: Mapping[str, int] = field(default_factory=dict)


def files_of(corpus: Sequence[Path]) -> list[Path]:
    """The files named, and all files in the folders named, each once. Hidden ones are left out.
    Raises ``InputError`` where a path does not exist, or there is no file at all."""
    files: dict[Path, None] = {}
    for path in corpus:
        if path.is_dir():
            below = (file for file in path.rglob("*") if file.is_file())
            inner = (file for file in below if not _hidden(file.relative_to(path)))
            files.update(dict.fromkeys(sorted(inner)))
        elif path.is_file():
            files[path] = None
        else:
            check_plain(path)
            raise InputError(f"There is no file or folder {path}; check the path.")
    if not files:
        raise InputError("There is no file in the folders named; name some that hold texts.")
    return list(files)


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def plan(files: Iterable[Path]) -> tuple[list[Shard], list[tuple[Path, str]]]:
    """The shards of ``files`` in order, and the files that are skipped, with the reason."""
    shards: list[Shard] = []
    skipped: list[tuple[Path, str]] = []
    for path in files:
        try:
            form, reason = documents.file_format(path)
            parts = _parts(path, form) if form else []
        except OSError:
            skipped.append((path, UNREADABLE))
            continue
        if form is None or not parts:
            skipped.append((path, reason or documents.EMPTY))
        shards += parts
    return shards, skipped


def _parts(path: Path, form: str) -> list[Shard]:
    size = path.stat().st_size
    if not size:  # nothing in it, or no file of a disk, whose reader might wait for ever
        return []
    if form == "jsonl" and size > SHARD_BYTES and packing(path) is None:
        starts = range(0, size, SHARD_BYTES)
        return [
            Shard(path, form, start, min(start + SHARD_BYTES, size), min(SHARD_BYTES, size - start))
            for start in starts
        ]
    groups = row_groups(path) if form == "parquet" else 0
    if groups > 1:
        share, remainder = divmod(size, groups)
        return [
            Shard(path, form, group, group + 1, share + remainder * (group == 0))
            for group in range(groups)
        ]
    return [Shard(path, form, 0, None, size)]


def fingerprint(path: Path) -> str:
    """A hash of the file's size, its first and its last bytes, which detects most changes
    quickly."""
    size = path.stat().st_size
    digest = hashlib.blake2b(str(size).encode(), digest_size=16)
    with open_plain(path) as file:
        digest.update(file.read(_EDGE))
        file.seek(max(0, size - _EDGE))
        digest.update(file.read(_EDGE))
    return digest.hexdigest()


def scan_shard(
    shard: Shard, index: Index, settings: MeteorSettings, stopped: Callable[[], bool]
) -> ShardResult | None:
    """The result of ``shard``; None if ``stopped`` returned True meanwhile."""
    found = documents.read(shard.path, shard.form, shard.start, shard.end)
    counted = _Counter(found, is_plain=shard.form == "text")
    block = Block(index, settings, str(shard.path))
    best: dict[tuple[int, str], Hit] = {}
    overlap = min(BLOCK // 2, max(_LEAST_OVERLAP, 4 * _WORD * index.reach))
    for piece in _pieces(counted, overlap):
        if stopped():
            return None
        _keep(best, block.add(piece))
    _keep(best, block.finish())
    hits = sorted(best.values(), key=lambda hit: (hit.document, hit.id))
    return ShardResult(
        counted.read, counted.broken, tuple(hits), counted.texts, dict(counted.missed)
    )


def _keep(best: dict[tuple[int, str], Hit], hits: Iterable[Hit]) -> None:
    for hit in hits:
        known_hit = best.get((hit.document, hit.id))
        if known_hit is None or hit.rank > known_hit.rank:
            best[hit.document, hit.id] = hit


class _Counter:
    """Documents with their numbers; counts what was read and what was broken."""

    def __init__(self, documents: Documents, *, is_plain: bool) -> None:
        self._found = documents
        self._is_plain = is_plain  # a text, which hides nothing where it is blank
        self.read = self.broken = self.texts = 0
        self.missed: Counter[str] = Counter()

    def __iter__(self) -> Iterator[tuple[int, Document]]:
        counted = -1  # the document that was last counted as one with a text
        for document in self._found:
            if isinstance(document, Missed):
                self.missed[document.what] += document.values
                continue
            if document is BROKEN:
                self.broken += 1
                continue
            self.read += not document.continues
            if counted != self.read and (self._is_plain or document.text.strip()):
                counted = self.read
                self.texts += 1
            yield self.read + self.broken - 1, document


def _pieces(numbered: Iterable[tuple[int, Document]], overlap: int) -> Iterator[Piece]:
    """Documents, long ones in parts that share ``overlap`` characters, so that nothing is cut."""
    tail = ""
    for number, document in numbered:
        text = tail + document.text if document.continues else document.text
        at = 0
        while len(text) - at > BLOCK:
            yield Piece(number, document.name, text[at : at + BLOCK])
            at += BLOCK - overlap
        yield Piece(number, document.name, text[at:])
        tail = text[-overlap:]
