"""The result of a search or a scan: the counts, the threshold, and passages with the matching words
marked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

import streamlit as st

from dcq.documents.chart_rows import category_rows
from dcq.documents.names import tell_apart
from dcq.documents.overlap_document import opening, queries_asked, uncrawled, unread
from dcq.documents.result_tables import limits_cell
from dcq.errors import DcqError
from dcq.overlap import labels, outcome
from dcq.overlap.match import Category
from dcq.overlap.outcome import OverlapHit, OverlapResult, OverlapRow
from dcq.sections import Chart
from dcq.store import Store
from dcq.ui import downloads, glossary, links, notice, rulers
from dcq.ui.text import close, cut, keep_spaces, plain, plain_part, wrap
from dcq.words import percent, two_decimals

THRESHOLD, INSTANCE = "overlap_threshold", "overlap_instance"
MOST_HITS = 10  # shown of one instance
_KINDS = {
    Category.INPUT_AND_LABEL: "input and label",
    Category.INPUT_ONLY: "input only",
    Category.CLEAN: "not found",
}


def as_cut(store: Store, run_id: str) -> OverlapResult:
    """The result of a run at the threshold that the user has chosen."""
    overlap = outcome.of_run(store, run_id)
    threshold = _threshold(overlap)
    return outcome.of_run(store, run_id, threshold=threshold) if threshold else overlap


def show(store: Store, run_id: str) -> None:
    """The result of a run, from its sentence to its downloads."""
    try:
        overlap, result = outcome.of_run(store, run_id), as_cut(store, run_id)
    except DcqError as error:
        notice.error(error)
        return
    st.markdown(f"#### {plain(opening(result))}")
    notice.caption(_how(result))
    if sentence := uncrawled(result):
        notice.caption(sentence)
    left, right = st.columns([3, 2], gap="large")
    with left:
        _categories(result)
    with right:
        _coverage(result)
    _threshold_slider(overlap)
    st.markdown("##### Passages")
    _passages(result)
    with st.container(horizontal=True, vertical_alignment="center"):
        glossary.offer(("Category", "Share found", "METEOR"))
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            downloads.offer_table(
                "Labels",
                f"dcq-overlap-{result.run}",
                lambda: labels.frame(result),
                key="overlap_download",
            )
            st.caption("As `python -m dcq overlap effect --labels` reads them.")


def _how(overlap: OverlapResult) -> str:
    settings = overlap.settings
    where = "corpus" if overlap.method == "scan" else overlap.source
    time = labels.window_name(overlap) or "any time"
    return (
        f"{overlap.place} · {where} · {time} · METEOR of at least "
        f"{settings.threshold:g}, order penalty γ {settings.gamma:g} · {overlap.state}"
    )


def _threshold(overlap: OverlapResult) -> float | None:
    """What the slider further down says, as long as this run can be cut there."""
    chosen = st.session_state.get(f"{THRESHOLD}_{overlap.run}")
    return chosen if chosen and chosen > overlap.settings.threshold else None


def _threshold_slider(overlap: OverlapResult) -> None:
    least = overlap.settings.threshold
    if least >= 1 or not any(row.hits for row in overlap.rows):
        return
    st.slider(
        "Count from a METEOR of",
        least,
        1.0,
        least,
        0.01,
        key=f"{THRESHOLD}_{overlap.run}",
        persist_state="page",
        help="Passages below the threshold that the run was made with were not kept.",
    )


def _categories(overlap: OverlapResult) -> None:
    if not overlap.coverage.searched:
        notice.info("No instance was searched for, so there are no shares.")
        return
    rows = category_rows(overlap)
    rulers.show_chart(Chart("overlap_categories", rows), key="overlap_categories")
    limits = [
        f"{_KINDS[Category(row['category'])]} {limits_cell(row['low'], row['high'])}"
        for row in rows.to_dict("records")
    ]
    notice.caption(f"Of the instances that were searched for; 95 % intervals: {', '.join(limits)}.")


def _coverage(overlap: OverlapResult) -> None:
    coverage = overlap.coverage
    share = "" if coverage.share is None else f" ({percent(coverage.share)})"
    st.markdown(
        f"**Found** {coverage.found:,} of {coverage.searched:,} searched for{share}  \n"
        f"**Searched for** {coverage.searched:,} of {coverage.total:,}"
    )
    for reason, count in coverage.skipped:
        st.markdown(f"**Not searched for** {count:,}: {plain(reason)}")
    if overlap.method == "search":
        notice.caption(f"{queries_asked(overlap)} asked.")
    for line in unread(overlap):
        notice.caption(line)
    st.caption("Whether a model has seen what is there, the quiz and replication tell.")


def _passages(overlap: OverlapResult) -> None:
    stored_overlap_rows = {row.instance_id: row for row in overlap.rows if row.hits}
    if not stored_overlap_rows:
        notice.caption("No passage reaches the threshold.")
        return
    ranked = sorted(
        stored_overlap_rows.values(), key=lambda row: -max(hit.score for hit in row.hits)
    )
    names = tell_apart(
        {
            row.instance_id: f"{_kind(row)} · {two_decimals(max(hit.score for hit in row.hits))} · "
            f"{cut(row.query or row.text, 70)}"
            for row in ranked
        }
    )
    label = f"Instance ({len(stored_overlap_rows):,} with a passage)"
    row = stored_overlap_rows[links.choose(label, names, key=INSTANCE, filter_mode="contains")]
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
        link = link_of(labels.web_address(hit))
        if link is not None:
            label, address = link
            st.link_button(
                plain(label), address, icon=":material/open_in_new:", key=f"overlap_hit_{number}"
            )
        if link is None or link[1] != hit.source:
            notice.caption(f"{hit.source} · {hit.document}" if hit.document else hit.source)


def mark_words(passage: str, marks: Iterable[tuple[int, int]]) -> str:
    """The passage as Markdown that is safe to show: the characters in ``marks`` bold on grey."""
    text = keep_spaces(passage.replace("\t", " "))  # character for character, so that marks fit
    parts: list[str] = []
    at = 0
    for start, end in _joined(passage, marks):
        parts.append(plain_part(text[at:start]))
        parts.append(wrap(text[start:end], ":gray-background[**", "**]"))
        at = end
    return close("".join([*parts, plain_part(text[at:])]))


def _joined(passage: str, marks: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Marks in order and apart, those with only spaces between them drawn together; what is not in
    the passage is left out."""
    last: tuple[int, int] | None = None
    for first, beyond in sorted(marks):
        start, end = max(first, 0), min(beyond, len(passage))
        if start >= end:
            continue
        if last is None:
            last = (start, end)
        elif start <= last[1] or passage[last[1] : start].strip(" ") == "":
            last = (last[0], max(last[1], end))
        else:
            yield last
            last = (start, end)
    if last is not None:
        yield last


def link_of(address: str) -> tuple[str, str] | None:
    """The label of a link to a web address, and the address; None for anything else, such as a path
    or a script."""
    if any(character.isspace() or not character.isprintable() for character in address):
        return None
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme.lower() not in {"http", "https"} or not host:
        return None
    return cut(f"{host}{parts.path}", 60), address
