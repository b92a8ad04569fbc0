"""Choosing a sample, the same way on every page; the address remembers it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dcq.ui import links


def sample(listed: pd.DataFrame, *, key: str) -> str:
    """A picker over ``dcq.store.samples.listing``; returns the id chosen."""
    names = _names(listed)
    links.take(key, names)
    chosen = st.selectbox("Sample", list(names), format_func=names.__getitem__, key=key)
    links.put(key, chosen)
    return chosen


def others(listed: pd.DataFrame, chosen: str, *, key: str) -> list[str]:
    """A picker for any further samples; nothing is shown where ``chosen`` is the only one."""
    names = {sample: name for sample, name in _names(listed).items() if sample != chosen}
    if not names:
        return []
    return st.multiselect(
        "The same quiz of other samples",
        list(names),
        format_func=names.__getitem__,
        placeholder="None: choose control partitions, or other splits",
        key=f"{key}_{chosen}",
        help="A verdict needs a control: texts that the model cannot have seen. In quizzes that "
        "have one, the original's slot is proposed for each sample by itself.",
    )


def _names(listed: pd.DataFrame) -> dict[str, str]:
    return {
        str(row["sample"]): " · ".join(
            (row["title"], row["split_title"], f"{row['n']:,} instances", row["sample"])
        )
        for row in listed.to_dict("records")
    }
