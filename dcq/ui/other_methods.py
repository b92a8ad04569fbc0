"""Results of methods besides the quiz: what pages of a method share; and of those that have no
page of their own their table, and each verdict with its checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from dcq import methods
from dcq.evidence.check import Topic
from dcq.judging import every_method
from dcq.judging.answer import Concluded, ruling_of
from dcq.judging.judged import JudgedResult
from dcq.judging.study import rank_verdict
from dcq.store import Store
from dcq.store.studies import Study
from dcq.ui import checklist, judged_table, links, method_results, notice
from dcq.ui.judged_study import changed_of, concluded_of
from dcq.ui.result_names import with_dates
from dcq.ui.text import plain
from dcq.words import model_title


def choose(
    results: Sequence[JudgedResult], name_of: Callable[[JudgedResult], str], *, key: str
) -> JudgedResult:
    """A picker over all results of a method, the strongest first; the address remembers it."""
    ranked = sorted(results, key=lambda result: rank_verdict(result.verdict))
    by_run = {result.evidence.run: result for result in ranked}
    names = with_dates(
        {run: (name_of(result), result.evidence.at) for run, result in by_run.items()}
    )
    chosen = by_run[links.choose("Result", names, key=key, what="result")]
    links.remember(key)
    return chosen


def show_checked(
    store: Store,
    result: JudgedResult,
    fixes: Mapping[Topic, Callable[[], None]],
    how: str = "",
) -> None:
    """A result as ``show_result``, with what changed its verdict and its checks; ``fixes`` draw the
    fixes of those that failed."""
    show_result(result, concluded_of(store), how=how)
    if changed := changed_of(store).get(result.evidence.run):
        notice.info(changed, icon=":material/history:")
    if result.verdict is not None:
        checklist.show_checks(result.verdict.checks, fixes)


def show_result(
    result: JudgedResult, concluded: Concluded, *, part_of_answer: bool = False, how: str = ""
) -> None:
    """What is ``concluded``, the sentence of the result, and ``how`` it was asked: by default its
    method and n."""
    if result.verdict is None:
        st.markdown(f"#### {plain(result.sentence)}")
        st.caption("A control cannot have been seen, so there is no verdict on it.")
    else:
        run = result.evidence.run
        checklist.show_result(run, result.sentence, concluded, part_of_answer=part_of_answer)
    evidence = result.evidence
    title = methods.named(evidence.method).title
    notice.caption(how or f"{title} · n = {evidence.estimate.n:,}")


def show_short(result: JudgedResult) -> None:
    """The result in a line, and a link to its page."""
    title = methods.named(result.evidence.method).title
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{plain(title)}:** {plain(result.sentence)}", width="stretch")
        method_results.offer_its([result])


def show(store: Store, within: Study, changed: Mapping[str, str]) -> None:
    """A section for each such method that has results in the study; ``changed`` says what changed
    a verdict, by run."""
    results = every_method.of_other_methods(store, within)
    results = sorted(results, key=lambda result: rank_verdict(result.verdict))
    for method in methods.of_study(within):
        own_results = [
            judged_result
            for judged_result in results
            if judged_result.evidence.method == method.name
        ]
        if own_results and not method_results.has_page(method.name):
            st.subheader(plain(method.question), anchor=False)
            st.caption(plain(method.explanation))
            _show_all(own_results, changed, concluded_of(store, within))


def _show_all(
    results: Sequence[JudgedResult], changed: Mapping[str, str], concluded: Concluded
) -> None:
    judged_table.show(results, concluded)
    for result in results:
        if result.verdict is None:
            continue
        evidence = result.evidence
        ruling = ruling_of(evidence.run, concluded)
        name = f"{model_title(evidence.model)} on {evidence.place}"
        with st.expander(plain(f"{name}: {ruling}" if ruling else name)):
            show_result(result, concluded)
            if words := changed.get(evidence.run):
                notice.info(words, icon=":material/history:")
            checklist.show_checks(result.verdict.checks)
