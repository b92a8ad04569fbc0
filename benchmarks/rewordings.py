"""How long it takes to have a sample reworded, beside a bare loop that keeps nothing.

    python -m benchmarks.rewordings [--instances 200]

Both send the same requests to the same server on 127.0.0.1, which takes 50 ms a reply, with 16
calls in flight. Ours reads and checks each option (its meaning with the sentence model), writes it
down, and asks in a second round for the fourth variants.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2
import openai

from benchmarks import read_options
from benchmarks.material import fill
from benchmarks.throughput import serve
from dcq import settings
from dcq.asking.options import Options, Terms
from dcq.models.endpoints import resolve
from dcq.store import Store, samples
from dcq.variants import reword
from dcq.variants.prompts import PERTURB_V1, PERTURB_V1_OWN, perturbation_prompt

IN_FLIGHT = 16


async def run_openai(base_url: str, prompts: list[str]) -> float:
    """Seconds of a bare loop over the client library."""
    waiting = iter(prompts)
    async with openai.AsyncOpenAI(
        base_url=base_url,
        api_key="none",
        http_client=openai.DefaultAioHttpClient(timeout=httpx2.Timeout(60), trust_env=False),
    ) as client:

        async def take() -> None:
            for prompt in waiting:
                await client.chat.completions.create(
                    model="test", messages=[{"role": "user", "content": prompt}], max_tokens=4000
                )

        began = time.perf_counter()
        await asyncio.gather(*(take() for _ in range(IN_FLIGHT)))
        return time.perf_counter() - began


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=200)
    instances = read_options(parser, instances=4).instances
    with TemporaryDirectory() as name, serve() as base_url:
        store = Store(Path(name) / "dcq.duckdb")
        fill(store, items=instances)
        [listed_sample] = samples.listing(store)
        texts = [instance.text for instance in samples.load(store, listed_sample.id).instances]
        prompts = [perturbation_prompt(PERTURB_V1, text, 3) for text in texts]
        prompts += [perturbation_prompt(PERTURB_V1_OWN, text, 1) for text in texts]
        endpoint = resolve(f"test@{base_url}", settings.load())
        began = time.perf_counter()
        done = asyncio.run(
            reword.reword_sample(
                store, listed_sample.id, endpoint, options=Options(Terms(concurrency=IN_FLIGHT))
            )
        )
        ours = time.perf_counter() - began
        peer = asyncio.run(run_openai(base_url, prompts))
    assert done.failed == 0, done
    print(f"{instances:,} instances, {len(prompts):,} requests, {IN_FLIGHT} in flight")
    print(f"ours    {ours:6.2f} s, {done.variants:,} variants checked and written")
    print(f"openai  {peer:6.2f} s; ours takes {ours / peer:.2f} times that")


if __name__ == "__main__":
    main()
