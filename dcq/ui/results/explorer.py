"""The explorer: the picture of all instances, two results compared, a list, and one instance."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from dcq import charts, methods
from dcq.charts import InstanceTable
from dcq.documents.names import tell_apart
from dcq.evidence.record import Evidence
from dcq.judging import explorer, study
from dcq.judging.explorer import InstanceFilter, InstanceOrder, PairComparison
from dcq.judging.snapshot import Snapshot
from dcq.store import Store, results
from dcq.store.studies import Study
from dcq.ui import downloads, glossary, links
from dcq.ui.judged_study import findings_of
from dcq.ui.results import instance_texts
from dcq.ui.results.explored import SeenInstances, read_seen, table_of, verb_of
from dcq.ui.results.filters import LINE, choose_page
from dcq.ui.results.option_chart import clicked
from dcq.ui.text import cut, plain
from dcq.words import counted, p_words, percent, points_words
from dcq.words import listed as listed_words

PARTITION, ORDER, SHOWN = "explorer_partition", "explorer_order", "explorer_shown"
FIRST, SECOND, LABELS, AT = "explorer_first", "explorer_second", "explorer_label", "explorer_line"
TERMS = ("Difference", "Test of a comparison")
_MOST_LABELS, _MOST_NAMED, _HALF = 12, 5, 0.5
# Who comes wants to see what changed sides.
_FILTERS = {
    InstanceFilter.FIRST_MORE: "First more often",
    InstanceFilter.SECOND_MORE: "Second more often",
    InstanceFilter.EQUALLY: "Both equally",
    InstanceFilter.NEITHER: "Neither",
    InstanceFilter.ALL: "All",
}
_ONCE = {  # where each instance was asked about once
    InstanceFilter.FIRST_MORE: "First only",
    InstanceFilter.SECOND_MORE: "Second only",
    InstanceFilter.EQUALLY: "Both",
}


_ORDERS = {
    InstanceOrder.RECALL: "Most recalled",
    InstanceOrder.MODEL: "By the first",
    InstanceOrder.LABEL: "By label",
    InstanceOrder.LENGTH: "By length",
    InstanceOrder.SAMPLE: "As drawn",
}
_ORDERED = {
    InstanceOrder.RECALL: "most often first",
    InstanceOrder.MODEL: "the first result's first",
    InstanceOrder.LABEL: "by label",
    InstanceOrder.LENGTH: "shortest first",
    InstanceOrder.SAMPLE: "as drawn",
}


def show(store: Store, within: Study, snapshot: Snapshot) -> None:
    """Everything below the heading; the caller makes sure that there is a partition to show."""
    partitions = tell_apart(explorer.partitions(snapshot))
    ranked = [
        finding.evidence.partition for finding in study.by_strength(findings_of(store, within))
    ]
    # The finding first.
    ranked_partitions = [partition for partition in ranked if partition in partitions]
    links.take(PARTITION, [*ranked_partitions[:1], *partitions], "partition")
    columns = st.columns(3)
    partition = columns[0].selectbox(
        "Partition", list(partitions), format_func=partitions.__getitem__, key=PARTITION
    )
    links.put(PARTITION, partition)
    seen = read_seen(str(store.path), results.state(store), within, partition, snapshot)
    first, second = _choose_pair(seen, columns[1:])
    if first != second:
        pair = seen.explored.results[first], seen.explored.results[second]
        runs = pair[0].run, pair[1].run
        comparison = _compare(str(store.path), results.state(store), runs, *pair)
        st.markdown(_say(*pair, (seen.names[first], seen.names[second]), comparison))
    order = _choose_order(seen)
    places_in_order = explorer.arrange(
        seen.explored,
        order,
        row=first,
        labels=seen.labels,
        lengths=[len(text) for text in seen.texts],
        draw_positions=seen.numbers,
    )
    picture = st.container()  # drawn once it is known which instance is open
    selection = _choose_listed(seen, first, second, places_in_order)
    number = links.number(AT)
    open_at = seen.numbers.index(number) if number in seen.numbers else None
    if open_at is None or open_at not in selection:
        open_at = int(selection[0]) if len(selection) else None
    with picture:
        _draw(seen, order, places_in_order, open_at)
    if open_at is None:
        st.caption("No instance of this kind.")
        return
    left, right = st.columns([2, 3], gap="medium")
    with left:
        _list(seen, selection, open_at, first, second)
    with right:
        _open(store, seen, open_at)


def _choose_order(seen: SeenInstances) -> InstanceOrder:
    orders = [
        instance_order
        for instance_order in InstanceOrder
        if instance_order is not InstanceOrder.LABEL or len(set(seen.labels)) > 1
    ]
    order = links.choose_segment(
        "Order of the instances",
        orders,
        key=ORDER,
        format_func=_ORDERS.__getitem__,
        label_visibility="collapsed",
    )
    return InstanceOrder(order)


def _choose_pair(seen: SeenInstances, columns: Sequence[DeltaGenerator]) -> tuple[int, int]:
    """The rows of the two results that are compared, at first the extremes of the first method."""
    explored_results = seen.explored.results
    of = {result.run: number for number, result in enumerate(explored_results)}
    names = dict(zip(of, seen.names, strict=True))
    first = links.choose("First", names, key=FIRST, what="result", where=columns[0])
    alike = [
        other.run
        for other in explored_results
        if verb_of(other) == verb_of(explored_results[of[first]])
    ]
    others = [run for run in reversed(alike) if run != first] or [first]
    others_named = {run: names[run] for run in others}
    second = links.choose("Second", others_named, key=SECOND, where=columns[1])
    return of[first], of[second]


def _say(
    result: Evidence, other: Evidence, names: Sequence[str], comparison: PairComparison
) -> str:
    """How two results differ, as Markdown."""
    first, second = map(plain, names)
    verb, gap = verb_of(result), comparison.gap
    several = max(each.recalled.shape[1] for each in (result.each, other.each) if each) > 1
    how = f"more often by {first} than by" if several else f"by {first} and not by"
    be = "is" if comparison.first == 1 else "are"
    sentence = (
        f"**{counted(comparison.first, 'instance')} {be} {verb} {how} {second}**, "
        f"{comparison.second:,} the other way"
    )
    if gap.difference is None or gap.p_value is None:
        return f"{sentence}."
    difference = points_words(gap.difference, gap.low, gap.high)
    return (
        f"{sentence}: {plain(difference)} points over {gap.n_first:,} instances, "
        f"{plain(p_words(gap.p_value))} ({gap.method}, for this pair alone)."
    )


@st.cache_data(max_entries=32, show_spinner=False)
def _compare(
    path: str, state: tuple[int, ...], runs: tuple[str, str], _one: Evidence, _other: Evidence
) -> PairComparison:
    """``path``, ``state`` and ``runs`` are the cache key."""
    return explorer.compare(_one, _other)


def _draw(
    seen: SeenInstances, order: InstanceOrder, places: NDArray[np.int64], open_at: int | None
) -> None:
    where = int(np.flatnonzero(places == open_at)[0]) if open_at is not None else None
    table = InstanceTable(
        seen.names,
        seen.explored.recalled[:, places],
        seen.verb,
        _ORDERED[order],
        _groups(seen, places) if order is InstanceOrder.LABEL else (),
        where,
    )
    key = f"explorer_picture_{order}_{where}"
    st.plotly_chart(
        charts.instance_picture(table),
        key=key,
        on_select=partial(_click, key, [seen.numbers[at] for at in places]),
        selection_mode="points",
        config={"displayModeBar": False},
        alt=charts.describe_instance_picture(table),
    )


def _click(key: str, numbers: Sequence[int]) -> None:
    mark = clicked(key)
    if mark is not None:
        st.session_state[AT] = numbers[int(mark[0])]


def _groups(seen: SeenInstances, places: NDArray[np.int64]) -> list[tuple[int, str]]:
    """Where each label begins; none where there are too many to name."""
    labels = [seen.labels[at] for at in places]
    starts = [at for at, label in enumerate(labels) if at == 0 or labels[at - 1] != label]
    return [(at, labels[at]) for at in starts] if 1 < len(starts) <= _MOST_LABELS else []


def _choose_listed(
    seen: SeenInstances, first: int, second: int, places: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The instances that the filters let through, in order, with their download."""
    masks = {
        instance_filter: explorer.select(seen.explored, instance_filter, first, second)
        for instance_filter in InstanceFilter
    }
    shares = seen.explored.recalled[[first, second]]
    once = bool(np.isin(shares[~np.isnan(shares)], (0, 1)).all())
    filters = _FILTERS | (_ONCE if once else {})
    if first == second:
        filters = {InstanceFilter.ALL: filters[InstanceFilter.ALL]}
    with st.container(horizontal=True, vertical_alignment="center"):
        usual = sorted(
            filters, key=lambda instance_filter: not masks[instance_filter].any()
        )  # first what is there
        links.take(SHOWN, usual)
        chosen = st.segmented_control(
            "Instances listed",
            list(filters),
            format_func=lambda instance_filter: (
                f"{filters[instance_filter]} · {int(masks[instance_filter].sum()):,}"
            ),
            required=True,
            key=SHOWN,
            label_visibility="collapsed",
        )
        links.put(SHOWN, chosen or InstanceFilter.ALL)
        mask = masks[chosen or InstanceFilter.ALL]
        all_labels = sorted(set(seen.labels))
        if 1 < len(all_labels) <= _MOST_LABELS:
            picked = st.multiselect(
                "Labels",
                all_labels,
                key=LABELS,
                bind="query-params",
                placeholder="All labels",
                label_visibility="collapsed",
                width=260,
            )
            if picked:
                mask = mask & np.isin(np.asarray(seen.labels, dtype=object), picked)
        selection = places[mask[places]]
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            downloads.offer_table(
                "This list", "dcq-instances", lambda: table_of(seen, selection), key="explorer_list"
            )
        glossary.offer(TERMS)
    return selection


def _list(
    seen: SeenInstances, selection: NDArray[np.int64], at: int, first: int, second: int
) -> None:
    """The list, and buttons to the instance before and after the one that is open."""
    numbers = [seen.numbers[index] for index in selection]
    st.session_state[AT] = seen.numbers[at]
    links.put(AT, str(seen.numbers[at]))
    place = numbers.index(seen.numbers[at])
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        for label, key, to in (("Previous", "K", place - 1), ("Next", "J", place + 1)):
            st.button(
                label,
                key=f"{AT}_{label}",
                shortcut=key,
                disabled=not 0 <= to < len(numbers),
                on_click=st.session_state.__setitem__,
                args=(AT, numbers[min(max(0, to), len(numbers) - 1)]),
            )
        st.caption(f"{place + 1:,} of {len(numbers):,}", width="content")
    slot = st.container()
    page_slice = choose_page(len(selection), place, key=f"{AT}_page_{len(selection)}")
    lines = selection[page_slice]
    key = (
        f"{AT}_list_{first}_{second}_{len(selection)}_{page_slice.start}"
        f"_{hash(tuple(lines.tolist()))}"
    )
    pair = list(dict.fromkeys((first, second)))
    heads = dict(zip(pair, ("First", "Second"), strict=False))
    recalled = seen.explored.recalled
    slot.dataframe(
        pd.DataFrame(
            {
                "No.": [seen.numbers[index] for index in lines],
                **{heads[row]: [_mark(recalled[row, index]) for index in lines] for row in pair},
                **(
                    {"All": [_share_of(recalled[:, index]) for index in lines]}
                    if len(recalled) > len(pair)
                    else {}
                ),
                "Instance": [cut(seen.texts[index], 160) for index in lines],
            }
        ),
        hide_index=True,
        height=LINE * (len(lines) + 1) + 3,
        key=key,
        on_select=partial(_choose, key, numbers[page_slice]),
        selection_mode="single-cell",  # the arrow keys go from row to row
        column_config={
            "No.": st.column_config.NumberColumn(width=50),
            **{
                heads[row]: st.column_config.TextColumn(width=62, help=plain(seen.names[row]))
                for row in pair
            },
            "Instance": st.column_config.TextColumn(width=70 if len(recalled) > len(pair) else 130),
            "All": st.column_config.TextColumn(
                width=65, help=f"Results by which the instance is {seen.verb}, of those that say."
            ),
        },
        alt="Instances, how often each result has them, and how many of all do.",
    )


def _choose(key: str, numbers: Sequence[int]) -> None:
    cells = st.session_state[key].selection.cells
    if cells and cells[0][0] < len(numbers):
        st.session_state[AT] = numbers[cells[0][0]]


def _mark(value: float) -> str:
    if np.isnan(value):
        return "–"
    return {0.0: "✗", 1.0: "✓"}.get(value, percent(value))


def _share_of(values: NDArray[np.float64]) -> str:
    valid_values = values[~np.isnan(values)]
    return f"{np.count_nonzero(valid_values > _HALF):,} of {len(valid_values):,}"


def _open(store: Store, seen: SeenInstances, at: int) -> None:
    """An instance: what each method's results replied, the original first."""
    explored_results = seen.explored.results
    names = {result.run: name for result, name in zip(explored_results, seen.names, strict=True)}
    readers = dict.fromkeys(result.read_by for result in explored_results)
    has_texts = False
    for reader in readers:
        runs = [
            result.run
            for result, row in zip(explored_results, seen.explored.recalled, strict=True)
            if result.read_by == reader and not np.isnan(row[at])
        ]
        method = methods.named(reader)
        texts = method.opened(store, runs, seen.explored.ids[at]) if runs else ()
        if not texts:
            continue
        if len(readers) > 1:
            st.markdown(f"**{method.title}**")
        instance_texts.show(texts, names)
        has_texts = True
    if not has_texts:
        st.caption("The replies about this instance are not in this store.")
    silent = [
        name
        for name, row in zip(seen.names, seen.explored.recalled, strict=True)
        if np.isnan(row[at])
    ]
    if silent:
        st.caption(plain(f"No answer: {listed_words(silent, _MOST_NAMED)}."))
