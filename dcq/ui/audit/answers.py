"""The audit of an answers file: choosing it, a verdict with its checklist, and all results side by
side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from dcq.audit.answers_file import Answers, ruling
from dcq.audit.audit import Audit, audit
from dcq.audit.sentences import describe_answers, describe_chance_only
from dcq.documents import result_tables
from dcq.documents.chart_rows import ruler_rows
from dcq.judging.judged import JudgedResult
from dcq.judging.study import rank_verdict
from dcq.partitions import uploads
from dcq.records import QuizKind
from dcq.store import Store
from dcq.ui import checklist, downloads, judged_table, links, roles, rulers
from dcq.ui.text import plain

_CHART_MOST = 40  # results; more lines than that do not fit on a screen
_EVERY = "all models"


def answer(answers_file: Answers) -> None:
    """The verdict on the only result; or else how many results have each verdict, and the verdict
    on the chosen one. The strongest finding is chosen first."""
    if len(answers_file.tested) == 1:
        _show_verdict(answers_file.tested[0])
    else:
        st.markdown(f"#### {plain(describe_answers(answers_file))}")
    for note in (describe_chance_only(answers_file.tested), *answers_file.notes):
        if note:
            st.caption(plain(note))
    if len(answers_file.tested) != 1:
        _show_verdict(_choose_result(answers_file))


def show(answers_file: Answers) -> None:
    """The results of the chosen model as rulers and a table."""
    results = _choose_model(answers_file.results)
    tested = [result for result in results if result.verdict is not None]
    if len(tested) > _CHART_MOST:
        st.caption(f"{len(tested):,} results; the chart shows at most {_CHART_MOST}.")
    elif tested:
        _show_rulers(tested)
    # Controls last: the others are compared with them.
    in_order = [*tested, *(result for result in results if result.verdict is None)]
    judged_table.show_columns(
        result_tables.audit_columns(in_order),
        in_order,
        alt="Verdict, score and q-value of each model and partition.",
        pinned=2,
    )
    with st.popover("Download", icon=":material/download:", type="tertiary"):
        downloads.offer_table("Table", "dcq-audit", lambda: _table(answers_file), key="audit_table")


def _show_rulers(tested: Sequence[JudgedResult]) -> None:
    tested = sorted(tested, key=lambda result: result.evidence.place)
    names = {
        result.evidence.run: ", ".join(filter(None, (result.evidence.model, _quiz(result))))
        for result in tested
    }
    chances = {result.evidence.chance for result in tested}
    rows = ruler_rows(tested, {}, names).assign(ruling=[ruling(result).word for result in tested])
    rulers.show(rows, key="audit_rulers", chance=chances.pop() if len(chances) == 1 else None)


def _choose_model(results: Sequence[JudgedResult]) -> Sequence[JudgedResult]:
    models = list(dict.fromkeys(result.evidence.model for result in results))
    if len(models) == 1:
        return results
    model = links.choose("Model", [_EVERY, *models], key="audit_model")
    if model == _EVERY:
        return results
    return [result for result in results if result.evidence.model == model]


def _choose_result(answers_file: Answers) -> JudgedResult:
    ranked = sorted(answers_file.results, key=lambda result: rank_verdict(result.verdict))
    names = {_name(result): result for result in ranked}
    return names[links.choose("Result", [*names], key="audit_result", filter_mode="contains")]


def _show_verdict(result: JudgedResult) -> None:
    if result.verdict is not None:
        checklist.show_checklist(result.verdict, subject=_name(result))
        return
    st.markdown(f"**{plain(_name(result))}**")
    checklist.show_checks((*result.notes, *result.evidence.checks))


def _name(result: JudgedResult) -> str:
    """The model and the partition, with what distinguishes two results on it."""
    place = ", ".join(filter(None, (result.evidence.partition, _quiz(result))))
    return f"{result.evidence.model} on {place}"


def _quiz(result: JudgedResult) -> str:
    """The kind of quiz, with its slot if each has its own; empty if the file does not say."""
    kind, slot = (str(result.evidence.figures[name]) for name in ("kind", "slot"))
    return f"{kind} at {slot}" if kind == QuizKind.BCQ and slot else kind


def _table(answers_file: Answers) -> pd.DataFrame:
    """The entries of the JSON as rows, with the reasons as one text."""
    table = pd.DataFrame(answers_file.document())
    return table.assign(reasons=table["reasons"].map(" ".join))


TERMS: tuple[str, ...] = (
    *("κ", "95 % interval", "κ above controls", "On unseen text", "q", "Verdict", "Score", "n"),
    *("Role", "Power"),
)
_PART = "audit"  # of the uploads


def choose(store: Store, *, key: str) -> Path | None:
    """The file chosen, None until there is one. An upload is saved beside the store and its name
    written into the address, so that a link and a reload find it again. On a shared app only
    uploads can be chosen: a path would open any file that the server can read."""
    left, right = st.columns(2)
    saved = downloads.ask(store, "Upload a result file", key=key, part=_PART, where=left)
    if saved is not None:
        st.session_state[key] = saved.name if roles.shared() else str(saved)
    if roles.shared():
        stored_paths = {path.name: path for path in uploads.listing(downloads.folder(store), _PART)}
        name = right.selectbox(
            "Or one that was uploaded before",
            list(stored_paths),
            index=None,
            key=key,
            bind="query-params",
            placeholder="none chosen",
        )
        return stored_paths.get(name or "")
    typed = right.text_input(
        "Or its path on this machine", key=key, bind="query-params", placeholder="results.csv"
    )
    name = (typed or "").strip()
    try:
        return Path(name).expanduser() if name else None
    except RuntimeError:  # ~ with a user name that this machine does not have
        return Path(name)


def analyse(path: Path) -> Audit:
    """The audit of ``path``, repeated when the file has changed. Raises ``DcqError``."""
    try:
        changed = path.stat().st_mtime_ns
    except (OSError, ValueError):  # missing, or not a valid file name
        changed = 0  # reading it raises the error to show
    return _analyse(str(path), changed)


@st.cache_data(max_entries=4, show_spinner=False)
def _analyse(path: str, changed: int) -> Audit:
    """``changed`` is part of the cache's key."""
    return audit(Path(path))


def explain(*, expanded: bool) -> None:
    """An explanation of the two formats."""
    with st.expander("Files that can be read", expanded=expanded):
        st.markdown(
            """
**The authors' csv**, one instance per row: `instance`, `option_a` to `option_d`, `bdq_results` (the
answers without the original) and `bcq_results_for_position_a` to `…_d` (with the original in that
position; some may be absent).

**Answers**, one per row: `model`, `partition`, `role` (`target` may have been seen, `control`
cannot, `positive` surely was), `instance_id`, `correct` (the letter of the original), `answer` (a
letter or the whole reply) and, if there is more than one kind of quiz, `kind`. An instance that is
asked with the original at several letters counts once, with its share of right answers. Answers of
the kind `bcq` are compared with those of `bdq` to the same instances, if the file has them.

Other columns are ignored. csv, tsv, jsonl, json and parquet, in UTF-8, below 200 MB.
"""
        )
