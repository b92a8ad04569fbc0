"""Scanning a planted corpus: found by the way of planting, and MB a second beside a Rust peer.

    python -m benchmarks.scan [--mb 2000] [--queries 2100] [--workers 2]

The peer is ahocorasick-rs (`pip install ahocorasick-rs`; left out where it is missing): all queries
at once in lower-cased text without punctuation, on the jsonl part of the corpus, in one process.
Ours scans that part in one process too, to compare, and the whole corpus with all workers. MB are
of text; files of the corpus that are packed are smaller.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import resource
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.planted import WAYS, Planted, make
from dcq.overlap.scan.scan import scan

_OTHER = re.compile(r"[^a-z0-9]+")


def processor_seconds() -> float:
    """Of this process and those it has waited for: a busy machine changes that less than time."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def peer(planted: Planted, path: Path) -> set[str]:
    """The ids that ahocorasick-rs finds."""
    import ahocorasick_rs

    patterns = [f" {_normal(query.query)} " for query in planted.queries]
    automaton = ahocorasick_rs.AhoCorasick(patterns)
    found: set[int] = set()
    with path.open(encoding="utf-8") as file:
        for line in file:
            text = f" {_normal(json.loads(line)['text'])} "
            found.update(hit[0] for hit in automaton.find_matches_as_indexes(text))
    return {planted.queries[at].id for at in found}


def _normal(text: str) -> str:
    return _OTHER.sub(" ", text.lower()).strip()


def main() -> None:
    """Print what was found and how fast."""
    parser = argparse.ArgumentParser(description="Speed and recall of overlap scan.")
    parser.add_argument("--mb", type=float, default=2000)
    parser.add_argument("--queries", type=int, default=2100)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        size = round(asked.mb * 1e6)
        planted = make(Path(folder), size, asked.queries)
        before = processor_seconds()
        found = scan(planted.queries, planted.files, workers=asked.workers)
        ways = dict(zip((query.id for query in planted.queries), planted.ways, strict=True))
        hits = {hit.id: hit.category for hit in found.hits}
        counted = Counter((ways[one], str(category)) for one, category in hits.items())
        total = Counter(planted.ways)
        for way in WAYS:
            both, alone = counted[way, "input-and-label"], counted[way, "input-only"]
            print(f"{way:12} of {total[way]:5,}: input and label {both:5,}, input only {alone:5,}")
        used = processor_seconds() - before
        print(
            f"dcq, {asked.workers} processes: {asked.mb:,.0f} MB of text in {found.seconds:.1f} s, "
            f"{asked.mb / found.seconds:.1f} MB/s; {asked.mb / used:.1f} MB a processor second"
        )
        [lines] = [path for path in planted.files if path.suffix == ".jsonl"]
        here = lines.stat().st_size / 1e6
        before = processor_seconds()
        scan(planted.queries, [lines], workers=1)
        speed = f"{here / (processor_seconds() - before):.1f} MB a processor second"
        print(f"dcq, 1 process, jsonl: {here:,.0f} MB, {speed}")
        if importlib.util.find_spec("ahocorasick_rs"):
            before = processor_seconds()
            ids = peer(planted, lines)
            by_way = Counter(ways[one] for one in ids)
            speed = f"{here / (processor_seconds() - before):.1f} MB a processor second"
            print(f"ahocorasick-rs, 1 process, jsonl: {speed}, found {dict(by_way)}")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        print(f"most memory of one worker: {peak / 1e3:,.0f} MB")


if __name__ == "__main__":
    main()
