"""Scans as runs of the engine: the parts of a corpus take the place of prompts, processes of this
machine that of a model.

A part is scanned only as it was when the scan was planned: a file that has changed since is an
error.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, asynccontextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from dcq.asking.prompt import Prompt
from dcq.errors import EndpointRefusedError, NoMoreCallsError, RequestRejectedError
from dcq.models.endpoints import Endpoint
from dcq.models.hooks import Hooks
from dcq.models.usage import NOTHING
from dcq.overlap.meteor import settings_of
from dcq.overlap.scan.blocks import Hit
from dcq.overlap.scan.index import ScanQuery, build
from dcq.overlap.scan.manifest import read_found
from dcq.overlap.scan.pool import Scanners, apart, cores, worth
from dcq.overlap.scan.shards import CORPUS, Shard, ShardResult, fingerprint, scan_shard
from dcq.records import Ask, Outcome, Reading, Reply
from dcq.store import Store, overlap_hits
from dcq.store.overlap_hits import StoredHit
from dcq.store.overlaps import Overlap, StoredPart
from dcq.store.runs import Plan

SCAN_PROMPT = Prompt("scan", "v1", "", 0.0, 0)
MOST_HITS = 100  # of one query in one part; a text that stands there more often is found


@dataclass(frozen=True)
class ScanTask:
    """The requests of a scan: the parts of the corpus."""

    overlap: Overlap

    @property
    def size(self) -> int:
        """How many parts there are."""
        return len(self.overlap.parts)

    def count_first(self, limit: int) -> int:
        """All parts, whatever the limit: each instance is looked for everywhere."""
        return self.size

    def text(self, position: int) -> str:
        """The part as JSON."""
        return json.dumps(asdict(self.overlap.parts[position]), ensure_ascii=False)

    def read(self, position: int, reply: Reply) -> Reading:
        """The reading of a part's reply; its value is how many records the part has, including
        unreadable ones."""
        shard_result = read_found(json.loads(reply.text or "{}"))
        parts = [f"{shard_result.documents:,} documents", f"{len(shard_result.hits):,} hits"]
        if shard_result.broken:
            parts.append(f"records that could not be read: {shard_result.broken:,}")
        return Reading(
            Outcome.ANSWERED, str(shard_result.documents + shard_result.broken), ", ".join(parts)
        )


def corpus_endpoint() -> Endpoint:
    """The endpoint of a scan: this machine, with all its cores."""
    return Endpoint(name=CORPUS, model=CORPUS, base_url="", concurrency=cores(), free=True)


@asynccontextmanager
async def asking_corpus(overlap: Overlap, plan: Plan, hooks: Hooks) -> AsyncIterator[Ask]:
    """A function that scans one part; in this process where another would not pay off."""
    queries = [
        ScanQuery(str(place), stored_query.input, stored_query.label)
        for place, stored_query in enumerate(overlap.queries)
        if not stored_query.skipped
    ]
    settings = settings_of(overlap.asked)
    index = await asyncio.to_thread(build, queries, settings)
    count = min(
        plan.concurrency, len(overlap.parts), worth(sum(part.bytes for part in overlap.parts))
    )

    def stopped() -> bool:
        if plan.max_calls is not None:  # then it may be only the next part that is not allowed
            return False
        try:
            hooks.check()
        except NoMoreCallsError:
            return True
        return False

    with ExitStack() as stack:
        scanners = (
            stack.enter_context(Scanners(index, settings, count))
            if apart(count, {part.form for part in overlap.parts})
            else None
        )

        async def scan(shard: Shard) -> ShardResult | None:
            if scanners is None:
                return await asyncio.to_thread(scan_shard, shard, index, settings, stopped)
            future = asyncio.wrap_future(scanners.submit(shard))
            while not future.done():
                await asyncio.wait([future], timeout=0.5)
                if stopped():
                    scanners.stop()
            return await future

        async def ask(request: str) -> Reply:
            part, began = StoredPart(**json.loads(request)), time.monotonic()
            shard = Shard(Path(part.path), part.form, part.first, part.last, part.bytes)
            hooks.check()
            hooks.on_call(NOTHING)
            await asyncio.to_thread(_check, part)
            try:
                shard_result = await scan(shard)
            except (BrokenProcessPool, MemoryError):
                raise EndpointRefusedError(
                    "A process that scans was ended from outside, as happens where memory runs "
                    "out; free some and resume."
                ) from None
            if shard_result is None:
                raise NoMoreCallsError("Scanning was stopped.")
            return Reply(
                json.dumps(asdict(_within(shard_result)), ensure_ascii=False),
                seconds=time.monotonic() - began,
            )

        yield ask


def keep_hits(store: Store, overlap: Overlap, positions: Iterable[int] | None) -> None:
    """Store the hits of the parts at these positions, of all if None."""
    part_numbers = range(len(overlap.parts)) if positions is None else list(positions)
    replies = overlap_hits.replies(store, overlap.id, part_numbers)
    shard_results = {part: read_found(json.loads(reply)) for part, reply in replies.items()}
    overlap_hits.add_scanned(
        store,
        overlap.id,
        list(shard_results),
        [
            _stored(hit, part)
            for part, shard_result in shard_results.items()
            for hit in shard_result.hits
        ],
    )


def _check(part: StoredPart) -> None:
    """Raise RequestRejectedError unless the file is the one that was planned."""
    path = Path(part.path)
    try:
        same = path.is_file() and fingerprint(path) == part.fingerprint
    except OSError as error:
        words = f"{path} cannot be read ({error.strerror}); make it readable and resume."
        raise RequestRejectedError(words) from None
    if not same:
        raise RequestRejectedError(
            f"{path} is no longer the file that the scan was planned for; start a new scan."
        )


def _within(shard_result: ShardResult) -> ShardResult:
    """The best hits of each query, at most ``MOST_HITS`` of one."""
    by_query: dict[str, list[Hit]] = defaultdict(list)
    for hit in shard_result.hits:
        by_query[hit.id].append(hit)
    return replace(
        shard_result,
        hits=tuple(
            hit
            for some in by_query.values()
            for hit in sorted(some, key=lambda hit: hit.rank, reverse=True)[:MOST_HITS]
        ),
    )


def _stored(hit: Hit, part: int) -> StoredHit:
    return StoredHit(
        int(hit.id),
        hit.source,
        part,
        hit.document,
        hit.name,
        hit.text,
        hit.marks,
        hit.score,
        hit.label_score,
    )
