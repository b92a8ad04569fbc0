"""A study of many benchmarks and models: what it takes beside a bare loop over the same calls.

    python -m benchmarks.study_scale [--targets 50] [--models 12] [--instances 40] [--keep FOLDER]

Each target is a csv of questions about people of its own, asked by the rotated quiz with ten small
controls; one model rewords all of it. The server is local and answers after 5 ms, each request of a
quiz with one of the four letters. Reported are: the requests that reached the server, seconds of
``study run`` and of a bare aiohttp loop with as many calls, processor time and the most memory of
the process; then a second run, which asks nothing, and what reading the conclusions takes.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import os
import random
import resource
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp

from benchmarks import read_options
from benchmarks.study_server import KINDS

IN_FLIGHT = 32
_SYLLABLES = ("bra", "col", "den", "fir", "gul", "hes", "kor", "lim", "mar", "nor", "pel", "sut")


def write_targets(folder: Path, targets: int, instances: int) -> list[Path]:
    """A csv for each target, about people that no other one has."""
    draw = random.Random(0)
    files = []
    for number in range(targets):
        path = folder / f"target{number:02}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            rows = [_question(draw) for _ in range(instances)]
            csv.writer(file).writerows([["question", "answer"], *rows])
        files.append(path)
    return files


def _question(draw: random.Random) -> tuple[str, str]:
    colour, worker, did, things, season, place = map(draw.choice, KINDS)
    who, where = ("".join(draw.choices(_SYLLABLES, k=4)).capitalize() for _ in range(2))
    return (
        f"Who told the {worker} of {where} that in {season} somebody had {did} all of the {colour} "
        f"{things} that stood behind the {place} ?",
        who,
    )


def write_study(folder: Path, files: list[Path], models: int, base_url: str) -> Path:
    """The study's file."""
    parts = ['[study]\nname = "scale"\n']
    parts += [
        f'[[target]]\ndataset = "{file.stem}"\nfile = "{file.name}"\ntext = "question"\n'
        'label = "answer"\n'
        for file in files
    ]
    parts += [
        f'[rewordings]\nmodel = "writer@{base_url}"\n',
        '[controls]\nfrom = "bundled"\ncount = 10\n',
    ]
    parts += [f'[[model]]\nname = "model{number:02}@{base_url}"\n' for number in range(models)]
    parts += ['[methods]\nquiz = 1.0\nkind = "rotated"\n']
    path = folder / "study.toml"
    path.write_text("\n".join(parts), "utf-8")
    return path


@contextmanager
def serve() -> Iterator[str]:
    """The server in a process of its own; gives its base URL."""
    command = [sys.executable, "-m", "benchmarks.study_server"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.terminate()


def count_requests(base_url: str) -> int:
    """How many requests the server has had."""
    with urllib.request.urlopen(base_url, timeout=10) as reply:  # noqa: S310  # our own server
        return int(reply.read())


def measure(name: str, words: list[str], store: Path) -> float:
    """Run a command and print what it took; returns its seconds on the clock."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    variables = os.environ | {"DCQ_STORE": str(store), "OPENAI_API_KEY": "none"}
    done = subprocess.run(
        [sys.executable, "-m", "dcq", *words],
        env=variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"{name:32} {seconds:7.1f} s on the clock, {processor:7.1f} s of processor, "
        f"{after.ru_maxrss / 1024:5.0f} MB at most so far",
        flush=True,
    )
    if done.returncode:
        print(f"  ended with {done.returncode}: {done.stderr[-500:]}", flush=True)
    return seconds


async def bare_loop(base_url: str, calls: int) -> float:
    """Seconds of a bare aiohttp loop with as many calls."""
    numbers = iter(range(calls))
    connector = aiohttp.TCPConnector(limit=IN_FLIGHT)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def take() -> None:
            for number in numbers:
                body = {
                    "model": "test",
                    "messages": [{"role": "user", "content": f"{number} " + "question " * 150}],
                    "max_tokens": 5,
                    "temperature": 0,
                }
                async with session.post(f"{base_url}/chat/completions", json=body) as reply:
                    await reply.json()

        began = time.perf_counter()
        await asyncio.gather(*(take() for _ in range(IN_FLIGHT)))
        return time.perf_counter() - began


def compare(folder: Path, targets: int, models: int, instances: int) -> None:
    """Print what each step takes."""
    store = folder / "dcq.duckdb"
    with serve() as base_url:
        study = write_study(folder, write_targets(folder, targets, instances), models, base_url)
        first = f"model00@{base_url}"
        seconds = measure("study run", ["study", "run", str(study), "--yes"], store)
        calls = count_requests(base_url)
        bare = asyncio.run(bare_loop(base_url, calls))
        print(f"{calls:,} requests; bare loop {bare:.1f} s, ours {seconds / bare:.2f} times that")
        before = count_requests(base_url)
        measure("study run, again", ["study", "run", str(study), "--yes"], store)
        print(f"{count_requests(base_url) - before:,} requests")
    measure("study check", ["study", "check", str(study)], store)
    for words in (["answer"], ["answer", "--model", first], ["results"], ["status"]):
        measure(f"dcq {words[0]}{' --model X' if words[1:] else ''}", words, store)
    print(f"the store has {store.stat().st_size / 2**20:.0f} MB")


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--targets", type=int, default=50)
    parser.add_argument("--models", type=int, default=12)
    parser.add_argument("--instances", type=int, default=40)
    parser.add_argument("--keep", type=Path, help="a folder where all of it stays")
    arguments = read_options(parser, targets=2, models=2, instances=12)
    with TemporaryDirectory() as name:
        folder = arguments.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        compare(folder, arguments.targets, arguments.models, arguments.instances)


if __name__ == "__main__":
    main()
