"""Choosing models by name, and which providers are set up."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.models import embedded
from dcq.models.endpoints import missing_variables
from dcq.models.presets import EMBEDDED, PRESETS, Preset
from dcq.store import Store, run_progress
from dcq.ui import links

_HOSTED = ("gpt-4o-mini", "gpt-4o")


def suggested() -> list[str]:
    """Names to choose from; the embedded model first, where it is installed."""
    return [*([] if embedded.missing() else [EMBEDDED]), *_HOSTED]


def first_model() -> str:
    """What to begin with where nothing was asked yet: one that needs no key, if there is one."""
    return "" if embedded.missing() else EMBEDDED


def choose(store: Store, *, key: str, first: Sequence[str] = ()) -> list[str]:
    """A picker for any number of models: those used before, a few suggestions, or any typed name.
    On a first visit those of the address are selected, else ``first``, else the last one that has
    answered. Of a link, no name counts that was not used before and leads to a server or a folder
    of its own: ``NAME@https://host/v1``, ``likelihood:/path``."""
    usual = list(first) or list(filter(None, [run_progress.last_model(store) or first_model()]))
    linked = [name for name in st.query_params.get_all(key) if "@" not in name and ":/" not in name]
    options = list(dict.fromkeys([*run_progress.models(store), *suggested(), *usual, *linked]))
    links.take_some(key, key, options, usual)
    row = st.container(horizontal=True, vertical_alignment="bottom")
    picked = row.multiselect(
        "Models",
        options,
        accept_new_options=True,
        placeholder="Choose, or type a name such as ollama:llama3.2:1b",
        key=key,
        persist_state="page",
    )
    links.put_some(key, picked)
    with row.popover("How to name a model", icon=":material/help:", width="content"):
        explain()
    return list(dict.fromkeys(name.strip() for name in picked if name.strip()))


def explain() -> None:
    """What can be typed, and which providers are set up."""
    st.markdown(
        "Type a model's name as its provider writes it. A plain name uses the endpoint of "
        "`OPENAI_BASE_URL` (OpenAI's by default); with a preset and a colon before it, that "
        "provider; `NAME@https://host/v1` uses any other server that speaks OpenAI's protocol."
    )
    st.dataframe(
        [
            {
                "preset": preset.name,
                "provider": preset.title,
                "set up": _lack(preset) or "yes",
            }
            for preset in PRESETS
        ],
        hide_index=True,
        alt="Providers that have a preset, and what each still needs.",
    )


def _lack(preset: Preset) -> str:
    """What a provider still needs; empty if nothing."""
    if preset.name == EMBEDDED:
        return embedded.missing()
    missing = missing_variables(preset)
    return f"set {' and '.join(missing)}" if missing else ""
