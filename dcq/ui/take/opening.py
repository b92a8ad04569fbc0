"""Before a sitting: which questions to take, unfinished sittings, and the results of people so
far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from dcq.files import export
from dcq.quiz import people
from dcq.quiz.people import LONG, SHORT
from dcq.quiz.results import quiz_row
from dcq.store import Store, samples, sittings
from dcq.store.samples import ListedSample
from dcq.store.sittings import Sitting
from dcq.ui import action, downloads, glossary, notice, page, roles, sample_picker
from dcq.ui.judged_study import findings_of
from dcq.ui.result_names import sample_names
from dcq.ui.text import plain
from dcq.words import kappa_words, percent

SITTING = "take_sitting"  # in the address
SAMPLE = "take_sample"
_TROUBLE = "take_trouble"


def show(store: Store, author: str) -> None:
    """The two ways to begin, the sittings of ``author``, and the figures of all people."""
    if trouble := st.session_state.pop(_TROUBLE, ""):
        notice.error(trouble)
    listed_samples = samples.listing(store)
    own_sittings = sittings.of_person(store, author) if author else []
    _go_on(listed_samples, [sitting for sitting in own_sittings if not sitting.finished])
    reason = roles.why_not(roles.UserRole.ANNOTATOR) or ("" if author else "Enter your name first.")
    short, long = st.columns(2, gap="medium")
    with short, st.container(border=True, height="stretch"):
        _offer_short(store, author, reason, first=not listed_samples)
    with long, st.container(border=True, height="stretch"):
        _offer_long(store, listed_samples, author, reason)
    _look_back(
        listed_samples, [own_sitting for own_sitting in own_sittings if own_sitting.finished]
    )
    _figures(store, listed_samples)


def open_sitting(sitting_id: str) -> None:
    """Put a sitting into the address."""
    st.query_params[SITTING] = sitting_id


def close_sitting() -> None:
    """Take the sitting out of the address, which leads back to the start."""
    st.query_params.pop(SITTING, None)


def _begin(start: Callable[[], str]) -> None:
    """In a callback: start a sitting and open it, or keep what went wrong for ``show``."""
    st.session_state[_TROUBLE] = action.trouble(
        lambda: open_sitting(start()), roles.UserRole.ANNOTATOR
    )


def _offer_short(store: Store, author: str, reason: str, *, first: bool) -> None:
    name, sample_id = people.trial_quiz(
        store, [quiz_row(finding.evidence) for finding in findings_of(store)]
    )
    st.markdown(f"#### {SHORT} questions, to see what it is like")
    st.markdown(
        f"From {plain(name)}: texts that come with the app and are published nowhere else. Nobody "
        "remembers them, so this shows how far wording alone takes you."
    )
    st.button(
        f"Start {SHORT} questions",
        type="primary" if first else "secondary",
        icon=":material/play_arrow:",
        key="take_short",
        disabled=bool(reason),
        help=reason or None,
        on_click=notice.told(_begin),
        args=(lambda: people.begin_trial(store, sample_id, author),),
    )


def _offer_long(
    store: Store, listed_samples: Sequence[ListedSample], author: str, reason: str
) -> None:
    st.markdown(f"#### Up to {LONG} questions of a sample, as a control")
    if not listed_samples:
        st.markdown("There is no sample yet.")
        page.link("dataset", "Choose a dataset and draw a sample")
        return
    chosen = sample_picker.sample(listed_samples, key=SAMPLE)
    if author and sittings.curated_by(store, chosen, author):
        notice.warning(
            "You have worked on the texts of this sample, so its originals are not new to you. You "
            "may take the quiz, but your answers will not be counted.",
            icon=":material/visibility:",
        )
    else:
        st.markdown(
            "What you find counts in the verdicts on this sample: if people find the originals, "
            "finding them does not take training on them."
        )
    st.button(
        "Start",
        type="primary",
        icon=":material/play_arrow:",
        key="take_long",
        disabled=bool(reason),
        help=reason or None,
        on_click=notice.told(_begin),
        args=(lambda: people.begin_sitting(store, chosen, author, LONG),),
    )


def _go_on(listed_samples: Sequence[ListedSample], unfinished: Sequence[Sitting]) -> None:
    names = sample_names(listed_samples)
    for sitting in unfinished:
        done = sum(letter is not None for letter in sitting.letters)
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(
                f"**{done} of {len(sitting.items)}** answered · {plain(names[sitting.sample_id])}",
                width="stretch",
            )
            st.button(
                "Go on",
                type="primary",
                icon=":material/play_arrow:",
                key=f"take_go_on_{sitting.id}",
                on_click=notice.told(open_sitting),
                args=(sitting.id,),
            )


def _look_back(listed_samples: Sequence[ListedSample], finished: Sequence[Sitting]) -> None:
    if not finished:
        return
    names = sample_names(listed_samples)
    st.subheader("Your sittings", anchor=False)
    for sitting in reversed(finished):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                f"{sum(sitting.right)} of {len(sitting.items)} · "
                f"{plain(names[sitting.sample_id])} · "
                f"{sitting.at:%d %b %Y}",
                width="content",
            )
            st.button(
                "Look at it",
                type="tertiary",
                icon=":material/arrow_forward:",
                key=f"take_open_{sitting.id}",
                on_click=notice.told(open_sitting),
                args=(sitting.id,),
            )


def _figures(store: Store, listed_samples: Sequence[ListedSample]) -> None:
    overview = people.overview(store)
    if not overview:
        return
    names = sample_names(listed_samples)
    st.subheader("What people found", anchor=False)
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "sample": names[sample],
                    "people": pooled.people,
                    "right": f"{pooled.kappa.correct:,} of {pooled.kappa.n:,}",
                    "score": None if pooled.kappa.score is None else percent(pooled.kappa.score),
                    "kappa": kappa_words(
                        pooled.kappa.kappa_fixed, pooled.kappa.kappa_low, pooled.kappa.kappa_high
                    ),
                }
                for sample, pooled in overview
            ]
        ),
        hide_index=True,
        key="take_people",
        column_config=glossary.columns(
            {"people": "People", "right": "Right", "score": "Score", "kappa": "κ"},
            {
                "sample": "Sample",
                "people": st.column_config.NumberColumn("People", width="small"),
                "right": st.column_config.TextColumn("Right", width="small"),
                "score": st.column_config.TextColumn("Score", width="small"),
                "kappa": "κ",
            },
        ),
        alt="For each sample how many people took the quiz, how many originals they found, and κ.",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        glossary.offer(("κ", "95 % interval", "Score", "Right", "People"))
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            for sample, _ in overview:
                downloads.offer_table(
                    f"Answers, {names[sample]}",
                    f"dcq-people-{sample}",
                    partial(export.frame, store, export.ExportTable.PEOPLE, sample),
                    key=f"take_download_{sample}",
                )
