"""Can the original be identified without any memory? Shown before any money is spent."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.errors import InputError
from dcq.evidence.leak import leaks, strategy_words
from dcq.records import Kind
from dcq.store import Store, samples
from dcq.ui import notice, page
from dcq.ui.quiz import questions
from dcq.ui.text import cut
from dcq.variants.curation import Queue
from dcq.variants.leakage import TextOnly
from dcq.words import percent

_SHOWN = 200  # instances listed


def warn(baselines: Sequence[TextOnly]) -> None:
    """A warning if text alone gives the originals away; nothing for other quizzes."""
    if leaks({b.name: b.kappa for b in baselines if b.kappa.score is not None}):
        notice.warning(
            f"This quiz is leaky: its text alone gives originals away ({_scores(baselines)}; "
            "guessing finds 25 %). Unless you edit the instances listed below, the verdict stays "
            "inconclusive.",
            icon=":material/water_drop:",
        )


def show(store: Store, sample_id: str, baselines: Sequence[TextOnly]) -> None:
    """What text alone would score, and the instances that it gives away; nothing for a quiz
    without originals."""
    known = [b for b in baselines if b.kappa.score is not None]
    if not known:
        return
    with st.expander("Which instances text alone gives away"):
        st.caption(f"Originals found without memory: {_scores(known)}. Guessing finds 25 %.")
        _list(store, sample_id, known)
        page.go(
            "variants",
            "Edit their variants",
            variants_sample=sample_id,
            **({"variants_show": str(Queue.LEAKY)} if _solved(known) else {}),
        )


def given_away(store: Store, sample_id: str) -> frozenset[str]:
    """Instances whose original is found by a strategy that solves the standard quiz of a sample;
    none if there is no such strategy, or the quiz cannot be built yet."""
    try:
        baselines = questions.preview_of(store, sample_id, Kind.STANDARD, None).baselines
    except InputError:
        return frozenset()
    solved = _solved(baselines)
    return frozenset(i for b in baselines if b.name in solved for i in b.found)


def _solved(baselines: Sequence[TextOnly]) -> tuple[str, ...]:
    return leaks({b.name: b.kappa for b in baselines if b.kappa.score is not None})


def _scores(baselines: Sequence[TextOnly]) -> str:
    return ", ".join(
        f"{strategy_words(b.name)} {percent(b.kappa.score)}"
        for b in baselines
        if b.kappa.score is not None
    )


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
