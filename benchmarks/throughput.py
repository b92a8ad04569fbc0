"""Calls a second of a run, beside its peers, in one run on one machine.

    python -m benchmarks.throughput [--calls 2000] [--rounds 3] [--inspect PYTHON]

Each contender answers the same questions against the same server on 127.0.0.1, which takes 50 ms a
reply, with 64 calls in flight, in a process of its own:

- ours: the worker with its store, from reading the plan to the last answer stored;
- openai: a bare loop over the same client library and transport, nothing kept;
- inspect: inspect_ai's ``eval`` on the same prompts (``requirements-bench.txt``);
- aiohttp: a bare loop over the HTTP library, the limit.

Each has made its client before its clock starts. The rounds alternate and the best of each
contender counts: on a shared machine the slower ones measure the neighbours.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp
import httpx2
import openai

from benchmarks import read_options
from benchmarks.material import fill
from dcq import settings
from dcq.asking import prepare
from dcq.asking.calls import asking
from dcq.asking.ledger import open_ledger
from dcq.asking.options import Terms
from dcq.asking.session import Session
from dcq.asking.worker import work
from dcq.models.endpoints import resolve
from dcq.models.hooks import Hooks
from dcq.models.pacing.pace import Pace
from dcq.quiz.method import QUIZ
from dcq.store import Store, quizzes, results, runs
from dcq.store.runs import Event
from tests.support.asked import prompt_of, reopen

IN_FLIGHT = 64
HERE = Path(__file__).parent
TARGETS = {"openai": 0.9, "inspect": 7.0, "aiohttp": 0.55}  # ours divided by the peer's
MOST_MEGABYTES = 400


async def run_ours(folder: Path, base_url: str) -> dict[str, Any]:
    """The worker on a planned run of the whole quiz."""
    store = Store(folder / "dcq.duckdb")
    [quiz_id] = quizzes.listing(store)["quiz"]
    endpoint = resolve(f"test@{base_url}", settings.load())
    run_id = prepare.plan_run(store, QUIZ, quiz_id, endpoint, Terms(concurrency=IN_FLIGHT))
    plan = runs.load(store, run_id).plan
    with open_ledger(store, run_id, plan) as ledger:
        async with asking(
            endpoint,
            temperature=plan.temperature,
            max_tokens=plan.max_tokens,
            hooks=Hooks(Pace(plan.concurrency or IN_FLIGHT), ledger.check, ledger.count_call),
        ) as ask:
            began = time.perf_counter()
            ended = await work(Session(store, run_id, reopen(store, run_id), ask, ledger))
            seconds = time.perf_counter() - began
    assert ended.event is Event.FINISHED, ended.detail
    return {"seconds": seconds, "stored": len(results.positions(store, run_id, answer="D"))}


async def run_openai(folder: Path, base_url: str) -> dict[str, Any]:
    """A bare loop over the client library, with the transport that we use."""
    async with openai.AsyncOpenAI(
        base_url=base_url,
        api_key="none",
        http_client=openai.DefaultAioHttpClient(timeout=httpx2.Timeout(60), trust_env=False),
    ) as client:

        async def ask(prompt: str) -> None:
            reply = await client.chat.completions.create(
                model="test",
                messages=[{"role": "user", "content": prompt}],
                max_tokens=5,
                temperature=0,
            )
            assert reply.choices[0].message.content == "D"

        return {"seconds": await _loop(folder, ask)}


async def run_aiohttp(folder: Path, base_url: str) -> dict[str, Any]:
    """A bare loop over the HTTP library."""
    connector = aiohttp.TCPConnector(limit=IN_FLIGHT)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def ask(prompt: str) -> None:
            body = {
                "model": "test",
                "messages": [{"role": "user", "content": prompt}],
                "max_tokens": 5,
                "temperature": 0,
            }
            async with session.post(f"{base_url}/chat/completions", json=body) as reply:
                document = await reply.json()
            assert document["choices"][0]["message"]["content"] == "D"

        return {"seconds": await _loop(folder, ask)}


async def _loop(folder: Path, ask: Callable[[str], Awaitable[None]]) -> float:
    """Seconds for all prompts, so many at a time."""
    prompts = iter(json.loads((folder / "prompts.json").read_text("utf-8")))

    async def take() -> None:
        for prompt in prompts:
            await ask(prompt)

    began = time.perf_counter()
    await asyncio.gather(*(take() for _ in range(IN_FLIGHT)))
    return time.perf_counter() - began


CONTENDERS = {"ours": run_ours, "openai": run_openai, "aiohttp": run_aiohttp}


@contextmanager
def serve() -> Iterator[str]:
    """The server in a process of its own; gives its base URL."""
    with subprocess.Popen(
        [sys.executable, HERE / "slow_server.py"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.terminate()


def time_contender(name: str, folder: Path, base_url: str, python: str) -> dict[str, Any] | None:
    """What a contender's process reports; None where it is not installed."""
    here = python == sys.executable
    if name == "inspect" and here and importlib.util.find_spec("inspect_ai") is None:
        return None
    command = (
        [python, str(HERE / "inspect_peer.py"), str(folder / "prompts.json"), base_url]
        if name == "inspect"
        else [sys.executable, "-m", "benchmarks.throughput", "--only", name, str(folder), base_url]
    )
    done = subprocess.run(
        command, env=os.environ | {"OPENAI_API_KEY": "none"}, stdout=subprocess.PIPE, check=False
    )
    if done.returncode:
        return None
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report


def compare(calls: int, rounds: int, python: str) -> bool:
    """Print a line for each contender; True if every target is met."""
    best: dict[str, dict[str, Any]] = {}
    with TemporaryDirectory() as name, serve() as base_url:
        folder = Path(name)
        store = Store(folder / "dcq.duckdb")
        quiz_id = fill(store, items=calls)
        quiz = quizzes.load(store, quiz_id)
        endpoint = resolve(f"test@{base_url}", settings.load())
        # In a store of its own: whoever asks what is planned already would be told so.
        beside = Store(folder / "planned.duckdb")
        run = prepare.plan_run(beside, QUIZ, fill(beside, items=calls), endpoint)
        plan = runs.load(beside, run).plan
        prompts = [prompt_of(plan, item) for item in quiz.items]
        (folder / "prompts.json").write_text(json.dumps(prompts), "utf-8")
        for turn in range(rounds):
            for contender in ("ours", "openai", "aiohttp", "inspect"):
                if contender == "inspect" and turn:
                    continue  # far from its target either way, and slow
                report = time_contender(contender, folder, base_url, python)
                if report and report["seconds"] < best.get(contender, report)["seconds"] + 1e-9:
                    best[contender] = report
    ours = best["ours"]
    met: bool = ours["stored"] == calls and ours["megabytes"] < MOST_MEGABYTES
    print(f"{calls:,} calls, {IN_FLIGHT} in flight, 50 ms a reply, best of {rounds}")
    print(
        f"ours     {calls / ours['seconds']:7.0f} calls/s   {ours['megabytes']:.0f} MB at most, "
        f"{ours['stored']:,} answers stored"
    )
    for contender, target in TARGETS.items():
        if contender not in best:
            print(f"{contender:8} not measured: see requirements-bench.txt")
            continue
        ratio = best[contender]["seconds"] / ours["seconds"]
        met = met and ratio >= target
        print(
            f"{contender:8} {calls / best[contender]['seconds']:7.0f} calls/s   "
            f"ours is {ratio:.2f} times that (target {target:g})"
        )
    return met


def _peak_megabytes() -> float:
    """The most memory that this process has held. (What ``getrusage`` tells is no less than what
    the parent held when it started us.)"""
    [line] = [
        line
        for line in Path("/proc/self/status").read_text("ascii").splitlines()
        if line.startswith("VmHWM:")
    ]
    return int(line.split()[1]) / 1024


def main() -> None:
    """Compare, or be one contender."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--inspect", default=sys.executable, help="a Python that has inspect_ai installed"
    )
    parser.add_argument("--only", nargs=3, help=argparse.SUPPRESS)
    arguments = read_options(parser, calls=20, rounds=1)
    if not arguments.only:
        met = compare(arguments.calls, arguments.rounds, arguments.inspect)
        sys.exit(0 if met or arguments.quick else 1)
    name, folder, base_url = arguments.only
    report = asyncio.run(CONTENDERS[name](Path(folder), base_url))
    report["megabytes"] = _peak_megabytes()
    print(json.dumps(report))


if __name__ == "__main__":
    main()
