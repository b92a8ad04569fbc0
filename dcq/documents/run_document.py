"""The outcome of runs, with the keys documented for the command line."""

from __future__ import annotations

from typing import Any

from dcq.asking.cost import Cost
from dcq.quiz import results
from dcq.records import Outcome
from dcq.store import Store, run_progress
from dcq.store.run_progress import RunProgress
from dcq.variants.reword import Written


def run_document(store: Store, run_id: str) -> dict[str, Any]:
    """Outcomes, originals found, tokens and cost of one run, finished or not; None is what does not
    apply."""
    [run] = run_progress.progress(store, [run_id])
    run_results = [r for r in results.table(store, every_run=True) if r.run == run_id]
    return {
        "run": run_id,
        "quiz": run.subject,
        "model": run.model,
        "outcomes": dict(run_results[0].outcomes) if run_results else {str(o): 0 for o in Outcome},
        "correct": run_results[0].correct if run_results else 0,
        "n": run_results[0].n if run_results else 0,
        **_usage(run),
    }


def rewording_document(store: Store, written: Written) -> dict[str, Any]:
    """The outcome of rewording a sample; ``run`` and its cost are None where nothing had to be
    written."""
    asked = run_progress.progress(store, [written.run]) if written.run else []
    return {
        "sample": written.sample,
        "instances": written.instances,
        "variants": written.variants,
        "failed": written.failed,
        "run": written.run,
        **(_usage(asked[0]) if asked else dict.fromkeys(_USAGE)),
    }


_USAGE = ("tokens_in", "tokens_out", "cost_usd", "cost_is_exact")


def usage(store: Store, run_id: str) -> dict[str, Any]:
    """Tokens and cost of one run."""
    [run] = run_progress.progress(store, [run_id])
    return _usage(run)


def _usage(run: RunProgress) -> dict[str, Any]:
    cost = Cost.of(run)
    values = (run.tokens_in, run.tokens_out, cost and cost.most, cost is not None and cost.exact)
    return dict(zip(_USAGE, values, strict=True))
