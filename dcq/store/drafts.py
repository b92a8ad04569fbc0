"""Texts that a person has typed and not yet saved: one a slot and person, gone once it is saved."""

from __future__ import annotations

from dcq.store.connect import Store, utc_now


def keep(store: Store, sample_id: str, instance_id: str, slot: int, author: str, text: str) -> None:
    """Keep what ``author`` has typed for a slot, in place of what they typed there before."""
    with store.write() as db:
        db.execute(
            "INSERT OR REPLACE INTO draft VALUES (?, ?, ?, ?, ?, ?)",
            [sample_id, instance_id, slot, author, text, utc_now()],
        )


def drop(store: Store, sample_id: str, instance_id: str, slot: int, author: str) -> None:
    """Forget what ``author`` has typed for a slot, if anything."""
    with store.write() as db:
        db.execute(
            "DELETE FROM draft WHERE sample_id = ? AND instance_id = ? AND slot = ? AND author = ?",
            [sample_id, instance_id, slot, author],
        )


def of(store: Store, sample_id: str, instance_id: str, author: str) -> dict[int, str]:
    """What ``author`` has typed for an instance and not saved: slot → text."""
    with store.read() as db:
        rows = db.execute(
            "SELECT slot, text FROM draft WHERE sample_id = ? AND instance_id = ? AND author = ?",
            [sample_id, instance_id, author],
        ).fetchall()
    return dict(rows)


def of_sample(store: Store, sample_id: str, author: str) -> dict[str, dict[int, str]]:
    """As ``of`` for all instances of a sample that have a draft: instance id → slot → text."""
    with store.read() as db:
        rows = db.execute(
            "SELECT instance_id, slot, text FROM draft WHERE sample_id = ? AND author = ? "
            "ORDER BY slot",
            [sample_id, author],
        ).fetchall()
    found: dict[str, dict[int, str]] = {}
    for instance_id, slot, text in rows:
        found.setdefault(instance_id, {})[slot] = text
    return found
