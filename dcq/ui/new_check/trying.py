"""One call to each model before anything starts: whether it replies, and how fast."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import streamlit as st

from dcq import settings
from dcq.errors import DcqError
from dcq.investigation.planned import PowerPlan
from dcq.models.endpoints import Endpoint, resolve
from dcq.models.presets import EMBEDDED
from dcq.records import Mode
from dcq.study.probe import probe
from dcq.ui import action
from dcq.ui.text import plain
from dcq.words import model_title

_TRIED = "check_tried"  # of this session, by the name that was chosen


@dataclass(frozen=True)
class Tried:
    """How a model replied: after so many ``seconds``, or ``why_not``."""

    seconds: float
    why_not: str


def offer(models: Sequence[str]) -> None:
    """A button that asks each model once; and how those replied that were asked so far. What runs
    on this machine is not asked: it needs no key, and would be loaded for one call."""
    endpoints: dict[str, Endpoint] = {}
    for name in models:
        try:
            endpoints[name] = resolve(name, settings.load())
        except DcqError:  # the plan says why, with the fix
            continue
    remote = {name: each for name, each in endpoints.items() if _is_remote(each)}
    if not remote:
        return
    tried: dict[str, Tried] = st.session_state.setdefault(_TRIED, {})

    def ask() -> None:
        with st.spinner("Asking each model once…"), ThreadPoolExecutor() as threads:
            tried.update(zip(remote, threads.map(_try, remote.values()), strict=True))

    with st.container(horizontal=True, vertical_alignment="center"):
        action.button(
            "Try the models",
            ask,
            key="check_try",
            icon=":material/network_check:",
            tip="One short call to each shows whether name and key are right.",
        )
        for name in remote:
            if (found := tried.get(name)) is not None:
                st.markdown(_words(name, found), width="content")


def time_words(plan: PowerPlan) -> str:
    """About how long a plan takes, by how fast its models replied; empty where one was not
    tried."""
    longest = 0.0
    tried = {resolve(name, settings.load()): found for name, found in _replied().items()}
    by_name = {endpoint.name: (endpoint, found) for endpoint, found in tried.items()}
    for model in {need.model for need in plan.needs if need.model != EMBEDDED}:
        if model not in by_name:
            return ""
        endpoint, found = by_name[model]
        calls = sum(need.calls for need in plan.needs if need.model == model)
        longest = max(longest, calls * found.seconds / endpoint.concurrency)
    if not longest:
        return ""
    minutes = round(longest / 60)
    return f"about {minutes:,} min" if minutes else "a minute or less"


def _replied() -> dict[str, Tried]:
    tried: dict[str, Tried] = st.session_state.get(_TRIED, {})
    return {name: found for name, found in tried.items() if not found.why_not}


def _is_remote(endpoint: Endpoint) -> bool:
    return endpoint.mode is not Mode.LIKELIHOOD and endpoint.name != EMBEDDED


def _try(endpoint: Endpoint) -> Tried:
    began = time.monotonic()
    failed = probe([endpoint]).failed
    return Tried(time.monotonic() - began, failed.get(endpoint.name, ""))


def _words(name: str, found: Tried) -> str:
    title = plain(model_title(name))
    if found.why_not:
        return f":red[:material/close:] {title}: {plain(found.why_not)}"
    return f":green[:material/check:] {title} answered in {found.seconds:.1f} s"
