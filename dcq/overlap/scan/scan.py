"""Scan a corpus with all cores: shards to processes, hits together, progress, cancel, resume."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path

from dcq.errors import ScanError
from dcq.overlap.meteor import PAPER, Settings
from dcq.overlap.scan.blocks import Hit
from dcq.overlap.scan.cluster import scan_on
from dcq.overlap.scan.index import Index, ScanQuery, build
from dcq.overlap.scan.manifest import Manifest
from dcq.overlap.scan.pool import LOST, Scanners, apart, worth
from dcq.overlap.scan.shards import Found, Shard, files_of, plan, scan_shard

_LOOK = 0.5  # seconds between two looks at whether to stop


@dataclass(frozen=True)
class Progress:
    """How far a scan is: bytes of files, documents and hits so far."""

    bytes_done: int
    bytes_total: int
    documents: int
    hits: int


@dataclass(frozen=True)
class Scan:
    """What a corpus has. ``hits`` are in the order of the corpus; ``broken`` counts records that
    could not be read by file, ``skipped`` names files and why; ``complete`` is False for a scan
    that was cancelled."""

    queries: int
    documents: int
    bytes: int
    seconds: float
    hits: tuple[Hit, ...]
    broken: tuple[tuple[Path, int], ...]
    skipped: tuple[tuple[Path, str], ...]
    complete: bool


def scan(
    queries: Sequence[ScanQuery],
    corpus: Sequence[Path],
    settings: Settings = PAPER,
    *,
    workers: int | None = None,
    manifest: Path | None = None,
    cluster: str | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Scan:
    """Every query in every document of ``corpus``, the best passage of each pair.

    ``workers``: processes, by default one for each core. With a ``manifest`` finished parts are
    kept there and not scanned again. ``cluster`` is the address of a Ray cluster that scans instead
    of this machine; see ``dcq.overlap.scan.cluster``. ``cancelled`` is asked twice a second.

    Raises ``InputError`` on paths that are not there, and ``ScanError`` if a process is lost.
    """
    began = time.perf_counter()
    # A manifest holds passages that were found, and may lie in a folder of the corpus.
    files = [path for path in files_of(corpus) if manifest is None or not _same(path, manifest)]
    shards, skipped = plan(files)
    kept = Manifest(manifest, queries, settings) if manifest else None
    done = {n: found for n, s in enumerate(shards) if kept and (found := kept.found(s))}
    open_ = [number for number in range(len(shards)) if number not in done]

    def report() -> None:
        if progress:
            progress(
                Progress(
                    sum(shards[number].bytes for number in done),
                    sum(shard.bytes for shard in shards),
                    sum(found.documents for found in done.values()),
                    sum(len(found.hits) for found in done.values()),
                )
            )

    report()
    index = build(queries, settings)
    size = sum(shards[number].bytes for number in open_)
    count = min(workers or worth(size), len(open_))
    if cluster and open_:
        results = scan_on(cluster, shards, open_, index, settings, workers, cancelled)
    else:
        forms = {shards[number].form for number in open_}
        run = _in_processes if apart(count, forms) else _here
        results = run(shards, open_, index, settings, count, cancelled)
    for number, found in results:
        done[number] = found
        if kept:
            kept.add(shards[number], found)
        report()
    broken: Counter[Path] = Counter()
    for number, found in done.items():
        broken[shards[number].path] += found.broken
    return Scan(
        queries=len(queries),
        documents=sum(found.documents for found in done.values()),
        bytes=sum(shards[number].bytes for number in done),
        seconds=time.perf_counter() - began,
        hits=tuple(_numbered(shards, done)),
        broken=tuple(sorted((path, n) for path, n in broken.items() if n)),
        skipped=tuple(skipped),
        complete=len(done) == len(shards),
    )


def _numbered(shards: Sequence[Shard], done: dict[int, Found]) -> Iterator[Hit]:
    """All hits, their documents counted from the start of the file and not of the shard."""
    before: Counter[Path] = Counter()
    for number in sorted(done):
        path, found = shards[number].path, done[number]
        for hit in found.hits:
            yield replace(hit, document=hit.document + before[path])
        before[path] += found.documents + found.broken


def _same(path: Path, manifest: Path) -> bool:
    return path.absolute() == manifest.absolute()


Results = Iterator[tuple[int, Found]]


def _here(
    shards: Sequence[Shard],
    open_: Sequence[int],
    index: Index,
    settings: Settings,
    _: int,
    cancelled: Callable[[], bool],
) -> Results:
    for number in open_:
        found = scan_shard(shards[number], index, settings, cancelled)
        if found is None:
            return
        yield number, found


def _in_processes(
    shards: Sequence[Shard],
    open_: Sequence[int],
    index: Index,
    settings: Settings,
    count: int,
    cancelled: Callable[[], bool],
) -> Results:
    with Scanners(index, settings, count) as scanners:
        running: dict[Future[Found | None], int] = {
            # The largest first, so that no core waits long for another at the end.
            scanners.submit(shards[number]): number
            for number in sorted(open_, key=lambda number: -shards[number].bytes)
        }
        stopped = False
        try:
            while running and not stopped:
                ready, _ = wait(running, timeout=_LOOK, return_when=FIRST_COMPLETED)
                for future in ready:
                    number = running.pop(future)
                    found = future.result()
                    if found is not None:
                        yield number, found
                stopped = cancelled()
        except (BrokenProcessPool, MemoryError):
            raise ScanError(
                f"{LOST}; what is finished is kept where a manifest is named."
            ) from None
