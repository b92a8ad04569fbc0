"""The runs in which a model may be asked at the moment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from dcq.records import Mode
from dcq.store.connect import Store
from dcq.store.runs import Event

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
            """
            WITH meant AS (
                SELECT r.id, r.model, r.base_url, r.mode, r.made_at
                FROM own_run r LEFT JOIN frozen f ON f.id = r.subject
                WHERE r.method = ? AND (r.subject = ? OR f.sample_id = ?
                    OR f.sample_id = (SELECT sample_id FROM frozen WHERE id = ?))
                ORDER BY r.made_at DESC LIMIT ?)
            SELECT m.id, m.model, m.base_url, m.mode, arg_max(e.event, e.seq) AS event,
                arg_max(e.made_at, e.seq) AS event_at
            FROM meant m JOIN run_event e ON e.run_id = m.id
            GROUP BY ALL ORDER BY max(m.made_at) DESC""",
            [method, about, about, about, _MOST],
        ).fetchall()
    found = [OpenRun(*row) for row in rows]
    return [replace(run, mode=Mode(run.mode), event=Event(run.event)) for run in found]
