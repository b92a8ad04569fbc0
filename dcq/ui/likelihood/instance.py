"""One instance: the tokens of its original beside those of a rewording."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dcq.judging.study import JudgedResult
from dcq.likelihood.measures import DECIDING, Scored, ScoringContext
from dcq.likelihood.method import METHOD, LikelihoodTask
from dcq.likelihood.reply import BadReplyError
from dcq.store import Store, method_runs, runs
from dcq.ui import glossary, links, notice, walker
from dcq.ui.likelihood import tokens
from dcq.ui.text import plain
from dcq.words import counted, two_decimals

AT = "likelihood_at"
_MOST = 600  # tokens of a text in the table


def show(store: Store, result: JudgedResult) -> None:
    """The navigation through the instances, and the one that is open."""
    task = METHOD.reopen(store, runs.load(store, result.evidence.run).plan)
    assert isinstance(task, LikelihoodTask)  # noqa: S101  (reopen() made it)
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown("Instance", width="content")
            numbers = range(1, task.size + 1)
            number = walker.walk(
                *(numbers, task.size),
                what="Instance",
                key=AT,
                names="likelihood_at",
                in_address=False,
            )
            place = st.container()
        links.remember(AT)
        found, why = _scored(store, result.evidence.run, task, number - 1)
        if why:
            notice.info(why)
            return
        with place:
            other = _choose(found, f"likelihood_other_{result.evidence.run}_{number}")
        notice.caption(_rank(found))
        _side_by_side(found, other, f"{result.evidence.run}_{number}")


def _scored(
    store: Store, run_id: str, task: LikelihoodTask, position: int
) -> tuple[Sequence[Scored], str]:
    """The wordings of an instance, the original first, or why there are none."""
    answer = method_runs.answer_at(store, run_id, position)
    if answer is None:
        return (), "This instance was not scored; resume the run under Ask."
    if answer.reply is None or not answer.reply:
        return (), "The tokens of this run are withheld: it came in a bundle without texts."
    try:
        return task.scored(position, answer.reply), ""
    except BadReplyError as error:
        return (), f"This reply cannot be used: {error}."


def _choose(found: Sequence[Scored], key: str) -> int:
    """Which rewording stands beside the original: at first the likeliest."""
    places = list(range(1, len(found)))
    chosen = st.segmented_control(
        "Rewording beside the original",
        places,
        default=max(places, key=lambda place: _mean(found[place])),
        format_func=lambda place: f"Rewording {place}: {two_decimals(_mean(found[place]))}",
        required=True,
        key=key,
        label_visibility="collapsed",
    )
    return chosen or places[0]


def _mean(one: Scored) -> float:
    value = DECIDING.of(one)
    return float("-inf") if value is None else value


def _rank(found: Sequence[Scored]) -> str:
    """Where the original stands, as a sentence."""
    own, others = _mean(found[0]), [_mean(one) for one in found[1:]]
    below, ties = sum(one < own for one in others), sum(one == own for one in others)
    if below == len(others):
        said = "likelier than all of its rewordings"
    elif below == 0 and not ties:
        said = "less likely than all of its rewordings"
    else:
        said = f"likelier than {below} of its {len(others)} rewordings"
        said += f", as likely as {ties}" if ties else ""
    return f"The original is {said}, by the mean log-probability of a token."


def _side_by_side(found: Sequence[Scored], other: int, key: str) -> None:
    shown = (("Original", found[0]), (f"Rewording {other}", found[other]))
    for column, (name, one) in zip(st.columns(2, gap="medium"), shown, strict=True):
        known = one.by_context[ScoringContext.ALONE]
        with column:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.badge(name, color="blue" if one is found[0] else "gray")
                st.caption(
                    f"{two_decimals(_mean(one))} nats a token, {counted(known.tokens, 'token')}",
                    width="content",
                )
            if known.pieces:
                beside = found[other] if one is found[0] else found[0]
                tokens.show(one.text, known, beside.text, key=f"likelihood_tokens_{key}_{name}")
            else:
                st.markdown(plain(one.text))
                st.caption("The provider did not say where its tokens begin and end.")
    if any(one.by_context[ScoringContext.ALONE].pieces for _, one in shown):
        tokens.legend(key=f"likelihood_legend_{key}")
    with st.expander("Log-probability of each token", icon=":material/table:"):
        for column, (name, one) in zip(st.columns(2, gap="medium"), shown, strict=True):
            with column:
                _table(name, one, f"likelihood_table_{key}_{name}")


def _table(name: str, one: Scored, key: str) -> None:
    known = one.by_context[ScoringContext.ALONE]
    shown = known.logprobs[:_MOST]
    pieces = [piece[: tokens.LONGEST] for piece in known.pieces[:_MOST]] or [""] * len(shown)
    st.dataframe(
        pd.DataFrame({"No.": range(1, len(shown) + 1), "Token": pieces, "Log-probability": shown}),
        hide_index=True,
        height=300,
        key=key,
        alt=f"{name}: each token with its log-probability.",
        column_config=glossary.columns(
            {"Log-probability": "Log-probability"},
            {
                "No.": st.column_config.NumberColumn("No.", width="small"),
                "Token": st.column_config.TextColumn("Token"),
                "Log-probability": st.column_config.NumberColumn(format="%.2f"),
            },
        ),
    )
