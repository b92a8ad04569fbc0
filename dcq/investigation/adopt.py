"""Runs that become part of an investigation, so that what they cost from then on counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dcq.asking.chain import Chain
from dcq.asking.task import ChainStep
from dcq.models.endpoints import Endpoint
from dcq.store import Store, investigations
from dcq.store.investigations import Place


@dataclass(frozen=True)
class Adopter:
    """Takes runs into one investigation and its chain."""

    store: Store
    investigation: str
    chain: Chain

    def adopt(
        self,
        place: Place,
        run_id: str | None,
        endpoint: Endpoint,
        new_step: Callable[[], ChainStep],
    ) -> str:
        """Take the run of a step in, with what it has cost before; None plans ``new_step`` first.
        Returns its id."""
        if run_id is not None and run_id in self.chain.usd_before:
            return run_id
        before = 0.0 if run_id is None else self.chain.count_from_now(run_id, endpoint)
        run_id = run_id or self.chain.plan(new_step())
        investigations.add_run(self.store, self.investigation, place, run_id, before)
        return run_id
