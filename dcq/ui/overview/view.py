"""The matrix with all that chooses what it shows: search, filters, order, what is pinned and
hidden; and its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import streamlit as st

from dcq import charts
from dcq.asking import cost
from dcq.documents import matrix as written
from dcq.documents.tables import latex_of
from dcq.judging.answer import Answer
from dcq.judging.judged import Ruling
from dcq.judging.matrix import Cell, Matrix, MatrixOrder, MatrixRow, family_of
from dcq.records import PartitionRole
from dcq.store import Store, results, run_progress, sources
from dcq.store.studies import Study
from dcq.ui import answer_view, downloads, example, links, method_results, notice, page, studies
from dcq.ui.judged_study import findings_of, in_other_studies, judged_of, matrix_of, since_of
from dcq.ui.overview import kept
from dcq.ui.overview import matrix as drawn
from dcq.ui.overview.kept import Choices
from dcq.ui.text import plain
from dcq.words import counted

_SEARCH, _ORDER, _SHOWN = "matrix_search", "matrix_order", "matrix_shown"
_PINNED, _HIDDEN = "matrix_pinned", "matrix_hidden"
_FAMILY, _CONTROLS = "matrix_family", "matrix_controls"
_NEWS = 4  # conclusions that are named at once
_ORDERS = {order.value: order.value.capitalize() for order in MatrixOrder}


def show(store: Store, answers: Sequence[Answer], within: Study) -> None:
    """All of it; ``answers`` are those of the study, two at least."""
    whole = matrix_of(store, within)
    names = written.model_names(whole) | written.place_names(whole)
    choices = _remembered(names)
    st.markdown(_counts(whole, answers, _spent(store, within)))
    _show_news(store, names, within)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        search = st.text_input(
            "Search",
            key=_SEARCH,
            bind="query-params",
            placeholder="Search",
            label_visibility="collapsed",
            icon=":material/search:",
            width=200,
        )
        order = links.choose("Sort", _ORDERS, key=_ORDER, label_visibility="collapsed", width=140)
        with st.popover("Rows and columns", icon=":material/tune:", type="tertiary"):
            _choose_lines(names)
        export = st.popover(
            "Export", icon=":material/download:", type="tertiary", key="matrix_export",
            on_change="rerun",
        )  # fmt: skip
        studies.offer_new(store, within)
        if not example.is_shown():  # there nothing can be asked
            page.link_button(
                "new_check", "New check", key="matrix_new_check", icon=":material/add_circle:"
            )
    shown = _choose_shown(answers)
    links.remember(_PINNED, _HIDDEN, _FAMILY, _CONTROLS, _ORDER, _SHOWN, _SEARCH)
    by_family = bool(st.session_state[_FAMILY])
    matrix = _select(whole, names, search, shown, choices).arranged(
        MatrixOrder(order), choices.pinned, family_of if by_family else None
    )
    if export.open:
        with export:
            _offer_files(matrix)
    if not matrix.rows:
        notice.info(
            "No pair matches. Clear the search and the marks, or show what is hidden.",
            icon=":material/filter_alt:",
        )
        return
    opened = drawn.show(
        matrix,
        key="matrix_cells",
        address=_addresses(within),
        besides=in_other_studies(store, within, answers),
        pinned=frozenset(choices.pinned),
        by_family=by_family,
    )
    if opened is not None:
        target, parameters = opened
        page.switch_to(target, **parameters)
    _lead_to_all_pairs()


def _lead_to_all_pairs() -> None:
    """What the matrix's cells leave out, of all pairs at once; each has an address of its own."""
    with st.container(horizontal=True):
        page.link(
            "results",
            "κ of all pairs, beside the paper's Table 1",
            icon=":material/table:",
            results_view="Table",
            results_paper="true",
        )
        page.link("answers", "Option distributions", icon=":material/bar_chart:")
        page.link("ablation", "Modified against standard quiz", icon=":material/compare_arrows:")


def _remembered(names: Mapping[str, str]) -> Choices:
    """What is pinned and hidden: the user's choice, or in a new session the browser's."""
    links.recall(_PINNED, _HIDDEN, _FAMILY, _CONTROLS, _ORDER, _SHOWN, _SEARCH)
    now = Choices(*(tuple(st.session_state.get(key, ())) for key in (_PINNED, _HIDDEN)))
    with st.sidebar:  # where an element more moves nothing
        read = kept.remember(now)
    if read is not None:
        now = read
        for key, keys in ((_PINNED, read.pinned), (_HIDDEN, read.hidden)):
            st.session_state[key] = [each for each in keys if each in names]
    return now


def _spent(store: Store, within: Study) -> str:
    """What a study's own runs have cost, its controls' and earlier ones too; empty where others
    asked them all."""
    quizzes = {each.evidence.run for each in findings_of(store, within, every_run=True)}
    runs = sorted(quizzes | judged_of(store, within).snapshot.members)
    own = tuple(sources.own_of(store, runs))
    return _cost_words(str(store.path), results.state(store), own) if own else ""


@st.cache_data(max_entries=16, show_spinner=False)
def _cost_words(path: str, state: tuple[int, ...], runs: tuple[str, ...]) -> str:
    """``state`` is only part of the cache key."""
    asked = run_progress.progress(Store(Path(path)), runs)
    return cost.total_words([cost.Cost.of(run) for run in asked])


def _counts(whole: Matrix, answers: Sequence[Answer], spent: str) -> str:
    """``2 models · 3 benchmarks · 1 contaminated, 5 undecided · asked until 27 Nov 2026 ·
    $14.20``."""
    by_ruling = Counter(answer.ruling for answer in answers)
    found = [f"{by_ruling[ruling]:,} {ruling.word}" for ruling in Ruling if by_ruling[ruling]]
    asked = [cell.newest for _, _, cell in whole.cells if cell.answer]
    return " · ".join(
        [
            counted(len({answer.model for answer in answers}), "model"),
            counted(len({answer.partition for answer in answers}), "benchmark"),
            ", ".join(found),
            *([f"asked until {max(asked):%d %b %Y}"] if asked else []),
            *([plain(spent)] if spent else []),
        ]
    )


def _show_news(store: Store, names: Mapping[str, str], within: Study) -> None:
    """The conclusions that are new to this browser."""
    moment = kept.last_visit()
    news = since_of(store, within, moment) if moment is not None else ()
    if moment is None or not news:
        return
    with st.container(border=True, gap="xxsmall"):
        st.markdown(f"**New since your last visit on {moment:%d %b}**")
        _list_news(news[:_NEWS], names)
        if rest := news[_NEWS:]:
            with st.expander(f"{len(rest):,} more"):
                _list_news(rest, names)


def _list_news(news: Sequence[tuple[Answer, Ruling | None]], names: Mapping[str, str]) -> None:
    for answer, was in news:
        before = f"was {was.word}" if was else "new"
        name = f"{names.get(answer.model, answer.model)} × {names.get(answer.partition, '')}"
        words = f"{answer.ruling.mark} {name}: {answer.ruling.word} ({before})"
        page.link(
            "case", plain(words), icon=":material/arrow_forward:", **{answer_view.CASE: answer.id}
        )


def _choose_lines(names: Mapping[str, str]) -> None:
    """What is grouped, pinned and hidden."""
    st.toggle("Group models by family", key=_FAMILY, bind="query-params")
    st.toggle("Show controls", key=_CONTROLS, bind="query-params")
    for label, key, placeholder in (
        ("Pin: these stand first", _PINNED, "Nothing is pinned"),
        ("Hide", _HIDDEN, "Nothing is hidden"),
    ):
        # What was chosen may be missing in this study; the widget takes known options only.
        st.session_state[key] = [name for name in st.session_state.get(key, ()) if name in names]
        st.multiselect(
            label, list(names), key=key, format_func=names.__getitem__, placeholder=placeholder,
            width=420,
        )  # fmt: skip
    st.caption("This browser remembers what you pin and hide. Conclusions do not change by it.")


def _choose_shown(answers: Sequence[Answer]) -> list[Ruling]:
    """The conclusions to show; none stands for all."""
    by_ruling = Counter(answer.ruling for answer in answers)
    options = [ruling for ruling in Ruling if by_ruling[ruling]]
    links.take_some(_SHOWN, _SHOWN, [ruling.value for ruling in options], ())
    picked = st.pills(
        "Show only",
        [ruling.value for ruling in options],
        key=_SHOWN,
        selection_mode="multi",
        format_func=lambda value: (
            f"{Ruling(value).mark} {Ruling(value).word} {by_ruling[Ruling(value)]:,}"
        ),
        label_visibility="collapsed",
    )
    links.put_some(_SHOWN, picked)
    return [Ruling(value) for value in picked]


def _select(
    whole: Matrix, names: Mapping[str, str], search: str, shown: Sequence[Ruling], choices: Choices
) -> Matrix:
    """The cells whose model and benchmark hold all words of a ``search``, with conclusions that are
    ``shown``."""
    words = search.casefold().split()

    def takes(model: str, row: MatrixRow, cell: Cell) -> bool:
        if row.role is PartitionRole.CONTROL and not st.session_state.get(_CONTROLS):
            return False
        if shown and cell.ruling not in shown:
            return False
        name = f"{names[model]} {names[row.partition]}".casefold()
        return all(word in name for word in words)

    return whole.of(takes, choices.hidden)


def _addresses(within: Study) -> Callable[[Cell], drawn.Address]:
    """Where cells lead: to their cases; where nothing is concluded, to what was found."""
    kept_on = {studies.KEY: within.name} if within.name else {}
    if example.is_shown():
        kept_on[example.KEY] = "true"

    def address(cell: Cell) -> drawn.Address:
        if cell.answer is not None:
            return "case", {answer_view.CASE: cell.answer.id} | kept_on
        if cell.finding is not None:
            return "results", {"results_run": cell.finding.evidence.run} | kept_on
        for result in cell.others.values():
            if (target := method_results.address_of(result)) is not None:
                return target[0], target[1] | kept_on
        return "results", kept_on

    return address


def _offer_files(matrix: Matrix) -> None:
    """What is shown, as files."""
    downloads.offer_table(
        "Pairs", "dcq-matrix", lambda: written.tabulate(matrix), key="matrix_table"
    )
    downloads.offer_picture(
        "dcq-matrix",
        charts.matrix_picture(written.drawn(matrix)),
        lambda: written.describe(matrix),
        key="matrix_picture",
    )
    downloads.offer_file(
        "Tables for a paper · tex",
        lambda: latex_of("Models and benchmarks", written.exhibits(matrix), "matrix"),
        "dcq-matrix.tex",
        "application/x-tex",
        key="matrix_tex",
        icon=":material/functions:",
        width="stretch",
    )
    st.caption("Files hold the rows and columns that are shown, in their order.")
