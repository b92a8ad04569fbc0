"""What this browser remembers of the matrix: what is pinned and hidden, and when it was there
last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import streamlit as st

from dcq.ui import browser, example

_READ, _BEFORE = "overview_kept_read", "overview_kept_before"
_MOST = 500  # names that are remembered
# A visit ends half an hour after the page was last drawn. What was there then is old.
_KEEP = """
export default function ({ data, setTriggerValue }) {
  try {
    const kept = JSON.parse(localStorage.getItem(data.place) ?? "{}") ?? {};
    const now = Date.now();
    if (kept.last && now - kept.last > 30 * 60_000) kept.before = kept.last;
    kept.last = now;
    if (data.choices) kept.choices = data.choices;
    localStorage.setItem(data.place, JSON.stringify(kept));
    const { choices, before } = kept;
    if (!data.choices) setTriggerValue("kept", { choices, before });
  } catch { /* storage is blocked: nothing is remembered */ }
}
"""


@dataclass(frozen=True)
class Choices:
    """The keys of models and partitions that stand first, and of those that are left out."""

    pinned: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


def remember(choices: Choices) -> Choices | None:
    """Let the browser remember the ``choices``. Returns what it remembers from before, once in a
    session: the page is then drawn again with it."""
    place = f"dcq_matrix_{'example' if example.is_shown() else 'own'}"
    known = st.session_state.get(_READ) == place
    now = {"pinned": list(choices.pinned), "hidden": list(choices.hidden)}
    heard = browser.component("dcq_kept", _KEEP)(
        key="overview_kept",
        data={"place": place, "choices": now if known else None},
        on_kept_change=lambda: None,
    ).kept
    if known or not isinstance(heard, dict):
        return None
    st.session_state[_READ] = place
    st.session_state[_BEFORE] = _moment(heard.get("before"))
    read = heard.get("choices")
    read = read if isinstance(read, dict) else {}
    return Choices(_names(read.get("pinned")), _names(read.get("hidden")))


def last_visit() -> datetime | None:
    """When this browser's visit before this one ended (UTC); None where it knows of none."""
    before = st.session_state.get(_BEFORE)
    return before if isinstance(before, datetime) else None


def _names(value: object) -> tuple[str, ...]:
    names: Sequence[Any] = value if isinstance(value, list) else ()
    return tuple(name for name in names if isinstance(name, str))[:_MOST]


def _moment(milliseconds: object) -> datetime | None:
    """A time that the browser names; None where it is none or lies ahead."""
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return None
    try:
        moment = datetime.fromtimestamp(milliseconds / 1000, UTC).replace(tzinfo=None)
    except (OverflowError, OSError, ValueError):
        return None
    now = datetime.now(UTC).replace(tzinfo=None)
    return moment if moment <= now + timedelta(days=1) else None
