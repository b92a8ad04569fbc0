"""One result: the verdict as a checklist, the figures behind it, and the repairs of failed
checks."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.documents.chart_rows import strategy_rows
from dcq.evidence.check import Mark
from dcq.judging.answer import Answer, Concluded
from dcq.judging.judged import JudgedResult, Verdict
from dcq.judging.study import with_originals
from dcq.judging.summary import summarise
from dcq.quiz import preference, soft
from dcq.quiz.results import Result, quiz_name, quiz_row
from dcq.records import PartitionRole, QuizKind
from dcq.sections import Chart
from dcq.store import Store
from dcq.ui import checklist, glossary, notice, page, repairs, rulers
from dcq.ui.text import plain
from dcq.words import kappa_words, p_words, percent

CHART_WIDTH, LETTERS_WIDTH = 480, 310  # pixels


def show(
    store: Store,
    finding: JudgedResult,
    concluded: Concluded,
    change_note: str = "",
    *,
    part_of_answer: bool = False,
    above: Answer | None = None,
) -> None:
    """The result with what is ``concluded``, the note on what changed it, and the checklist with
    its repairs. It is smaller where it is ``part_of_answer``; ``above`` is the answer that is
    shown with its own repair."""
    if finding.verdict is None:
        _show_without_verdict(finding)
        _say_which(quiz_row(finding.evidence))
        return
    _show_result(finding, concluded, part_of_answer=part_of_answer)
    if change_note:
        notice.info(change_note, icon=":material/history:")
    _say_which(quiz_row(finding.evidence))
    checklist.show_checks(finding.verdict.checks, repairs.buttons(store, finding, above))


def _show_result(finding: JudgedResult, concluded: Concluded, *, part_of_answer: bool) -> None:
    run = finding.evidence.run
    checklist.show_result(run, summarise(finding), concluded, part_of_answer=part_of_answer)
    rulers.show_ruler(finding, concluded, key=f"ruler_{run}")


def show_short(
    finding: JudgedResult, concluded: Concluded, *, part_of_answer: bool = False
) -> None:
    """The result with only the checks that are not passed, and links to the rest."""
    if finding.verdict is None:
        _show_without_verdict(finding)
    else:
        _show_result(finding, concluded, part_of_answer=part_of_answer)
        checks = finding.verdict.checks
        if not_passed := [check for check in checks if check.mark is not Mark.GOOD]:
            checklist.show_checks(not_passed)
        else:
            st.caption(f"All {len(checks)} checks passed.")
    offer_rest(finding)


def offer_rest(finding: JudgedResult) -> None:
    """Links to the result, its replies, and its instances."""
    run = finding.evidence.run
    with st.container(horizontal=True):
        page.link("results", "Read this result", results_run=run)
        page.link("answers", "Its answers", icon=":material/list:", answers_run=run)
        page.link(
            "explorer",
            "Which instances",
            icon=":material/grid_on:",
            explorer_partition=finding.evidence.partition,
            explorer_first=run,
        )


def _say_which(result: Result) -> None:
    """What distinguishes this result from others of its model and partition, and what n omits."""
    st.caption(plain(f"{quiz_name(result)} · {result.counted}"))


def _show_without_verdict(finding: JudgedResult) -> None:
    """A result without a verdict."""
    st.markdown(f"#### {plain(summarise(finding))}")
    if finding.evidence.role == PartitionRole.CONTROL and with_originals([finding]):
        st.caption(
            "A control cannot have been seen, so there is no verdict on it. Targets are compared "
            "with it."
        )


def show_evidence(store: Store, finding: JudgedResult) -> None:
    """Show κ against guessing and controls, the soft score, the paper's way to count, memory-free
    strategies, the preference for letters, and a link to take the quiz."""
    result = quiz_row(finding.evidence)
    _comparisons(finding)
    _soft(store, result)
    _show_kappa_as_in_paper(result)
    with st.container(horizontal=True, gap="medium"):  # one below the other on a small screen
        with st.container(width=CHART_WIDTH):
            _baselines(finding)
        with st.container(width=LETTERS_WIDTH):
            _preference([result, *([result.without_originals] if result.without_originals else [])])
    page.link(
        "take",
        "Do people find these originals too? Take the quiz of this sample",
        icon=":material/person_check:",
        take_sample=finding.evidence.sample,
    )


def _comparisons(finding: JudgedResult) -> None:
    st.markdown("**κ against guessing and against controls**")
    result, calibration = quiz_row(finding.evidence), finding.deciding
    rows = []
    baseline_name = (
        "the model's own choices without the original"
        if result.kind is QuizKind.BCQ
        else "guessing, 25 %"
    )
    estimate = result.kappa
    if estimate.kappa_fixed is not None:
        kappa = kappa_words(estimate.kappa_fixed, estimate.kappa_low, estimate.kappa_high)
        p_value = "" if estimate.p_value is None else p_words(estimate.p_value)
        rows.append({"compared with": baseline_name, "κ": kappa, "test": p_value})
    if calibration is not None:
        noun = "control" if calibration.controls == 1 else "controls"
        expected = f"{percent(calibration.control_low)} to {percent(calibration.control_high)}"
        rows.append(
            {
                "compared with": f"{calibration.controls} {noun}, "
                f"{percent(calibration.control_score)} ({expected} expected)",
                "κ": kappa_words(
                    calibration.kappa_control, calibration.kappa_low, calibration.kappa_high
                ),
                "test": _test(finding.verdict),
            }
        )
    st.dataframe(
        pd.DataFrame(rows, columns=["compared with", "κ", "test"]),
        hide_index=True,
        column_config=glossary.columns({"κ": "κ", "test": "Test"}),
        alt="κ of this result against guessing and against the same model's control partitions.",
    )
    if result.how.untested:
        st.caption(plain(result.how.untested))
    if finding.verdict and finding.controls:
        control_list = ", ".join(
            f"{c.place} ({percent(c.estimate.share or 0.0)} of {c.usable:,})"
            for c in finding.controls
        )
        st.caption(f"Controls: {plain(control_list)}.")


def _test(verdict: Verdict | None) -> str:
    """The p-value of a test; corrected for several tests where a correction exists."""
    if verdict is None or verdict.p_value is None:
        return ""
    if verdict.q_value is None:
        return p_words(verdict.p_value)
    return p_words(verdict.q_value).replace("p", "q", 1)


def _show_kappa_as_in_paper(result: Result) -> None:
    estimate = result.by_the_papers_count()
    if estimate is None:
        return
    with st.expander("As the paper counts"):
        kappa = kappa_words(estimate.kappa_fixed, estimate.kappa_low, estimate.kappa_high)
        st.markdown(
            f"The paper counts every reply, and an unusable one as wrong: κ {kappa}, "
            f"n = {estimate.n:,}. Here n counts only answers ({result.counted}): otherwise a model "
            "that refuses its controls would look contaminated."
        )


def _soft(store: Store, result: Result) -> None:
    soft_score = soft.score(store, result)
    if soft_score is None or soft_score.score is None:
        return
    words = f"**Soft score** {percent(soft_score.score)}"
    if soft_score.debiased is not None:
        words += f", corrected for the preference for letters {percent(soft_score.debiased)}"
    st.caption(f"{words}: the share of probability on the original's letter.")


def _baselines(finding: JudgedResult) -> None:
    if not finding.evidence.text_only:
        return
    st.markdown("**Compared with strategies without memory**")
    rulers.show_chart(Chart("strategy_bars", strategy_rows(finding)), key="verdict_baselines")


def _preference(results: Sequence[Result]) -> None:
    counts = preference.count(results)
    if counts.empty:
        return
    st.markdown("**Preferred letters**, whatever their option")
    st.plotly_chart(
        charts.position_preference(counts),
        key="verdict_preference",
        alt=charts.describe_position_preference(counts),
    )
