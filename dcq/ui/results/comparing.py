"""Models and splits compared with each other: a sentence and a compact table."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dcq.evidence.compare import Comparison
from dcq.report.comparisons import Compared
from dcq.ui import glossary
from dcq.ui.names import quiz_name
from dcq.ui.text import plain
from dcq.words import p_number, points


def show(found: Sequence[Compared]) -> None:
    """The clearest comparison in words, then all of them; if there is none, what is required."""
    known = [one for one in found if one.found.difference is not None]
    if not known:
        st.caption(
            "Nothing to compare among the results shown. A comparison needs two models on one "
            "partition, or one model on two splits of a dataset at the same slot, with the same "
            "kind of quiz, finished, and at most a fifth of the replies unusable."
        )
        return
    ranked = rank(known)
    st.markdown(plain(ranked[0].sentence()))
    st.dataframe(
        tabulate(ranked),
        hide_index=True,
        key="results_comparisons",
        column_config=glossary.columns(
            {
                "difference": "Difference",
                "n": "n",
                "p": "p",
                "test": "Test of a comparison",
            },
            {
                "sides": st.column_config.TextColumn("Compared", width=220),
                "on": st.column_config.TextColumn("On", width=135),
                "quiz": st.column_config.TextColumn(
                    "Quiz",
                    width=152,
                    help="Both slots where two models have different ones: a preference for a slot "
                    "is then part of the difference.",
                ),
                "difference": st.column_config.TextColumn("Difference", width=125),
                "n": st.column_config.TextColumn(
                    "n", width=88, help="Instances; for two samples, one number each."
                ),
                "p": st.column_config.TextColumn("p", width=65),
                "test": st.column_config.TextColumn("Test", width=190),
            },
        ),
        alt="Comparisons: sides, quiz, difference in points with interval, n, p.",
    )


def rank(found: Sequence[Compared]) -> list[Compared]:
    """The clearest first; those on controls last."""
    return sorted(found, key=lambda one: (one.on_controls, _p(one)))


def tabulate(found: Sequence[Compared]) -> pd.DataFrame:
    """One row per comparison, formatted for reading."""
    return pd.DataFrame([_row(one) for one in found])


def _row(one: Compared) -> dict[str, object]:
    found, first, second = one.found, one.first, one.second
    sides = (
        (f"{second.model} − {first.model}", first.place)
        if one.of_models
        else (f"{second.place} − {first.place}", first.model)
    )
    return {
        "sides": sides[0],
        "on": sides[1],
        "quiz": (
            quiz_name(first) if first.slot == second.slot else f"{first.kind}, at {one.slots}"
        ),
        "difference": _difference(found),
        "n": f"{found.n_first:,}" if found.paired else f"{found.n_second:,} and {found.n_first:,}",
        "p": _p_words(one),
        "test": found.method,
    }


def _difference(found: Comparison) -> str | None:
    if found.difference is None or found.low is None or found.high is None:
        return None
    return f"{points(found.difference)} [{points(found.low)}, {points(found.high)}]"


def _p_words(one: Compared) -> str | None:
    if one.on_controls and one.found.p_value is not None:
        return f"({p_number(one.found.p_value)})"
    return None if one.p_holm is None else p_number(one.p_holm)


def _p(one: Compared) -> float:
    p_value = one.found.p_value if one.on_controls else one.p_holm
    return math.inf if p_value is None else p_value
