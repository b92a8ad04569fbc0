"""Choosing models by name, and which providers are set up."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq import settings
from dcq.errors import DcqError, InputError
from dcq.models import embedded
from dcq.models.endpoints import exposed_key, missing_variables, names_folder, resolve
from dcq.models.presets import EMBEDDED, PRESETS, Preset
from dcq.store import Store, run_progress
from dcq.ui import links, notice, roles
from dcq.words import listed

_HOSTED = ("gpt-4o-mini", "gpt-4o")


def suggested() -> list[str]:
    """Suggested names; the embedded model first, where it is installed."""
    return [*([] if embedded.missing() else [EMBEDDED]), *_HOSTED]


def first_model() -> str:
    """The model that is preselected in an empty store: a provider that needs no key, if one is set
    up."""
    return "" if embedded.missing() else EMBEDDED


def choose(
    store: Store,
    *,
    key: str,
    first: Sequence[str] = (),
    further: tuple[str, str] | None = None,
) -> list[str]:
    """A picker for any number of models: those on the list, or any typed name for users who may ask
    them. On a first visit those of the address are selected, else ``first``, else the last one that
    has answered. ``further`` is the label and the help of a second picker on a page, in which
    nothing is selected at first. A link can only select from the list: it may be a stranger's, and
    a name can lead to a server or a folder (``NAME@https://host/v1``, ``likelihood:/path``)."""
    options = offered(store)
    label, tip = further or ("Models", None)
    usual = [name for name in first if name in options]
    usual = usual or list(filter(None, [run_progress.last_model(store) or first_model()]))
    named = set(st.query_params.get_all(key))
    unknown = named - set(options)
    if named or further:  # never another model than the one that a link names
        usual = []
    if unknown and key not in st.session_state:
        notice.caption(
            f"The address names models that are not on the list ({listed(sorted(unknown), 3)}); "
            "type their names to choose them."
        )
    links.take_some(key, key, options, usual)
    row = st.container(horizontal=True, vertical_alignment="bottom")
    picked = row.multiselect(
        label,
        options,
        accept_new_options=may_type(),
        placeholder="Choose, or type a name such as ollama:llama3.2:1b",
        key=key,
        persist_state="page",
        help=tip,
    )
    links.put_some(key, picked)
    if not further:
        with row:
            offer_names()
    names = list(dict.fromkeys(name.strip() for name in picked if name.strip()))
    for sentence in dict.fromkeys(filter(None, (_refusal(name, options) for name in names))):
        notice.warning(sentence, icon=":material/block:")
    chosen = [name for name in names if not _refusal(name, options)]
    for sentence in dict.fromkeys(filter(None, map(_exposed_key, chosen))):
        notice.warning(sentence, icon=":material/lock_open:")
    return chosen


def _exposed_key(name: str) -> str:
    """As ``exposed_key`` for a name; what cannot be asked is refused elsewhere, with the reason."""
    try:
        return exposed_key(resolve(name, settings.load()))
    except DcqError:
        return ""


def offered(store: Store) -> list[str]:
    """The list: models that were asked here before, the latest first, and a few suggestions. Models
    of imported runs are not on it, because a stranger chose their names."""
    return list(dict.fromkeys([*run_progress.models(store), *suggested()]))


def may_type() -> bool:
    """Whether the user may name a model that is not on the list."""
    return roles.why_not(roles.UserRole.RUNNER) is None


def check(store: Store, model: str) -> None:
    """Raise InputError where the user may not name this model."""
    if sentence := _refusal(model.strip(), offered(store)):
        raise InputError(sentence)


def _refusal(name: str, options: Sequence[str]) -> str | None:
    """Why the user may not name this model, which may have been typed or forged; None if they
    may. Alone on a machine of one's own anything can be named."""
    if name in options:
        return None
    if not may_type():
        return roles.why_not(roles.UserRole.RUNNER, "Naming a model that is not on the list")
    if roles.shared() and names_folder(name):
        return (
            "Nobody names a folder of the server here; once its administrator has asked that model "
            "by command line, it is on the list."
        )
    return None


def offer_names() -> None:
    """A button that opens ``explain``."""
    with st.popover("How to name a model", icon=":material/help:", width="content"):
        explain()


def explain() -> None:
    """Which names can be typed, and which providers are set up."""
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
                "set up": _why_not(preset) or "yes",
            }
            for preset in PRESETS
        ],
        hide_index=True,
        alt="Providers that have a preset, and what each still needs.",
    )


def _why_not(preset: Preset) -> str | None:
    """What a provider still needs; None if nothing."""
    if preset.name == EMBEDDED:
        return embedded.missing()
    missing = missing_variables(preset)
    return f"set {' and '.join(missing)}" if missing else None
