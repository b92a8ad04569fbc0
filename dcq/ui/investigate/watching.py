"""Investigations under way, with state and progress of their steps for everyone who opens the page;
and the verdicts of those that have ended."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.asking.options import Terms
from dcq.investigation.outcome import finding_of, other_results
from dcq.investigation.state import is_done, of_choice, slot_of, steps
from dcq.investigation.walk import EXCLUSIVE
from dcq.jobs import process
from dcq.jobs.state import RunState, state_of
from dcq.judging.answer_words import below_its_word
from dcq.judging.study import by_strength
from dcq.quiz import build, placing
from dcq.quiz.choice import QuizChoice
from dcq.store import Store, investigations, run_progress, runs, samples
from dcq.store.investigations import Investigation
from dcq.store.run_progress import RunProgress
from dcq.store.samples import ListedSample
from dcq.ui import action, answer_view, checklist, notice, other_methods, refresh, run_card
from dcq.ui.investigate.form import same_choice
from dcq.ui.investigate.price import step_words
from dcq.ui.judged_study import answers_of, concluded_of, findings_of
from dcq.ui.results import verdict
from dcq.ui.text import plain
from dcq.words import model_title

_WAITING = ":gray[:material/schedule:]"
_TROUBLE = "investigate_trouble"


def first(targets: Sequence[ListedSample], store: Store) -> list[ListedSample]:
    """The targets in order: those under way first, then those with a finding, the strongest
    first."""
    busy = {
        investigation.sample
        for investigation in investigations.listing(store)
        if EXCLUSIVE.under_way(store, investigation.sample, investigation.model)
    }
    ranked_samples = list(
        dict.fromkeys(entry.evidence.sample for entry in by_strength(findings_of(store)))
    )
    rank = {sample: place for place, sample in enumerate(ranked_samples)}
    return sorted(targets, key=lambda entry: (entry.id not in busy, rank.get(entry.id, len(rank))))


def newest(store: Store, sample_id: str) -> list[Investigation]:
    """The newest investigation of the sample by each model, newest first."""
    return [
        investigation
        for investigation in investigations.listing(store)
        if investigation.sample == sample_id
    ]


def under_way(store: Store, known_investigations: Sequence[Investigation]) -> bool:
    """True if a run of these investigations is under way."""
    return any(
        EXCLUSIVE.under_way(store, investigation.sample, investigation.model)
        for investigation in known_investigations
    )


def watch(store: Store, known_investigations: Sequence[Investigation]) -> None:
    """The steps of those under way, drawn again every second until the last has ended."""
    active_ids = [
        investigation.id
        for investigation in known_investigations
        if EXCLUSIVE.under_way(store, investigation.sample, investigation.model)
    ]

    def draw(store: Store) -> bool:
        records = [investigations.load(store, investigation_id) for investigation_id in active_ids]
        draw_cards(store, records)
        return under_way(store, records)

    if sentence := st.session_state.pop(_TROUBLE, ""):
        notice.error(sentence)
    refresh.show(store, draw)
    refresh.promise()


def draw_cards(store: Store, records: Sequence[Investigation]) -> None:
    """A card for each investigation, two in a row."""
    columns = min(2, len(records))
    for start in range(0, len(records), 2):
        for column, record in zip(st.columns(columns), records[start : start + 2], strict=False):
            with column.container(border=True, gap="xsmall"):
                with st.container(horizontal=True, vertical_alignment="center"):
                    st.markdown(f"**{plain(model_title(record.model))}**", width="content")
                    st.space("stretch")
                    if EXCLUSIVE.under_way(store, record.sample, record.model):
                        _offer_cancel(store, record)
                        ended = False
                    else:
                        ended = is_done(store, record)
                if ended:
                    _draw_answer(store, record)
                draw_steps(store, record)


def _draw_answer(store: Store, record: Investigation) -> None:
    """The answer of a model that was asked all of it."""
    partition = samples.partition_of(store, record.sample).id
    for answer in answers_of(store):
        if record.model in answer.names and answer.partition == partition:
            checklist.show_ruling(answer.ruling, below_its_word(answer), part_of_answer=True)


def draw_steps(store: Store, record: Investigation) -> None:
    """A line for each step of an investigation, and one for the slot."""
    run_ids = [adopted_run.run for adopted_run in record.runs.values()]
    progress = {run.run: run for run in run_progress.progress(store, run_ids)}
    of_record = steps(store, record)
    words = step_words(store, [(step.kind, step.sample) for step in of_record])
    for number, step in enumerate(of_record):
        run = progress.get(step.run or "")
        name = plain(words[step.kind, step.sample])
        if run is None:
            st.markdown(f"{_WAITING} :gray[{name}]")
        else:
            state = state_of(store, run.run, run.event, run.event_at)
            st.markdown(
                f"{run_card.mark(state)} {name} · {_so_far(run, state, reused=step.reused)}"
            )
            if state in {RunState.RUNNING, RunState.CANCELLING}:
                left = run_card.time_left(run)
                st.progress(min(1.0, run.done / max(run.items, 1)), text=left or None)
        if not number and record.kind in build.PLACED:
            letter = slot_of(store, record)
            icon = run_card.mark(RunState.FINISHED) if letter else _WAITING
            slot_words = (
                f"Slot: **{letter}**, chosen least" if letter else ":gray[Slot: chosen least]"
            )
            st.markdown(f"{icon} {slot_words}")


def _so_far(run: RunProgress, state: RunState, *, reused: bool) -> str:
    count = f"{run.done:,} of {run.items:,} answered"
    if state is RunState.FINISHED:
        count = f"{run.done:,} answers" + (", from before" if reused else "")
    ended = (
        f" · {state}"
        if state in {RunState.CANCELLED, RunState.INTERRUPTED, RunState.STOPPED}
        else ""
    )
    reason = f": {plain(run.detail)}" if state is RunState.STOPPED and run.detail else ""
    lost = run.refused + run.invalid + run.errors
    unusable = f" · {lost:,} unusable" if lost else ""
    return f"{count}{unusable}{ended}{reason}"


def _offer_cancel(store: Store, record: Investigation) -> None:
    taken_runs = [runs.load(store, adopted_run.run) for adopted_run in record.runs.values()]
    running = [
        run.id
        for run in taken_runs
        if state_of(store, run.id, run.event, run.event_at) is RunState.RUNNING
    ]

    def cancel() -> None:
        for run in running:
            process.cancel(store, run)

    if action.pressed(
        "Cancel",
        icon=":material/stop:",
        key=f"investigate_cancel_{record.id}",
        why_not="" if running else "Nothing is being asked just now, or only for somebody else.",
    ):
        st.session_state[_TROUBLE] = action.trouble(cancel)
        st.rerun()


def show_finding(store: Store, sample_id: str) -> bool:
    """The finding on a sample that was asked without an investigation; False if there is none."""
    sample_findings = [
        entry
        for entry in findings_of(store)
        if entry.evidence.sample == sample_id and entry.verdict
    ]
    if sample_findings:
        first = by_strength(sample_findings)[0]
        related_answers = [
            entry for entry in answers_of(store) if answer_view.is_about(entry, first.evidence)
        ]
        for entry in related_answers:
            answer_view.show_short(entry)
        verdict.show_short(first, concluded_of(store), part_of_answer=bool(related_answers))
    return bool(sample_findings)


def show(store: Store, known_investigations: Sequence[Investigation]) -> None:
    """The findings of investigations that are done, in the order of ``by_strength``; then the steps
    of those that are not."""
    quiz_findings = findings_of(store, every_run=True) if known_investigations else ()
    investigations: dict[str, Investigation] = {}
    others = []
    for record in same_choice(known_investigations):
        finding = finding_of(record, quiz_findings) if is_done(store, record) else None
        if finding is None:  # not done, or all of its calls failed
            others.append(record)
        else:
            investigations[finding.evidence.run] = record
    answered = {entry.pair: entry for entry in answers_of(store)} if investigations else {}
    for finding in by_strength(
        [entry for entry in quiz_findings if entry.evidence.run in investigations]
    ):
        record, pair = investigations[finding.evidence.run], finding.evidence
        answer = answered.get((pair.model, pair.partition))
        if answer is not None:
            answer_view.show(store, answer, key=f"investigate_answer_{record.id}")
        verdict.show_short(finding, concluded_of(store), part_of_answer=answer is not None)
        for result in other_results(store, record):
            other_methods.show_short(result)
        with st.expander("What was asked"):
            draw_steps(store, record)
    draw_cards(store, others)


def has_investigated(
    store: Store,
    known_investigations: Sequence[Investigation],
    choice: QuizChoice,
    models: Sequence[str],
    terms: Terms,
) -> bool:
    """Whether exactly this investigation has been done to its end."""
    investigations = {investigation.model: investigation for investigation in known_investigations}
    return all(
        (stored_investigation := investigations.get(placing.stored_name(model))) is not None
        and of_choice(stored_investigation, choice)
        and stored_investigation.limit == terms.limit
        and is_done(store, stored_investigation)
        for model in models
    )
