"""The audit of an answers file: a verdict with its checklist, and all results side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.audit.answer_groups import Group
from dcq.audit.answers_file import Answers, Judged
from dcq.audit.sentences import describe_answers, describe_uncontrolled
from dcq.judging.verdict import Ruling
from dcq.records import Kind, Role
from dcq.ui import downloads, glossary, links
from dcq.ui.results import checklist
from dcq.ui.text import plain

_CHART_MOST = 40  # results; more lines than that do not fit on a screen
_EVERY = "all models"


def answer(found: Answers) -> None:
    """The verdict on the only result; or else how many results have each verdict, and the verdict
    on the chosen one. The strongest finding is chosen first."""
    if len(found.tested) == 1:
        _show_verdict(found.tested[0])
    else:
        st.markdown(f"#### {plain(describe_answers(found))}")
    for note in (describe_uncontrolled(found.tested), *found.notes):
        if note:
            st.caption(plain(note))
    if len(found.tested) != 1:
        _show_verdict(_choose_result(found))


def show(found: Answers) -> None:
    """The results of the chosen model as a chart and a table."""
    # Controls last: the others are compared with them.
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
        st.caption(f"{len(results):,} results; the chart shows at most {_CHART_MOST}.")
    st.dataframe(
        _table(results),
        hide_index=True,
        placeholder="",  # a control is compared with nothing
        column_config=glossary.columns(_TERMS, _columns()),
        alt="Score, κ, q-value and verdict of each model and partition.",
    )
    with st.popover("Download", icon=":material/download:", type="tertiary"):
        downloads.offer_table("Table", "dcq-audit", lambda: _table(results), key="audit_table")


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


def _choose_result(found: Answers) -> Judged:
    """Contaminated results first, those with the smallest p first among them; controls last."""

    def place(one: Judged) -> tuple[bool, bool, float]:
        p = one.verdict.p_value if one.verdict else None
        return one.verdict is None, one.ruling is not Ruling.CONTAMINATED, 1.0 if p is None else p

    names = {_name(one): one for one in sorted(found.results, key=place)}
    links.take("audit_result", names)
    name = st.selectbox("Result", list(names), key="audit_result", filter_mode="contains")
    links.put("audit_result", name)
    return names[name]


def _show_verdict(one: Judged) -> None:
    if one.verdict is not None:
        checklist.show(one.verdict, subject=_name(one))
        return
    st.markdown(f"**{plain(_name(one))}**")
    st.markdown("\n".join(f"- {plain(remark)}" for remark in one.remarks))


def _name(one: Judged) -> str:
    return f"{one.group.model} on {_place(one.group)}"


def _place(group: Group) -> str:
    """The partition, with what distinguishes two results on it."""
    at = f" at {group.slots}" if group.kind == Kind.BCQ and group.slots else ""
    return f"{group.partition}, {group.kind}{at}" if group.kind else group.partition


def _only_zone(results: Sequence[Judged]) -> tuple[float, float] | None:
    """Where controls lie, if all results of the chart are compared with the same ones."""
    zones = {zone for one in results if (zone := one.control_zone) is not None}
    return zones.pop() if len(zones) == 1 else None


def _forest(results: Sequence[Judged]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "model": one.group.model,
                "partition": _place(one.group),
                "role": one.group.role.value,
                "n": one.kappa.n,
                "kappa": one.kappa.kappa_fixed,
                "low": one.kappa.kappa_low,
                "high": one.kappa.kappa_high,
                # A verdict beside a control would read as a finding.
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
                "partition": _place(one.group),
                "role": one.group.role.value,
                "n": one.kappa.n,
                "score": None if one.kappa.score is None else 100 * one.kappa.score,
                "kappa": one.kappa.kappa_fixed,
                "kappa_control": one.calibration.kappa_control if one.calibration else None,
                "q_control": one.verdict.q_value if one.verdict else None,
                "verdict": one.ruling.value,
                "why": one.reasons[0],
            }
            for one in results
        ]
    ).astype({"score": float, "kappa": float, "kappa_control": float, "q_control": float})


TERMS: tuple[str, ...] = (
    "κ",
    "95 % interval",
    "κ above controls",
    "q",
    "Verdict",
    "Score",
    "n",
    "Power",
)
_TERMS = {
    "n": "n",
    "score": "Score",
    "kappa": "κ",
    "kappa_control": "κ above controls",
    "q_control": "q",
    "verdict": "Verdict",
}


def _columns() -> dict[str, Any]:
    return {
        "model": st.column_config.TextColumn("Model", pinned=True),
        "partition": st.column_config.TextColumn("Partition", pinned=True),
        "role": st.column_config.TextColumn("Role"),
        "n": st.column_config.NumberColumn("n", help="Answers; for a rotated quiz, instances."),
        "score": st.column_config.NumberColumn("Score", format="%.1f %%"),
        "kappa": st.column_config.NumberColumn(
            "κ",
            format="%.2f",
            help="0 is guessing, or for a BCQ the model's own choices without the original; 1 is "
            "always the original.",
        ),
        "kappa_control": st.column_config.NumberColumn(
            "κ, controls", format="%.2f", help="0 is the score on controls."
        ),
        "q_control": st.column_config.NumberColumn(
            "q", format="%.3f", help="Against the controls, over all results of the file."
        ),
        "verdict": st.column_config.TextColumn("Verdict"),
        "why": st.column_config.TextColumn("Why", width="large"),
    }
