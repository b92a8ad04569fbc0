"""The first question: which benchmark. A file whose columns are found and can be corrected, or a
name in the catalog or on the Hub."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dcq.errors import DcqError, PartitionError
from dcq.partitions import OpenPartition, find, likely_columns, uploads
from dcq.records import DatasetTask, PartitionRole
from dcq.store import Store
from dcq.ui import downloads, links, notice
from dcq.ui.dataset import source
from dcq.ui.dataset.source import PartitionChoice
from dcq.ui.text import plain
from dcq.words import counted, place

_FILE, _KNOWN = "Your file", "Catalog or Hub"
_FROM, _DATASET, _UPLOAD = "check_from", "check_dataset", "check_file"
_NONE = "no label"


@dataclass(frozen=True)
class Benchmark:
    """What was chosen, and its rows; ``file`` is an upload, None for other data."""

    choice: PartitionChoice
    opened: OpenPartition

    @property
    def file(self) -> Path | None:
        """The upload, if it is one."""
        return Path(self.choice.file) if self.choice.file else None

    @property
    def title(self) -> str:
        """What people call it."""
        partition = self.opened.partition
        return place(partition.title, partition.split_title)


def choose(store: Store) -> Benchmark | None:
    """The widgets; None until there is a benchmark whose rows can be read."""
    links.recall(_FROM, _DATASET)
    kind = st.segmented_control(
        "Where it comes from",
        [_FILE, _KNOWN],
        default=_FILE,
        required=True,
        key=_FROM,
        label_visibility="collapsed",
    )
    links.remember(_FROM)
    asked, found, corrections = st.container(), st.container(), st.container()
    try:
        with asked:
            choice = _from_file(store, corrections) if kind == _FILE else _from_name(corrections)
        if choice is None:
            return None
        opened = source.load(choice)
        first = opened.preview(1)
    except DcqError as error:
        with found:
            notice.error(error)
        return None
    with found:
        if not first:
            notice.warning("No row has a text in these columns. Choose others.")
            return None
        _say_found(choice, opened)
    with st.expander("The first instance"):
        st.code(first[0].text, language=None, wrap_lines=True)
    return Benchmark(choice, opened)


def _say_found(choice: PartitionChoice, opened: OpenPartition) -> None:
    """One line on what was found."""
    columns = [
        f"{what} = {column}"
        for what, column in (("text", choice.text), ("label", choice.label))
        if column
    ]
    partition = opened.partition
    facts = [
        counted(opened.row_count, "row"),
        *columns,
        *([] if choice.label or not choice.text else [_NONE]),
        str(partition.task).replace("-", " "),
        partition.language,
    ]
    st.markdown(f":green[:material/check:] {plain(' · '.join(facts))}")
    for note in opened.notes:
        notice.caption(note)


def _from_file(store: Store, corrections: DeltaGenerator) -> PartitionChoice | None:
    newest = downloads.ask(store, "A csv, tsv, jsonl, json or parquet file, in UTF-8", key="check")
    if newest is not None:
        st.session_state[_UPLOAD] = newest.name
    uploaded = {path.name: path for path in uploads.listing(downloads.folder(store))}
    if not uploaded:
        st.caption("It stays on this machine, in the folder of the results store.")
        return None
    given = downloads.given_names(uploaded)
    links.recall(_UPLOAD)
    if st.session_state.get(_UPLOAD) not in uploaded:
        st.session_state.pop(_UPLOAD, None)
    name = st.selectbox(
        "File",
        list(uploaded),
        index=None,
        placeholder="Choose a file that was uploaded before",
        key=_UPLOAD,
        format_func=given.__getitem__,
    )
    links.remember(_UPLOAD)
    if name is None:
        return None
    path = uploaded[name]
    table = source.read_table(str(path))
    with _correcting(corrections, table.columns):
        text, label, task = _columns(table.columns, name)
        left, middle, right = st.columns(3)
        title = left.text_input(
            "Name of the benchmark (shown to the model)",
            Path(given[name]).stem,
            key=f"check_title_{name}",
        )
        split = middle.text_input("Split name (shown to the model)", "test", key="check_split")
        language = right.text_input(
            "Language",
            key=f"check_language_{name}",
            placeholder="found by its script",
            help="A code such as en, es or zh.",
        )
    return PartitionChoice(
        (title or "").strip(),
        (split or "").strip(),
        str(path),
        text,
        label,
        language=(language or "").strip() or None,
        task=task,
    )


def _correcting(where: DeltaGenerator, columns: Sequence[str]) -> DeltaGenerator:
    """The place of what can be corrected; open where no column has a usual name, so that somebody
    looks."""
    return where.expander(
        "Correct what was found",
        icon=":material/edit:",
        expanded=likely_columns(columns)[0] is None,
    )


def _columns(
    columns: Sequence[str], name: str
) -> tuple[str | None, str | None, DatasetTask | None]:
    """The columns of the text and of its label, and what the label is; at first as they are
    found."""
    likely_text, likely_label = likely_columns(columns)
    left, middle, right = st.columns(3)
    text = left.selectbox(
        "Column of the text",
        columns,
        index=columns.index(likely_text) if likely_text else 0,
        key=f"check_text_{name}",
    )
    labels = [column for column in columns if column != text]
    label = middle.selectbox(
        "Column of the label or answer",
        labels,
        index=labels.index(likely_label) if likely_label in labels else None,
        placeholder=_NONE,
        key=f"check_label_{name}",
    )
    task = right.segmented_control(
        "The label is",
        list(source.TASKS),
        format_func=source.TASKS.__getitem__,
        key=f"check_task_{name}",
        disabled=label is None,
        help="If you choose nothing, the labels decide.",
    )
    return text, label, task if label else None


def _from_name(corrections: DeltaGenerator) -> PartitionChoice | None:
    known = {
        key: entry
        for key, entry in source.listed_entries().items()
        if entry.role is not PartitionRole.CONTROL  # there is no conclusion on one
    }
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    typed = st.session_state.get(_DATASET)
    name = left.selectbox(
        "Name in the catalog, or OWNER/NAME on the Hugging Face Hub",
        [*known, *([typed] if typed and typed not in known else [])],
        index=None,
        placeholder="Type to search, such as ag_news",
        accept_new_options=True,
        filter_mode="contains",
        key=_DATASET,
        format_func=lambda key: source.describe(known[key]) if key in known else key,
    )
    links.remember(_DATASET)
    if not name:
        return None
    entry = find(name.strip())
    if entry is not None:
        split = links.choose("Split", entry.splits, key="check_known_split", where=right)
        choice = PartitionChoice(entry.key, split)
        if entry.is_offline or source.wants_look(choice, "check_look"):
            return choice
        return None
    split = right.text_input("Split", "test", key="check_hub_split").strip()
    repo, _, config = name.strip().partition(":")
    if "/" not in repo:
        raise PartitionError(
            f"The catalog has no dataset {repo}. Choose one from the list, or write OWNER/NAME as "
            "on the Hub."
        )
    if not split:
        raise PartitionError("Name a split of the dataset, such as test.")
    if not source.wants_look((repo, config, split), "check_look"):
        return None
    table = source.load_split(repo, config or None, split)
    with _correcting(corrections, table.columns):
        text, label, task = _columns(table.columns, f"{name}_{split}")
    return PartitionChoice(name.strip(), split, text=text, label=label, task=task)
