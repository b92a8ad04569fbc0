"""Results of methods that have no page of their own: their table, and each verdict with its
checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from dcq import methods
from dcq.judging import every_method
from dcq.judging.study import JudgedResult, rank_verdict
from dcq.store import Store
from dcq.store.studies import Study
from dcq.ui import notice, others
from dcq.ui.results import checklist, judged_table
from dcq.ui.text import plain
from dcq.words import p_words


def show_ruling(one: JudgedResult) -> None:
    """The verdict, if there is one, its sentence, and which run it is from."""
    if one.verdict is None:
        st.markdown(f"#### {plain(one.sentence)}")
        st.caption("A control cannot have been seen, so there is no verdict on it.")
    else:
        checklist.show_ruling(one.verdict.ruling, one.sentence)
    evidence = one.evidence
    title = methods.named(evidence.method).title
    notice.caption(f"{title} · n = {evidence.estimate.n:,} · run {evidence.run}")


def show_short(one: JudgedResult) -> None:
    """The verdict in a line, and a link to where it is read."""
    ruling = f"{one.verdict.ruling.value.capitalize()}. " if one.verdict else ""
    title = methods.named(one.evidence.method).title
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(title)}:** {plain(ruling + one.sentence)}", width="stretch")
        others.offer_its([one])


def show(store: Store, within: Study, changed: Mapping[str, str]) -> None:
    """A section for each such method that has results in the study; ``changed`` says what changed
    a verdict, by run."""
    found = every_method.others(store, within)
    found = sorted(found, key=lambda one: rank_verdict(one.verdict))
    for method in methods.of_study(within):
        own = [one for one in found if one.evidence.method == method.name]
        if own and not others.has_page(method.name):
            st.subheader(plain(method.question), anchor=False)
            st.caption(plain(method.explanation))
            _show_all(own, changed)


def _show_all(found: Sequence[JudgedResult], changed: Mapping[str, str]) -> None:
    judged_table.show(found)
    for one in found:
        if one.verdict is None:
            continue
        evidence, q = one.evidence, one.verdict.q_value
        number = "" if q is None else f" · {p_words(q, 'q')}"
        name = f"{evidence.model} on {evidence.place}: {one.verdict.ruling}{number}"
        with st.expander(plain(name)):
            show_ruling(one)
            if words := changed.get(evidence.run):
                notice.info(words, icon=":material/history:")
            checklist.show_checks(one.verdict.checks)
