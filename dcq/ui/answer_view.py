"""The answer on a model and a partition on the screen: the ruling, its sentence, the methods that
it rests on, and the next steps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from dcq.documents.answer_document import (
    ADDRESS,
    COLUMNS,
    METHOD_COLUMNS,
    methods_paragraph,
    signing,
)
from dcq.effect import stored
from dcq.effect.clean_score import kept_score
from dcq.errors import DcqError
from dcq.evidence.record import Evidence
from dcq.investigation import could_ask
from dcq.judging import clean
from dcq.judging.answer import Answer, CouldAsk
from dcq.judging.answer_words import below_its_word
from dcq.result_columns import for_people
from dcq.store import Store
from dcq.store.studies import EVERYTHING, Study
from dcq.ui import checklist, downloads, judged_table, links, notice, page, repairs
from dcq.ui.text import plain
from dcq.words import counted, usd_words

CASE = "case"  # the parameter of an address that names a pair
TERMS = ("Answer", "p of all methods", "q", "Weight", "Found", "p above controls")
CORRECTED = "p of all methods"  # on the screen q, its correction, stands alone
_PAGES = {"quiz": "quiz", "replication": "replication", "likelihood": "likelihood"}
_SAMPLES = {name: f"{name}_sample" for name in _PAGES}


def show(store: Store, answer: Answer, *, key: str, within: Study = EVERYTHING) -> None:
    """The whole answer of a study; ``key`` keeps its widgets apart from those of another."""
    show_short(answer)
    repairs.show_for(store, answer, key=key)
    show_effect(store, answer)
    show_methods(answer)
    show_more(store, answer, key=key, within=within)


def show_effect(store: Store, answer: Answer) -> None:
    """What the contamination did to the score, where somebody has asked that."""
    if sentence := stored.beside(store, answer.model, answer.partition):
        st.markdown(f"**Effect on the score.** {plain(sentence)}")
        page.link("effect", "Read the effect", effect_benchmark=answer.partition)


def show_more(store: Store, answer: Answer, *, key: str, within: Study = EVERYTHING) -> None:
    """The reasons, and what can be done next; ``key`` is as in ``show``."""
    with st.expander("Why, and what would change it"):
        st.markdown("\n".join(f"- {plain(reason)}" for reason in answer.reasons))
    panel = st.expander("What now?", key=f"{key}_what_now", on_change="rerun")
    if panel.open:  # prices of what could be asked are read from the store
        with panel:
            _what_now(store, answer, key)
            _sign(store, answer, key, within)


def show_short(answer: Answer) -> None:
    """The ruling and the sentence, and whether methods contradict each other."""
    checklist.show_ruling(answer.ruling, below_its_word(answer))
    if answer.contradiction:
        notice.info(answer.contradiction, icon=":material/call_split:")


def show_methods(answer: Answer) -> None:
    """A table with a row for each result; those that do not vote come last."""
    judged_table.show_columns(
        METHOD_COLUMNS,
        answer.methods,
        alt="The results of each method, and which of them vote.",
        pinned=1,
    )


def is_about(answer: Answer, evidence: Evidence) -> bool:
    """Whether a result is about the model and the partition of an answer."""
    return answer.pair == (evidence.model, evidence.partition)


def linked(answers: Sequence[Answer], run_key: str, runs: Sequence[str]) -> Answer | None:
    """The answer that the address names by one of its runs, as passports and documents do. If that
    answer has a quiz among ``runs``, the widget ``run_key`` is set to it instead, and the address
    follows the widget from then on."""
    named = st.query_params.get(ADDRESS)
    answer = next((candidate for candidate in answers if named in _runs(candidate)), None)
    answer_runs = [run for run in _runs(answer) if run in runs] if answer else []
    if answer_runs:
        st.session_state[run_key] = answer_runs[0]
        unlink()
        return None
    return answer


def unlink() -> None:
    """Remove the answer from the address."""
    links.forget(ADDRESS)


def show_all(
    answers: Sequence[Answer], *, key: str, run_key: str = "", runs: Sequence[str] = ()
) -> None:
    """A table with a row for each answer. A click selects the answer's first run among ``runs`` in
    the widget ``run_key``, or, without that widget, opens the run on the page Results."""
    # A new key after each choice resets the selection.
    event_key = f"{key}_{st.session_state.get(run_key)}" if run_key else key
    event = judged_table.show_columns(
        [column for column in for_people(COLUMNS, answers) if column.term != CORRECTED],
        answers,
        alt="The answer on each model and partition.",
        pinned=2,
        key=event_key,
        on_select=partial(_choose, event_key, answers, run_key, runs) if run_key else "rerun",
        selection_mode="single-row",
    )
    if not run_key and event.selection.rows:
        quizzes = _runs(answers[event.selection.rows[0]])
        page.switch_to("results", **({"results_run": quizzes[0]} if quizzes else {}))


def _choose(key: str, answers: Sequence[Answer], run_key: str, runs: Sequence[str]) -> None:
    rows = st.session_state[key].selection.rows
    answer_runs = [run for run in _runs(answers[rows[0]]) if run in runs] if rows else []
    if answer_runs:
        st.session_state[run_key] = answer_runs[0]


def _runs(answer: Answer) -> list[str]:
    return [method.run for method in answer.methods if method.judged]


def _what_now(store: Store, answer: Answer, key: str) -> None:
    _ask_more(store, answer)
    st.markdown("**Score without the instances that look seen**")
    _clean(store, answer, key)
    st.markdown("**For the methods section of a paper**")
    st.code(methods_paragraph(answer), language=None, wrap_lines=True)


def _sign(store: Store, answer: Answer, key: str, within: Study) -> None:
    """What is signed is given away; the key stays with its owner, who signs where it is."""
    st.markdown("**Sign it as a passport**")
    st.caption(
        "Take the bundle to the machine that has your key, which this app never sees, and sign the "
        "answer there. Whoever has your public key can check the passport for years, and with the "
        "bundle compute the answer again."
    )
    with st.container(horizontal=True):
        downloads.offer_bundle(store, within, key=f"{key}_bundle")
    st.code(signing(answer, downloads.bundle_name(within)), language=None, wrap_lines=True)


def _ask_more(store: Store, answer: Answer) -> None:
    [priced] = could_ask.priced(store, [answer])
    if not priced.could_ask:
        return
    st.markdown("**Ask what is missing**")
    for option in priced.could_ask:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(plain(_wanted(option)), width="stretch")
            if option.method in _PAGES and not option.why_not:
                page.link(_PAGES[option.method], "Ask", **{_SAMPLES[option.method]: answer.sample})


def _wanted(option: CouldAsk) -> str:
    name = option.name.capitalize()
    if option.why_not:
        return f"{name}: {option.why_not}"
    calls = counted(option.calls or 0, "call")
    return f"{name}: {calls} about the target, {usd_words(option.usd)}; its controls on top."


def _clean(store: Store, answer: Answer, key: str) -> None:
    try:
        subset = clean.subset(store, answer.sample, [answer.model])
    except DcqError as error:
        st.caption(plain(str(error)))
        return
    st.caption(plain(subset.sentence))
    for score in kept_score(store, subset):
        st.markdown(plain(score.sentence))
    if subset.kept:
        downloads.offer_text(
            "Ids of the rest", "dcq-clean.txt", "\n".join(subset.kept) + "\n", key=f"{key}_clean"
        )
    page.link("variants", "Curate the variants", variants_sample=answer.sample)
