"""The answers of one run: a list to page through, and each with all that was sent and received."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Literal

import pandas as pd
import streamlit as st

from dcq.errors import DcqError
from dcq.quiz.request_details import Sent, recall
from dcq.quiz.results import Result
from dcq.records import LETTERS, Outcome
from dcq.store import Store, results
from dcq.ui import links, notice
from dcq.ui.text import cut

PAGE = 15
_ALL = "all"
_LINE = 35  # pixels of a row and of the head
_TALL, _LONG, _LONG_LINES = 520, 2_500, 30  # pixels, characters, lines


def list_answers(store: Store, result: Result, *, prefix: str) -> None:
    """Filter, list and the answer that is open, their choices bound to the address under
    ``prefix``."""
    wanted = _choose_answer(result, prefix)
    found = results.positions(store, result.run, answer=wanted)
    if not found:
        st.caption("No answer of this kind.")
        return
    key = _question_key(prefix)
    number = _kept(st.session_state.get(key, st.query_params.get(key)), found)
    st.session_state[key] = number
    # The page of the open question comes up by itself; a new name lets the default count again.
    home = found.index(number - 1) // PAGE + 1 if number and number - 1 in found else 1
    pages = -(-len(found) // PAGE)
    slot = st.container()
    page = home
    if pages > 1:
        page = st.pagination(pages, default=home, key=f"{prefix}_page_{result.run}_{wanted}_{home}")
    shown = found[(page - 1) * PAGE : page * PAGE]
    with slot:
        _table(store, result, shown, f"{prefix}_list_{result.run}_{wanted}_{page}", prefix)
    _open(store, result, found, prefix)


def show_only(prefix: str, answer: str) -> None:
    """In a callback: list the answers of one bar, from the first."""
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
    links.take(key, counts)
    wanted = st.segmented_control(
        "Answers shown",
        list(counts),
        required=True,
        format_func=lambda answer: f"{answer} · {counts[answer]:,}",
        key=key,
        on_change=_close,
        args=(prefix,),
    )
    assert wanted is not None  # noqa: S101  (a value is required)
    links.put(key, wanted)
    return None if wanted == _ALL else wanted


def _table(store: Store, result: Result, positions: list[int], key: str, prefix: str) -> None:
    rows = results.answers(store, result.run, positions=positions)
    table = pd.DataFrame(
        {
            "question": rows["position"] + 1,
            "chose": rows["letter"].fillna("–"),
            "original": rows["correct_letter"].fillna("absent"),
            "outcome": rows["outcome"],
            "instance": [cut(text, 160) for text in rows["text"]],
            "reply": [cut(reply, 60) if isinstance(reply, str) else "" for reply in rows["reply"]],
        }
    )
    st.dataframe(
        table,
        hide_index=True,
        height=_LINE * (len(table) + 1) + 3,
        key=key,
        on_select=partial(_open_row, key, positions, prefix),
        selection_mode="single-row",
        column_config={
            "question": st.column_config.NumberColumn("No.", width=60),
            "chose": st.column_config.TextColumn("Chose", width=70),
            "original": st.column_config.TextColumn("Original at", width=90),
            "outcome": st.column_config.TextColumn("Outcome", width=90),
            "instance": st.column_config.TextColumn("Instance", width="large"),
            "reply": st.column_config.TextColumn("Reply"),
        },
        alt="Answers: question, letter chosen, letter of the original, outcome, instance, reply.",
    )


def _open_row(key: str, positions: Sequence[int], prefix: str) -> None:
    rows = st.session_state[key].selection.rows
    if rows:
        st.session_state[_question_key(prefix)] = positions[rows[0]] + 1


def _question_key(prefix: str) -> str:
    return f"{prefix}_question"


def _open(store: Store, result: Result, found: Sequence[int], prefix: str) -> None:
    """The open question, with the way to the next of those listed."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = st.number_input(
            "Open question",
            1,
            max(found[-1] + 1, 2),  # the widget takes no range of one
            value=None,
            key=_question_key(prefix),
            bind="query-params",
            placeholder="Click a row above",
            width=220,
        )
        at = number - 1 if number else None
        before = [p for p in found if at is not None and p < at]
        after = [p for p in found if at is None or p > at]
        for label, icon, to in (
            ("Previous", ":material/chevron_left:", before[-1:]),
            ("Next", ":material/chevron_right:", after[:1]),
        ):
            st.button(
                label,
                icon=icon,
                key=f"{prefix}_{label}",
                disabled=not to,
                on_click=_go_to,
                args=(prefix, to[0] if to else 0),
            )
    if at is None:
        return
    try:
        sent = recall(store, result.run, at)
    except DcqError as error:
        notice.info(error)
        return
    with st.container(border=True):
        _show(sent)


def _kept(value: object, found: Sequence[int]) -> int | None:
    """The question that a link or an earlier look left open, where this run reaches so far."""
    try:
        number = int(str(value))
    except ValueError:
        return None
    return number if 1 <= number <= found[-1] + 1 else None


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
                help="The prompt below was rebuilt, and its SHA-256 is the one that was stored "
                "when it was sent.",
            )
        else:
            st.badge(
                "prompt not verified",
                icon=":material/warning:",
                color="orange",
                help="The prompt below was rebuilt, and its SHA-256 is not the one that was "
                "stored when it was sent.",
            )
    prompt, reply = st.columns([3, 2])
    with prompt:
        st.caption("Prompt, exactly as sent")
        st.code(sent.prompt, language=None, wrap_lines=True, height=_height(sent.prompt))
    with reply:
        st.caption("Raw reply")
        if answer.reply is None:
            st.text("No text came back.")
        else:
            st.code(answer.reply, language=None, wrap_lines=True, height=_height(answer.reply))
        st.caption("Read as")
        letter = f"{answer.value}, " if answer.value else ""
        st.text(f"{letter}{answer.outcome}: {answer.reason}")
        st.caption("Parameters sent")
        st.code(json.dumps(dict(sent.answer.sent), indent=1, ensure_ascii=False), language="json")
        if answer.served_model or answer.fingerprint:
            st.caption("Served by, as the endpoint says")
            by = " · fingerprint ".join(
                (answer.served_model or "no name", answer.fingerprint or "none")
            )
            st.text(by)
        calls = "1 call" if answer.calls == 1 else f"{answer.calls} calls"
        st.caption(
            f"{'' if answer.usage_reported else 'at most '}{answer.tokens_in:,} tokens in, "
            f"{answer.tokens_out:,} out · {answer.seconds:.2f} s · {calls}, "
            f"attempt {answer.attempt} · {answer.at:%d %b %Y, %H:%M:%S} UTC"
        )


def _height(text: str) -> Literal["content"] | int:
    """Long texts scroll in a box of their own."""
    return _TALL if len(text) > _LONG or text.count("\n") > _LONG_LINES else "content"


def _verdict(sent: Sent) -> str:
    answer = sent.answer
    chose = f"Chose {answer.value}" if answer.value else f"No letter: {answer.outcome}"
    if sent.original is None:
        return f"{chose}; no option is the original"
    if answer.value == sent.original:
        return f"{chose}, the original"
    return f"{chose}; the original is at {sent.original}"
