"""The runs in which a model may be asked at the moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dcq.records import Mode
from dcq.store.connect import Store
from dcq.store.rows import records
from dcq.store.runs import Event, events_now

_MOST = 200  # the newest; of one subject there are a few


@dataclass(frozen=True)
class OpenRun:
    """A run of a model at ``base_url``, and its newest event (UTC)."""

    id: str
    model: str
    base_url: str
    mode: Mode
    event: Event
    event_at: datetime


def find(store: Store, method: str, about: str) -> list[OpenRun]:
    """This store's own runs of a method about a subject, newest first, ended or not. Requests that
    are frozen for each run are named by their sample, or by any of those that were frozen."""
    with store.read() as db:
        rows = db.execute(
            f"""
            WITH meant AS (
                SELECT r.* FROM own_run r LEFT JOIN frozen f ON f.id = r.subject
                WHERE r.method = ? AND (r.subject = ? OR f.sample_id = ?
                    OR f.sample_id = (SELECT sample_id FROM frozen WHERE id = ?))
                ORDER BY r.made_at DESC LIMIT ?)
            SELECT m.id, m.model, m.base_url, m.mode, e.event, e.made_at AS event_at FROM meant m
            JOIN {events_now("SELECT id FROM meant")} e
                ON e.run_id = m.id ORDER BY m.made_at DESC""",  # noqa: S608  (our own words)
            [method, about, about, about, _MOST],
        )
        return records(rows, OpenRun)
