"""Having variants written: the writer, all missing ones at once, and the progress."""

from __future__ import annotations

import streamlit as st

from dcq import settings
from dcq.errors import DcqError
from dcq.models.endpoints import Endpoint, resolve
from dcq.quiz.coverage import Tally
from dcq.store import Store
from dcq.store.samples import StoredSample
from dcq.ui import models, notice, roles
from dcq.ui.text import plain
from dcq.variants import rewording
from dcq.variants.perturb import count_requests
from dcq.variants.prompts import Protocol
from dcq.variants.reword import SLOTS
from dcq.variants.rewording import Rewording, State

OFFLINE, MODEL = "Offline generator (weaker)", "A model"
PROMPTS = {Protocol.V1: "Paper (v1)", Protocol.V2: "Release (v2)"}
_LOG_LINES = 5


def show(store: Store, sample: StoredSample, tally: Tally) -> None:
    """The panel: the rewording in progress, or the form that starts one."""
    newest = rewording.state(store, sample.id)
    if newest and newest.state is State.RUNNING:
        st.fragment(_watch, run_every="1s")(store, sample.id)
        return
    if newest and newest.state is State.FAILED:
        _show_failure(newest)
    missing = (
        f"{tally.missing:,} variants are missing" if tally.missing else "Have variants written"
    )
    with st.expander(missing, expanded=bool(tally.missing), icon=":material/edit_note:"):
        if newest and newest.state is State.FINISHED and newest.notes:
            st.caption(plain(" ".join(newest.notes[-_LOG_LINES:])))
        _ask(store, sample, tally)


def writer() -> Endpoint | None:
    """The writer of a single variant: the chosen model, None for the offline generator. Raises
    ModelChoiceError if the model cannot be used as named."""
    name = _chosen_model()
    return resolve(name, settings.load()) if name is not None else None


def protocol() -> Protocol:
    """The protocol whose prompt the chosen model is asked with."""
    return Protocol(st.session_state.get("variants_prompt") or Protocol.V1)


def needed_role() -> roles.Role:
    """The role needed to have variants written: a model costs money, the generator does not."""
    return roles.Role.ANNOTATOR if _chosen_model() is None else roles.Role.RUNNER


def writer_name() -> str:
    """The writer in words."""
    name = _chosen_model()
    return "the offline generator (weaker)" if name is None else name or "no model yet"


def _chosen_model() -> str | None:
    """The model's name as typed; None for the offline generator."""
    if st.session_state.get("variants_by", OFFLINE) == OFFLINE:
        return None
    return (st.session_state.get("variants_model") or "").strip()


def _ask(store: Store, sample: StoredSample, tally: Tally) -> None:
    who, which = st.container(), st.container()  # side by side, one would be cut off
    by = who.segmented_control(
        "Written by",
        [OFFLINE, MODEL],
        default=OFFLINE,
        required=True,
        key="variants_by",
        bind="query-params",
    )
    if by == MODEL:
        which.text_input(
            "Model",
            placeholder="gpt-4o, ollama:llama3.1:8b, NAME@https://host/v1",
            key="variants_model",
            persist_state="session",
        )
        with st.popover("How to name a model", icon=":material/help:"):
            models.explain()
        _ask_prompt()
    else:
        which.caption(
            "Synonyms from a dictionary, chosen without understanding the sentence. Good for "
            "trying things out; for a result to publish, use a model and read what it wrote."
        )
    again = st.checkbox(
        "Write all again, not only what is missing",
        key="variants_again",
        help="The current variants stay in the history of each instance.",
    )
    count = len(sample.instances) * 4 if again else tally.missing
    label = f"Write all {count:,} variants" if again else f"Write the {count:,} missing variants"
    lack = roles.lacks(needed_role())
    if st.button(
        label if count else "Nothing is missing",
        type="primary",
        icon=":material/edit:",
        key="variants_write",
        disabled=bool(lack) or not count,
        help=lack,
    ):
        try:
            roles.require(needed_role())
            rewording.start(store, sample.id, _chosen_model(), protocol=protocol(), again=again)
        except DcqError as error:
            notice.error(error)
        else:
            st.rerun()


def _ask_prompt() -> None:
    st.segmented_control(
        "Asked with the prompt of the",
        list(PROMPTS),
        default=Protocol.V1,
        format_func=PROMPTS.__getitem__,
        required=True,
        key="variants_prompt",
        bind="query-params",
        help="The paper's prompt asks for three variants, so the fourth takes a second request, "
        "whose wording is dcq's. The release's prompt asks for four at once. The prompt is saved "
        "with each variant.",
    )
    calls = count_requests(protocol(), SLOTS)
    each = "one call" if calls == 1 else "two calls"
    st.caption(f"Four variants take {each} per instance, more if a reply lacks some.")


def _watch(store: Store, sample_id: str) -> None:
    now = rewording.state(store, sample_id)
    if now is None or now.state is not State.RUNNING:
        st.rerun()  # it has ended: the whole page has more to show
    words = f"{now.done:,} of {now.planned:,} variants written by {now.writer or OFFLINE.lower()}"
    bar, button = st.columns([6, 1], vertical_alignment="center")
    bar.progress(min(1.0, now.done / now.planned), plain(words))
    lack = roles.lacks(roles.Role.ANNOTATOR)
    if button.button(
        "Stop",
        icon=":material/stop:",
        key="variants_stop",
        width="stretch",
        disabled=bool(lack),
        help=lack,
    ) and not roles.refuses(roles.Role.ANNOTATOR):
        rewording.stop(store, sample_id)
    st.caption("It continues if you leave or close this page. Finished ones can be reviewed below.")


def _show_failure(newest: Rewording) -> None:
    reason = " ".join(newest.notes[-_LOG_LINES:]) or "The process ended without a message."
    notice.warning(f"{newest.done:,} of {newest.planned:,} variants were written. {reason}")
