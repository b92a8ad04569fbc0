"""The audit of an answers file: verdicts, the table with and without controls, and the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.evidence.verdict import Ruling
from dcq.exchange.answers_file import Answers, Judged
from dcq.exchange.audit_words import describe_answers, describe_uncontrolled
from dcq.records import Role
from dcq.ui import links
from dcq.ui.text import plain

_CHART_MOST = 40  # results; more lines than that do not fit on a screen
_EVERY = "all models"


def answer(found: Answers) -> None:
    """The sentence that answers the page's question."""
    st.markdown(f"#### {plain(describe_answers(found))}")
    if found.tested:
        st.markdown(describe_uncontrolled(found.tested))
    for note in found.notes:
        st.caption(note)


def show(found: Answers) -> None:
    """The results of the chosen model, and why each got its verdict."""
    # Controls last: they are what the others are held against.
    results = sorted(_choose_model(found.results), key=lambda one: one.group.role is Role.CONTROL)
    if len(results) <= _CHART_MOST:
        rows = _forest(results)
        zone = _only_zone(results)
        st.plotly_chart(
            charts.kappa_forest(rows, zone),
            key="audit_forest",
            config={"displayModeBar": False},
            alt=charts.describe_kappa_forest(rows),
        )
    else:
        st.caption(f"Too many for a chart, which holds {_CHART_MOST}: {len(results):,} results.")
    st.dataframe(
        _table(results),
        hide_index=True,
        column_config=_columns(),
        alt="Score, κ, p-values and verdict of each model and partition.",
    )
    _show_reasons(results)


def _choose_model(results: Sequence[Judged]) -> Sequence[Judged]:
    models = list(dict.fromkeys(one.group.model for one in results))
    if len(models) == 1:
        return results
    options = [_EVERY, *models]
    links.take("audit_model", options)
    model = st.selectbox("Model", options, key="audit_model")
    links.put("audit_model", model)
    if model == _EVERY:
        return results
    return [one for one in results if one.group.model == model]


def _show_reasons(results: Sequence[Judged]) -> None:
    """One result's reasons; the contaminated ones come first."""
    order = sorted(results, key=lambda one: one.ruling is not Ruling.CONTAMINATED)
    names = {_name(one): one for one in order}
    st.subheader("Why", anchor=False)
    links.take("audit_result", names)
    name = st.selectbox("Result", list(names), key="audit_result", filter_mode="contains")
    links.put("audit_result", name)
    one = names[name]
    st.markdown(f"**{plain(name)}: {one.ruling}.**")
    st.markdown("\n".join(f"- {plain(reason)}" for reason in one.reasons))


def _name(one: Judged) -> str:
    kind = f", {one.group.kind}" if one.group.kind else ""
    return f"{one.group.model} on {one.group.partition}{kind}"


def _only_zone(results: Sequence[Judged]) -> tuple[float, float] | None:
    """Where controls lie, if all results of the chart are held against the same ones."""
    zones = {zone for one in results if (zone := one.control_zone) is not None}
    return zones.pop() if len(zones) == 1 else None


def _forest(results: Sequence[Judged]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "model": one.group.model,
                "partition": one.group.partition,
                "role": one.group.role.value,
                "n": one.kappa.n,
                "kappa": one.kappa.kappa_fixed,
                "low": one.kappa.kappa_low,
                "high": one.kappa.kappa_high,
                # A control is a yardstick: a verdict beside it would read as a finding.
                "verdict": None if one.group.role is Role.CONTROL else one.ruling.value,
            }
            for one in results
        ]
    ).astype({"kappa": float, "low": float, "high": float})


def _table(results: Sequence[Judged]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "model": one.group.model,
                "partition": one.group.partition,
                "role": one.group.role.value,
                "kind": one.group.kind,
                "n": one.kappa.n,
                "score": None if one.kappa.score is None else 100 * one.kappa.score,
                "kappa": one.kappa.kappa_fixed,
                "p_chance": one.kappa.p_value,
                "kappa_control": one.calibration.kappa_control if one.calibration else None,
                "p_control": one.p_control_holm,
                "verdict": one.ruling.value,
                "why": one.reasons[0],
            }
            for one in results
        ]
    ).astype({"score": float, "kappa": float, "kappa_control": float, "p_control": float})


def _columns() -> dict[str, Any]:
    return {
        "model": st.column_config.TextColumn("Model", pinned=True),
        "partition": st.column_config.TextColumn("Partition", pinned=True),
        "role": st.column_config.TextColumn("Role"),
        "kind": None,
        "n": st.column_config.NumberColumn("n", help="Instances with all their replies."),
        "score": st.column_config.NumberColumn("Score", format="%.1f %%"),
        "kappa": st.column_config.NumberColumn(
            "κ", format="%.2f", help="0 is guessing, 1 is always the original."
        ),
        "p_chance": st.column_config.NumberColumn(
            "p, chance", format="%.2g", help="Against guessing: not safe by itself."
        ),
        "kappa_control": st.column_config.NumberColumn(
            "κ, controls", format="%.2f", help="0 is the score on controls."
        ),
        "p_control": st.column_config.NumberColumn(
            "p, controls", format="%.2g", help="Against the controls, corrected by Holm."
        ),
        "verdict": st.column_config.TextColumn("Verdict"),
        "why": st.column_config.TextColumn("Why", width="large"),
    }
