"""The audit of an answers file: choosing it, a verdict with its checklist, and all results side by
side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from dcq.audit.answer_groups import AnswerGroup
from dcq.audit.answers_file import Answers, AuditedResult
from dcq.audit.audit import Audit, audit
from dcq.audit.sentences import describe_answers, describe_chance_only
from dcq.judging.judged import Ruling
from dcq.partitions import uploads
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store
from dcq.ui import checklist, downloads, glossary, links, roles, rulers
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
    """The results of the chosen model as a chart and a table."""
    # Controls last: the others are compared with them.
    results = sorted(
        _choose_model(answers_file.results),
        key=lambda result: result.group.role is PartitionRole.CONTROL,
    )
    if len(results) <= _CHART_MOST:
        rulers.show_forest(_forest(results), _only_zone(results), key="audit_forest")
    else:
        st.caption(f"{len(results):,} results; the chart shows at most {_CHART_MOST}.")
    st.dataframe(
        _table(results),
        hide_index=True,
        placeholder="",  # a control is compared with nothing
        column_config=glossary.columns(_TERMS, _columns()),
        alt="Score, κ, q-value and verdict of each model and partition.",
    )
    with st.popover("Download", icon=":material/download:", type="tertiary"):
        downloads.offer_table("Table", "dcq-audit", lambda: _table(results), key="audit_table")


def _choose_model(results: Sequence[AuditedResult]) -> Sequence[AuditedResult]:
    models = list(dict.fromkeys(result.group.model for result in results))
    if len(models) == 1:
        return results
    options = [_EVERY, *models]
    links.take("audit_model", options)
    model = st.selectbox("Model", options, key="audit_model")
    links.put("audit_model", model)
    if model == _EVERY:
        return results
    return [audited_result for audited_result in results if audited_result.group.model == model]


def _choose_result(answers_file: Answers) -> AuditedResult:
    """Contaminated results first, those with the smallest p first among them; controls last."""

    def place(result: AuditedResult) -> tuple[bool, bool, float]:
        p = result.verdict.p_value if result.verdict else None
        return (
            result.verdict is None,
            result.ruling is not Ruling.CONTAMINATED,
            1.0 if p is None else p,
        )

    names = {
        _name(audited_result): audited_result
        for audited_result in sorted(answers_file.results, key=place)
    }
    links.take("audit_result", names)
    name = st.selectbox("Result", list(names), key="audit_result", filter_mode="contains")
    links.put("audit_result", name)
    return names[name]


def _show_verdict(audited_result: AuditedResult) -> None:
    if audited_result.verdict is not None:
        checklist.show_checklist(audited_result.verdict, subject=_name(audited_result))
        return
    st.markdown(f"**{plain(_name(audited_result))}**")
    st.markdown("\n".join(f"- {plain(remark)}" for remark in audited_result.remarks))


def _name(result: AuditedResult) -> str:
    return f"{result.group.model} on {_place(result.group)}"


def _place(group: AnswerGroup) -> str:
    """The partition, with what distinguishes two results on it."""
    at = f" at {group.slots}" if group.kind == QuizKind.BCQ and group.slots else ""
    return f"{group.partition}, {group.kind}{at}" if group.kind else group.partition


def _only_zone(results: Sequence[AuditedResult]) -> tuple[float, float] | None:
    """Where controls lie, if all results of the chart are compared with the same ones."""
    zones = {zone for result in results if (zone := result.control_zone) is not None}
    return zones.pop() if len(zones) == 1 else None


def _forest(results: Sequence[AuditedResult]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "model": result.group.model,
                "partition": _place(result.group),
                "role": result.group.role.value,
                "n": result.kappa.n,
                "kappa": result.kappa.kappa_fixed,
                "low": result.kappa.kappa_low,
                "high": result.kappa.kappa_high,
                # A verdict beside a control would read as a finding.
                "verdict": None
                if result.group.role is PartitionRole.CONTROL
                else result.ruling.value,
            }
            for result in results
        ]
    ).astype({"kappa": float, "low": float, "high": float})


def _table(results: Sequence[AuditedResult]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "model": result.group.model,
                "partition": _place(result.group),
                "role": result.group.role.value,
                "n": result.kappa.n,
                "score": None if result.kappa.score is None else 100 * result.kappa.score,
                "kappa": result.kappa.kappa_fixed,
                "kappa_control": result.calibration.kappa_control if result.calibration else None,
                "q_control": result.verdict.q_value if result.verdict else None,
                "verdict": result.ruling.value,
                "why": result.reasons[0],
            }
            for result in results
        ]
    ).astype({"score": float, "kappa": float, "kappa_control": float, "q_control": float})


TERMS: tuple[str, ...] = (
    "κ",
    "95 % interval",
    "κ above controls",
    "q",
    "Verdict",
    "Score",
    "n",
    "Power",
)
_TERMS = {
    "n": "n",
    "score": "Score",
    "kappa": "κ",
    "kappa_control": "κ above controls",
    "q_control": "q",
    "verdict": "Verdict",
}


def _columns() -> dict[str, Any]:
    return {
        "model": st.column_config.TextColumn("Model", pinned=True),
        "partition": st.column_config.TextColumn("Partition", pinned=True),
        "role": st.column_config.TextColumn("Role"),
        "n": st.column_config.NumberColumn("n", help="Answers; for a rotated quiz, instances."),
        "score": st.column_config.NumberColumn("Score", format="%.1f %%"),
        "kappa": st.column_config.NumberColumn(
            "κ",
            format="%.2f",
            help="0 is guessing, or for a BCQ the model's own choices without the original; 1 is "
            "always the original.",
        ),
        "kappa_control": st.column_config.NumberColumn(
            "κ, controls", format="%.2f", help="0 is the score on controls."
        ),
        "q_control": st.column_config.NumberColumn(
            "q", format="%.3f", help="Against the controls, over all results of the file."
        ),
        "verdict": st.column_config.TextColumn("Verdict"),
        "why": st.column_config.TextColumn("Why", width="large"),
    }


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
