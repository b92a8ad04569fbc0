"""What is there and what is going on: samples, quizzes, runs, and this machine."""

from __future__ import annotations

from dcq.commands.output import AsJson, emit, percent, store, table
from dcq.runs import doctor as examine
from dcq.runs import launch
from dcq.store import quizzes, run_progress, runs, samples
from dcq.store.runs import Event


def status(as_json: AsJson = False) -> None:
    """Show samples, quizzes and the newest runs, with those in progress first."""
    shelf = store()
    progress = run_progress.progress(shelf, runs.listing(shelf))
    listed = [
        {
            "run": row["run"],
            "model": row["model"],
            "partition": row["partition"],
            "kind": row["kind"],
            "mode": row["mode"],
            "state": launch.state(shelf, row["run"], Event(row["event"]), row["event_at"]).value,
            "done": int(row["done"]),
            "items": int(row["items"]),
            "errors": int(row["errors"]),
            "detail": row["detail"],
        }
        for row in progress.to_dict("records")
    ]
    listed.sort(key=lambda told: not launch.State(told["state"]).live)
    kept_samples = samples.listing(shelf)[["sample", "partition", "n", "with_variants"]]
    kept_quizzes = quizzes.listing(shelf)[["quiz", "sample", "partition", "kind", "items"]]
    document = {
        "runs": listed,
        "quizzes": kept_quizzes.to_dict("records"),
        "samples": kept_samples.to_dict("records"),
    }
    if as_json:
        emit(document, True, "")
        return
    for title, frame_columns, rows in (
        ("Samples", list(kept_samples.columns), kept_samples.to_numpy().tolist()),
        ("Quizzes", list(kept_quizzes.columns), kept_quizzes.to_numpy().tolist()),
        (
            "Runs",
            ["run", "model", "partition", "kind", "mode", "state", "done", "share", "detail"],
            [
                [
                    r["run"],
                    r["model"],
                    r["partition"],
                    r["kind"],
                    r["mode"],
                    r["state"],
                    f"{r['done']}/{r['items']}",
                    percent(r["done"] / r["items"]),
                    r["detail"],
                ]
                for r in listed
            ],
        ),
    ):
        emit(None, False, f"{title}: {'none yet' if not rows else len(rows)}")
        if rows:
            emit(None, False, table(frame_columns, rows))


def doctor(as_json: AsJson = False) -> None:
    """Say what is installed, reachable and set; never a key's value."""
    found = examine.examine(store())
    emit(
        [{"check": c.name, "ok": c.ok, "detail": c.detail} for c in found],
        as_json,
        table(["check", "", "detail"], [[c.name, "ok" if c.ok else "–", c.detail] for c in found]),
    )
