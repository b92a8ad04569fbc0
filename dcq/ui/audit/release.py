"""The audit of a published result file: verdict, range, strategies without memory, defects."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dcq.audit.release import AuditedRelease, RowSetResult
from dcq.audit.release_rows import BIAS, QUIZZES, SLOTS, ReleaseRow
from dcq.audit.sentences import describe_range, describe_without_defects, range_words
from dcq.documents.chart_rows import bar
from dcq.documents.result_tables import p_cell, points_cell, share_cell
from dcq.evidence.leak import strategy_words
from dcq.sections import Chart
from dcq.ui import checklist, glossary, rulers
from dcq.ui.text import cut, plain
from dcq.words import percent, ranges

_SHOWN = 300  # characters of a text in a table
TERMS: tuple[str, ...] = (
    *("Range", "Non-preferred", "Score", "Strategies without memory", "Without the original"),
    *("Difference by the original", "McNemar's p", "Verdict", "Defects"),
)
_POSITIONS = {
    "Found": "Right",
    "Rows": "n",
    "Score": "Score",
    "Chosen without an original": "Without the original",
    "Difference, points": "Difference by the original",
    "p": "McNemar's p",
    "Non-preferred": "Non-preferred",
    "Found, without defects": "Right",
}


def answer(release: AuditedRelease) -> None:
    """The verdict with its checklist, the protocol's range, and the numbers in it."""
    all_rows, clean = release.all_rows, release.clean
    checklist.show_checklist(all_rows.verdict, subject=release.name)
    st.markdown(plain(f"{describe_range(release)}. {describe_without_defects(release)}"))
    left, middle, right = st.columns(3)
    left.metric(
        "Contamination, all rows",
        range_words(all_rows.range),
        help=glossary.tip("Range"),
    )
    where = f", at {clean.slot} alone" if release.is_partly_sound else ""
    middle.metric(
        f"Without defects, {clean.n:,} of {all_rows.n:,} rows{where}",
        range_words(clean.range),
        help=glossary.tip("Range"),
    )
    scores = {name: kappa.score for name, kappa in all_rows.text_only.items() if kappa.score}
    name = max(scores, key=lambda name: scores[name], default=None)
    right.metric(
        "Best guess without memory" if name is None else f"Without memory, {strategy_words(name)}",
        "–" if name is None else percent(scores[name], 1),
        help=glossary.tip("Strategies without memory"),
    )


def show(release: AuditedRelease) -> None:
    """The model beside strategies without memory, the rows with a defect, and the numbers."""
    st.subheader("The model compared with strategies that have no memory", anchor=False)
    rulers.show_chart(Chart("strategy_bars", _bars(release.all_rows)), key="audit_strategies")
    st.caption(
        "Share of originals found, with 95 % intervals. The strategies answer the quiz with the "
        f"original at {release.all_rows.slot}; the most central option is the one most like the "
        "others."
    )
    _show_defects(release)
    with st.expander("Numbers by slot"):
        st.dataframe(
            _positions(release),
            hide_index=True,
            alt="Counts of each slot.",
            column_config=glossary.columns(_POSITIONS),
        )
        st.caption(
            "The difference is the share that chose the slot with the original there, minus the "
            "share without it, over the same rows, with its 95 % interval; p is McNemar's exact "
            "test."
        )


def _bars(result: RowSetResult) -> pd.DataFrame:
    """The model with the original at each slot, then the strategies without memory."""
    bars = [
        *(
            bar(f"the model, original at {at}", kappa, is_model=True)
            for at, kappa, _ in result.slots
        ),
        *(bar(strategy_words(name), kappa) for name, kappa in result.text_only.items()),
    ]
    return pd.DataFrame(bars).dropna(subset="score")


def _show_defects(release: AuditedRelease) -> None:
    flawed = {name: numbers for name, numbers in release.defect_rows.items() if numbers}
    st.subheader("Defects", anchor=False)
    if not flawed:
        st.markdown(
            f"All {release.all_rows.n:,} rows have their original, four different options and "
            "readable "
            "answers."
        )
        return
    st.dataframe(
        [
            {
                "Defect": name.replace("_", " "),
                "Rows": len(numbers),
                "Row numbers, from 1 and without the header": ranges(numbers),
            }
            for name, numbers in flawed.items()
        ],
        hide_index=True,
        alt="How many rows have each defect, and which.",
        column_config=glossary.columns({"Defect": "Defects", "Rows": "Defects"}),
    )
    numbers = sorted({number for rows in flawed.values() for number in rows})
    with st.expander(f"The {len(numbers):,} rows" if len(numbers) > 1 else "The row"):
        st.dataframe(
            [
                _row(
                    release.rows[number - 1],
                    [name.replace("_", " ") for name, rows in flawed.items() if number in rows],
                )
                for number in numbers
            ],
            hide_index=True,
            alt="The rows that have a defect.",
            column_config=glossary.columns(
                {"Defects": "Defects"},
                {"Row": st.column_config.NumberColumn(pinned=True, width="small")},
            ),
        )


def _row(row: ReleaseRow, defects: Sequence[str]) -> dict[str, object]:
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
            columns[column]: reading.value or reading.reason
            for column, reading in row.answers.items()
        },
    }


def _positions(release: AuditedRelease) -> pd.DataFrame:
    result = release.all_rows
    return pd.DataFrame(
        [
            {
                "Original at": slot,
                "Found": kappa.correct,
                "Rows": kappa.n,
                "Score": share_cell(kappa.score) or None,
                "Chosen without an original": result.chosen[slot],
                "Difference, points": points_cell(ablation.difference, ablation.low, ablation.high)
                or None,
                "p": p_cell(ablation.p_value) or None,
                "Non-preferred": "yes" if slot in result.non_preferred else "no",
                "Found, without defects": release.clean.published[slot].correct
                if slot in release.sound
                else None,
            }
            for slot, kappa, ablation in result.slots
        ]
    )
