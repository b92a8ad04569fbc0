"""inspect_ai's ``eval`` on a file of prompts, timed.

``benchmarks.throughput`` runs it, if need be by another Python than ours: inspect_ai wants other
releases of some libraries.

    python inspect_peer.py PROMPTS.json BASE_URL
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

# inspect_ai lives in an environment of its own, so its types are not seen here.
try:
    import inspect_ai  # type: ignore[import-not-found]  # see above
    from inspect_ai import dataset, model, scorer, solver
except ImportError:
    sys.exit(3)

IN_FLIGHT = 64


def main() -> None:
    """Print the seconds as JSON."""
    prompts = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    config = model.GenerateConfig(max_connections=IN_FLIGHT, max_tokens=5, temperature=0)
    asked = model.get_model("openai/gpt-4", base_url=sys.argv[2], api_key="none", config=config)
    task = inspect_ai.Task(
        dataset=dataset.MemoryDataset(
            [dataset.Sample(input=prompt, target="D") for prompt in prompts]
        ),
        solver=solver.generate(),
        scorer=scorer.match(),
    )
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        [log] = inspect_ai.eval(
            task, model=asked, log_dir=folder, display="none", max_samples=IN_FLIGHT
        )
        seconds = time.perf_counter() - began
    assert log.status == "success", log.error
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
