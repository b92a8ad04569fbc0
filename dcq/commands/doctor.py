"""This machine: what is installed, reachable and set."""

from __future__ import annotations

from dcq.commands.output import AsJson, emit, open_store, table
from dcq.documents import doctor as examine


def doctor(as_json: AsJson = False) -> None:
    """Check what is installed, reachable and set; never prints a key's value."""
    found = examine.examine(open_store())
    emit(
        [{"check": c.name, "ok": c.ok, "detail": c.detail} for c in found],
        as_json,
        table(["check", "", "detail"], [[c.name, "ok" if c.ok else "–", c.detail] for c in found]),
    )
