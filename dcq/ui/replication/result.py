"""What a replication found: the verdict, the figures behind it, the paper's rules, the quiz."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import plotly.graph_objects as go
import streamlit as st

from dcq import charts
from dcq.documents.replication_rows import caption_lines, judge_words, measures
from dcq.documents.replication_rows import expected as expected_of
from dcq.evidence.check import Topic
from dcq.evidence.replication.cross_check import CrossCheck
from dcq.files import export
from dcq.judging.replication import ReplicationResult, rows
from dcq.judging.replication_quiz import cross_check_of
from dcq.judging.study import rank_verdict
from dcq.quiz.results import quiz_name
from dcq.replication.prompts import Instruction
from dcq.store import Store
from dcq.ui import downloads, glossary, links, notice, page
from dcq.ui.replication import rules, scores
from dcq.ui.results import checklist
from dcq.ui.text import plain
from dcq.words import interval_words, p_words, points_words, two_decimals

RUN = "replication_run"


def choose(every: Sequence[ReplicationResult]) -> ReplicationResult:
    """A picker over all results, the strongest first; the address remembers it."""
    by_run = {one.run: one for one in sorted(every, key=lambda one: rank_verdict(one.verdict))}
    titles = {run: _name(one) for run, one in by_run.items()}
    links.take(RUN, titles)
    run = st.selectbox("Result", list(titles), format_func=titles.__getitem__, key=RUN)
    links.put(RUN, run)
    return by_run[run]


def _name(one: ReplicationResult) -> str:
    return f"{one.model} · {one.place} · {judge_words(one)} · {one.version} · {one.run}"


def show(
    store: Store,
    result: ReplicationResult,
    every: Sequence[ReplicationResult],
    fixes: Mapping[Topic, Callable[[], None]],
    changed: str = "",
) -> None:
    """One result from its verdict, and what ``changed`` it, to its downloads; ``fixes`` draw what
    mends a failed check."""
    show_ruling(result)
    if changed:
        notice.info(changed, icon=":material/history:")
    if result.verdict is not None:
        checklist.show_checks(result.verdict.checks, fixes)
    shown = [result, *(one for one in every if one.run in result.controls)]
    figure = _chart(shown)
    left, right = st.columns([2, 1], gap="medium")
    with left:
        scores.show(result)
    with right:
        _replies(result)
    rules.show(result)
    _beside_quiz(store, result)
    st.markdown("##### Instances")
    _instances(store, result)
    with st.container(horizontal=True, vertical_alignment="center"):
        glossary.offer(
            (
                *("Verdict", "ROUGE-L", "Meaning", "Guided adds", "Matches", "The paper's rules"),
                *("False alarms on controls", "Beside the quiz"),
            )
        )
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            downloads.offer_table(
                "Instances",
                f"dcq-replication-{result.run}",
                lambda: export.frame(store, export.What.REPLICATION, result.run),
                key="replication_download",
            )
            downloads.offer_table(
                "Scores",
                f"dcq-replication-scores-{result.run}",
                lambda: export.frame(store, export.What.REPLICATION_SCORES, result.run),
                key="replication_scores_download",
            )
            downloads.offer_picture(
                f"dcq-replication-{result.run}",
                figure,
                lambda: caption_lines(shown),
                key="replication_chart",
            )


def show_ruling(result: ReplicationResult) -> None:
    """The verdict, if there is one, its sentence, and how the model was asked."""
    if result.verdict is None:
        st.markdown(f"#### {plain(result.sentence)}")
        st.caption("A control cannot have been seen, so there is no verdict on it.")
    else:
        checklist.show_ruling(result.verdict.ruling, result.sentence)
    _say_how(result)


def _say_how(result: ReplicationResult) -> None:
    judge = f"judged by {result.judge}" if result.judge else "no judge: only exact matches count"
    how = f"Wordings of the {result.version} · {judge} · n = {result.guidance.n:,} of {result.n:,}"
    notice.caption(f"{how} instances · run {result.run}")


def _chart(shown: Sequence[ReplicationResult]) -> go.Figure:
    """A result and, below it, its controls."""
    result = shown[0]
    table, expected = measures(shown), expected_of(result)
    figure = charts.replication_measures(table, expected)
    st.plotly_chart(
        figure,
        key="replication_measures",
        alt=charts.describe_replication_measures(table, expected),
    )
    words = "Bars are 95 % intervals"
    words += ", the green band is what is expected on unseen text." if expected else "."
    if result.guidance.n < 10:
        words += " Below ten instances the difference has none."
    notice.caption(words)
    return figure


def _replies(result: ReplicationResult) -> None:
    st.markdown("##### Replies")
    lines = [("Completions", result.outcomes), ("Judge", result.judge_outcomes)]
    for title, counts in (*lines, ("Instances left out", result.left_out)):
        if counts:
            said = " · ".join(f"{name} {count:,}" for name, count in counts.items())
            st.markdown(f"**{title}** {plain(said)}")
    if result.cheat is not None:
        st.markdown(
            f"**Asked for the first instances** {plain(str(result.cheat))}",
            help="One request that names the split. Which replies count as what is ours.",
        )


def _beside_quiz(store: Store, result: ReplicationResult) -> None:
    st.markdown("##### Beside the quiz")
    beside = cross_check_of(store, result.run)
    if beside.found is None:
        notice.caption(beside.why)
        if beside.quiz is None:
            page.go("quiz", "Ask the quiz", icon=":material/quiz:", quiz_sample=result.sample)
        return
    found = beside.found
    if beside.quiz is not None:
        notice.caption(f"{quiz_name(beside.quiz)} · run {beside.quiz.run} · n = {found.n:,}")
    st.dataframe(
        [
            {"": "exact or near-exact", "right": found.match_right, "wrong": found.match_wrong},
            {"": "neither", "right": found.other_right, "wrong": found.other_wrong},
        ],
        hide_index=True,
        width="content",
        key="replication_quiz",
        alt="Instances by replication and by quiz.",
        column_config=glossary.columns(
            {"right": "Beside the quiz", "wrong": "Beside the quiz"},
            {
                "": st.column_config.TextColumn("Completion", width=160),
                "right": st.column_config.NumberColumn("Quiz right", width=90),
                "wrong": st.column_config.NumberColumn("Quiz wrong", width=90),
            },
        ),
    )
    st.markdown(plain(_say_cross(found)))


def _say_cross(found: CrossCheck) -> str:
    matched, others = found.match_right + found.match_wrong, found.other_right + found.other_wrong
    if found.difference is None or found.low is None or found.high is None:
        which = "exactly or nearly" if not matched else "otherwise"
        return f"No instance was completed {which}, so there is nothing to compare."
    sentence = (
        f"The quiz finds {found.match_right:,} of the {matched:,} instances that were completed "
        f"exactly or nearly, and {found.other_right:,} of the other {others:,}: "
        f"{points_words(found.difference, found.low, found.high)} points"
    )
    if found.odds_ratio is not None and found.odds_low is not None and found.odds_high is not None:
        odds = f"{two_decimals(found.odds_ratio)} {interval_words(found.odds_low, found.odds_high)}"
        sentence += f", odds ratio {odds}"
    return (
        f"{sentence}." if found.p_value is None else f"{sentence}, Fisher {p_words(found.p_value)}."
    )


def _instances(store: Store, result: ReplicationResult) -> None:
    st.dataframe(
        [
            {
                "number": row.place + 1,
                "first": row.pieces.first,
                "reference": row.pieces.second,
                **{
                    f"{instruction}": one.text if one.text is not None else one.read or "no reply"
                    for instruction, one in row.completions.items()
                },
                **{
                    f"ROUGE-L {instruction}": one.rouge_l
                    for instruction, one in row.completions.items()
                },
                "match": row.match,
            }
            for row in rows(store, result.run)
        ],
        hide_index=True,
        height=360,
        key="replication_instances",
        alt="Each instance with its pieces, its completions, their scores and the match.",
        column_config=glossary.columns(
            {f"ROUGE-L {one}": "ROUGE-L" for one in result.rouge_l} | {"match": "Matches"},
            {
                "number": st.column_config.NumberColumn("Instance", width="small"),
                "first": st.column_config.TextColumn("First piece", width="medium"),
                "reference": st.column_config.TextColumn("Reference", width="medium"),
                **{
                    str(one): st.column_config.TextColumn(str(one).capitalize(), width="medium")
                    for one in Instruction
                },
                **{
                    f"ROUGE-L {one}": st.column_config.NumberColumn(
                        f"ROUGE-L, {one}", format="%.2f", width="small"
                    )
                    for one in Instruction
                },
                "match": st.column_config.TextColumn("Match", width="small"),
            },
        ),
    )
