"""The result of a run of likelihoods: the verdict, the panel of measures, and one instance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dcq import charts
from dcq.documents import likelihood_document as document
from dcq.documents.likelihood_document import Measured
from dcq.evidence.auroc import auroc
from dcq.evidence.check import Topic
from dcq.judging.judged import JudgedResult
from dcq.likelihood.detection import panel_of
from dcq.records import PartitionRole
from dcq.store import Store
from dcq.ui import downloads, glossary, judged_table, notice, other_methods
from dcq.ui.likelihood import instance
from dcq.words import interval_words, model_titles, two_decimals

RUN = "likelihood_run"
_ELSEWHERE = {"95 % interval", "First on unseen text"}  # columns


def choose(results: Sequence[JudgedResult]) -> JudgedResult:
    """A picker over all results, the strongest first; the address remembers it."""
    models = model_titles(result.evidence.model for result in results)
    return other_methods.choose(
        results,
        lambda result: f"{models[result.evidence.model]} · {result.evidence.place}",
        key=RUN,
    )


def show(
    store: Store,
    result: JudgedResult,
    fixes: Mapping[Topic, Callable[[], None]],
) -> None:
    """One result from what is concluded to its instances; ``fixes`` draw the fixes of failed
    checks."""
    other_methods.show_checked(store, result, fixes)
    rows = document.measured(result)
    if not rows:
        notice.info("No measure has a value yet; resume the run under Ask.")
        return
    figure = _ruler(result, rows)
    st.markdown("##### The measures")
    # The rest is in the picture above and in the file.
    columns = [
        table_column
        for table_column in document.of_people(rows)
        if table_column.heading not in _ELSEWHERE
    ]
    judged_table.show_columns(
        columns,
        rows,
        alt=f"The measures: {', '.join(column.heading for column in columns)}.",
        pinned=1,
        key="likelihood_measures",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        glossary.offer(
            (
                *("Verdict", "Mean midrank", "Interval of a mean midrank", "On unseen text"),
                *("Original first", "p above controls", "q", "AUROC", "Log-probability"),
            )
        )
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            downloads.offer_table(
                "Measures",
                f"dcq-likelihood-{result.evidence.run}",
                lambda: pd.DataFrame(document.documents(result)).drop(columns="reasons"),
                key="likelihood_download",
            )
            downloads.offer_picture(
                f"dcq-likelihood-{result.evidence.run}",
                figure,
                lambda: document.caption_lines(result),
                key="likelihood_chart",
            )
    st.markdown("##### Token by token")
    instance.show(store, result)


def _ruler(result: JudgedResult, rows: Sequence[Measured]) -> go.Figure:
    st.markdown("##### Share of rewordings that score below their original")
    marks, controls = document.ruler(rows), document.control_marks(result)
    chart_options = {"is_control": document.is_control(result)}
    figure = charts.measure_ruler(marks, controls, **chart_options)
    st.plotly_chart(
        figure,
        key="likelihood_ruler",
        alt=charts.describe_measure_ruler(marks, controls, **chart_options),
    )
    words = ["Bars are 95 % intervals, and the dashed line is an order by chance."]
    if marks["expected"].notna().any():
        words.append("The grey band is what is expected on unseen text.")
    if not controls.empty:
        words.append("Green diamonds are the controls.")
    notice.caption(" ".join(words))
    if sentence := _truth(result, rows):
        notice.caption(sentence)
    return figure


def _truth(result: JudgedResult, rows: Sequence[Measured]) -> str:
    """How well each measure tells the instances of a partition that was surely seen from those of
    its controls; empty where the truth is not known."""
    if result.evidence.role != PartitionRole.POSITIVE:
        return ""
    areas = []
    for row in rows:
        unseen = [
            other.ranks
            for control in result.controls
            for other in panel_of(control)
            if other.measure is row.row.measure
        ]
        estimate = auroc(row.row.ranks, np.concatenate(unseen)) if unseen else None
        if estimate is not None:
            area = f"{two_decimals(estimate.value)} {interval_words(estimate.low, estimate.high)}"
            areas.append(f"{row.row.measure.title} {area}")
    return f"AUROC, seen instances against the controls': {', '.join(areas)}." if areas else ""
