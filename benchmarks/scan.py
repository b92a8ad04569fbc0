"""Scanning a planted corpus: found by the way of planting, and MB a second beside two Rust peers.

    python -m benchmarks.scan [--mb 200 2000] [--queries 2100] [--workers 2] [--decon PYTHON]

Every size is scanned whole (jsonl, parquet, WET), then its jsonl part by ours and by the peers,
with one process or thread and with all ``workers``. MB are of text; files of the corpus that are
packed are smaller. Peers: AI2's decon, which needs ``decontaminate`` in a Python of 3.12 or newer
that ``--decon`` names, and ahocorasick-rs with one thread (all queries at once in lower-cased text
without punctuation). One that is missing is left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import resource
import shlex
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from benchmarks import read_options
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
    matches: set[int] = set()
    with path.open(encoding="utf-8") as file:
        for line in file:
            text = f" {_normal(json.loads(line)['text'])} "
            matches.update(hit[0] for hit in automaton.find_matches_as_indexes(text))
    return {planted.queries[at].id for at in matches}


def _normal(text: str) -> str:
    return _OTHER.sub(" ", text.lower()).strip()


def decon(command: str, queries: Path, corpus: Path, threads: int) -> tuple[float, set[str]]:
    """Seconds that decon takes, and the ids that it finds."""
    words = [*shlex.split(command), str(Path(__file__).with_name("decon_peer.py"))]
    done = subprocess.run(
        [*words, str(queries), str(corpus), str(threads)], stdout=subprocess.PIPE, check=True
    )
    report = json.loads(done.stdout.splitlines()[-1])
    return report["seconds"], set(report["ids"])


def whole(planted: Planted, mb: float, workers: int) -> None:
    """Print what was found in a corpus by the way of planting, how fast, and in how much memory."""
    before = processor_seconds()
    result = scan(planted.queries, planted.files, workers=workers)
    used = processor_seconds() - before
    ways = dict(zip((query.id for query in planted.queries), planted.ways, strict=True))
    hits = {hit.id: hit.category for hit in result.hits}
    counted = Counter((ways[query_id], str(category)) for query_id, category in hits.items())
    total = Counter(planted.ways)
    for way in WAYS:
        label_hits, input_hits = counted[way, "input-and-label"], counted[way, "input-only"]
        print(
            f"{way:12} of {total[way]:5,}: input and label {label_hits:5,}, "
            f"input only {input_hits:5,}"
        )
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3
    print(
        f"dcq, {workers} processes, whole: {mb:,.0f} MB of text in {result.seconds:.1f} s, "
        f"{mb / result.seconds:.1f} MB/s, {mb / used:.1f} MB a processor second; "
        f"most memory of a process {peak:,.0f} MB"
    )


def beside_peers(planted: Planted, workers: int, command: str) -> None:
    """Print the speed on the jsonl part, ours and the peers', one after the other."""
    [lines] = [path for path in planted.files if path.suffix == ".jsonl"]
    queries = lines.with_name("queries.txt")
    queries.write_text(
        "".join(json.dumps(asdict(scan_query)) + "\n" for scan_query in planted.queries), "utf-8"
    )
    mb = lines.stat().st_size / 1e6
    ways = dict(zip((query.id for query in planted.queries), planted.ways, strict=True))
    print(f"jsonl part: {mb:,.0f} MB")

    def show(name: str, seconds: float, ids: set[str]) -> None:
        by_way = Counter(ways[query_id] for query_id in ids)
        counts = ", ".join(f"{way} {by_way[way]:,}" for way in WAYS)
        print(f"{name}: {mb / seconds:.1f} MB/s; found {counts}")

    for count in sorted({1, workers}):
        ours = scan(planted.queries, [lines], workers=count)
        show(f"dcq, {count} processes", ours.seconds, {hit.id for hit in ours.hits})
        if command:
            seconds, ids = decon(command, queries, lines, count)
            show(f"decon, {count} threads", seconds, ids)
            print(f"dcq is {seconds / ours.seconds:.1f} times as fast")
    if importlib.util.find_spec("ahocorasick_rs"):
        began = time.perf_counter()
        ids = peer(planted, lines)
        show("ahocorasick-rs, 1 thread", time.perf_counter() - began, ids)


def main() -> None:
    """Make a corpus of each size and measure."""
    parser = argparse.ArgumentParser(description="Speed and recall of overlap scan.")
    parser.add_argument("--mb", type=float, nargs="+", default=[200, 2000])
    parser.add_argument("--queries", type=int, default=2100)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--decon", default="", metavar="PYTHON")
    asked = read_options(parser, mb=[0.5], queries=21, workers=1)
    for mb in asked.mb:
        with tempfile.TemporaryDirectory() as folder:
            planted = make(Path(folder), round(mb * 1e6), asked.queries)
            whole(planted, mb, asked.workers)
            beside_peers(planted, asked.workers, asked.decon)


if __name__ == "__main__":
    main()
