"""The form for a replication: samples, models and judge, the cost, and the start button; and the
runs with their live progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from dcq.asking import launch
from dcq.asking.cost import CostEstimate
from dcq.asking.options import Options
from dcq.errors import DcqError
from dcq.jobs.state import RunState
from dcq.replication import replicate
from dcq.replication.estimate import estimate, estimate_judgements, proposed_task, unready
from dcq.replication.freeze import PAIRED, Cut
from dcq.replication.judge import JUDGES
from dcq.replication.method import (
    CHEAT,
    EXCLUSIVE,
    JUDGE,
    METHODS,
    REPLICATION,
    ReplicationTask,
    unequal,
)
from dcq.replication.pieces import Pieces
from dcq.replication.prompts import Instruction, Version, is_published
from dcq.replication.replicate import Design
from dcq.store import Store, replications, runs
from dcq.store.run_progress import RunProgress
from dcq.store.samples import StoredSample
from dcq.ui import (
    action,
    model_picker,
    notice,
    page,
    roles,
    run_card,
    run_limits,
    run_panel,
    start_button,
)
from dcq.ui.run_card import MethodCard
from dcq.ui.run_panel import ListedRun, Panel
from dcq.words import usd_words

_VERSIONS = {Version.PAPER: "Paper", Version.RELEASE: "Release"}
_CONTROLS = {
    Instruction.SWAPPED: "Name-swapped (ours)",
    Instruction.WRONG_LABEL: "Wrong label",
}
_WHAT_FOR = (
    "Guided names dataset and split, general names neither; the two are compared, so both are "
    "always asked. Name-swapped is guided, but names a dataset that does not exist. Wrong label "
    "is guided, with another label than the instance has."
)


@dataclass(frozen=True)
class _ReplicationForm:
    """What the form says."""

    version: Version
    instructions: tuple[Instruction, ...]
    models: Sequence[str]
    judge: str
    first_instances: bool
    options: Options


def show(store: Store, sample: StoredSample, cuts: Sequence[Cut]) -> None:
    """The form, the price and the button."""
    labels = {cut.outcome.label for cut in cuts if isinstance(cut.outcome, Pieces)}
    if not labels:
        st.info("Nothing here can be asked; draw longer texts.", icon=":material/dataset:")
        page.link("dataset", "Draw another sample")
        return
    choices = _choose(store, can_mislabel=len(labels) > 1 and all(labels))
    try:
        task = proposed_task(
            sample.partition, cuts, choices.version, choices.instructions, sample.seed
        )
    except DcqError as error:
        notice.warning(error)
        return
    if not start_button.has_models(choices.models):
        return
    _show_price(task, choices)
    count = len(choices.models)
    start_button.offer(
        start_button.Start(
            panel="replication",
            key="replication_start",
            label=f"Ask in {count} runs" if count > 1 else "Ask the model",
            begin=lambda: _begin(store, sample, choices),
            obstacles=unready(choices.models, choices.judge, choices.options.terms),
        )
    )
    _prompts(task, choices)


def _choose(store: Store, *, can_mislabel: bool) -> _ReplicationForm:
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        version = st.segmented_control(
            "Wordings of the",
            list(_VERSIONS),
            default=Version.PAPER,
            format_func=_VERSIONS.__getitem__,
            required=True,
            key="replication_version",
            persist_state="page",
            bind="query-params",
            help="The authors' paper and their release word the same instructions differently.",
        )
        offered = [
            instruction
            for instruction in _CONTROLS
            if can_mislabel or instruction is not Instruction.WRONG_LABEL
        ]
        more = st.pills(
            "Besides guided and general",
            offered,
            selection_mode="multi",
            format_func=_CONTROLS.__getitem__,
            key="replication_more",
            persist_state="page",
            help=_WHAT_FOR
            if can_mislabel
            else f"{_WHAT_FOR} It needs two labels in the sample, and is not offered here.",
        )
        first = st.toggle(
            "First instances (ours)",
            key="replication_first",
            persist_state="page",
            help="One more call a model: asks for the first instances of the split, told its name.",
        )
    chosen = model_picker.choose(store, key="replication_models")
    judge = st.selectbox(
        "Judge",
        model_picker.offered(store),
        index=None,
        accept_new_options=model_picker.may_type(),
        placeholder="None: only exact matches count",
        key="replication_judge",
        persist_state="page",
        help="A model that says whether a completion is a near-exact match. The paper's is GPT-4.",
    )
    allowed = run_limits.choose(chosen, page="replication", batches=False)
    return _ReplicationForm(
        version or Version.PAPER,
        (*PAIRED, *(more or ())),
        chosen,
        _allowed(store, (judge or "").strip()),
        first,
        allowed,
    )


def _allowed(store: Store, judge: str) -> str:
    """The judge, or none and why where the user may not name it."""
    try:
        if judge:
            model_picker.check(store, judge)
    except DcqError as error:
        notice.warning(error, icon=":material/block:")
        return ""
    return judge


def _show_price(task: ReplicationTask, choices: _ReplicationForm) -> None:
    limit, judge = choices.options.terms.limit, choices.judge
    rows = [_row(model, "completes", estimate(model, task, limit)) for model in choices.models]
    if judge:
        most = estimate_judgements(judge, choices.models, task, limit)
        rows.append(_row(judge, "judges", most))
    start_button.show_price(
        pd.DataFrame(rows),
        {
            "model": st.column_config.TextColumn("Model", width=230),
            "does": st.column_config.TextColumn("Task", width=90),
            "calls": st.column_config.NumberColumn(
                "Calls",
                width=65,
                format="localized",
                help="Of the judge, at most: what equals its reference needs no judge.",
            ),
        },
        key="replication_estimates",
        alt="What asking costs: calls, tokens and money, by model.",
        models=[*choices.models, *([judge] if judge else [])],
        cost="Cost, at most about",
    )


def _row(model: str, does: str, estimate: CostEstimate) -> dict[str, str | int]:
    return {
        "model": model,
        "does": does,
        "calls": estimate.calls,
        "cost": usd_words(estimate.cost_usd),
        "tokens_in": estimate.tokens_in,
        "tokens_out": estimate.tokens_out,
    }


def _begin(store: Store, sample: StoredSample, choices: _ReplicationForm) -> list[str]:
    names = list(choices.models)
    design = Design(choices.judge or None, choices.version, choices.instructions)
    started = replicate.start(store, sample.id, names, design, choices.options)
    if choices.first_instances:
        started += replicate.start_first_instances(store, sample.id, names)
    return started


def _prompts(task: ReplicationTask, choices: _ReplicationForm) -> None:
    forms = {pieces.form for pieces in task.pieces}
    ours = {
        chosen_instruction
        for chosen_instruction in choices.instructions
        if any(not is_published(choices.version, chosen_instruction, form) for form in forms)
    }
    count = len(task.pieces)
    with st.expander(f"{task.size:,} prompts for {count:,} instances: see the first"):
        for position, instruction in enumerate(task.instructions):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.markdown(f"**{str(instruction).capitalize()}**", width="content")
                if instruction in ours:
                    st.badge(
                        "wording of ours",
                        color="gray",
                        help="The authors print none for this kind of text; it follows theirs.",
                    )
            st.code(task.text(position), language=None, wrap_lines=True)
        if choices.judge:
            st.markdown("**The judge**")
            st.code(JUDGES[choices.version].wording, language=None, wrap_lines=True)


_WHAT = {REPLICATION.name: "completions", JUDGE.name: "judge", CHEAT.name: "first instances"}


@dataclass(frozen=True)
class _ListedReplication(ListedRun):
    """A run with its state. ``busy`` says that a process still works on its completions or on
    their judgements, ``unjudged`` that they were to be judged, and nobody is at it."""

    busy: bool = False
    unjudged: bool = False


def panel(read: Callable[[str], None]) -> Panel[_ListedReplication]:
    """The panel of completions, their judges, and requests for first instances; ``read`` opens the
    result of a run, in a callback."""
    return Panel(
        page="replication",
        what="replies",
        again=("replication_again", "Ask again"),
        listing=_list,
        card=lambda store, replication_row, is_new: _card(
            store, replication_row, read, is_new=is_new
        ),
    )


def _list(store: Store, only: Sequence[str]) -> list[_ListedReplication]:
    """A judge is to come where completions are done and a process is still at them."""
    run_states = run_panel.states(store, METHODS, only)
    judged = {run.subject for run, _ in run_states if run.method == JUDGE.name}
    frozen_by_id = replications.outlines(store, [run.subject for run, _ in run_states])
    listed_replications = []
    for run, state in run_states:
        if run.method != REPLICATION.name:
            listed_replications.append(_ListedReplication(run, state))
            continue
        frozen = frozen_by_id[run.subject]
        waits = state is RunState.FINISHED and bool(frozen.judge) and run.run not in judged
        busy = state.live or (bool(frozen.judge) and _held(store, run.run))
        unjudged = waits and not busy and bool(unequal(store, run.run))
        progress = replace(run, quiz_items=frozen.requests)
        listed_replications.append(
            _ListedReplication(progress, state, waits and busy, busy=busy, unjudged=unjudged)
        )
    return listed_replications


def _held(store: Store, run_id: str) -> bool:
    plan = runs.load(store, run_id).plan
    return EXCLUSIVE.is_held(store, plan.sample_id, plan.model)


def _card(
    store: Store, replication_row: _ListedReplication, read: Callable[[str], None], *, is_new: bool
) -> MethodCard:
    """How a card tells of completions, of a judge, or of a request for the first instances."""
    method = METHODS[replication_row.run.method]
    judges = method is JUDGE
    return MethodCard(
        what=lambda run: (
            f"{_WHAT[run.method]} of run {run.subject}" if judges else _WHAT[run.method]
        ),
        so_far=lambda run: "the judge comes next" if replication_row.follows else "",
        unusable="without a judgement" if judges else "without a completion",
        reasons_title="Why some replies are not used",
        role=roles.UserRole.RUNNER,
        resume=lambda store, run, terms, all_of_it: launch.resume(
            store, METHODS[replication_row.run.method], run, terms, all_of_it=all_of_it
        ),
        result_button=lambda run, state: _offer(store, replication_row, read, is_new=is_new),
    )


def _offer(
    store: Store, replication_row: _ListedReplication, read: Callable[[str], None], *, is_new: bool
) -> None:
    run = replication_row.run
    if replication_row.unjudged:
        _offer_judge(store, run)
    if run.method != REPLICATION.name or replication_row.busy or run.done <= run.errors:
        return
    if run_card.offer_result(
        run,
        key="replication_read",
        is_next=is_new and not replication_row.unjudged,
        act=lambda: read(run.run),
    ):
        st.rerun()  # of the whole page: the button alone redraws only the runs


def _offer_judge(store: Store, run: RunProgress) -> None:
    """Have the completions judged that the budget or the calls did not reach."""
    with st.popover("Judge them", icon=":material/gavel:", key=f"replication_judge_{run.run}"):
        st.markdown("The completions are not judged yet. The limits are for both together.")
        allowed = run_card.ask_more(
            run,
            key="replication",
            spent=f"it was {usd_words(run.budget_usd)}",
            calls_needed=run.items,
        )
        action.button(
            "Go on",
            lambda: launch.resume(store, METHODS[run.method], run.run, allowed),
            icon=":material/resume:",
            key=f"replication_go_on_{run.run}",
        )
