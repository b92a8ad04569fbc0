"""The form for a search or scan with its cost and start button; and the runs with their live
progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from dcq.asking import launch
from dcq.asking.options import Options, Terms
from dcq.environment import read_variable
from dcq.errors import DcqError, InputError
from dcq.jobs.state import RunState
from dcq.overlap.evidence import OverlapSummary
from dcq.overlap.freeze import DEFAULT, NONE, SearchDesign
from dcq.overlap.meteor import PRESETS
from dcq.overlap.method import CRAWL, EXCLUSIVE, METHODS, SCAN, SEARCH
from dcq.overlap.search.providers import ARCHIVES, PROVIDERS, SearchProvider
from dcq.overlap.search.service import Window
from dcq.overlap.searches import estimate, start_scan, start_search
from dcq.store import Store, overlaps
from dcq.store.run_progress import RunProgress
from dcq.store.samples import StoredSample
from dcq.ui import notice, roles, run_card, run_panel, start_button
from dcq.ui.run_card import MethodCard
from dcq.ui.run_limits import choose_calls, choose_limit
from dcq.ui.run_panel import ListedRun, Panel
from dcq.words import counted, usd_words

_WHAT = {SEARCH.name: "web search", SCAN.name: "scan"}


@dataclass(frozen=True)
class _ListedSearch(ListedRun):
    """A run with its state, and the price of a call where it is known, in USD."""

    price: float | None = None


def panel(read: Callable[[str], None]) -> Panel[_ListedSearch]:
    """The panel of searches, archives and scans; ``read`` opens the result of a run, in a
    callback."""
    return Panel(
        page="overlap",
        what="replies",
        again=("overlap_again", "Search again"),
        listing=_list,
        card=lambda store, search_row, is_new: _card(store, search_row, read, is_new=is_new),
    )


def name(summary: OverlapSummary) -> str:
    """``MMLU test · brave · 22 Nov 2026, 14:03``."""
    return f"{summary.place} · {summary.source} · {summary.made_at:%d %b %Y, %H:%M}"


def _list(store: Store, only: Sequence[str]) -> list[_ListedSearch]:
    """An archive is to come where a search is done and a process is still at it."""
    run_states = run_panel.states(store, METHODS, only)
    looked_up = {run.subject for run, _ in run_states if run.method == CRAWL.name}
    searches = []
    for run, state in run_states:
        if run.method == CRAWL.name:
            searches.append(_ListedSearch(run, state))
            continue
        overlap = overlaps.load(store, run.subject)
        total = len(overlap.requests) or len(overlap.parts)
        follows = (
            state is RunState.FINISHED
            and bool(overlap.asked.archive)
            and run.run not in looked_up
            and EXCLUSIVE.is_held(store, overlap.asked.sample_id, run.model)
        )
        price = overlap.asked.usd_per_call
        searches.append(_ListedSearch(replace(run, quiz_items=total), state, follows, price))
    return searches


def _card(
    store: Store, search_row: _ListedSearch, read: Callable[[str], None], *, is_new: bool
) -> MethodCard:
    return MethodCard(
        what=lambda run: _WHAT.get(run.method, f"pages of run {run.subject} looked up"),
        so_far=lambda run: _so_far(store, search_row),
        unusable="unreadable",
        reasons_title="Why some requests brought nothing",
        role=roles.UserRole.RUNNER,
        resume=lambda store, run, terms, all_of_it: launch.resume(
            store, METHODS[search_row.run.method], run, terms, all_of_it=all_of_it
        ),
        result_button=lambda run, state: _offer(run, state, read, is_new=is_new),
        cost=lambda run: _cost(run, search_row.price),
    )


def _so_far(store: Store, search_row: _ListedSearch) -> str:
    if search_row.run.method == SCAN.name:
        done, total = overlaps.bytes_scanned(store, search_row.run.run)
        return f"{_size(done)} of {_size(total)}"
    return "an archive is asked next" if search_row.follows else ""


def _size(count: int) -> str:
    return f"{count / 1e6:,.0f} MB" if count >= 1e7 else f"{count / 1e3:,.0f} kB"


def _cost(run: RunProgress, price: float | None) -> str:
    """Of a search, whose price is that of a call; the others are free."""
    if run.method != SEARCH.name:
        return ""
    calls = counted(run.calls, "call")
    return calls if price is None else f"{calls}, {usd_words(run.calls * price)}"


def _offer(run: RunProgress, state: RunState, read: Callable[[str], None], *, is_new: bool) -> None:
    if run.method == CRAWL.name or state.live or run.done <= run.errors:
        return
    if run_card.offer_result(run, key="overlap_read", is_next=is_new, act=lambda: read(run.run)):
        st.rerun()  # of the whole page: the button alone redraws only the runs


_FILES = "Files on this machine"
_TITLES = {provider.title: provider for provider in PROVIDERS}
_ARCHIVES = {
    DEFAULT: "Common Crawl, if days are chosen",
    **{name: name.replace("-", " ").title() for name in ARCHIVES},
    NONE: "None",
}
_ICON = ":material/search:"


@dataclass(frozen=True)
class _SearchForm:
    """What the form says of a search."""

    source: str
    design: SearchDesign
    options: Options


def show(store: Store, sample: StoredSample) -> None:
    """The form, the price and the button."""
    # A shared app takes no path on its machine: what lies there is not everybody's.
    sources = [*([] if roles.shared() else [_FILES]), *_TITLES]
    chosen = st.segmented_control(
        "Look for its instances in",
        sources,
        default=sources[0],
        required=True,
        key="overlap_source",
        persist_state="page",
        bind="query-params",
        help="A corpus on this machine costs nothing. A search service lists web pages, at a price "
        "a call; infini-gram finds exact texts in the training corpora of open models, for free.",
    )
    if chosen == _FILES:
        _show_files(store, sample)
    else:
        _show_search(store, sample, _TITLES[chosen or sources[-1]])


def _show_files(store: Store, sample: StoredSample) -> None:
    written = st.text_area(
        "Files and folders, one a line",
        key="overlap_corpus",
        persist_state="page",
        placeholder="/data/corpus\n/data/more/pages.warc.gz",
        help="jsonl, json, csv, tsv, parquet, text, HTML, WARC or WET; plain, gzip or zstd.",
    )
    with st.expander("Settings"):
        preset, threshold = _ask_matching()
    corpus = [Path(line.strip()) for line in (written or "").splitlines() if line.strip()]
    missing = [path for path in corpus if not path.expanduser().exists()]

    def scan() -> list[str]:
        if roles.shared():
            raise InputError("A shared app looks through no files of its machine.")
        with st.spinner("Listing the files…"):
            author = roles.known_author()
            return [
                start_scan(
                    store, sample.id, corpus, preset=preset, threshold=threshold, author=author
                )
            ]

    start_button.offer(
        start_button.Start(
            panel="overlap",
            key="overlap_start",
            label=f"Scan for {len(sample.instances):,} instances",
            begin=scan,
            obstacles=[
                f"There is no file or folder {path}; check the path." for path in missing[:1]
            ],
            unless="" if corpus else "Name files or folders to look through.",
            icon=_ICON,
        )
    )


def _show_search(store: Store, sample: StoredSample, provider: SearchProvider) -> None:
    source = provider.name
    days: Window | None = None
    if provider.live:
        try:
            days = _ask_days()
        except DcqError as error:
            notice.warning(error)
            return
    else:
        index = st.text_input(
            "Index",
            "v4_dolma-v1_7_llama",
            key="overlap_index",
            persist_state="page",
            help="The corpus that is searched; infini-gram.io lists the names.",
        )
        source = f"{source}:{index.strip()}" if index and index.strip() else source
    search = _ask_settings(provider, source, days)
    try:
        cost_estimate = estimate(
            store,
            sample.id,
            source,
            search.design,
            limit=search.options.terms.limit,
            reuse=search.options.reuse,
        )
    except DcqError as error:
        notice.warning(error)
        return
    reuse_note = (
        f", {cost_estimate.reusable:,} of them asked before" if cost_estimate.reusable else ""
    )
    money = usd_words(cost_estimate.usd) if provider.key_variable else "free"
    st.caption(
        f"{cost_estimate.instances:,} instances, {cost_estimate.requests:,} queries{reuse_note}: "
        f"at most {cost_estimate.calls:,} calls, {money}. "
        f"Its terms say what may be stored: [{provider.title}]({provider.terms_url})."
    )
    obstacles = []
    if provider.key_variable and not read_variable(provider.key_variable):
        obstacles = [
            f"{provider.title} needs a key; set {provider.key_variable} and start the app again."
        ]
    start_button.offer(
        start_button.Start(
            panel="overlap",
            key="overlap_start",
            label=f"Search for {cost_estimate.instances:,} instances",
            begin=lambda: [start_search(store, sample.id, source, search.design, search.options)],
            obstacles=obstacles,
            icon=_ICON,
        )
    )


def _ask_days() -> Window | None:
    """The days in which pages may have been there; raises InputError where only one is given."""
    left, right, _ = st.columns([1, 1, 2])
    first = left.date_input(
        "Only pages from",
        None,
        min_value="1995-01-01",
        key="overlap_from",
        persist_state="page",
        help="From the start of a model's training data to its end. Left empty, pages of any day "
        "count, and no archive is asked.",
    )
    last = right.date_input(
        "to", None, min_value="1995-01-01", key="overlap_to", persist_state="page"
    )
    if first is None and last is None:
        return None
    if first is None or last is None:
        raise InputError("Choose both days, or none.")
    return Window(first, last)


def _ask_matching() -> tuple[str, float | None]:
    """The preset, and a threshold other than its own, None for its own."""
    preset = st.segmented_control(
        "Matching as in the",
        list(PRESETS),
        default="paper",
        format_func=str.capitalize,
        required=True,
        key="overlap_preset",
        persist_state="page",
        help="METEOR says how well a text covers the words of the query, from 0 to 1, less a "
        "penalty (γ) for words in another order. Paper: METEOR from 0.75 on, with an order "
        "penalty of 0.8, in windows of up to twice the query. Release, as the authors' code has "
        "it: 0.7, 0.5, whole fragments, nltk's words.",
    )
    threshold = st.number_input(
        "Threshold",
        min_value=0.01,
        max_value=1.0,
        value=None,
        step=0.05,
        placeholder="as in the paper or the release",
        key="overlap_least",
        persist_state="page",
        help="From which METEOR on an instance counts as found. It can be raised later, and not "
        "lowered.",
    )
    return preset or "paper", threshold


def _ask_settings(provider: SearchProvider, source: str, days: Window | None) -> _SearchForm:
    row = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
    limit = choose_limit(row, key="overlap_share")
    reuse = row.toggle(
        "Reuse results of identical queries",
        value=True,
        key="overlap_reuse",
        persist_state="page",
        help="Same service, query, days and language. They cost nothing.",
    )
    with st.expander("Settings"):
        left, right = st.columns(2)
        with left:
            preset, threshold = _ask_matching()
        archive = NONE
        if provider.live:
            archive = right.selectbox(
                "Count only pages that are in",
                list(_ARCHIVES),
                format_func=_ARCHIVES.__getitem__,
                key="overlap_archive",
                persist_state="page",
                help="The report counts a page only if a crawl has it. An archive is asked about "
                "each page found, free of charge, a call a second or slower.",
            )
        calls = choose_calls(
            left, "Calls at most, those to the archive included", key="overlap_max_calls"
        )
        price = None
        if provider.key_variable:
            price = right.number_input(
                "Price of a call in your plan, USD",
                min_value=0.0,
                value=None,
                step=0.001,
                format="%.4f",
                placeholder="not known",
                key="overlap_price",
                persist_state="page",
            )
    return _SearchForm(
        source,
        SearchDesign(days, preset, archive or NONE, price, threshold),
        Options(
            Terms(limit, None, calls),
            reuse,
            author=roles.known_author(),
        ),
    )
