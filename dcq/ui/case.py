"""The case of one model and one benchmark: what is concluded, its figure, what else could explain
it, and what each method found."""

from __future__ import annotations

import streamlit as st

from dcq.documents import chart_rows
from dcq.evidence.check import Mark
from dcq.judging import study
from dcq.judging.answer import Answer, Concluded, conclusions_by_run
from dcq.judging.answer_words import whether_it_counts
from dcq.judging.judged import JudgedResult
from dcq.judging.summary import summarise
from dcq.store import Store
from dcq.store.studies import QUIZ, Study
from dcq.ui import (
    answer_view,
    case_note,
    case_views,
    checklist,
    glossary,
    method_results,
    notice,
    others,
    page,
    repairs,
    rulers,
)
from dcq.ui.judged_study import answers_of, findings_of
from dcq.words import counted


def show(store: Store, answer: Answer, within: Study) -> None:
    """The whole case of a study's ``answer``."""
    concluded = conclusions_by_run(answers_of(store, within))
    answer_view.show_short(answer)
    repairs.watch(store)
    repairs.show_for(store, answer, key="case")
    with st.container(horizontal=True):
        page.link(
            "investigate", "Ask more", icon=":material/add:", investigate_sample=answer.sample
        )
        page.link("present", "Present", icon=":material/slideshow:")
    case_note.show(store, answer)
    scored = study.with_originals(findings_of(store, within))
    of_pair = [finding for finding in scored if answer_view.is_about(answer, finding.evidence)]
    judged = [method.judged for method in answer.methods if method.judged]
    first = study.strongest(of_pair) or next(iter(judged), None)
    if first is not None:
        _show_figure(first, answer, concluded)
        st.subheader("What else could explain it?", anchor=False)
        _show_checks(store, first, answer)
    with st.container(horizontal=True):
        if of_pair and first is not None:
            page.link("results", "Read this result", results_run=first.evidence.run)
        method_results.offer_its(judged)
    st.subheader("Methods side by side", anchor=False)
    answer_view.show_methods(answer)
    answer_view.show_effect(store, answer)
    case_views.offer(store, answer, within)
    if of_pair and first is not None:
        _show_beside(first, scored, concluded)
    answer_view.show_more(store, answer, key="case_answer", within=within)
    others.show(store, key="case_others", partition=answer.partition)
    glossary.offer(answer_view.TERMS)


def _show_figure(first: JudgedResult, answer: Answer, concluded: Concluded) -> None:
    """The ruler of a result of any method, what it found in a sentence, and whether that counts."""
    run = first.evidence.run
    rulers.show_ruler(first, concluded, key=f"ruler_{run}")
    is_quiz = first.evidence.read_by == QUIZ
    counts = [whether_it_counts(method) for method in answer.methods if method.run == run]
    notice.caption(" ".join([summarise(first) if is_quiz else first.sentence, *counts]))


def _show_checks(store: Store, first: JudgedResult, answer: Answer) -> None:
    """The checks that are not passed, with their repairs; the others are one click away."""
    checks = first.verdict.checks if first.verdict else ()
    passed = [check for check in checks if check.mark is Mark.GOOD]
    if not_passed := [check for check in checks if check.mark is not Mark.GOOD]:
        checklist.show_checks(not_passed, repairs.buttons(store, first, answer))
    if passed:
        every = "All " if not not_passed else ""
        with st.expander(f"{every}{counted(len(passed), 'check')} passed"):
            checklist.show_checks(passed)


def _show_beside(first: JudgedResult, scored: list[JudgedResult], concluded: Concluded) -> None:
    """Every model on the benchmark, with the controls of this one."""
    others = [
        finding for finding in study.beside(first, study.by_strength(scored)) if finding.verdict
    ]
    if len(others) > 1:
        st.subheader("Every model on this benchmark", anchor=False)
        rulers.show(chart_rows.ruler_rows(others, concluded), key="case_rulers")
