"""What a search or a scan found: the counts, where the threshold lies, and the passages."""

from __future__ import annotations

import math

import streamlit as st

from dcq import charts
from dcq.documents.overlap_rows import category_rows
from dcq.documents.overlap_sentences import opening, queries_asked, uncrawled, unread
from dcq.errors import DcqError
from dcq.overlap import label_table, outcome
from dcq.overlap.match import Category
from dcq.overlap.outcome import OverlapHit, OverlapResult, OverlapRow
from dcq.store import Store
from dcq.ui import downloads, glossary, links, notice
from dcq.ui.overlap.marks import link_of, mark_words
from dcq.ui.text import cut, plain
from dcq.words import percent, two_decimals

THRESHOLD, INSTANCE = "overlap_threshold", "overlap_instance"
MOST_HITS = 10  # shown of one instance
_KINDS = {
    Category.INPUT_AND_LABEL: "input and label",
    Category.INPUT_ONLY: "input only",
    Category.CLEAN: "not found",
}


def as_cut(store: Store, run_id: str) -> OverlapResult:
    """One run at the threshold that the person has chosen."""
    whole = outcome.of_run(store, run_id)
    threshold = _threshold(whole)
    return outcome.of_run(store, run_id, threshold=threshold) if threshold else whole


def show(store: Store, run_id: str) -> None:
    """One run from its sentence to its downloads."""
    try:
        whole, found = outcome.of_run(store, run_id), as_cut(store, run_id)
    except DcqError as error:
        notice.error(error)
        return
    st.markdown(f"#### {plain(opening(found))}")
    notice.caption(_how(found))
    if sentence := uncrawled(found):
        notice.caption(sentence)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _categories(found)
    with right:
        _coverage(found)
    _threshold_slider(whole)
    st.markdown("##### Passages")
    _passages(found)
    with st.container(horizontal=True, vertical_alignment="center"):
        glossary.offer(("Category", "Share found", "METEOR"))
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            downloads.offer_table(
                "Labels",
                f"dcq-overlap-{found.run}",
                lambda: label_table.frame(found),
                key="overlap_download",
            )
            st.caption("As `python -m dcq overlap effect --labels` reads them.")


def _how(found: OverlapResult) -> str:
    settings = found.settings
    where = "corpus" if found.method == "scan" else found.source
    time = label_table.window_name(found) or "any time"
    return (
        f"{found.title} {found.split_title} · {where} · {time} · METEOR of at least "
        f"{settings.threshold:g}, γ {settings.gamma:g} · {found.state} · run {found.run}"
    )


def _threshold(whole: OverlapResult) -> float | None:
    """What the slider further down says, as long as this run can be cut there."""
    chosen = st.session_state.get(f"{THRESHOLD}_{whole.run}")
    return chosen if chosen and chosen > whole.settings.threshold else None


def _threshold_slider(whole: OverlapResult) -> None:
    least = whole.settings.threshold
    if least >= 1 or not any(row.hits for row in whole.rows):
        return
    st.slider(
        "Count from a METEOR of",
        least,
        1.0,
        least,
        0.01,
        key=f"{THRESHOLD}_{whole.run}",
        persist_state="page",
        help="Passages below the threshold that the run was made with were not kept.",
    )


def _categories(found: OverlapResult) -> None:
    if not found.coverage.searched:
        notice.info("No instance was searched for, so there are no shares.")
        return
    table = category_rows(found)
    st.plotly_chart(
        charts.overlap_categories(table),
        key="overlap_categories",
        config={"displayModeBar": False},
        alt=charts.describe_overlap_categories(table),
    )
    st.caption("Of the instances that were searched for; bars are 95 % intervals.")


def _coverage(found: OverlapResult) -> None:
    coverage = found.coverage
    share = "" if coverage.share is None else f" ({percent(coverage.share)})"
    st.markdown(
        f"**Found** {coverage.found:,} of {coverage.searched:,} searched for{share}  \n"
        f"**Searched for** {coverage.searched:,} of {coverage.total:,}"
    )
    for reason, count in coverage.skipped:
        st.markdown(f"**Not searched for** {count:,}: {plain(reason)}")
    if found.method == "search":
        notice.caption(f"{queries_asked(found)} asked.")
    for line in unread(found):
        notice.caption(line)
    st.caption("Whether a model has seen what is there, the quiz and replication tell.")


def _passages(found: OverlapResult) -> None:
    there = {row.instance_id: row for row in found.rows if row.hits}
    if not there:
        notice.caption("No passage reaches the threshold.")
        return
    ranked = sorted(there.values(), key=lambda row: -max(hit.score for hit in row.hits))
    names = {
        row.instance_id: f"{_kind(row)} · {two_decimals(max(hit.score for hit in row.hits))} · "
        f"{cut(row.query or row.text, 70)}"
        for row in ranked
    }
    links.take(INSTANCE, names)
    chosen = st.selectbox(
        f"Instance ({len(there):,} with a passage)",
        list(names),
        format_func=names.__getitem__,
        key=INSTANCE,
        filter_mode="contains",
    )
    links.put(INSTANCE, chosen)
    row = there[chosen]
    left, right = st.columns(2, gap="large")
    with left, st.container(border=True):
        st.caption("Instance")
        st.markdown(plain(row.text or row.query))
        st.caption("Searched for")
        st.markdown(plain(row.query))
    with right:
        for number, hit in enumerate(row.hits[:MOST_HITS]):
            _hit(hit, number)
        if len(row.hits) > MOST_HITS:
            st.caption(f"and {len(row.hits) - MOST_HITS:,} more, which the labels list")


def _kind(row: OverlapRow) -> str:
    return _KINDS[row.category] if row.category else "not searched for"


def _hit(hit: OverlapHit, number: int) -> None:
    with st.container(border=True):
        scores = f"METEOR {two_decimals(hit.score)}"
        if not math.isnan(hit.label_score):
            scores += f" · label {two_decimals(hit.label_score)}"
        if hit.crawled is not None:
            scores += " · in a crawl" if hit.crawled else " · in no crawl of that time: not counted"
        notice.caption(scores)
        st.markdown(mark_words(hit.passage, hit.marks))
        found = link_of(label_table.web_address(hit))
        if found is not None:
            label, address = found
            st.link_button(
                plain(label), address, icon=":material/open_in_new:", key=f"overlap_hit_{number}"
            )
        if found is None or found[1] != hit.source:
            notice.caption(f"{hit.source} · {hit.document}" if hit.document else hit.source)
