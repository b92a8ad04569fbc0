"""Choosing a partition: from the catalog, from the user's own file, or from the Hub; and the
columns or the template that a quiz shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from dcq.effect.dates import date_window
from dcq.errors import InputError, PartitionError
from dcq.languages import LONGEST, Guess
from dcq.partitions import (
    DateWindow,
    Entry,
    OpenPartition,
    PartitionTable,
    entries,
    find,
    guess_language,
    hub,
    likely_columns,
    open_partition,
    placeholders,
    read_file,
    uploads,
)
from dcq.records import DatasetTask, PartitionRole, TextLayout
from dcq.store import Store
from dcq.ui import action, downloads, links, notice, roles
from dcq.ui.text import plain

CATALOG, FILE, HUB, QUIZ = "Catalog", "Your file", "Hugging Face Hub", "Published quiz"
BUNDLE = "Bundle of a study"
ROLES = {
    PartitionRole.TARGET: "target: may have been seen",
    PartitionRole.CONTROL: "control: cannot have been seen",
    PartitionRole.POSITIVE: "positive: surely seen",
}
TASKS = {
    DatasetTask.CLASSIFICATION: "a class",
    DatasetTask.QUESTION_ANSWERING: "the answer to a question",
}
LAYOUTS = {TextLayout.PAPER: "Paper", TextLayout.RELEASE: "Release"}
ROLE_HELP = (
    "What you know before asking a model. Results on a target are compared with controls, which "
    "the model cannot have seen, and positives, which it surely has."
)
ORIGINS = ("bundled", "wheel", "hub")  # local ones first


@dataclass(frozen=True)
class PartitionChoice:
    """The choices that identify one partition; see ``dcq.partitions.open_partition``."""

    name: str
    split: str
    file: str | None = None
    text: str | None = None
    label: str | None = None
    template: str | None = None
    role: PartitionRole | None = None
    language: str | None = None
    layout: TextLayout = TextLayout.PAPER
    dates: tuple[str, str, str] | None = None
    task: DatasetTask | None = None

    @property
    def window(self) -> DateWindow | None:
        """Which rows count by their ``dates``: the column, after what, and until what. Raises
        InputError where a limit cannot be understood."""
        return None if self.dates is None else date_window(*self.dates)[0]


def choose(store: Store) -> PartitionChoice | None:
    """The widgets of the chosen kind of source; None until there is something to open. A published
    quiz and a bundle are no partitions to draw from; their widgets are in
    ``dcq.ui.dataset.imports``."""
    source = st.segmented_control(
        "Where from",
        [CATALOG, FILE, HUB, QUIZ, BUNDLE],
        default=CATALOG,
        required=True,
        key="dataset_from",
        bind="query-params",
        label_visibility="collapsed",
    )
    if source in {QUIZ, BUNDLE}:
        return None
    if source == FILE:
        choice = _from_file(store)
    else:
        choice = _from_hub() if source == HUB else _from_catalog()
    if choice is None or choice.template is not None:
        return choice
    choice = replace(choice, layout=_ask_layout())
    return choice if choice.label is None else replace(choice, task=_ask_task())


def _ask_task() -> DatasetTask | None:
    """What the label is; None to have it guessed."""
    return st.segmented_control(
        "The label is",
        list(TASKS),
        format_func=TASKS.__getitem__,
        key="dataset_task",
        help="If you choose nothing, the labels decide: many different, long or numeric ones are "
        "answers to questions.",
    )


def _ask_layout() -> TextLayout:
    chosen_text_layout = st.segmented_control(
        "Layout of the text",
        list(LAYOUTS),
        default=TextLayout.PAPER,
        format_func=LAYOUTS.__getitem__,
        required=True,
        key="dataset_layout",
        bind="query-params",
        help="How a row is written as the text that a quiz shows. The paper starts a line with its "
        "own word, such as “Article:”. The authors' release starts it with the column's name, and "
        "shows only the question or prompt for GSM8K, DROP and HumanEval. The layout changes the "
        "text, so the same seed draws other instances.",
    )
    return TextLayout(chosen_text_layout or TextLayout.PAPER)


def wants_quiz() -> bool:
    """Whether a published quiz was chosen as the source."""
    return bool(st.session_state.get("dataset_from") == QUIZ)


def wants_bundle() -> bool:
    """Whether the bundle of a study was chosen as the source."""
    return bool(st.session_state.get("dataset_from") == BUNDLE)


def load(choice: PartitionChoice) -> OpenPartition:
    """Open the partition; cached for an hour. Raises PartitionError."""
    return _open(choice)


@st.cache_resource(max_entries=4, ttl="1h", show_spinner="Loading the rows…")
def _open(choice: PartitionChoice) -> OpenPartition:
    return open_partition(
        choice.name,
        choice.split,
        file=choice.file,
        text=choice.text,
        label=choice.label,
        template=choice.template,
        role=choice.role,
        language=choice.language,
        layout=choice.layout,
        task=choice.task,
    )


@st.cache_resource(max_entries=4, ttl="1h", show_spinner="Loading the rows…")
def read_table(path: str) -> PartitionTable:
    """An uploaded file's rows; cached for an hour. Raises PartitionError."""
    return read_file(path)


@st.cache_resource(max_entries=4, ttl="1h", show_spinner="Asking the Hub…")
def load_split(repo: str, config: str | None, split: str) -> PartitionTable:
    """The rows of a dataset on the Hub; cached for an hour. Raises PartitionError."""
    return hub.load_split(repo, config, split)


def listed_entries() -> dict[str, Entry]:
    """The catalog by key: first what needs no network; the small controls last, because they are
    many, and asked by the dozen."""
    ordered = sorted(entries(), key=lambda entry: (entry.is_small, ORIGINS.index(entry.origin)))
    return {entry.key: entry for entry in ordered}


def _from_catalog() -> PartitionChoice | None:
    by_key = listed_entries()
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    key = links.choose(
        "Dataset",
        {key: describe(entry) for key, entry in by_key.items()},
        key="dataset",
        where=left,
        filter_mode="contains",
        help="Type to search by name, task, role or language.",
    )
    entry = by_key[key]
    split = links.choose("Split", entry.splits, key="split", where=right)
    published = f"first public {entry.published:%d %b %Y}" if entry.published else ""
    place = "comes with dcq" if entry.is_offline else f"Hub: {entry.hub}"
    facts = [ROLES[entry.role], published, f"licence: {entry.licence}", place]
    st.caption(plain(" · ".join(fact for fact in facts if fact)))
    choice = PartitionChoice(key, split)
    return choice if entry.is_offline or wants_look(choice) else None


def describe(entry: Entry) -> str:
    """An entry of the catalog in a list."""
    place = "no network needed" if entry.is_offline else "from the Hub"
    return f"{entry.title} · {entry.role} · {entry.layout.task} · {entry.language} · {place}"


def wants_look(chosen: object, key: str = "dataset_look") -> bool:
    """A button before anything uses the network; the click is remembered, so that the rows stay."""
    looked = f"{key}ed"
    if action.pressed(
        "Load",
        icon=":material/search:",
        key=key,
        role=roles.UserRole.ANNOTATOR,
        tip="Load the rows and show some.",
    ):
        action.attempt(
            lambda: st.session_state.__setitem__(looked, chosen), roles.UserRole.ANNOTATOR
        )
    return bool(st.session_state.get(looked) == chosen)


def _from_file(store: Store) -> PartitionChoice | None:
    newest = downloads.ask(
        store, "A csv, tsv, jsonl, json or parquet file, in UTF-8", key="dataset"
    )
    if newest is not None:
        st.session_state["dataset_file"] = newest.name
    uploaded = {path.name: path for path in uploads.listing(downloads.folder(store))}
    if not uploaded:
        st.caption("It stays on this machine, in the folder of the results store.")
        return None
    name = st.selectbox("File", list(uploaded), key="dataset_file", bind="query-params")
    path = uploaded[name]
    try:
        table = read_table(str(path))
    except PartitionError as error:
        notice.error(error)
        return None
    title, split = ask_names(path)
    facts = st.container()  # above the columns, from which a language is guessed
    text, label, template = choose_columns(table.columns)
    with facts:
        role, language = ask_facts(_guess(table, text, template))
    dates = choose_dates(table.columns)
    chosen = (title, split, str(path), text, label, template, role, language)
    return PartitionChoice(*chosen, dates=dates)


def ask_names(path: Path) -> tuple[str, str]:
    """The names that the prompt uses for the dataset and the split of an uploaded file."""
    left, right = st.columns(2)
    title = left.text_input(
        "Name of the dataset, as used in the prompt",
        path.stem.rpartition("-")[0],
        key=f"dataset_title_{path.name}",
    )
    split = right.text_input("Its split, as used in the prompt", "test", key="dataset_word")
    return (title or "").strip(), (split or "").strip()


def _guess(table: PartitionTable, text: str | None, template: str | None) -> Guess | None:
    text_columns = [text] if text else placeholders(template or "")
    present_columns = {
        name for name in text_columns if {name, name.split(".")[0]} & set(table.columns)
    }
    try:
        return guess_language(table, sorted(present_columns))
    except PartitionError:  # the page says so where it shows the first instances
        return None


def ask_facts(guessed: Guess | None) -> tuple[PartitionRole, str]:
    """Role and language of a partition that is not in the catalog; the field of the language starts
    with the one that was ``guessed``, if any."""
    likely = guessed.code if guessed else "en"
    left, right = st.columns(2)
    role = left.selectbox(
        "Role", list(ROLES), format_func=ROLES.__getitem__, key="dataset_role", help=ROLE_HELP
    )
    language = right.text_input(
        "Language",
        likely,
        key=f"dataset_language_{likely}",  # another guess is filled in anew
        max_chars=LONGEST,
        help="A code such as en, es or zh. Controls must be of the same language, and offline "
        "rewordings exist for English only.",
    )
    code = (language or "").strip() or likely
    if guessed and code == likely:
        right.caption(f"{guessed.reason}; change it if they are in another.")
    return role, code


def _from_hub() -> PartitionChoice | None:
    left, middle, right = st.columns([3, 2, 1])
    repo = left.text_input(
        "Name on the Hub", key="dataset_repo", bind="query-params", placeholder="owner/name"
    )
    config = middle.text_input(
        "Configuration, if it has several", key="dataset_config", bind="query-params"
    )
    split = right.text_input("Split", "test", key="dataset_split", bind="query-params")
    repo, config, split = ((value or "").strip() for value in (repo, config, split))
    if not wants_look((repo, config, split)):
        return None
    name = f"{repo}:{config}" if config else repo
    if not repo or not split:
        st.info("Enter a name such as owner/name and a split first.", icon=":material/edit:")
        return None
    if find(name) is not None:
        return PartitionChoice(name, split)
    try:
        table = load_split(repo, config or None, split)
    except PartitionError as error:
        notice.error(error, icon=":material/cloud_off:")
        return None
    facts = st.container()
    text, label, template = choose_columns(table.columns)
    with facts:
        role, language = ask_facts(_guess(table, text, template))
    dates = choose_dates(table.columns)
    return PartitionChoice(name, split, None, text, label, template, role, language, dates=dates)


def choose_dates(columns: Sequence[str]) -> tuple[str, str, str] | None:
    """The column of the dates, after what, and until what, as typed; None without a column."""
    with st.expander("Only rows of some dates", icon=":material/calendar_month:"):
        st.caption(
            "Draw a target from before a model's training data end, and with the role of a control "
            "once more from after it, of the same file."
        )
        left, middle, right = st.columns(3)
        column = left.selectbox(
            "Column of the date",
            columns,
            index=None,
            placeholder="none",
            key=f"dataset_date_{'_'.join(columns)}",
        )
        hint = "2023-10, or a model"
        after = middle.text_input("Only later than", key="dataset_after", placeholder=hint) or ""
        until = right.text_input("Only until", key="dataset_until", placeholder=hint) or ""
        if column is None:
            return None
        try:
            _, cautions = date_window(column, after, until)
        except InputError as error:
            notice.error(error)
        else:
            for caution in cautions:
                notice.caption(caution)
        return column, after, until


COLUMNS, TEMPLATE = "Columns", "Own template"


def choose_columns(columns: Sequence[str]) -> tuple[str | None, str | None, str | None]:
    """The text column, the label column and the template; None for what was not chosen."""
    how = st.segmented_control(
        "What a quiz shows of a row",
        [COLUMNS, TEMPLATE],
        default=COLUMNS,
        required=True,
        key="dataset_how",
    )
    key_suffix = "_".join(columns)  # part of the keys: other columns get new widgets
    if how == TEMPLATE:
        template = st.text_area(
            "Template",
            "\n".join(f"{name}: {{{name}}}" for name in columns[:3]),
            key=f"dataset_template_{key_suffix}",
            help="The text that a quiz shows, with gaps that each row fills: a column's name in "
            "braces is replaced by its value. {{ and }} are plain braces.",
        )
        st.caption(plain(f"Columns: {', '.join(columns)}"))
        return None, None, template or ""
    left, right = st.columns(2)
    text = left.selectbox(
        "Column of the text",
        columns,
        index=columns.index(likely) if (likely := likely_columns(columns)[0]) else 0,
        key=f"dataset_text_{key_suffix}",
    )
    label = right.selectbox(
        "Column of the label",
        [name for name in columns if name != text],
        index=None,
        placeholder="none",
        key=f"dataset_label_{key_suffix}",
        help="The label is shown on its own line, and no rewording may change it.",
    )
    return text, label, None
