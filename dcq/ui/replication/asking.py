"""What is asked of whom, what it costs, and the button."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from dcq.asking.estimate import Estimate
from dcq.asking.options import Options
from dcq.errors import DcqError
from dcq.replication import replicate
from dcq.replication.estimate import estimate, estimate_judgements, proposed_task, unready
from dcq.replication.freeze import PAIRED, Cut
from dcq.replication.judge import JUDGES
from dcq.replication.method import ReplicationTask
from dcq.replication.pieces import Pieces
from dcq.replication.prompts import Instruction, Version, is_published
from dcq.replication.replicate import Design
from dcq.store import Store
from dcq.store.samples import StoredSample
from dcq.ui import ask, models, notice, page, terms
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
class _Wanted:
    """What the form says."""

    version: Version
    instructions: tuple[Instruction, ...]
    models: Sequence[str]
    judge: str
    first_instances: bool
    options: Options


def show(store: Store, sample: StoredSample, every: Sequence[Cut]) -> None:
    """The form, the price and the button."""
    labels = {one.found.label for one in every if isinstance(one.found, Pieces)}
    if not labels:
        st.info("Nothing here can be asked; draw longer texts.", icon=":material/dataset:")
        page.go("dataset", "Draw another sample")
        return
    wanted = _choose(store, can_mislabel=len(labels) > 1 and all(labels))
    try:
        task = proposed_task(
            sample.partition, every, wanted.version, wanted.instructions, sample.seed
        )
    except DcqError as error:
        notice.warning(error)
        return
    if not ask.has_models(wanted.models):
        return
    _show_price(task, wanted)
    count = len(wanted.models)
    ask.offer(
        ask.Start(
            panel="replication",
            key="replication_start",
            label=f"Start {count} replications" if count > 1 else "Ask the model",
            begin=lambda: _begin(store, sample, wanted),
            lacks=unready(wanted.models, wanted.judge, wanted.options.terms),
        )
    )
    _prompts(task, wanted)


def _choose(store: Store, *, can_mislabel: bool) -> _Wanted:
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
        offered = [one for one in _CONTROLS if can_mislabel or one is not Instruction.WRONG_LABEL]
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
    chosen = models.choose(store, key="replication_models")
    judge = st.selectbox(
        "Judge",
        models.offered(store),
        index=None,
        accept_new_options=models.may_type(),
        placeholder="None: only exact matches count",
        key="replication_judge",
        persist_state="page",
        help="A model that says whether a completion is a near-exact match. The paper's is GPT-4.",
    )
    allowed = terms.choose(chosen, page="replication", batches=False)
    return _Wanted(
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
            models.check(store, judge)
    except DcqError as error:
        notice.warning(error, icon=":material/block:")
        return ""
    return judge


def _show_price(task: ReplicationTask, wanted: _Wanted) -> None:
    limit, judge = wanted.options.terms.limit, wanted.judge
    rows = [_row(model, "completes", estimate(model, task, limit)) for model in wanted.models]
    if judge:
        most = estimate_judgements(judge, wanted.models, task, limit)
        rows.append(_row(judge, "judges", most))
    ask.show_price(
        pd.DataFrame(rows),
        {
            "model": st.column_config.TextColumn("Model", width=230),
            "does": st.column_config.TextColumn("", width=90),
            "calls": st.column_config.NumberColumn(
                "Calls",
                width=65,
                format="localized",
                help="Of the judge, at most: what equals its reference needs no judge.",
            ),
        },
        key="replication_estimates",
        alt="What asking costs: calls, tokens and money, by model.",
        models=[*wanted.models, *([judge] if judge else [])],
        cost="Cost, at most about",
    )


def _row(model: str, does: str, found: Estimate) -> dict[str, str | int]:
    return {
        "model": model,
        "does": does,
        "calls": found.calls,
        "cost": usd_words(found.cost_usd),
        "tokens_in": found.tokens_in,
        "tokens_out": found.tokens_out,
    }


def _begin(store: Store, sample: StoredSample, wanted: _Wanted) -> list[str]:
    names = list(wanted.models)
    design = Design(wanted.judge or None, wanted.version, wanted.instructions)
    started = replicate.start(store, sample.id, names, design, wanted.options)
    if wanted.first_instances:
        started += replicate.start_first_instances(store, sample.id, names)
    return started


def _prompts(task: ReplicationTask, wanted: _Wanted) -> None:
    forms = {pieces.form for pieces in task.pieces}
    ours = {
        one
        for one in wanted.instructions
        if any(not is_published(wanted.version, one, form) for form in forms)
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
        if wanted.judge:
            st.markdown("**The judge**")
            st.code(JUDGES[wanted.version].wording, language=None, wrap_lines=True)
