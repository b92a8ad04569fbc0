"""A figure of results, for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dcq.errors import InputError
from dcq.quiz.build import WITHOUT_ORIGINAL

if TYPE_CHECKING:
    import plotly.graph_objects as go


def plot_results(results: pd.DataFrame) -> go.Figure:
    """A plotly figure of ``read_results``, or of some of its rows: κ of each model on each
    partition, with its 95 % interval, n and verdict. Replications and quizzes without an original
    have no κ and are left out.

    Raises:
        InputError: there is no row to draw, or a column is missing.

    """
    from dcq import charts  # here, because it takes half a second more

    if results.empty:
        raise InputError("There is no result to draw; ask a model with run_quiz.")
    for column in _DRAWN:
        if column not in results.columns:
            raise InputError(f"The table has no column {column!r}; give what read_results returns.")
    rows = results[results["kind"].notna() & ~results["kind"].isin(WITHOUT_ORIGINAL)]
    if rows.empty:
        raise InputError(
            "Replications and quizzes without an original have no κ to draw; ask one that has it."
        )
    # Several quizzes of one model on one partition are told apart.
    several = rows.duplicated(["model", "partition"], keep=False)
    places = rows["slot"].map(lambda slot: f" at {slot}" if isinstance(slot, str) else "")
    unfinished = rows["n"].map("{:,}, unfinished".format)
    return charts.kappa_forest(
        rows.assign(
            model=rows["model"].where(~several, rows["model"] + " · " + rows["kind"] + places),
            progress=unfinished.where(~rows["finished"].astype(bool), ""),
            kappa=rows["kappa_fixed"],  # protocol v2's own stands in a column of that name
            low=rows["kappa_low"],
            high=rows["kappa_high"],
        )
    )


_DRAWN = (
    *("model", "partition", "role", "kind", "slot", "n", "finished"),
    *("kappa_fixed", "kappa_low", "kappa_high", "verdict"),
)
