"""What a run came to, with the keys that the command line promises."""

from __future__ import annotations

from typing import Any

from dcq.quiz import results
from dcq.records import Outcome
from dcq.report.cost import Cost
from dcq.store import Store, run_progress


def run_document(store: Store, run_id: str) -> dict[str, Any]:
    """Outcomes, the original found, tokens and cost of one run, finished or not; None is what does
    not apply."""
    [run] = run_progress.progress(store, [run_id])
    found = [r for r in results.table(store, every_run=True) if r.run == run_id]
    cost = Cost.of(run)
    return {
        "run": run_id,
        "quiz": run.quiz,
        "model": run.model,
        "outcomes": dict(found[0].outcomes) if found else {str(o): 0 for o in Outcome},
        "correct": found[0].correct if found else 0,
        "n": found[0].n if found else 0,
        "tokens_in": run.tokens_in,
        "tokens_out": run.tokens_out,
        "cost_usd": cost and cost.most,
        "cost_is_exact": cost is not None and cost.exact,
    }
