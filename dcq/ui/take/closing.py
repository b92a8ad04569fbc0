"""After a sitting: the person's result, that of models, and each question's original."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dcq.evidence.kappa import Kappa
from dcq.quiz import people
from dcq.quiz.people import CURATED, JudgedSitting
from dcq.quiz.results import quiz_name, quiz_row
from dcq.records import LETTERS, Item
from dcq.store import Store, partitions
from dcq.store.samples import StoredSample
from dcq.store.sittings import Sitting
from dcq.ui import glossary, notice, page
from dcq.ui.diff import mark_changes
from dcq.ui.judged_study import findings_of
from dcq.ui.take import opening
from dcq.ui.text import alignment, cut, plain
from dcq.words import kappa_words, model_title

_ALL, _MISSED, _FOUND = "All", "Missed", "Found"


def show(store: Store, sample: StoredSample, sitting: Sitting) -> None:
    """The comparison in a sentence, its figures, and the questions."""
    models = people.compare_models(
        store, sitting, [quiz_row(finding.evidence) for finding in findings_of(store)]
    )
    st.markdown(f"#### {plain(people.describe(sitting, models))}")
    where = partitions.place(store, sample.partition)
    st.caption(plain(f"{where} · sample {sample.id} · {sitting.at:%d %b %Y} · {sitting.person}"))
    _say_whether_it_counts(people.judge_sitting(store, sitting))
    _table(sitting, models)
    glossary.offer(("κ", "95 % interval", "Right", "People"))
    if not models:
        page.link("quiz", "Ask a model the same", icon=":material/quiz:", quiz_sample=sample.id)
    st.button(
        "Take another",
        icon=":material/replay:",
        key="take_another",
        on_click=notice.told(opening.close_sitting),
    )
    st.subheader("Every question, with its original", anchor=False)
    _questions(sitting)


def _say_whether_it_counts(judged_sitting: JudgedSitting) -> None:
    if judged_sitting.why_none_counts == CURATED:
        notice.warning(
            "Your answers are not counted: you had worked on these texts before, so the originals "
            "were not new to you.",
            icon=":material/visibility:",
        )
    elif judged_sitting.why_none_counts:
        notice.warning("Your answers are not counted: only the first answer to each text is.")
    else:
        st.caption("Your answers count in the verdicts on this sample, under “People”.")


def _table(sitting: Sitting, models: list[people.ModelComparison]) -> None:
    kappa = people.sitting_kappa(sitting)
    rows = [_row("You", "one question a text", f"{kappa.correct} of {kappa.n}", kappa)]
    for model in models:
        quiz = f"{quiz_name(model.result)}{model.result.how.suffix}"
        rows.append(_row(model_title(model.result.model), quiz, model.found_words, model.kappa))
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        key="take_beside",
        column_config=glossary.columns(
            {"right": "Right", "kappa": "κ"},
            {
                "who": st.column_config.TextColumn("Who", width=240),
                "quiz": st.column_config.TextColumn("Quiz", width=200),
                "right": st.column_config.TextColumn("Right", width=110),
                "kappa": st.column_config.TextColumn("κ", width=160),
            },
        ),
        alt="What you and each model found of the same texts, with κ and its interval.",
    )


def _row(who: str, quiz: str, right: str, kappa: Kappa) -> dict[str, str]:
    return {
        "who": who,
        "quiz": quiz,
        "right": right,
        "kappa": kappa_words(kappa.kappa_fixed, kappa.kappa_low, kappa.kappa_high),
    }


def _questions(sitting: Sitting) -> None:
    selection = st.segmented_control(
        "Questions",
        [_ALL, _MISSED, _FOUND],
        default=_ALL,
        required=True,
        key="take_shown",
        label_visibility="collapsed",
        format_func=lambda name: f"{name} · {_count(sitting, name)}",
    )
    for number, (item, letter, right) in enumerate(
        zip(sitting.items, sitting.letters, sitting.right, strict=True), start=1
    ):
        if selection == _ALL or (selection == _FOUND) == right:
            _question(number, item, letter or "", right=right)


def _count(sitting: Sitting, name: str) -> int:
    correct = sum(sitting.right)
    return {_ALL: len(sitting.items), _FOUND: correct, _MISSED: len(sitting.items) - correct}[name]


def _question(number: int, item: Item, letter: str, *, right: bool) -> None:
    assert item.correct is not None  # noqa: S101  (a person's question has its original)
    at, original = LETTERS[item.correct], item.options[item.correct]
    outcome = "found" if right else f"you chose {letter}, the original is {at}"
    icon = ":material/check:" if right else ":material/close:"
    with st.expander(f"{number} · {outcome} · {plain(cut(original, 70))}", icon=icon):
        for place_, text in zip(LETTERS, item.options, strict=False):
            with st.container(horizontal=True, gap="small", vertical_alignment="top"):
                st.markdown(f"**{place_}**", width="content")
                with st.container(gap=None):
                    with st.container(horizontal=True, gap="small"):
                        if place_ == at:
                            st.badge("original", icon=":material/bookmark:", color="blue")
                        if place_ == letter:
                            st.badge("your choice", icon=":material/person:", color="gray")
                    words = plain(text) if place_ == at else mark_changes(original, text)
                    st.markdown(words, text_alignment=alignment(text))
