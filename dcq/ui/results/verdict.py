"""One result: the verdict as a checklist, the figures behind it, and the buttons that fix failed
checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.documents.chart_rows import strategy_rows
from dcq.errors import DcqError
from dcq.evidence.check import Mark, Topic
from dcq.investigation.fixes import Fix, Spend, fixes
from dcq.jobs.state import RunState, state_of
from dcq.judging.answer import Concluded
from dcq.judging.judged import JudgedResult, Verdict
from dcq.judging.study import with_originals
from dcq.judging.summary import summarise
from dcq.quiz import preference, soft
from dcq.quiz.results import Result, quiz_name, quiz_row
from dcq.records import PartitionRole, QuizKind
from dcq.sections import Chart
from dcq.store import Store, run_progress
from dcq.ui import checklist, glossary, notice, page, roles, rulers
from dcq.ui.result_names import listed_partitions
from dcq.ui.text import plain
from dcq.words import kappa_words, p_words, percent

CHART_WIDTH, LETTERS_WIDTH = 480, 310  # pixels


def show(
    store: Store,
    finding: JudgedResult,
    results: Sequence[Result],
    concluded: Concluded,
    change_note: str = "",
    *,
    part_of_answer: bool = False,
) -> None:
    """The result with what is ``concluded``, the note on what changed it, and the checklist with
    its fixes; ``results`` are those of the store. It is smaller where it is ``part_of_answer``."""
    if finding.verdict is None:
        _show_without_verdict(finding)
        _say_which(quiz_row(finding.evidence))
        return
    _show_result(finding, concluded, part_of_answer=part_of_answer)
    if change_note:
        notice.info(change_note, icon=":material/history:")
    _say_which(quiz_row(finding.evidence))
    watch(store)
    checklist.show_checks(finding.verdict.checks, buttons(store, finding, results))


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


_STARTED = "fixes_started"  # ids of the runs that were started here and may still be live
_TROUBLE = "fixes_trouble"  # the error message to show


def buttons(
    store: Store, finding: JudgedResult, results: Sequence[Result]
) -> Mapping[Topic, Callable[[], None]]:
    """For the ``checklist``: functions that draw the fixes of each check that has any."""
    return {
        topic: partial(_draw, store, topic, topic_fixes)
        for topic, topic_fixes in fixes(store, finding, results).items()
    }


def watch(store: Store) -> None:
    """Show the progress of runs started from a checklist; draw the page again when they end."""
    if sentence := st.session_state.pop(_TROUBLE, ""):
        notice.error(sentence, icon=":material/error:")
    if st.session_state.get(_STARTED):
        st.fragment(_progress, run_every="1s")(Store(store.path, timeout=2.0))


def _draw(store: Store, topic: Topic, fixes: Sequence[Fix]) -> None:
    with st.container(horizontal=True, gap="small"):
        for number, fix in enumerate(fixes):
            if isinstance(fix, Spend):
                reason = roles.why_not(roles.UserRole.RUNNER) or fix.why_not
                st.button(
                    plain(fix.label),
                    icon=":material/play_arrow:",
                    key=f"fixes_{topic}_{number}",
                    disabled=bool(reason) or bool(st.session_state.get(_STARTED)),
                    help=plain(reason or fix.names) or None,
                    on_click=notice.told(_start),
                    args=(store, fix),
                )
            else:
                page.link(fix.page, plain(fix.label), **fix.choices)


def _start(store: Store, fix: Spend) -> None:
    if roles.refuses(roles.UserRole.RUNNER):
        return
    try:
        st.session_state[_STARTED] = fix.start(store)
    except DcqError as error:
        st.session_state[_TROUBLE] = str(error)


def _progress(store: Store) -> None:
    roles.leave_if_gone()
    try:
        runs = run_progress.progress(store, st.session_state.get(_STARTED, []))
    except DcqError:  # held by another process; the next look is a second away
        return
    states = [state_of(store, run.run, run.event, run.event_at) for run in runs]
    if not any(state.live for state in states):
        st.session_state[_STARTED] = []
        ended = [str(state) for state in states if state is not RunState.FINISHED]
        if ended:
            st.session_state[_TROUBLE] = f"The run is {ended[0]}; its card on Quiz says why."
        st.rerun()
    done, items = sum(run.done for run in runs), sum(run.items for run in runs)
    names = ", ".join(listed_partitions(runs).values())
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(done / max(items, 1), f"Asking: {done:,} of {items:,} calls · {plain(names)}")
        page.link("quiz", "Watch the run", icon=":material/play_arrow:")
