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

    found = report.document(open_store(), sample)
    if not found["sittings"]:
        emit(
            found,
            as_json,
            f"Nobody has taken the quiz of sample {found['sample']} yet; people take it on the "
            "page Take the quiz of the app.",
        )
        return
    rows = [_row("all people, pooled", found)]
    rows += [
        _row(one["person"] if one["counted"] else f"{one['person']} (not counted)", one)
        for one in found["sittings"]
    ]
    rows += [_row(f"{one['model']}, {one['kind']}", one) for one in found["models"]]
    emit(found, as_json, table(["who", "n#", "right#", "score#", "κ_fixed"], rows))
    if not as_json:
        for one in found["sittings"]:
            if one["why"]:
                emit(None, False, f"Not counted: {one['person']} {one['why']}.")


def _row(who: str, figures: dict[str, Any]) -> list[object]:
    kappa = kappa_text(figures["kappa_fixed"], figures["kappa_low"], figures["kappa_high"])
    return [who, figures["n"], figures["correct"], percent(figures["score"]), kappa]
