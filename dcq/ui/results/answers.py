"""The answers of one run: a list to page through, and each answer with its prompt and reply."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Literal

import pandas as pd
import streamlit as st

from dcq.errors import DcqError
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.preview import Sent, recall
from dcq.quiz.results import Result
from dcq.records import LETTERS, Outcome
from dcq.store import Store, results
from dcq.ui import links, notice
from dcq.ui.results.filters import LINE, choose_page
from dcq.ui.text import cut
from dcq.words import counted

_ALL = "all"
_TALL, _LONG, _LONG_LINES = 520, 2_500, 30  # pixels, characters, lines


def list_answers(store: Store, result: Result, *, prefix: str) -> None:
    """The filter, the list and the open answer; the address keeps the choices under ``prefix``."""
    chosen_answer = _choose_answer(result, prefix)
    positions = results.positions(store, result.run, answer=chosen_answer)
    if not positions:
        st.caption("No answer of this kind.")
        return
    key = _question_key(prefix)
    number = _remembered(st.session_state.get(key, st.query_params.get(key)), positions)
    st.session_state[key] = number = number or positions[0] + 1
    place = positions.index(number - 1) if number - 1 in positions else None
    left, right = st.columns([2, 3], gap="medium")
    with left:
        slot = st.container()
        page = choose_page(len(positions), place, key=f"{prefix}_page_{result.run}_{chosen_answer}")
        with slot:
            list_key = f"{prefix}_list_{result.run}_{chosen_answer}_{page.start}"
            _table(store, result, positions[page], list_key, prefix)
    with right:
        _open(store, result, positions, prefix)


def show_only(prefix: str, answer: str) -> None:
    """In a callback: list only the answers of one bar, from the first."""
    st.session_state[_filter_key(prefix)] = answer
    _close(prefix)


def _close(prefix: str) -> None:
    st.session_state[_question_key(prefix)] = None


def _filter_key(prefix: str) -> str:
    return f"{prefix}_answer"


def _choose_answer(result: Result, prefix: str) -> str | None:
    """The answer to narrow the list to: a letter, an outcome without one, or None for all."""
    counts = {_ALL: sum(result.outcomes.values())}
    counts |= dict(zip(LETTERS, result.chosen, strict=False))
    counts |= {
        outcome: count
        for outcome, count in result.outcomes.items()
        if outcome != Outcome.ANSWERED and count
    }
    key = _filter_key(prefix)
    chosen_answer = links.choose_segment(
        "Answers shown",
        counts,
        key=key,
        format_func=lambda answer: f"{answer} · {counts[answer]:,}",
        on_change=notice.told(_close),
        args=(prefix,),
    )
    return None if chosen_answer == _ALL else chosen_answer


def _table(store: Store, result: Result, positions: list[int], key: str, prefix: str) -> None:
    rows = results.answers(store, result.run, positions=positions)
    varies = result.slot is None and result.kind not in WITHOUT_ORIGINAL
    table = pd.DataFrame(
        {
            "question": rows["position"] + 1,
            "chose": rows["letter"].fillna(rows["outcome"]),
            # Else it is at one place, which the run's name tells.
            **({"original": rows["correct_letter"].fillna("absent")} if varies else {}),
            "instance": [cut(text, 160) for text in rows["text"]],
        }
    )
    st.dataframe(
        table,
        hide_index=True,
        height=LINE * (len(table) + 1) + 3,
        key=key,
        on_select=partial(_open_row, key, positions, prefix),
        selection_mode="single-cell",  # the arrow keys go from row to row
        column_config={
            "question": st.column_config.NumberColumn("No.", width=50),
            "chose": st.column_config.TextColumn("Chose", width=65),
            "original": st.column_config.TextColumn("Original", width=65),
            "instance": st.column_config.TextColumn("Instance", width=120 if varies else 185),
        },
        alt="Answers: question, letter chosen or what came instead, text.",
    )


def _open_row(key: str, positions: Sequence[int], prefix: str) -> None:
    cells = st.session_state[key].selection.cells
    if cells:
        st.session_state[_question_key(prefix)] = positions[cells[0][0]] + 1


def _question_key(prefix: str) -> str:
    return f"{prefix}_question"


def _open(store: Store, result: Result, positions: Sequence[int], prefix: str) -> None:
    """The open question, with buttons to the previous and next one listed."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = st.number_input(
            "Open question",
            1,
            max(positions[-1] + 1, 2),  # the widget takes no range of one
            key=_question_key(prefix),
            bind="query-params",
            width=150,
        )
        at = number - 1
        before = [p for p in positions if p < at]
        after = [p for p in positions if p > at]
        for label, shortcut, to in (("Previous", "K", before[-1:]), ("Next", "J", after[:1])):
            st.button(
                label,
                shortcut=shortcut,
                key=f"{prefix}_{label}",
                disabled=not to,
                on_click=notice.told(_go_to),
                args=(prefix, to[0] if to else 0),
            )
    try:
        sent = recall(store, result.run, at)
    except DcqError as error:
        notice.info(error)
        return
    with st.container(border=True):
        _show(sent)


def _remembered(value: object, positions: Sequence[int]) -> int | None:
    """The question that was open before or that a link names, if this run has that many."""
    try:
        number = int(str(value))
    except ValueError:
        return None
    return number if 1 <= number <= positions[-1] + 1 else None


def _go_to(prefix: str, position: int) -> None:
    st.session_state[_question_key(prefix)] = position + 1


def _show(sent: Sent) -> None:
    """Everything about one answer; its texts are shown letter for letter."""
    answer = sent.answer
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{_verdict(sent)}**", width="content")
        if sent.verified:
            st.badge(
                "verified prompt",
                icon=":material/verified:",
                color="gray",
                help="The prompt below was rebuilt, and its SHA-256 matches the one that was "
                "stored when it was sent.",
            )
        else:
            st.badge(
                "prompt not verified",
                icon=":material/warning:",
                color="orange",
                help="The prompt below was rebuilt, and its SHA-256 does not match the one that "
                "was stored when it was sent.",
            )
    st.caption("Prompt, exactly as sent")
    st.code(sent.prompt, language=None, wrap_lines=True, height=_height(sent.prompt))
    st.caption("Raw reply")
    if answer.reply is None:
        st.text("No text came back.")
    else:
        st.code(answer.reply, language=None, wrap_lines=True, height=_height(answer.reply))
    left, right = st.columns(2)
    with left:
        st.caption("Read as")
        letter = f"{answer.value}, " if answer.value else ""
        reason = f": {answer.reason}" if answer.reason else ""
        st.text(f"{letter}{answer.outcome}{reason}")
        bound = "" if answer.usage_reported else "at most "
        st.caption(
            f"{bound}{counted(answer.tokens_in, 'token')} in, {answer.tokens_out:,} out · "
            f"{answer.seconds:.2f} s · {counted(answer.calls, 'call')}, "
            f"attempt {answer.attempt} · {answer.at:%d %b %Y, %H:%M:%S} UTC"
        )
    with right:
        st.caption("Parameters sent")
        parameters = json.dumps(dict(sent.answer.sent), indent=1, ensure_ascii=False)
        st.code(parameters, language="json", wrap_lines=True)
        if answer.served_model or answer.fingerprint:
            st.caption("Served by, according to the endpoint")
            by = " · fingerprint ".join(
                (answer.served_model or "no name", answer.fingerprint or "none")
            )
            st.text(by)


def _height(text: str) -> Literal["content"] | int:
    """Long texts scroll in their own box."""
    return _TALL if len(text) > _LONG or text.count("\n") > _LONG_LINES else "content"


def _verdict(sent: Sent) -> str:
    answer = sent.answer
    chose = f"Chose {answer.value}" if answer.value else f"No letter: {answer.outcome}"
    if sent.original is None:
        return f"{chose}; no option is the original"
    if answer.value == sent.original:
        return f"{chose}, the original"
    return f"{chose}; the original is at {sent.original}"
