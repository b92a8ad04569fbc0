"""AI2's decon on a planted corpus, as a program of its own: its package needs Python 3.12 or newer.

    python3.13 benchmarks/decon_peer.py QUERIES.jsonl CORPUS.jsonl THREADS

prints a line of JSON: ``seconds``, and the ``ids`` that were found. It reads jsonl; everything but
the number of threads and where things are stays as its authors set it.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import decon


def main(queries: Path, corpus: Path, threads: int) -> None:
    """Scan, with decon's own output left out."""
    with tempfile.TemporaryDirectory() as place:
        evals, training, reports = (Path(place) / name for name in ("evals", "training", "reports"))
        evals.mkdir()
        training.mkdir()
        (training / corpus.name).symlink_to(corpus.absolute())
        asked = [json.loads(line) for line in queries.read_text("utf-8").splitlines()]
        with (evals / "planted.jsonl").open("w", encoding="utf-8") as file:
            for number, query in enumerate(asked):
                record = {
                    "eval_key": "planted",
                    "eval_instance_index": number,
                    "split": "test",
                    "question": query["query"],
                    "answer": query["label"],
                    "passage": None,
                    "fingerprint": query["id"],
                    "is_correct": True,
                    "doc_id": number,
                }
                file.write(json.dumps(record) + "\n")
        config = decon.Config(
            training_dir=str(training),
            evals_dir=str(evals),
            report_output_dir=str(reports),
            worker_threads=threads,
        )
        began = time.perf_counter()
        with _quiet():
            decon.detect(config)
        seconds = time.perf_counter() - began
        lines = [
            json.loads(line)
            for report in reports.rglob("*.jsonl")
            for line in report.read_text("utf-8").splitlines()
        ]
    ids = sorted({asked[line["eval_instance_index"]]["id"] for line in lines})
    print(json.dumps({"seconds": seconds, "ids": ids}))


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Send what the Rust part prints to the null device."""
    saved_stdout, null = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    try:
        yield
    finally:
        os.dup2(saved_stdout, 1)
        os.close(saved_stdout)
        os.close(null)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
