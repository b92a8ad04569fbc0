"""The case of one model and one benchmark: what is concluded, its figure, what else could explain
it, and what each method found."""

from __future__ import annotations

import streamlit as st

from dcq.documents import chart_rows
from dcq.evidence.check import Mark
from dcq.judging import study
from dcq.judging.answer import Answer, conclusions_by_run
from dcq.store import Store
from dcq.store.studies import Study
from dcq.ui import answer_view, checklist, glossary, method_results, other_methods, rulers
from dcq.ui.judged_study import answers_of, findings_of
from dcq.ui.results import verdict

KEY = "case"  # the parameter of an address that names a pair


def show(store: Store, answer: Answer, within: Study) -> None:
    """The whole case of a study's ``answer``."""
    answers = answers_of(store, within)
    concluded = conclusions_by_run(answers)
    answer_view.show_short(answer)
    scored = study.with_originals(findings_of(store, within))
    first = study.strongest(
        [finding for finding in scored if answer_view.is_about(answer, finding.evidence)]
    )
    judged = [method.judged for method in answer.methods if method.judged]
    if first is not None:
        verdict.show_short(first, concluded, part_of_answer=True)
    elif judged:
        other_methods.show_result(judged[0], concluded, part_of_answer=True)
        rulers.show_ruler(judged[0], concluded, key=f"ruler_{judged[0].evidence.run}")
        checks = judged[0].verdict.checks if judged[0].verdict else ()
        if not_passed := [check for check in checks if check.mark is not Mark.GOOD]:
            st.subheader(verdict.WHAT_ELSE, anchor=False)
            checklist.show_checks(not_passed)
    method_results.offer_its(judged)
    st.subheader("Methods side by side", anchor=False)
    answer_view.show_methods(answer)
    answer_view.show_effect(store, answer)
    if first is not None:
        others = [
            finding for finding in study.beside(first, study.by_strength(scored)) if finding.verdict
        ]
        if len(others) > 1:
            st.subheader("Every model on this benchmark", anchor=False)
            rulers.show(chart_rows.ruler_rows(others, concluded), key="case_rulers")
    answer_view.show_more(store, answer, key="case_answer", within=within)
    glossary.offer(answer_view.TERMS)
