"""What a case rests on, in views of which one is open: its instances, its questions and replies,
which positions the model prefers, and what was asked, when, for how much."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from dcq.asking import cost
from dcq.jobs.state import state_of
from dcq.judging import explorer as explored
from dcq.judging import study
from dcq.judging.answer import Answer
from dcq.judging.judged import JudgedResult
from dcq.quiz import ablation, results
from dcq.quiz.results import quiz_row
from dcq.store import Store, investigations, run_progress
from dcq.store.run_progress import RunProgress
from dcq.store.studies import Study
from dcq.ui import answer_view, links, notice, page
from dcq.ui.judged_study import findings_of, judged_of
from dcq.ui.result_names import kind_name, listed_partitions, run_names
from dcq.ui.results import ablation_view, answers, explorer, option_chart, run_details
from dcq.ui.text import plain
from dcq.words import counted

_VIEW, _RUN, _EXPLORED = "case_view", "case_run", "case_explored"
_REPLIES, _POSITIONS = "case_replies", "case_positions"
_NOTHING = "Summary"


@dataclass(frozen=True)
class _Case:
    """The ``answer`` of a study, and the results of its quizzes, the strongest first."""

    store: Store
    answer: Answer
    within: Study
    quizzes: tuple[JudgedResult, ...]


def offer(store: Store, answer: Answer, within: Study) -> None:
    """The choice of a view, and the one that is chosen; at first none, because each takes time."""
    of_pair = tuple(
        finding
        for finding in study.by_strength(findings_of(store, within))
        if answer_view.is_about(answer, finding.evidence)
    )
    case = _Case(store, answer, within, of_pair)
    views: dict[str, Callable[[], None]] = {_NOTHING: lambda: None}
    if answer.partition in explored.partitions(judged_of(store, within).snapshot):
        views["Instances"] = partial(_show_instances, case)
    if of_pair:
        views["Questions and replies"] = partial(_show_replies, case)
        views["Position preference"] = partial(_show_positions, case)
    views["What was asked"] = partial(_show_asked, case)
    st.divider()
    view = links.choose_segment("Look closer", views, key=_VIEW, label_visibility="collapsed")
    views[view]()


def _show_instances(case: _Case) -> None:
    """The explorer, at first with the case's own benchmark and result."""
    snapshot = judged_of(case.store, case.within).snapshot
    first = next(iter(case.quizzes), None)
    if st.session_state.get(_EXPLORED) != case.answer.id:
        st.session_state[_EXPLORED] = case.answer.id
        if explorer.FIRST not in st.query_params:
            st.session_state[explorer.PARTITION] = case.answer.partition
            if first is not None:
                st.session_state[explorer.FIRST] = first.evidence.run
    explorer.show(case.store, case.within, snapshot)


def _show_replies(case: _Case) -> None:
    """One quiz of the pair, question by question."""
    rows = [quiz_row(finding.evidence) for finding in case.quizzes]
    names = run_names(rows)
    by_run = {finding.evidence.run: finding for finding in case.quizzes}
    run = links.choose("Quiz", names, key=_RUN) if len(names) > 1 else next(iter(names))
    result = quiz_row(by_run[run].evidence)
    answers.list_answers(case.store, result, prefix=_REPLIES)
    run_details.show_consistency(case.store, result)
    run_details.show_breakdown(case.store, result, rows)


def _show_positions(case: _Case) -> None:
    """How often each position was chosen, with the original and without."""
    runs = {finding.evidence.run for finding in case.quizzes}
    pairs = [
        pair
        for pair in ablation.pair(results.table(case.store, every_run=True))
        if runs & {one.run for one in (pair.without, pair.having) if one is not None}
    ]
    if pairs:
        pair = pairs[0]
        if pair.complete:
            ablation_view.answer(pair, ablation.compare(case.store, pair))
        else:
            ablation_view.ask_for_the_other(pair)
        runs_shown = [run for run in (pair.without, pair.having) if run is not None]
    else:
        runs_shown = [quiz_row(case.quizzes[0].evidence)]
    option_chart.draw(
        runs_shown, prefix=_POSITIONS, kind_key=f"{_POSITIONS}_kind" if pairs else None
    )
    notice.caption("Click a bar to list its instances.")
    listed = ablation_view.choose_run(pair, prefix=_POSITIONS) if pairs else runs_shown[0]
    answers.list_answers(case.store, listed, prefix=_POSITIONS)
    page.link("ablation", "Every model and benchmark", icon=":material/compare_arrows:")


def _show_asked(case: _Case) -> None:
    """A row for each run of the pair and of its controls: when it was asked, how much of it was
    answered, and what that cost."""
    runs = _runs(case)
    progress = run_progress.progress(case.store, runs)
    if not progress:
        notice.caption("Nothing of this case was asked here; its results were imported.")
        return
    costs = [cost.Cost.of(run) for run in progress]
    places = listed_partitions(progress)
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "what": _what(run),
                    "of": places[run.partition],
                    "when": run.started or run.made_at,
                    "replies": f"{run.done:,} of {run.items:,}",
                    "state": str(state_of(case.store, run.run, run.event, run.event_at)),
                    "tokens": run.tokens_in + run.tokens_out,
                    "cost": cost.words(spent),
                }
                for run, spent in zip(progress, costs, strict=True)
            ]
        ),
        hide_index=True,
        key="case_asked",
        alt="What was asked for this case, when, and for how much.",
        column_config={
            "what": "What",
            "of": "Of",
            "when": st.column_config.DatetimeColumn("When (UTC)", format="D MMM YYYY, HH:mm"),
            "replies": "Replies",
            "state": "State",
            "tokens": st.column_config.NumberColumn("Tokens", format="localized"),
            "cost": "Cost",
        },
    )
    calls, words = sum(run.calls for run in progress), cost.total_words(costs)
    notice.caption(f"All of it: {counted(calls, 'call')}, {words}.")
    for finding in case.quizzes[:1]:
        with st.expander(f"How it was asked: {plain(quiz_row(finding.evidence).place)}"):
            run_details.show_run_facts(case.store, finding)


def _runs(case: _Case) -> Sequence[str]:
    """The runs of the answer's methods, and of the investigation that asked them and the
    controls."""
    own = [method.run for method in case.answer.methods if method.judged is not None]
    names = {each.judged.evidence.asked_name for each in case.answer.methods if each.judged}
    records = [
        record
        for name in names
        if (record := investigations.newest(case.store, case.answer.sample, name)) is not None
    ]
    adopted = [each.run for record in records for each in record.runs.values()]
    return list(dict.fromkeys([*own, *adopted]))


def _what(run: RunProgress) -> str:
    return f"{kind_name(run.kind)} quiz" if run.kind is not None else run.method.capitalize()
