"""The result of a replication: the verdict, the figures behind it, the paper's rules, the quiz."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from dcq import charts
from dcq.documents.chart_rows import caption_lines, judge_words, measures
from dcq.documents.chart_rows import expected as expected_of
from dcq.evidence.check import Topic
from dcq.evidence.replication.cross_check import CrossCheck
from dcq.files import export
from dcq.judging.judged import JudgedResult
from dcq.judging.replication_quiz import cross_check_of
from dcq.quiz.results import quiz_name
from dcq.replication.evidence import ReplicationRun, replication_row
from dcq.replication.prompts import Instruction
from dcq.sections import Chart
from dcq.store import Store
from dcq.ui import downloads, glossary, notice, other_methods, page, rulers
from dcq.ui.judged_study import concluded_of
from dcq.ui.replication import score_tables
from dcq.ui.text import plain
from dcq.words import interval_words, listed, model_title, p_words, points_words, two_decimals

RUN = "replication_run"
LEAST = 10  # instances, below which there is no interval


def choose(replications: Sequence[JudgedResult]) -> JudgedResult:
    """A picker over all results, the strongest first; the address remembers it."""
    return other_methods.choose(replications, _name, key=RUN)


def _name(replication: JudgedResult) -> str:
    by, version = replication.evidence, replication_row(replication.evidence).replication.version
    return " · ".join((model_title(by.model), by.place, judge_words(replication), version))


def show(
    store: Store,
    result: JudgedResult,
    results: Sequence[JudgedResult],
    fixes: Mapping[Topic, Callable[[], None]],
) -> None:
    """One result from what is concluded to its downloads; ``fixes`` draw the fixes of failed
    checks, and ``results`` are all of them."""
    run, row = result.evidence.run, replication_row(result.evidence)
    concluded = concluded_of(store)
    other_methods.show_checked(store, result, fixes, how_asked(row))
    controls = {control.run for control in result.controls}
    compared_results = [result, *(one for one in results if one.evidence.run in controls)]
    table, expected = measures(compared_results, concluded), expected_of(result)
    chart = Chart("replication_measures", table, (expected,))
    rulers.show_chart(chart, key="replication_measures")
    if row.measured.guidance.n < LEAST:
        notice.caption(f"Below {LEAST} instances what naming the dataset adds has no interval.")
    _replies(row)
    score_tables.show_mean_scores(row)
    score_tables.show_rules(result)
    _beside_quiz(store, result)
    st.markdown("##### Instances")
    _instances(row)
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
                f"dcq-replication-{run}",
                lambda: export.frame(store, export.ExportTable.REPLICATION, run),
                key="replication_download",
            )
            downloads.offer_table(
                "Scores",
                f"dcq-replication-scores-{run}",
                lambda: export.frame(store, export.ExportTable.REPLICATION_SCORES, run),
                key="replication_scores_download",
            )
            downloads.offer_picture(
                f"dcq-replication-{run}",
                charts.replication_measures(table, expected),
                lambda: caption_lines(compared_results, with_ids=True),
                key="replication_chart",
            )


def how_asked(row: ReplicationRun) -> str:
    """The wordings, the judge, and how many instances were completed."""
    judge = (
        f"judged by {model_title(row.judge)}" if row.judge else "no judge: only exact matches count"
    )
    n = f"n = {row.measured.guidance.n:,} of {row.n:,} instances"
    return f"Wordings of the {row.replication.version} · {judge} · {n}"


def _replies(row: ReplicationRun) -> None:
    lines = [("Completions", row.outcomes), ("judge", row.judge_outcomes)]
    parts = [
        f"{title}: {listed([f'{count:,} {name}' for name, count in counts.items()])}"
        for title, counts in (*lines, ("instances left out", row.left_out))
        if counts
    ]
    st.caption(plain(f"{'; '.join(parts)}."))
    if row.cheat is not None:
        st.markdown(
            f"**Asked for the first instances** {plain(str(row.cheat))}",
            help="One request that names the split. Which replies count as what is ours.",
        )


def _beside_quiz(store: Store, result: JudgedResult) -> None:
    st.markdown("##### Beside the quiz")
    beside_quiz = cross_check_of(store, result.evidence.run)
    if beside_quiz.cross_check is None:
        notice.caption(beside_quiz.why)
        if beside_quiz.quiz is None:
            page.link(
                "quiz", "Ask a model", icon=":material/quiz:", quiz_sample=result.evidence.sample
            )
        return
    cross_check = beside_quiz.cross_check
    if beside_quiz.quiz is not None:
        notice.caption(f"{quiz_name(beside_quiz.quiz)} · n = {cross_check.n:,}")
    st.dataframe(
        [
            {
                "": "exact or near-exact",
                "right": cross_check.match_right,
                "wrong": cross_check.match_wrong,
            },
            {"": "neither", "right": cross_check.other_right, "wrong": cross_check.other_wrong},
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
    st.markdown(plain(_say_cross(cross_check)))


def _say_cross(cross_check: CrossCheck) -> str:
    matched, others = (
        cross_check.match_right + cross_check.match_wrong,
        cross_check.other_right + cross_check.other_wrong,
    )
    if cross_check.difference is None or cross_check.low is None or cross_check.high is None:
        which = "exactly or nearly" if not matched else "otherwise"
        return f"No instance was completed {which}, so there is nothing to compare."
    sentence = (
        f"The quiz finds {cross_check.match_right:,} of the {matched:,} instances that were "
        "completed "
        f"exactly or nearly, and {cross_check.other_right:,} of the other {others:,}: "
        f"{points_words(cross_check.difference, cross_check.low, cross_check.high)} points"
    )
    if (
        cross_check.odds_ratio is not None
        and cross_check.odds_low is not None
        and cross_check.odds_high is not None
    ):
        limits = interval_words(cross_check.odds_low, cross_check.odds_high)
        odds = f"{two_decimals(cross_check.odds_ratio)} {limits}"
        sentence += f", odds ratio {odds}"
    return (
        f"{sentence}."
        if cross_check.p_value is None
        else f"{sentence}, Fisher {p_words(cross_check.p_value)}."
    )


def _instances(replicated: ReplicationRun) -> None:
    st.dataframe(
        [
            {
                "number": row.place + 1,
                "first": row.pieces.first,
                "reference": row.pieces.second,
                **{
                    f"{instruction}": completion.text
                    if completion.text is not None
                    else completion.reply_kind or "no reply"
                    for instruction, completion in row.completions.items()
                },
                **{
                    f"ROUGE-L {instruction}": completion.rouge_l
                    for instruction, completion in row.completions.items()
                },
                "match": row.match,
            }
            for row in replicated.rows
        ],
        hide_index=True,
        height=360,
        key="replication_instances",
        alt="Each instance with its pieces, its completions, their scores and the match.",
        column_config=glossary.columns(
            {f"ROUGE-L {instruction}": "ROUGE-L" for instruction in replicated.rouge_l}
            | {"match": "Matches"},
            {
                "number": st.column_config.NumberColumn("No.", width=50),
                "first": st.column_config.TextColumn("First piece", width=90),
                "reference": st.column_config.TextColumn("Reference", width=90),
                **{
                    str(instruction): st.column_config.TextColumn(
                        str(instruction).capitalize(), width=90
                    )
                    for instruction in Instruction
                },
                **{
                    f"ROUGE-L {instruction}": st.column_config.NumberColumn(
                        f"ROUGE-L, {instruction}", format="%.2f", width=125
                    )
                    for instruction in Instruction
                },
                "match": st.column_config.TextColumn("Match", width=70),
            },
        ),
    )
