"""What people call completions: exact, near-exact or inexact. Rows are only added; the newest of an
annotator counts."""

from __future__ import annotations

from dcq.store.connect import Store, until_written, utc_now
from dcq.store.results import state as state_of_results


def add(store: Store, run_id: str, position: int, annotator: str, label: str) -> None:
    """Note what ``annotator`` calls the completion at ``position`` of a run's pieces; an empty
    ``label`` takes back what they said."""
    with store.write() as db:
        db.execute(
            "INSERT INTO match_label (run_id, position, annotator, label, made_at) "
            "VALUES (?,?,?,?,?)",
            [run_id, position, annotator, label, utc_now()],
        )


def of(store: Store, run_id: str) -> dict[str, dict[int, str]]:
    """What each annotator calls the completions of a run: annotator → position among the pieces →
    label; annotators by name."""
    with store.read() as db:
        rows = db.execute(
            "SELECT annotator, position, arg_max(label, seq) AS label FROM match_label "
            "WHERE run_id = ? GROUP BY ALL HAVING arg_max(label, seq) <> '' "
            "ORDER BY annotator, position",
            [run_id],
        ).fetchall()
    found: dict[str, dict[int, str]] = {}
    for annotator, position, label in rows:
        found.setdefault(annotator, {})[position] = label
    return found


@until_written
def state(store: Store) -> tuple[int, ...]:
    """Changes whenever something is written that the result of a replication rests on."""
    with store.read() as db:
        row = db.execute("SELECT coalesce(max(seq), 0) FROM match_label").fetchone()
    return (*state_of_results(store), *map(int, row or ()))
