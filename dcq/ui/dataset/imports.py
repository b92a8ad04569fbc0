"""Imports on the page Dataset: a published quiz, or the bundle of a study."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import streamlit as st

from dcq.audit import release_sample
from dcq.audit.release_sample import About, PublishedQuiz
from dcq.errors import InputError
from dcq.files import sample_file
from dcq.partitions import guess_language, uploads
from dcq.records import DatasetTask
from dcq.store import Store, samples
from dcq.store.sources import LONGEST_SENDER
from dcq.ui import action, downloads, notice, page, roles
from dcq.ui.dataset import source
from dcq.ui.text import plain

_SENTENCES_SHOWN = 12
_PART = "quizzes"  # of the uploads


def show(store: Store) -> None:
    """The panel for a published quiz, from the upload to the links to the next step."""
    path = _choose_file(store)
    if path is None:
        return
    try:
        columns = _ask_columns(path)
        if columns is None:
            return
        about = _ask_about(path, columns)
        quiz = _read(str(path), about)
    except InputError as error:
        notice.error(error)
        return
    _show_what_is_sound(quiz)
    saved_path, saved_about, saved = st.session_state.get("quiz_file_saved", (None, None, None))
    is_saved = (saved_path, saved_about) == (path, about)

    def save() -> None:
        import_result = release_sample.save(store, quiz, author=roles.author())
        st.session_state["quiz_file_saved"] = (path, about, import_result)

    action.button(
        f"Import {_count(quiz.sample.n, 'instance')}",
        save,
        kind="secondary" if is_saved else "primary",
        icon=":material/download:",
        key="quiz_file_import",
        role=roles.UserRole.ANNOTATOR,
    )
    if is_saved:
        _show_saved(store, saved, quiz)


def _choose_file(store: Store) -> Path | None:
    newest = downloads.ask(
        store,
        "A published quiz: a csv, tsv, jsonl or parquet file, in UTF-8, with a column `instance` "
        "and the columns `option_a` to `option_d`, or whole replies in `generated_options`",
        key="quiz_file",
        part=_PART,
        kinds=sorted(suffix.removeprefix(".") for suffix in release_sample.SUFFIXES),
    )
    if newest is not None:
        st.session_state["quiz_file"] = newest.name
    stored_paths = {path.name: path for path in uploads.listing(downloads.folder(store), _PART)}
    if not stored_paths:
        st.caption(
            "Any model can then take it, with the options as they were published. The file stays "
            "on this machine, in the folder of the results store."
        )
        return None
    return stored_paths[
        st.selectbox("File", list(stored_paths), key="quiz_file", bind="query-params")
    ]


def _ask_about(path: Path, columns: dict[str, str]) -> About:
    title, split = source.ask_names(path)
    st.caption("A key of the catalog, such as gsm8k, brings its title, its task and its licence.")
    instances = [columns[release_sample.INSTANCE]]
    guessed = guess_language(source.read_table(str(path)), instances)
    role, language = source.ask_facts(guessed)
    task = st.selectbox(
        "Task",
        list(DatasetTask),
        index=None,
        format_func=str,
        placeholder="as the catalog says, or none of these",
        key="quiz_file_task",
        help="A control must be of the target's task and language.",
    )
    return About(title, split, role, task, language, columns)


def _ask_columns(path: Path) -> dict[str, str] | None:
    """The file's columns for ``instance`` and the options; the user is asked for those that are not
    found. None while too few are chosen."""
    columns = source.read_table(str(path)).columns
    try:
        return release_sample.find_columns(path.name, columns, {})
    except InputError:
        st.caption("The file's columns have other names; choose which is which.")
    mapped = {}
    names = release_sample.NAMES
    for name, place in zip(names, st.columns(len(names)), strict=True):
        chosen = place.selectbox(
            name, columns, index=None, placeholder="none", key=f"quiz_file_{name}_{path.name}"
        )
        if chosen is not None:
            mapped[name] = chosen
    has_options = release_sample.REPLY in mapped or len(mapped) > release_sample.NEEDED
    if release_sample.INSTANCE in mapped and has_options:
        return mapped
    st.info(
        "Choose the instance and at least three options, or the replies to read them from.",
        icon=":material/edit:",
    )
    return None


@st.cache_resource(max_entries=4, ttl="1h", show_spinner="Reading the quiz…")
def _read(path: str, about: About) -> PublishedQuiz:
    return release_sample.read(Path(path), about)


def _show_what_is_sound(quiz: PublishedQuiz) -> None:
    rows = _count(quiz.sample.requested, "row")
    st.markdown(f"#### {_count(quiz.sample.n, 'instance')} of {rows} can be asked")
    for sentence in quiz.sentences[:_SENTENCES_SHOWN]:
        st.caption(plain(sentence))
    first = quiz.sample.instances[0]
    with st.expander("The first instance and its variants"):
        st.code(first.text, language=None, wrap_lines=True)
        for text in filter(None, quiz.sample.variants[first.id]):
            st.code(text, language=None, wrap_lines=True)


def _show_saved(store: Store, sample_id: str, quiz: PublishedQuiz) -> None:
    partition = samples.load(store, sample_id).partition
    notice.success(f"Imported as {partition.title}, {partition.split_title}.")
    _offer_variants(store, sample_id, quiz)
    with st.container(horizontal=True):
        page.link(
            "variants",
            "Review the variants",
            icon=":material/edit_note:",
            variants_sample=sample_id,
        )
        page.link_button(
            "quiz",
            "Make a quiz from it",
            key="quiz_file_next",
            icon=":material/quiz:",
            quiz_sample=sample_id,
        )


def _offer_variants(store: Store, sample_id: str, quiz: PublishedQuiz) -> None:
    """If the store already had the sample: what the file's variants would add."""
    offer = sample_file.offer(store, sample_id, quiz.sample, roles.author())
    for sentence in sample_file.describe(replace(offer, new=()), added=False):
        notice.caption(sentence)
    if not offer.new:
        return
    noun = "variant" if len(offer.new) == 1 else "variants"
    notice.info(f"{len(offer.new):,} {noun} of the file differ from those in the store.")
    action.button(
        "Add them",
        lambda: sample_file.add(store, sample_id, offer),
        key="quiz_file_variants",
        role=roles.UserRole.ANNOTATOR,
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


_BUNDLE_PART = "bundles"  # of the uploads
_KINDS = ("zip",)
_DONE = "bundle_imported"


def show_bundle_import(store: Store) -> None:
    """The panel for a bundle, from the upload to the result of its check."""
    path = _choose_bundle(store)
    if path is None:
        return
    sender = st.text_input(
        "Who sent it",
        key="bundle_sender",
        max_chars=LONGEST_SENDER,
        placeholder="Named after its file",
    )
    if action.pressed(
        "Import and check", kind="primary", icon=":material/fact_check:", key="bundle_import"
    ) and not action.attempt(lambda: _import(store, path, sender)):
        return
    imported, done = st.session_state.get(_DONE, (None, None))
    if imported != path or done is None:
        return
    (notice.warning if done.differences else notice.success)(done.sentence().split("\n")[0])
    for line in done.sentence().split("\n")[1:]:
        notice.caption(line)
    if done.stored:
        page.link("results", "See its results")


def _import(store: Store, path: Path, sender: str) -> None:
    from dcq.files import others  # takes a while to import

    with st.spinner("Computing its verdicts again…"):
        done = others.keep(store, path, sender=sender, author=roles.known_author())
    st.session_state[_DONE] = (path, done)


def _choose_bundle(store: Store) -> Path | None:
    newest = downloads.ask(
        store,
        "A bundle: the zip that *Download* on the Results page or `export bundle` makes",
        key="bundle_file",
        part=_BUNDLE_PART,
        kinds=_KINDS,
    )
    if newest is not None:
        st.session_state["bundle_file"] = newest.name
    stored_paths = {
        path.name: path for path in uploads.listing(downloads.folder(store), _BUNDLE_PART, _KINDS)
    }
    if not stored_paths:
        st.caption(
            "Its results are computed again and compared with those it was made with. They stand "
            "beside your own, and count in your studies only if you take them in."
        )
        return None
    return stored_paths[
        st.selectbox("File", list(stored_paths), key="bundle_file", bind="query-params")
    ]
