"""The samples, quizzes and runs in the store."""

from __future__ import annotations

from dcq.commands.output import AsJson, emit, open_store, percent, table
from dcq.jobs.state import State, state_of
from dcq.store.overview import Row, overview
from dcq.store.runs import Event


def status(as_json: AsJson = False) -> None:
    """Show samples, quizzes and the newest runs, with those in progress first."""
    store = open_store()
    found = overview(store)
    listed = [
        {
            "run": row["run"],
            "model": row["model"],
            "partition": row["partition"],
            "kind": row["kind"],
            "mode": row["mode"],
            "state": state_of(store, row["run"], Event(row["event"]), row["event_at"]).value,
            "done": row["done"],
            "items": row["items"],
            "errors": row["errors"],
            "detail": row["detail"],
        }
        for row in found.runs
    ]
    listed.sort(key=lambda run: not State(run["state"]).live)
    if as_json:
        emit({"runs": listed, "quizzes": found.quizzes, "samples": found.samples}, True, "")
        return
    shown = [
        row
        | {"done": f"{row['done']}/{row['items']}", "share": percent(row["done"] / row["items"])}
        for row in listed
    ]
    columns = ["run", "model", "partition", "kind", "mode", "state", "done", "share", "detail"]
    _show("Samples", found.samples)
    _show("Quizzes", found.quizzes)
    _show("Runs", shown, columns)


def _show(title: str, rows: list[Row], columns: list[str] | None = None) -> None:
    emit(None, False, f"{title}: {len(rows) or 'none yet'}")
    if rows:
        names = columns or list(rows[0])
        emit(None, False, table(names, [[row[name] for name in names] for row in rows]))
