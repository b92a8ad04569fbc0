"""The questions after the first: which models, who rewords, how sure, and the study that all of it
makes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from dcq.errors import DcqError
from dcq.models.presets import EMBEDDED
from dcq.records import QuizKind
from dcq.store import Store
from dcq.study.draft import Draft
from dcq.ui import downloads, links, model_picker, notice, run_limits
from dcq.ui.new_check import checks, trying
from dcq.ui.new_check.what import Benchmark
from dcq.ui.text import plain
from dcq.variants import offline, offline_writer

_MODELS, _WRITER, _SIZE, _BUDGET = "check_models", "check_writer", "check_size", "check_budget"
_OFFLINE = "Offline generator (weaker)"


@dataclass(frozen=True)
class Size:
    """How much is asked: so many instances, by this ``kind`` of quiz."""

    words: str
    n: int
    kind: QuizKind


SIZES = {
    "Quick look": Size("30 instances, 10 controls", 30, QuizKind.STANDARD),
    "Usual": Size("100 instances, 10 controls", 100, QuizKind.STANDARD),
    "Thorough": Size(
        "300 instances, 10 controls, the original in all four positions", 300, QuizKind.ROTATED
    ),
}


def choose_models(store: Store) -> list[str]:
    """The models to test. One that rewords is not chosen by itself."""
    links.recall(_MODELS)
    writers = {st.session_state.get(_WRITER), *_earlier_writers(store)}
    usual = [name for name in model_picker.offered(store) if name not in writers]
    chosen = model_picker.choose(store, key=_MODELS, first=usual[:1])
    links.remember(_MODELS)
    trying.offer(chosen)
    return chosen


def _earlier_writers(store: Store) -> list[str]:
    """The models that reworded for the checks that were started here, the newest first; without
    the offline generator."""
    named = (check.spec.rewordings.model for check in checks.listing(store))
    return [name for name in named if name not in {"", offline_writer.NAME}]


def choose_writer(store: Store, benchmark: Benchmark, models: Sequence[str]) -> str | None:
    """Who rewords: a model's name, empty for the offline generator; None where nobody is chosen
    yet, or the rewordings came with the data."""
    if benchmark.opened.table.has_variants:
        st.caption("The rewordings come with this benchmark.")
        return ""
    not_offline = offline.unavailable(benchmark.opened.partition.language)
    links.recall(_WRITER)
    options = [*([] if not_offline else [_OFFLINE]), *model_picker.offered(store)]
    options = [name for name in options if name != EMBEDDED]  # it writes no usable rewordings
    typed = st.session_state.get(_WRITER)
    if typed and typed not in options and typed != _OFFLINE:
        options.append(typed)
    earlier = [name for name in _earlier_writers(store) if name in options]
    usual = options.index(earlier[0]) if earlier else 0  # its rewordings may be there already
    chosen = st.selectbox(
        "Rewordings by",
        options,
        index=None if not_offline and not earlier else usual,
        placeholder="Choose a model, or type its name",
        accept_new_options=model_picker.may_type(),
        key=_WRITER,
        help="A model writes better rewordings. One that is not tested is best: a model may prefer "
        "its own style.",
    )
    links.remember(_WRITER)
    if not_offline:
        st.caption(plain(not_offline))
    if chosen is None or chosen == _OFFLINE:
        return None if chosen is None else ""
    name = chosen.strip()
    try:
        model_picker.check(store, name)
    except DcqError as error:
        notice.error(error)
        return None
    if name in models:
        st.caption(
            ":material/info: This model is tested as well. Its taste for its own wording is the "
            "same in the controls, which it rewords too."
        )
    else:
        st.caption(
            ":green[:material/check:] It is not among the models tested, and it rewords target and "
            "controls alike."
        )
    return name


def choose_size(rows: int | None) -> tuple[Size, float | None]:
    """How much is asked, of at most so many ``rows`` where that is known; and the budget in
    USD."""
    links.recall(_SIZE, _BUDGET)
    name = st.radio(
        "How sure?",
        list(SIZES),
        index=1,
        key=_SIZE,
        horizontal=True,
        captions=[size.words for size in SIZES.values()],
        label_visibility="collapsed",
    )
    size = SIZES[name]
    if rows is not None and rows < size.n:
        st.caption(f"The benchmark has {rows:,} rows, so all of them are asked about.")
    budget = run_limits.choose_budget(st.container(), "Budget for all of it, USD", key=_BUDGET)
    links.remember(_SIZE, _BUDGET)
    return size, budget


def draft(
    store: Store,
    benchmark: Benchmark,
    models: Sequence[str],
    writer: str,
    size: Size,
    budget: float | None,
) -> Draft:
    """The study that was chosen."""
    choice, file = benchmark.choice, benchmark.file
    return Draft(
        name=benchmark.title,
        dataset=choice.name,
        split=choice.split,
        file=os.path.relpath(file, downloads.folder(store)) if file else "",
        text=choice.text or "",
        label=choice.label or "",
        task=choice.task,
        language=choice.language or "",
        n=min(size.n, benchmark.opened.row_count),
        models=tuple(models),
        rewordings=writer,
        kind=size.kind,
        budget=budget,
    )
