"""What people find in a sample."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dcq.commands.output import AsJson, emit, kappa_text, open_store, percent, table


def people(
    sample: Annotated[str, typer.Argument(help="Id of the sample.")],
    as_json: AsJson = False,
) -> None:
    """Print how often people found the originals of a sample, beside the models asked about it."""
    from dcq.quiz import people as report  # pandas takes its time

    summary = report.document(open_store(), sample)
    if not summary["sittings"]:
        emit(
            summary,
            as_json,
            f"Nobody has taken the quiz of sample {summary['sample']} yet; people take it on the "
            "page Take the quiz of the app.",
        )
        return
    rows = [_row("all people, pooled", summary)]
    rows += [
        _row(entry["person"] if entry["counted"] else f"{entry['person']} (not counted)", entry)
        for entry in summary["sittings"]
    ]
    rows += [_row(f"{entry['model']}, {entry['kind']}", entry) for entry in summary["models"]]
    emit(summary, as_json, table(["who", "n#", "right#", "score#", "κ_fixed"], rows))
    if not as_json:
        for entry in summary["sittings"]:
            if entry["why"]:
                emit(None, False, f"Not counted: {entry['person']} {entry['why']}.")


def _row(who: str, figures: dict[str, Any]) -> list[object]:
    kappa = kappa_text(figures["kappa_fixed"], figures["kappa_low"], figures["kappa_high"])
    return [who, figures["n"], figures["correct"], percent(figures["score"]), kappa]
