"""Details of one run: by label and by length, refusals by provider, how it was asked, its cost, and
the comparison of its sets of variants."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.asking import cost
from dcq.evidence.groups import FEWEST, GroupResult
from dcq.jobs.state import state_of
from dcq.judging.judged import JudgedResult
from dcq.judging.served import served
from dcq.judging.summary import ranked_words
from dcq.quiz import breakdown, consistency
from dcq.quiz.breakdown import Grouping
from dcq.quiz.consistency import SetStudy
from dcq.quiz.results import Result, quiz_row
from dcq.store import Store, results, run_progress, runs, sets
from dcq.store.runs import Plan
from dcq.ui import downloads, notice, page, run_card
from dcq.ui.text import plain

WIDTH = 720  # pixels


def show_breakdown(store: Store, result: Result, results: Sequence[Result]) -> None:
    """κ of a run by label or length, and how often providers refuse. Nothing is computed until the
    box is opened."""
    box = st.expander(
        "By label, length and provider",
        icon=":material/segment:",
        key="results_breakdown",
        on_change="rerun",
    )
    if not box.open:
        return
    with box:
        by = st.segmented_control(
            "By",
            list(Grouping),
            default=Grouping.LABEL,
            format_func=lambda grouping: str(grouping).capitalize(),
            required=True,
            key="results_by",
            bind="query-params",
        )
        if by is Grouping.PROVIDER:
            _show_refusals(store, results)
        else:
            _show_groups(store, result, Grouping(by))


def _show_groups(store: Store, result: Result, by: Grouping) -> None:
    groups = _groups(str(store.path), results.state(store), result.run, by, result)
    if not groups:
        st.caption(f"There is nothing to break down by {by}: the run has one group, or no κ.")
        return
    rows = breakdown.tabulate(groups)
    with st.container(width=WIDTH):
        figure = charts.kappa_intervals(rows)
        st.plotly_chart(
            figure,
            key="results_groups",
            config={"displayModeBar": False},
            alt=charts.describe_kappa_intervals(rows),
        )
    st.dataframe(
        rows.drop(columns="whole"),
        hide_index=True,
        placeholder="–",
        column_config={
            "difference": st.column_config.NumberColumn(
                help="The group's score minus that of all other groups together.",
                format="%+.2f",
            ),
            "p_holm": st.column_config.NumberColumn(
                "p (Holm)",
                help="Two-sided, of that difference, corrected over the groups. A group or a rest "
                f"of fewer than {FEWEST} is not tested.",
                format="%.3f",
            ),
        },
        alt=f"Kappa by {by} with interval, n, the difference from the rest and its p.",
    )
    with st.popover("Download", icon=":material/download:", type="tertiary"):
        downloads.offer_table(
            f"By {by}", f"dcq-{by}-{result.run}", lambda: rows, key="results_groups_table"
        )
        downloads.offer_chart(
            f"dcq-{by}-{result.run}", figure, key="results_groups_chart", about=[result]
        )


def _show_refusals(store: Store, results: Sequence[Result]) -> None:
    st.caption("All results in the store, by who served the model and how it was asked.")
    st.dataframe(
        pd.DataFrame(breakdown.refusals(store, results)),
        hide_index=True,
        placeholder="–",
        column_config={
            name: st.column_config.NumberColumn(format="percent")
            for name in ("refused_share", "refused_low", "refused_high")
        },
        alt="Refused, invalid and failed replies by provider, kind, mode and prompt.",
    )


@st.cache_resource(max_entries=16, show_spinner="Breaking the run down…")
def _groups(
    path: str, state: tuple[int, ...], run: str, by: Grouping, _result: Result
) -> list[GroupResult]:
    """``state`` and ``run`` are only part of the cache key."""
    return breakdown.groups_of(Store(path), _result, by)


def show_run_facts(store: Store, finding: JudgedResult) -> None:
    """State, outcomes, wording and parameters, tokens and cost of the run of a result."""
    result = quiz_row(finding.evidence)
    run = runs.load(store, result.run)
    timed = results.latency(store, [result.run]).get(result.run)
    [progress] = run_progress.progress(store, [result.run])
    state = state_of(store, run.id, progress.event, progress.event_at)
    done, items = progress.done, progress.items
    if done < items or state.live:
        notice.info(f"{done:,} of {items:,} questions are answered so far ({state}).")
        page.link("quiz", "Watch or resume the run", quiz_all_runs="true")
    answered_by = served(store, run.id)
    if mismatch := answered_by.mismatch():
        notice.warning(mismatch, icon=":material/shuffle:")
    facts = {
        "Model": result.model,
        "Run": f"{run.id}, {run.at:%d %b %Y, %H:%M} UTC",
        "Original": ranked_words(finding),
        "Endpoint": run.plan.base_url or "on this machine",
        "Served": answered_by.words(),
        "Prompt": f"{run.plan.prompt}, temperature {run.plan.temperature:g}, "
        f"at most {run.plan.max_tokens} tokens",
        "Tokens": f"{cost.bound(progress)}{progress.tokens_in:,} in, {progress.tokens_out:,} out",
        "Speed": run_card.words(timed),
        "Cost": _cost(run.plan, cost.Cost.of(progress)),
        "Quiz": f"{result.quiz}, {items:,} questions",
    }
    for name, fact in facts.items():
        if fact:
            st.caption(f"**{name}** {plain(fact)}")
    without_letter = results.non_letter_reasons(store, result.run)
    if not without_letter.empty:
        with st.expander(f"Why {int(without_letter['count'].sum()):,} replies gave no letter"):
            st.dataframe(
                without_letter,
                hide_index=True,
                alt="Outcomes without a letter, with their reasons and counts.",
            )


def _cost(plan: Plan, spent: cost.Cost | None) -> str:
    """What the run has cost, with the date of its prices."""
    words = cost.words(spent)
    if spent is None or not spent.most or plan.price_date is None:
        return words
    return f"{words}, prices of {plan.price_date:%d %b %Y}"


_CONSISTENCY_WIDTH = 720  # pixels


def show_consistency(store: Store, result: Result) -> None:
    """How far the model's κ depends on the set of variants; nothing where there is one set."""
    if result.sample not in sets.members(store):
        return
    st.markdown("##### The same instances with other variants")
    set_studies = [
        study
        for study in _studies(
            str(store.path), results.state(store), result.sample, result.asked_name
        )
        if result.run in {set_result.result.run for set_result in study.of_sets}
    ]
    if not set_studies:
        st.caption(
            "There are several sets of variants of these instances, but this model has finished "
            "this quiz, at this slot, on fewer than two of them."
        )
        return
    [study] = set_studies
    st.markdown(plain(study.sentence()))
    rows = consistency.tabulate(study)
    figure = charts.kappa_intervals(rows)
    with st.container(width=_CONSISTENCY_WIDTH):
        st.plotly_chart(
            figure,
            key="results_consistency",
            config={"displayModeBar": False},
            alt=charts.describe_kappa_intervals(rows),
        )
    with st.container(horizontal=True):
        with st.popover("Who wrote them", icon=":material/table:", type="tertiary"):
            st.dataframe(
                rows.drop(columns="whole"),
                hide_index=True,
                alt="Sets of variants with kappa, its interval, n, writer and run.",
            )
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            downloads.offer_table(
                "Sets",
                f"dcq-sets-{result.sample}",
                lambda: rows.drop(columns="whole"),
                key="results_consistency_table",
            )
            downloads.offer_chart(
                f"dcq-sets-{result.sample}",
                figure,
                key="results_consistency_chart",
                about=[set_result.result for set_result in study.of_sets],
            )


@st.cache_resource(max_entries=8, show_spinner="Comparing the sets…")
def _studies(path: str, state: tuple[int, ...], sample: str, model: str) -> tuple[SetStudy, ...]:
    """``state`` is only part of the cache key."""
    return tuple(consistency.studies(Store(path), sample, model=model))
