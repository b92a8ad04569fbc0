"""Before publishing: how small a share a benchmark by lot can detect."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from dcq import charts
from dcq.evidence.lot import power_at, smallest_share
from dcq.evidence.power import POWER
from dcq.protect.wording import HONEST
from dcq.ui import glossary, notice
from dcq.words import percent


def show() -> None:
    """Sliders for items and wordings, the smallest share that is found, and the power curve."""
    left, right = st.columns([1, 2], gap="large")
    with left:
        items = st.slider("Items", 20, 2000, 200, step=10, key="protect_plan_items")
        wordings = st.segmented_control(
            "Wordings that a model chooses among",
            [4, 8],
            default=4,
            required=True,
            key="protect_plan_wordings",
            format_func=lambda k: f"{k}, by {'letter' if k == 4 else 'likelihood'}",
        )
        least_share = smallest_share(items, wordings)
        st.metric(
            "Smallest share picked that is found",
            "none" if least_share is None else percent(least_share),
            help=glossary.tip("Smallest share picked that is found"),
        )
        st.caption(f"{percent(1 / wordings, 1)} are picked by the lot alone.")
        notice.info(HONEST, icon=":material/info:")
    shares = np.linspace(0.0, 1.0, 201)
    rows = pd.DataFrame(
        {"share": shares, "power": [power_at(items, wordings, share) for share in shares]}
    )
    with right:
        st.plotly_chart(
            charts.power_curve(rows, POWER, least_share),
            alt=charts.describe_power_curve(rows, POWER, least_share),
            key="protect_plan_chart",
        )
