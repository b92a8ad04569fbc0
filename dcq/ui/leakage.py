"""Can the original be told without any memory? Seen before a cent is spent, and mended."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.evidence.leak import leaks
from dcq.exchange.audit_words import strategy_words
from dcq.quiz.leakage import TextOnly
from dcq.runs.summary import percent
from dcq.store import Store, samples
from dcq.ui import page
from dcq.ui.text import cut

_SHOWN = 200  # instances listed


def show(store: Store, sample_id: str, baselines: Sequence[TextOnly]) -> None:
    """One sentence on what text alone would score, and the instances that leak; nothing for a quiz
    without originals."""
    known = [b for b in baselines if b.kappa.score is not None]
    if not known:
        return
    solved = leaks({b.name: b.kappa for b in known})
    told = ", ".join(f"{strategy_words(b.name)} {percent(b.kappa.score or 0.0)}" for b in known)
    if solved:
        st.warning(
            f"This quiz is leaky: its text alone gives originals away ({told}; guessing finds "
            "25 %). Mend the instances below, or the verdict stays inconclusive.",
            icon=":material/water_drop:",
        )
    else:
        st.caption(f"Found without any memory: {told}. Guessing finds 25 %.")
    with st.expander("Which instances text alone gives away"):
        _list(store, sample_id, known)
        page.go("variants", "Mend their variants", variants_sample=sample_id)


def _list(store: Store, sample_id: str, known: Sequence[TextOnly]) -> None:
    texts = {i.id: i.text for i in samples.load(store, sample_id).instances}
    finds = {b.name: frozenset(b.found) for b in known}
    found = {i: [name for name, ids in finds.items() if i in ids] for i in texts}
    worst = sorted(found, key=lambda instance: -len(found[instance]))
    st.dataframe(
        [
            {"found by": ", ".join(found[instance]), "instance": cut(texts[instance], 160)}
            for instance in worst[:_SHOWN]
            if found[instance]
        ],
        hide_index=True,
        column_config={
            "found by": st.column_config.TextColumn(width="medium"),
            "instance": st.column_config.TextColumn(width="large"),
        },
        alt="Instances whose original a strategy without memory finds.",
    )
