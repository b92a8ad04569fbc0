"""The state of one run while its questions are asked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from dcq.asking.ledger import Ledger
from dcq.asking.options import NOBODY, Watch
from dcq.asking.task import OnStored, Stages, Task
from dcq.jobs.journal import Journal
from dcq.records import Answer, Ask
from dcq.store import Store


def _leave(answers: Collection[Answer] | None) -> None:
    """Nothing more is made of the answers."""


@dataclass(frozen=True)
class Session:
    """What it takes to ask the ``run`` with this id: ``task`` has its requests; ``ask`` sends one
    prompt and raises an EndpointError when it got no reply; ``ledger`` has what the run has taken,
    None for one that is not kept in a file; ``journal`` is its log; ``watch`` is told. With
    ``stages`` it is asked part by part. ``on_stored`` gets the answers that were just stored, in a
    thread."""

    store: Store
    run: str
    task: Task
    ask: Ask
    ledger: Ledger | None = None
    journal: Journal | None = None
    watch: Watch = NOBODY
    stages: Stages | None = None
    on_stored: OnStored = _leave
