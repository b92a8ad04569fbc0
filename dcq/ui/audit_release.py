"""The audit of a published result file: range, reasons, strategies without memory, defects."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.exchange.audit_words import (
    describe_clean,
    describe_release,
    percent,
    range_words,
    row_words,
    strategy_words,
)
from dcq.exchange.cells import SLOTS
from dcq.exchange.release import Release, score_table
from dcq.exchange.release_rows import BIAS, QUIZZES, Row
from dcq.ui.text import cut, plain

_SHOWN = 300  # characters of a text in a table


def answer(found: Release) -> None:
    """The sentence that answers the page's question, and the numbers in it."""
    whole, clean = found.whole, found.clean
    st.markdown(f"#### {plain(describe_release(found))}")
    st.markdown(plain(describe_clean(found)))
    every, kept, best = st.columns(3)
    every.metric(
        "Contamination, all rows",
        range_words(whole.range),
        help="From least to most, by the protocol: the best slot's share of originals found is the "
        "high end; the low end takes off what the model chose there without an original, or is "
        "the second-best slot's share where that is more.",
    )
    kept.metric(f"Without defects, {clean.n:,} of {whole.n:,} rows", range_words(clean.range))
    scores = {name: kappa.score for name, kappa in whole.text_only.items() if kappa.score}
    name = max(scores, key=lambda name: scores[name], default=None)
    best.metric(
        "Best guess without memory" if name is None else f"Without memory, {strategy_words(name)}",
        "–" if name is None else percent(scores[name]),
    )


def show(found: Release) -> None:
    """Why, the bars, and the rows with a defect."""
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Why", anchor=False)
        st.markdown("\n".join(f"- {plain(reason)}" for reason in found.whole.reasons))
    with right:
        st.subheader("The model beside strategies that have no memory", anchor=False)
        scores = _named(score_table(found.whole))
        st.plotly_chart(
            charts.strategy_bars(scores),
            key="audit_strategies",
            config={"displayModeBar": False},
            alt=charts.describe_strategy_bars(scores),
        )
        st.caption(
            "Share of originals found, with 95 % intervals. The strategies answer the quiz with "
            f"the original at {found.whole.best}; the most central option is the one most like "
            "the others."
        )
    _show_defects(found)
    with st.expander("Numbers by slot"):
        st.dataframe(_positions(found), hide_index=True, alt="Counts and κ of each slot.")


def _named(scores: pd.DataFrame) -> pd.DataFrame:
    names = [
        f"the model, original at {name}" if is_model else strategy_words(name)
        for name, is_model in zip(scores["name"], scores["is_model"], strict=True)
    ]
    return scores.assign(name=names)


def _show_defects(found: Release) -> None:
    flawed = {name: numbers for name, numbers in found.defect_rows.items() if numbers}
    st.subheader("Defects", anchor=False)
    if not flawed:
        st.markdown(
            f"All {found.whole.n:,} rows have their original, four different options and readable "
            "answers."
        )
        return
    st.dataframe(
        [
            {
                "Defect": name.replace("_", " "),
                "Rows": len(numbers),
                "Row numbers, from 1 and without the header": row_words(numbers),
            }
            for name, numbers in flawed.items()
        ],
        hide_index=True,
        alt="How many rows have each defect, and which.",
    )
    numbers = sorted({number for rows in flawed.values() for number in rows})
    with st.expander(f"The {len(numbers):,} rows" if len(numbers) > 1 else "The row"):
        st.dataframe(
            [
                _row(
                    found.rows[number - 1],
                    [name.replace("_", " ") for name, rows in flawed.items() if number in rows],
                )
                for number in numbers
            ],
            hide_index=True,
            alt="The rows that have a defect.",
            column_config={"Row": st.column_config.NumberColumn(pinned=True, width="small")},
        )


def _row(row: Row, defects: Sequence[str]) -> dict[str, object]:
    columns = {BIAS: "Without original"} | {
        column: f"Original at {slot}" for slot, column in QUIZZES.items()
    }
    return {
        "Row": row.number,
        "Defects": ", ".join(defects),
        "Original": cut(row.instance, _SHOWN),
        **{
            f"Option {slot}": cut(text, _SHOWN)
            for slot, text in zip(SLOTS, row.options, strict=True)
        },
        **{
            columns[column]: reading.letter or reading.reason
            for column, reading in row.answers.items()
        },
    }


def _positions(found: Release) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Original at": slot,
                "Found": at.kappa.correct,
                "Rows": at.kappa.n,
                "Score": None if at.kappa.score is None else percent(at.kappa.score),
                "κ": None if at.kappa.kappa_fixed is None else round(at.kappa.kappa_fixed, 2),
                "Chosen without an original": at.bdq_chosen,
                "Non-preferred": "yes" if slot in found.whole.non_preferred else "no",
                "Found, without defects": found.clean.positions[slot].kappa.correct,
            }
            for slot, at in found.whole.positions.items()
        ]
    )
