"""The form for scores: files of answers, which models are references, and what else is known."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dcq.effect import asked
from dcq.effect.dates import read_dates, stored_dates
from dcq.effect.matter import NO_CONTEXT, ScoreContext
from dcq.effect.scores import ModelRole, Scores, read_scores, read_seen
from dcq.errors import DcqError
from dcq.partitions import uploads
from dcq.store import Store, samples
from dcq.ui import action, downloads, notice, roles
from dcq.ui.text import plain

FILES, PART, SEEN, DATES = "effect_files", "effect", "effect_seen", "effect_dates"
KINDS = (*uploads.SUFFIXES, "eval")
_VERSIONS = ("as the file says", "original", "reworded")


def show(store: Store) -> None:
    """The form; the scores are stored, and then read on the other tab."""
    st.markdown(
        "A table of `model`, `role` (target or reference), `instance_id`, `version` (original or "
        "reworded) and `correct`, or logs of lm-evaluation-harness and inspect_ai on a benchmark "
        "that `python -m dcq export task SAMPLE` wrote."
    )
    downloads.ask(store, "Upload scores", key=FILES, part=PART, kinds=KINDS)
    paths = {path.name: path for path in uploads.listing(downloads.folder(store), PART, KINDS)}
    if not paths:
        return
    chosen = st.multiselect(
        "Files",
        list(paths),
        format_func=downloads.given_names(paths).__getitem__,
        key=f"{FILES}_chosen",
    )
    if not chosen:
        notice.caption("Choose the files of all models, targets and references.")
        return
    files = [_given(paths[name]) for name in chosen]
    try:
        plainly = read_scores(files)
        references = _references(plainly)
        scores = read_scores(files, references)
    except DcqError as error:
        notice.error(error)
        return
    _keep(store, scores, {name: paths[name] for name in paths if name not in chosen})


def _given(path: Path) -> str:
    """A log of another benchmark does not say which version it has."""
    if path.suffix in {".csv", ".tsv", ".parquet"}:
        return str(path)
    version = st.segmented_control(
        f"Version in {plain(uploads.given_name(path))}",
        _VERSIONS,
        default=_VERSIONS[0],
        key=f"{FILES}_{path.name}",
    )
    return str(path) if version in {None, _VERSIONS[0]} else f"{version}={path}"


def _references(scores: Scores) -> list[str]:
    """Those that the files name, and others that a person names."""
    named_references = [
        model_scores.model
        for model_scores in scores.models
        if model_scores.role is ModelRole.REFERENCE
    ]
    open_models = [
        model_scores.model
        for model_scores in scores.models
        if model_scores.role is ModelRole.TARGET
    ]
    if named_references:
        notice.caption(f"References by the files: {', '.join(named_references)}.")
        return []
    return st.multiselect(
        "Reference models",
        open_models,
        key="effect_references",
        help="Clean by their dates, and as good as the target: at least three, better five. Name "
        "them before you look, not by their result.",
    )


def _keep(store: Store, scores: Scores, others: dict[str, Path]) -> None:
    left, right = st.columns(2)
    names = list(dict.fromkeys(sample.partition for sample in samples.listing(store)))
    benchmark = left.selectbox(
        "Benchmark",
        names,
        index=None,
        accept_new_options=True,
        key="effect_name",
        placeholder="choose or type a name",
        help="Models' answers on a partition of this store stand beside the scores.",
    )
    chance = right.number_input(
        "A guess is right in (%)",
        0,
        99,
        0,
        key="effect_chance",
        help="25 for four choices, 0 for exact answers.",
    )
    given = downloads.given_names(others)
    seen = left.selectbox(
        "Recognised instances (optional)",
        list(others),
        index=None,
        format_func=given.__getitem__,
        key=SEEN,
        placeholder="an uploaded table of model, instance_id, seen",
    )
    dates = right.selectbox(
        "Dates of instances (optional)",
        list(others),
        index=None,
        format_func=given.__getitem__,
        key=DATES,
        placeholder="an uploaded table of instance_id, date",
        help="Left out, the dates of the benchmark's samples in this store, if they have any.",
    )
    forced = right.checkbox(
        "Count references that are called contaminated", key="effect_force", value=False
    )

    def keep() -> None:
        context = ScoreContext(
            NO_CONTEXT.answers,
            read_seen(others[seen]) if seen else {},
            chance / 100,
            forced,
            read_dates(others[dates]) if dates else stored_dates(store, benchmark or ""),
        )
        st.session_state["effect_benchmark"] = asked.keep_brought(
            store, benchmark or "", scores, context, roles.author()
        )

    action.button(
        "Keep and read",
        keep,
        key="effect_keep",
        kind="primary",
        role=roles.UserRole.ANNOTATOR,
        why_not=None if benchmark else "Name the benchmark.",
    )
