"""Choosing a sample, the same way on every page; the address remembers it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from dcq.store import Store, samples
from dcq.store.samples import ListedSample
from dcq.ui import links, notice, page
from dcq.ui.result_names import sample_names

_CHOSEN = "sample_chosen"


def list_samples(store: Store) -> list[ListedSample]:
    """As ``samples.listing``, but cached until the next sample is saved, so that the number of
    finished instances may be old: counting takes a while, and a picker does not show it."""
    return _listing(str(store.path), samples.state(store))


@st.cache_data(max_entries=4, show_spinner=False)
def _listing(path: str, state: tuple[int, int]) -> list[ListedSample]:
    """``state`` is only part of the cache key."""
    return samples.listing(Store(Path(path)))


def sample(
    listed_samples: Sequence[ListedSample], *, key: str, in_row: bool = False, label: str = "Sample"
) -> str:
    """A picker over the samples of the store; returns the id chosen, at first the one that was
    chosen on another page. ``in_row``: without a line for its label."""
    names = sample_names(listed_samples)
    named = page.arrived() and key in st.query_params
    before = st.session_state.get(_CHOSEN)
    if page.arrived() and not named and before in names:
        st.session_state[key] = before
    chosen = links.choose(
        label,
        names,
        key=key,
        label_visibility="collapsed" if in_row else "visible",
        on_change=notice.told(_remember),
        args=(key,),
    )
    if named:
        st.session_state[_CHOSEN] = chosen
    return chosen


def _remember(key: str) -> None:
    """What a page shows without being told is no choice, so only a person's is remembered."""
    st.session_state[_CHOSEN] = st.session_state[key]


def choose_others(listed_samples: Sequence[ListedSample], chosen: str, *, key: str) -> list[str]:
    """A picker for any further samples; nothing is shown where ``chosen`` is the only one."""
    named = {
        sample: name for sample, name in sample_names(listed_samples).items() if sample != chosen
    }
    if not named:
        return []
    return st.multiselect(
        "The same quiz for other samples",
        list(named),
        format_func=named.__getitem__,
        placeholder="None: choose control partitions, or other splits",
        key=f"{key}_{chosen}",
        persist_state="page",
        help="A verdict needs a control: texts that the model cannot have seen. If the quiz puts "
        "the original in one slot, each model gets the same slot here as in the first sample.",
    )
