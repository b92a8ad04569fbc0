"""A study's file from Python."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dcq.api.waiting import wait_for
from dcq.asking.options import Watch
from dcq.environment import store_path
from dcq.errors import DcqError
from dcq.models.leave import check_addresses, read_allowed
from dcq.store import Store
from dcq.study import engine, running
from dcq.study.exports import write_exports
from dcq.study.file import read_study
from dcq.study.repairs import with_repairs


def run_study(
    path: str | Path,
    *,
    store: Store | None = None,
    budget: float | None = None,
    retry: bool = False,
    outside: bool = False,
    allow_hosts: Sequence[str] = (),
) -> dict[str, Any]:
    """Bring about what the file at ``path`` says, as ``python -m dcq study run`` does; returns when
    it is concluded. Run again, it goes on, and asks nothing that was asked.

    ``store`` is that of the settings if it is left out. ``budget`` (USD) is the most that is spent,
    whatever more the file allows; ``retry`` asks again for rewordings that failed before;
    ``outside`` lets paths in the file leave its folder; ``allow_hosts`` may be asked, with your
    key, where a model in the file has an address.

    Returns what ``study run --json`` prints: ``study``, ``answers``, ``versions``, ``calls``,
    ``cost_usd`` and ``waiting`` (rewordings that people must accept before anything is asked).

    Raises:
        InputError: the file is no study, names a host that is not allowed, or no conclusion is
            possible.
        DcqError: some of it did not finish, for the reasons given; what was answered is kept, and
            the same call goes on.

    """
    allowed = read_allowed(allow_hosts)
    spec = read_study(Path(path), outside=outside)
    check_addresses([*(model.name for model in spec.models), spec.rewordings.model], allowed)
    budgets = [each for each in (spec.budget, budget) if each is not None]
    opened = Store(store_path()) if store is None else store
    planned = running.plan_study(
        opened, replace(spec, budget=min(budgets, default=None)), retry=retry
    )
    if planned.plan.calls:
        engine.check_possible(planned.plan)
    cancelled = asyncio.Event()
    done = wait_for(running.run(opened, planned, Watch(cancelled)), cancelled)
    if done.stopped:
        raise DcqError(" ".join(done.stopped))
    if done.is_asked:
        write_exports(opened, spec)
    return done.document() | {"answers": with_repairs(opened, done.state.answers)}
