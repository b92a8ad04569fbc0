"""The samples, quizzes and runs in the store; what is installed and reachable, and which settings
are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from dcq.commands.output import AsJson, emit, open_store, percent, table
from dcq.jobs.state import state_of
from dcq.store.overview import overview


def status(as_json: AsJson = False) -> None:
    """Show samples, quizzes and the newest runs, with those in progress first."""
    store = open_store()
    summary = overview(store)
    quizzes, samples = (
        [asdict(quiz) for quiz in summary.quizzes],
        [asdict(s) for s in summary.samples],
    )
    states = [(run, state_of(store, run.run, run.event, run.event_at)) for run in summary.runs]
    states.sort(key=lambda pair: not pair[1].live)
    if as_json:
        run_documents = [
            {
                "run": run.run,
                "method": run.method,
                "model": run.model,
                "partition": run.partition,
                "kind": run.kind,
                "mode": run.mode,
                "state": state.value,
                "done": run.done,
                "items": run.items,
                "errors": run.errors,
                "detail": run.detail,
            }
            for run, state in states
        ]
        emit({"runs": run_documents, "quizzes": quizzes, "samples": samples}, True, "")
        return
    runs = [
        {
            "run": run.run,
            "model": run.model,
            "partition": run.partition,
            "kind": run.kind or run.method,
            "mode": run.mode,
            "state": state.value,
            "done": f"{run.done}/{run.items}",
            "share": percent(run.done / run.items),
            "detail": run.detail,
        }
        for run, state in states
    ]
    _print_table("Samples", samples)
    _print_table("Quizzes", quizzes)
    _print_table("Runs", runs)


def _print_table(title: str, rows: Sequence[Mapping[str, object]]) -> None:
    emit(None, False, f"{title}: {len(rows) or 'none yet'}")
    if rows:
        columns = list(rows[0])
        emit(None, False, table(columns, [[row[name] for name in columns] for row in rows]))


def doctor(as_json: AsJson = False) -> None:
    """Check what is installed, reachable and set; never prints a key's value."""
    from dcq.documents import doctor as doctor_document  # here: the list of runs asks no model

    checks = doctor_document.examine(open_store())
    emit(
        [{"check": c.name, "ok": c.ok, "detail": c.detail} for c in checks],
        as_json,
        table(["check", "", "detail"], [[c.name, "ok" if c.ok else "–", c.detail] for c in checks]),
    )
