"""Scans a corpus with all cores: gives shards to processes, and collects hits and progress."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path

from dcq.errors import ScanError
from dcq.overlap.meteor import PAPER, MeteorSettings
from dcq.overlap.scan.blocks import Hit
from dcq.overlap.scan.cluster import scan_on
from dcq.overlap.scan.index import Index, ScanQuery, build
from dcq.overlap.scan.manifest import ScanManifest
from dcq.overlap.scan.pool import LOST, Scanners, apart, worth
from dcq.overlap.scan.shards import NO_TEXT, Shard, ShardResult, files_of, plan, scan_shard

_LOOK = 0.5  # seconds between two looks at whether to stop


@dataclass(frozen=True)
class ScanProgress:
    """The progress of a scan: bytes of files, documents and hits so far."""

    bytes_done: int
    bytes_total: int
    documents: int
    hits: int


@dataclass(frozen=True)
class Scan:
    """The result of a scan. ``hits`` are in the order of the corpus; ``broken`` counts unreadable
    records by file, ``skipped`` names files of which nothing was read and why, ``missed`` counts
    values that were not read, by file and what they are; ``read`` counts records by file;
    ``complete`` is False for a scan that was cancelled."""

    queries: int
    documents: int
    bytes: int
    seconds: float
    hits: tuple[Hit, ...]
    broken: tuple[tuple[Path, int], ...]
    skipped: tuple[tuple[Path, str], ...]
    complete: bool
    read: tuple[tuple[Path, int], ...] = ()
    missed: tuple[tuple[Path, str, int], ...] = ()


def scan(
    queries: Sequence[ScanQuery],
    corpus: Sequence[Path],
    settings: MeteorSettings = PAPER,
    *,
    workers: int | None = None,
    manifest: Path | None = None,
    cluster: str | None = None,
    progress: Callable[[ScanProgress], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Scan:
    """Look for every query in every document of ``corpus``; the best passage of each pair is a hit.
    ``workers``: processes, by default one for each core. With a ``manifest`` finished parts are
    stored there and not scanned again. ``cluster`` is the address of a Ray cluster that scans
    instead of this machine; see ``dcq.overlap.scan.cluster``. ``cancelled`` is called twice a
    second. Raises ``InputError`` on paths that do not exist, and ``ScanError`` if a process is
    lost."""
    began = time.perf_counter()
    # A manifest holds passages that were found, and may lie in a folder of the corpus.
    files = [path for path in files_of(corpus) if manifest is None or not _same(path, manifest)]
    shards, skipped = plan(files)
    scan_manifest = ScanManifest(manifest, queries, settings) if manifest else None
    finished_shard_results = {
        n: shard_result
        for n, s in enumerate(shards)
        if scan_manifest and (shard_result := scan_manifest.result_of(s))
    }
    open_ = [number for number in range(len(shards)) if number not in finished_shard_results]

    def report() -> None:
        if progress:
            progress(
                ScanProgress(
                    sum(shards[number].bytes for number in finished_shard_results),
                    sum(shard.bytes for shard in shards),
                    sum(result.documents for result in finished_shard_results.values()),
                    sum(len(result.hits) for result in finished_shard_results.values()),
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
    for number, shard_result in results:
        finished_shard_results[number] = shard_result
        if scan_manifest:
            scan_manifest.add(shards[number], shard_result)
        report()
    broken: Counter[Path] = Counter()
    read: Counter[Path] = Counter()
    texts: Counter[Path] = Counter()
    values: Counter[Path] = Counter()
    missed: Counter[tuple[Path, str]] = Counter()
    for number, shard_result in finished_shard_results.items():
        path = shards[number].path
        broken[path] += shard_result.broken
        read[path] += shard_result.documents
        texts[path] += shard_result.texts
        missed.update({(path, what): count for what, count in shard_result.missed.items()})
        values[path] += shard_result.documents + shard_result.broken
        values[path] += sum(shard_result.missed.values())
    open_paths = {s.path for n, s in enumerate(shards) if n not in finished_shard_results}
    skipped += [
        (path, NO_TEXT)
        for path, count in values.items()
        if count and not texts[path] and path not in open_paths
    ]
    return Scan(
        queries=len(queries),
        documents=sum(result.documents for result in finished_shard_results.values()),
        bytes=sum(shards[number].bytes for number in finished_shard_results),
        seconds=time.perf_counter() - began,
        hits=tuple(_numbered(shards, finished_shard_results)),
        broken=tuple(sorted((path, n) for path, n in broken.items() if n)),
        skipped=tuple(skipped),
        complete=len(finished_shard_results) == len(shards),
        read=tuple(sorted((path, n) for path, n in read.items() if texts[path])),
        missed=tuple(sorted((path, what, n) for (path, what), n in missed.items())),
    )


def _numbered(
    shards: Sequence[Shard], finished_shard_results: dict[int, ShardResult]
) -> Iterator[Hit]:
    """All hits, their documents counted from the start of the file and not of the shard."""
    before: Counter[Path] = Counter()
    for number in sorted(finished_shard_results):
        path, shard_result = shards[number].path, finished_shard_results[number]
        for hit in shard_result.hits:
            yield replace(hit, document=hit.document + before[path])
        before[path] += shard_result.documents + shard_result.broken


def _same(path: Path, manifest: Path) -> bool:
    return path.absolute() == manifest.absolute()


Results = Iterator[tuple[int, ShardResult]]


def _here(
    shards: Sequence[Shard],
    open_: Sequence[int],
    index: Index,
    settings: MeteorSettings,
    _: int,
    cancelled: Callable[[], bool],
) -> Results:
    for number in open_:
        shard_result = scan_shard(shards[number], index, settings, cancelled)
        if shard_result is None:
            return
        yield number, shard_result


def _in_processes(
    shards: Sequence[Shard],
    open_: Sequence[int],
    index: Index,
    settings: MeteorSettings,
    count: int,
    cancelled: Callable[[], bool],
) -> Results:
    with Scanners(index, settings, count) as scanners:
        stopped = False
        try:
            running: dict[Future[ShardResult | None], int] = {
                # The largest first, so that no core waits long for another at the end.
                scanners.submit(shards[number]): number
                for number in sorted(open_, key=lambda number: -shards[number].bytes)
            }
            while running and not stopped:
                ready, _ = wait(running, timeout=_LOOK, return_when=FIRST_COMPLETED)
                # What is finished first, also if a process was lost meanwhile.
                for future in sorted(ready, key=lambda done: done.exception() is not None):
                    number = running.pop(future)
                    shard_result = future.result()
                    if shard_result is not None:
                        yield number, shard_result
                stopped = cancelled()
        except (BrokenProcessPool, MemoryError):
            raise ScanError(
                f"{LOST}; what is finished is kept where a manifest is named."
            ) from None
