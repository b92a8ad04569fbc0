"""One instance: the tokens of its original beside those of a rewording."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dcq.judging.judged import JudgedResult
from dcq.likelihood.measures import DECIDING, Scored, ScoringContext
from dcq.likelihood.method import METHOD, LikelihoodTask
from dcq.likelihood.reply import BadReplyError
from dcq.records import Outcome
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
            choice_slot = st.container()
        links.remember(AT)
        scored_texts, reason = _scored(store, result.evidence.run, task, number - 1)
        if reason:
            notice.info(reason)
            return
        with choice_slot:
            other = _choose(scored_texts, f"likelihood_other_{result.evidence.run}_{number}")
        notice.caption(_rank(scored_texts))
        _side_by_side(scored_texts, other, f"{result.evidence.run}_{number}")


def _scored(
    store: Store, run_id: str, task: LikelihoodTask, position: int
) -> tuple[Sequence[Scored], str]:
    """The wordings of an instance, the original first, or why there are none."""
    answer = method_runs.answer_at(store, run_id, position)
    if answer is None:
        return (), "This instance was not scored; resume the run under Ask."
    if answer.outcome == Outcome.ERROR:
        return (), f"This instance was not scored. {answer.reason}"
    if answer.reply is None or not answer.reply:
        return (), "The tokens of this run are withheld: it came in a bundle without texts."
    try:
        return task.scored(position, answer.reply), ""
    except BadReplyError as error:
        return (), f"This reply cannot be used: {error}."


def _choose(scored_texts: Sequence[Scored], key: str) -> int:
    """Let the user choose a rewording, by default the likeliest; returns its index."""
    indexes = list(range(1, len(scored_texts)))
    chosen = st.segmented_control(
        "Rewording beside the original",
        indexes,
        default=max(indexes, key=lambda index: _mean(scored_texts[index])),
        format_func=lambda index: f"Rewording {index}: {two_decimals(_mean(scored_texts[index]))}",
        required=True,
        key=key,
        label_visibility="collapsed",
    )
    return chosen or indexes[0]


def _mean(scored_text: Scored) -> float:
    value = DECIDING.of(scored_text)
    return float("-inf") if value is None else value


def _rank(scored_texts: Sequence[Scored]) -> str:
    """Where the original stands, as a sentence."""
    original_mean, others = _mean(scored_texts[0]), [_mean(other) for other in scored_texts[1:]]
    below = sum(other < original_mean for other in others)
    ties = sum(other == original_mean for other in others)
    if below == len(others):
        comparison = "likelier than all of its rewordings"
    elif below == 0 and not ties:
        comparison = "less likely than all of its rewordings"
    else:
        comparison = f"likelier than {below} of its {len(others)} rewordings"
        comparison += f", as likely as {ties}" if ties else ""
    return f"The original is {comparison}, by the mean log-probability of a token."


def _side_by_side(scored_texts: Sequence[Scored], other: int, key: str) -> None:
    named_texts = (("Original", scored_texts[0]), (f"Rewording {other}", scored_texts[other]))
    for column, (name, scored_text) in zip(st.columns(2, gap="medium"), named_texts, strict=True):
        likelihood = scored_text.by_context[ScoringContext.ALONE]
        with column:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.badge(name, color="blue" if scored_text is scored_texts[0] else "gray")
                st.caption(
                    f"{two_decimals(_mean(scored_text))} nats a token, "
                    f"{counted(likelihood.tokens, 'token')}",
                    width="content",
                )
            if likelihood.pieces:
                is_original = scored_text is scored_texts[0]
                other_text = scored_texts[other if is_original else 0].text
                tokens.show(
                    scored_text.text, likelihood, other_text, key=f"likelihood_tokens_{key}_{name}"
                )
            else:
                st.markdown(plain(scored_text.text))
                st.caption("The provider did not say where its tokens begin and end.")
    if any(scored_text.by_context[ScoringContext.ALONE].pieces for _, scored_text in named_texts):
        tokens.legend(key=f"likelihood_legend_{key}")
    with st.expander("Log-probability of each token", icon=":material/table:"):
        for column, (name, scored_text) in zip(
            st.columns(2, gap="medium"), named_texts, strict=True
        ):
            with column:
                _table(name, scored_text, f"likelihood_table_{key}_{name}")


def _table(name: str, scored_text: Scored, key: str) -> None:
    likelihood = scored_text.by_context[ScoringContext.ALONE]
    logprobs = likelihood.logprobs[:_MOST]
    pieces = [piece[: tokens.LONGEST] for piece in likelihood.pieces[:_MOST]] or [""] * len(
        logprobs
    )
    st.dataframe(
        pd.DataFrame(
            {"No.": range(1, len(logprobs) + 1), "Token": pieces, "Log-probability": logprobs}
        ),
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
