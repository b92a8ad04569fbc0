"""Choosing a sample, the same way on every page; the address remembers it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dcq.ui import links


def sample(listed: pd.DataFrame, *, key: str) -> str:
    """A picker over ``dcq.store.samples.listing``; returns the id chosen."""
    names = {
        str(row["sample"]): " · ".join(
            (row["title"], row["split_title"], f"{row['n']:,} instances", row["sample"])
        )
        for row in listed.to_dict("records")
    }
    links.take(key, names)
    chosen = st.selectbox("Sample", list(names), format_func=names.__getitem__, key=key)
    links.put(key, chosen)
    return chosen
