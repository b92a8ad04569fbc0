"""The answer on a model and a partition on the screen: the ruling, its sentence, the methods that
it rests on, and what a person can do with it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from dcq.documents.answer_document import ADDRESS, COLUMNS, METHOD_COLUMNS, methods_paragraph
from dcq.effect import kept
from dcq.errors import DcqError
from dcq.investigation import could_ask
from dcq.judging import clean
from dcq.judging.answer import Answer, CouldAsk
from dcq.quiz.results import Result
from dcq.store import Store
from dcq.ui import checklist, downloads, judged_table, links, notice, page
from dcq.ui.text import plain
from dcq.words import counted, usd_words

TERMS = ("Answer", "p of all methods", "q", "Share of the error", "Found", "p above controls")
CORRECTED = "p of all methods"  # on the screen q, its correction, stands alone
_PAGES = {"quiz": "quiz", "replication": "replication", "likelihood": "likelihood"}
_SAMPLES = {name: f"{name}_sample" for name in _PAGES}


def show(store: Store, answer: Answer, *, key: str) -> None:
    """All of an answer; ``key`` tells its widgets apart from those of another."""
    show_short(answer)
    if said := kept.beside(store, answer.model, answer.partition):
        st.markdown(f"**Effect on the score.** {plain(said)}")
        page.go("effect", "Read the effect", effect_benchmark=answer.partition)
    show_methods(answer)
    with st.expander("Why, and what would change it"):
        st.markdown("\n".join(f"- {plain(reason)}" for reason in answer.reasons))
    with st.expander("What now?"):
        _what_now(store, answer, key)


def show_short(answer: Answer) -> None:
    """The ruling and the sentence, and that methods point apart."""
    checklist.show_ruling(answer.ruling, answer.sentence)
    if answer.apart:
        notice.info(answer.apart, icon=":material/call_split:")


def show_methods(answer: Answer) -> None:
    """A row for each result, with those that are only shown last."""
    judged_table.show_columns(
        METHOD_COLUMNS,
        answer.methods,
        alt="The results of each method, and which of them vote.",
        pinned=1,
    )


def is_about(answer: Answer, result: Result) -> bool:
    """Whether a result is about the pair of an answer."""
    return answer.pair == (result.model, result.partition)


def linked(answers: Sequence[Answer], run_key: str, runs: Sequence[str]) -> Answer | None:
    """The answer that the address names by one of its runs, as passports and documents do. Where
    it has a quiz among ``runs``, that is chosen for the widget ``run_key`` instead, and the address
    says so from then on."""
    named = st.query_params.get(ADDRESS)
    answer = next((one for one in answers if named in _runs(one)), None)
    own = [run for run in _runs(answer) if run in runs] if answer else []
    if own:
        st.session_state[run_key] = own[0]
        unlink()
        return None
    return answer


def unlink() -> None:
    """Forget which answer the address names."""
    links.forget(ADDRESS)


def show_all(
    answers: Sequence[Answer], *, key: str, run_key: str = "", runs: Sequence[str] = ()
) -> None:
    """A row for each answer. A click on one chooses its first run of those in ``runs`` for the
    widget ``run_key``; without, it opens that run on Results."""
    # A new key after each choice resets the selection.
    event_key = f"{key}_{st.session_state.get(run_key)}" if run_key else key
    event = judged_table.show_columns(
        [one for one in COLUMNS if one.term != CORRECTED],
        answers,
        alt="The answer on each model and partition.",
        pinned=2,
        key=event_key,
        on_select=partial(_choose, event_key, answers, run_key, runs) if run_key else "rerun",
        selection_mode="single-row",
    )
    if not run_key and event.selection.rows:
        quizzes = _runs(answers[event.selection.rows[0]])
        page.turn("results", **({"results_run": quizzes[0]} if quizzes else {}))


def _choose(key: str, answers: Sequence[Answer], run_key: str, runs: Sequence[str]) -> None:
    rows = st.session_state[key].selection.rows
    own = [run for run in _runs(answers[rows[0]]) if run in runs] if rows else []
    if own:
        st.session_state[run_key] = own[0]


def _runs(answer: Answer) -> list[str]:
    return [one.run for one in answer.methods if one.judged]


def _what_now(store: Store, answer: Answer, key: str) -> None:
    _ask_more(store, answer)
    st.markdown("**Score without the instances that look seen**")
    _clean(store, answer, key)
    st.markdown("**For the methods section of a paper**")
    st.code(methods_paragraph(answer), language=None, wrap_lines=True)


def _ask_more(store: Store, answer: Answer) -> None:
    [priced] = could_ask.priced(store, [answer])
    if not priced.could_ask:
        return
    st.markdown("**Ask what is missing**")
    for one in priced.could_ask:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(plain(_wanted(one)), width="stretch")
            if one.method in _PAGES and not one.why_not:
                page.go(_PAGES[one.method], "Ask", **{_SAMPLES[one.method]: answer.sample})


def _wanted(one: CouldAsk) -> str:
    if one.why_not:
        return f"{one.title}: {one.why_not}"
    calls = counted(one.calls or 0, "call")
    return f"{one.title}: {calls} about the target, {usd_words(one.usd)}; its controls on top."


def _clean(store: Store, answer: Answer, key: str) -> None:
    try:
        found = clean.subset(store, answer.sample, [answer.model])
    except DcqError as error:
        st.caption(plain(str(error)))
        return
    st.caption(plain(found.sentence))
    if found.kept:
        downloads.offer_text(
            "Ids of the rest", "dcq-clean.txt", "\n".join(found.kept) + "\n", key=f"{key}_clean"
        )
    page.go("variants", "Curate the variants", variants_sample=answer.sample)
