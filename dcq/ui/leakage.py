"""Whether originals can be found without any memory, shown before any money is spent; and the
cached questions of a quiz.

Which instances text alone gives away is computed when a person comes to a sample or to the list of
these instances. It takes seconds for 10,000 instances, and each decision may change it a little: so
it is not computed after each decision, and for a large sample only when the list is opened.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.errors import InputError
from dcq.evidence.leak import leaks, strategy_words
from dcq.quiz.preview import Preview, preview
from dcq.records import QuizKind
from dcq.store import Store, samples, variants
from dcq.store.samples import StoredSample
from dcq.ui import notice, page
from dcq.ui.text import cut, plain
from dcq.variants.curation import Queue
from dcq.variants.filters import Order
from dcq.variants.leakage import TextOnly
from dcq.words import percent

_SHOWN = 200  # instances listed


def warn(baselines: Sequence[TextOnly]) -> None:
    """A warning if text alone gives the originals away; nothing for other quizzes."""
    if leaks({b.name: b.kappa for b in baselines if b.kappa.score is not None}):
        notice.warning(
            f"This quiz is leaky: its text alone gives originals away ({_scores(baselines)}; "
            "guessing finds 25 %). Unless you edit the instances listed below, the verdict stays "
            "undecided.",
            icon=":material/water_drop:",
        )


def show(store: Store, sample_id: str, baselines: Sequence[TextOnly]) -> None:
    """The text-only scores, and the instances that text alone gives away; nothing for a quiz
    without originals."""
    known_baselines = [b for b in baselines if b.kappa.score is not None]
    if not known_baselines:
        return
    with st.expander("Which instances text alone gives away"):
        st.caption(
            f"Originals found without memory: {_scores(known_baselines)}. Guessing finds 25 %."
        )
        _list(store, sample_id, known_baselines)
        page.link(
            "variants",
            "Edit their variants",
            variants_sample=sample_id,
            **({"variants_show": str(Queue.LEAKY)} if _solved(known_baselines) else {}),
        )


def given_away(store: Store, sample_id: str) -> frozenset[str]:
    """Instances whose original is found by a strategy that solves the standard quiz of a sample;
    none if there is no such strategy, or the quiz cannot be built yet."""
    try:
        baselines = preview_of(store, sample_id, QuizKind.STANDARD, None).baselines
    except InputError:
        return frozenset()
    solved = _solved(baselines)
    return frozenset(i for b in baselines if b.name in solved for i in b.found)


def _solved(baselines: Sequence[TextOnly]) -> tuple[str, ...]:
    return leaks({b.name: b.kappa for b in baselines if b.kappa.score is not None})


def _scores(baselines: Sequence[TextOnly]) -> str:
    return ", ".join(
        f"{strategy_words(b.name)} {percent(b.kappa.score)}"
        for b in baselines
        if b.kappa.score is not None
    )


def _list(store: Store, sample_id: str, baselines: Sequence[TextOnly]) -> None:
    texts = {i.id: i.text for i in samples.load(store, sample_id).instances}
    finds = {b.name: frozenset(b.found) for b in baselines}
    strategies_by_instance = {i: [name for name, ids in finds.items() if i in ids] for i in texts}
    worst = sorted(
        strategies_by_instance, key=lambda instance: -len(strategies_by_instance[instance])
    )
    st.dataframe(
        [
            {
                "found by": ", ".join(strategies_by_instance[instance]),
                "instance": cut(texts[instance], 160),
            }
            for instance in worst[:_SHOWN]
            if strategies_by_instance[instance]
        ],
        hide_index=True,
        column_config={
            "found by": st.column_config.TextColumn(width="medium"),
            "instance": st.column_config.TextColumn(width="large"),
        },
        alt="Instances whose original a strategy without memory finds.",
    )


AT_ONCE = 1_000  # instances, up to which it takes no time that a person notices
_KNOWN = "variants_given_away"


def forget_given_away() -> None:
    """Drop the cached result, so that the next call computes it again."""
    st.session_state.pop(_KNOWN, None)


def given_away_instances(store: Store, sample: StoredSample) -> frozenset[str] | None:
    """The instances of a sample whose original text alone gives away, as of when the user came to
    the page, chose the sample, opened their list, or chose the order "Worst first"; None until it
    is computed."""
    asked = (
        sample.id,
        st.session_state.get("variants_show", st.query_params.get("variants_show")) == Queue.LEAKY,
        st.session_state.get("variants_order", st.query_params.get("variants_order"))
        == Order.WORST,
    )
    cache_entry = st.session_state.get(_KNOWN)
    if cache_entry is not None and cache_entry[0] == asked:
        return frozenset(cache_entry[1]) if cache_entry[1] is not None else None
    instance_ids = None
    if any(asked[1:]) or len(sample.instances) <= AT_ONCE:
        instance_ids = given_away(store, sample.id)
    st.session_state[_KNOWN] = asked, instance_ids
    return instance_ids


def preview_of(
    store: Store, sample_id: str, kind: QuizKind, slot: str | None, bdq: str | None = None
) -> Preview:
    """As ``dcq.quiz.preview.preview``; rebuilt after a variant was written or decided on."""
    return _build(str(store.path), sample_id, kind, slot, bdq, variants.state(store, sample_id))


@st.cache_data(max_entries=8, show_spinner="Building the questions…")
def _build(
    path: str,
    sample_id: str,
    kind: QuizKind,
    slot: str | None,
    bdq: str | None,
    state: tuple[int, int],
) -> Preview:
    """``state`` is only part of the cache key."""
    return preview(Store(path), sample_id, kind, slot=slot, bdq=bdq)


def explain(sample_id: str, shown_preview: Preview) -> None:
    """The notes on the questions; how many instances are left out, why the first of them is, and a
    link to it."""
    for sentence in shown_preview.notes:
        st.caption(plain(sentence))
    if not shown_preview.left_out:
        return
    number, reason = next(iter(shown_preview.left_out.items()))
    count = len(shown_preview.left_out)
    words = "1 instance is" if count == 1 else f"{count:,} instances are"
    first = f"instance {number}" if count == 1 else f"the first, instance {number}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{words} left out ({plain(first)}: {plain(reason)}).", width="content")
        page.link(
            "variants",
            f"Open instance {number}",
            icon=":material/edit_note:",
            variants_sample=sample_id,
            variants_show="all",
            variants_at=str(number),
        )
