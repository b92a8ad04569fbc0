"""What may be said of one result: the ruling with its reasons, κ with and without controls, what
text alone would score, and which letter the model likes."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.evidence.verdict import Ruling
from dcq.exchange.audit_words import strategy_words
from dcq.runs import preference, soft
from dcq.runs.judged import Judged
from dcq.runs.results import Result
from dcq.runs.summary import interval_words, kappa_words, percent, two_decimals
from dcq.store import Store

CHART_WIDTH = 480  # pixels; where less is left beside the table, the chart goes below it

_LOOK = {
    Ruling.CONTAMINATED: ("orange", ":material/flag:"),
    Ruling.NO_EVIDENCE: ("gray", ":material/check_circle:"),
    Ruling.INCONCLUSIVE: ("yellow", ":material/help:"),
}


def show_ruling(judged: Judged) -> None:
    """The ruling and all its reasons; nothing for a control, which is the yardstick itself."""
    if judged.verdict is None:
        return
    colour, icon = _LOOK[judged.verdict.ruling]
    with st.container(horizontal=True, vertical_alignment="top", gap="small"):
        st.badge(str(judged.verdict.ruling), icon=icon, color=colour)  # type: ignore[arg-type]  # one of its own names
        st.markdown(" ".join(judged.verdict.reasons), width="stretch")


def show_evidence(store: Store, judged: Judged) -> None:
    """κ with and without the calibration side by side, text-only baselines, letters liked."""
    result = judged.result
    with st.container(horizontal=True, gap="medium"):
        with st.container():
            _calibration(judged)
            _soft(store, result)
        with st.container(width=CHART_WIDTH):
            _baselines(judged)
    _preference(result)


def _calibration(judged: Judged) -> None:
    st.markdown("**κ against guessing and against controls**")
    rows = [
        {
            "compared with": "guessing, 25 %",
            "κ": kappa_words(judged.result),
            "p": judged.result.p_value,
        }
    ]
    found = judged.calibration
    if found is not None:
        noun = "control" if found.controls == 1 else "controls"
        expected = f"{percent(found.control_low)} to {percent(found.control_high)}"
        rows.append(
            {
                "compared with": f"{found.controls} {noun}, {percent(found.control_score)} "
                f"({expected} expected)",
                "κ": _interval(found.kappa_control, found.kappa_low, found.kappa_high),
                "p": found.p_value,
            }
        )
    if judged.verdict is not None and len(rows) == 2 and judged.verdict.p_adjusted is not None:
        rows.append(
            {
                "compared with": "controls, among all shown (Holm)",
                "κ": "",
                "p": judged.verdict.p_adjusted,
            }
        )
    st.dataframe(
        rows,
        hide_index=True,
        column_config={
            "p": st.column_config.NumberColumn(format="%.3f", help="One-sided."),
        },
        alt="κ of this result against guessing and against the same model's control partitions.",
    )
    if found is None and judged.verdict is not None:
        st.caption(
            "No control partition was taken by this model with the same kind of quiz and the "
            "original in the same slot."
        )


def _interval(kappa: float | None, low: float | None, high: float | None) -> str:
    if kappa is None or low is None or high is None:
        return "no value"
    return f"{two_decimals(kappa)} {interval_words(low, high)}"


def _soft(store: Store, result: Result) -> None:
    found = soft.score(store, result)
    if found is None or found.score is None:
        return
    words = f"**Soft score** {percent(found.score)}"
    if found.debiased is not None:
        words += f", with the liking for letters taken out {percent(found.debiased)}"
    st.caption(f"{words}: the share of probability that the original's letter got.")


def _baselines(judged: Judged) -> None:
    if not judged.baselines:
        return
    st.markdown("**Beside strategies without memory**")
    mine = judged.result
    rows = pd.DataFrame(
        [
            _bar(mine.model, mine.score, mine.kappa_low, mine.kappa_high, mine.n, is_model=True),
            *(
                _bar(
                    strategy_words(b.name),
                    b.kappa.score,
                    b.kappa.kappa_low,
                    b.kappa.kappa_high,
                    b.kappa.n,
                    is_model=False,
                )
                for b in judged.baselines
            ),
        ]
    )
    st.plotly_chart(
        charts.strategy_bars(rows), key="verdict_baselines", alt=charts.describe_strategy_bars(rows)
    )


def _bar(
    name: str, score: float | None, low: float | None, high: float | None, n: int, *, is_model: bool
) -> dict[str, object]:
    """Limits of κ carried back to the score: 25 % + 75 % κ."""

    def back(kappa: float | None) -> float:
        return math.nan if kappa is None else 0.25 + 0.75 * kappa

    return {
        "name": name,
        "score": math.nan if score is None else score,
        "low": back(low),
        "high": back(high),
        "n": n,
        "is_model": is_model,
    }


def _preference(result: Result) -> None:
    counts = preference.count([result])
    if counts.empty:
        return
    st.markdown("**Which letter this model likes**, whatever stands there")
    st.plotly_chart(
        charts.position_preference(counts),
        key="verdict_preference",
        alt=charts.describe_position_preference(counts),
    )
