"""What overlap does to the scores of models: results of harnesses against the labels of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.documents.chart_rows import accuracy_rows
from dcq.documents.overlap_effect_document import (
    assumption_sentence,
    blocklist_sentences,
    effect_sentence,
    size_sentence,
)
from dcq.errors import DcqError
from dcq.overlap import labels
from dcq.overlap.effect_report import SHOWN_DOMAINS, EffectReport, report
from dcq.overlap.harness.graded import HarnessAnswer, HarnessFile
from dcq.overlap.outcome import OverlapResult
from dcq.overlap.results import read_results
from dcq.partitions import uploads
from dcq.sections import Chart
from dcq.store import Store
from dcq.ui import downloads, glossary, notice, rulers
from dcq.ui.text import plain

FILES = "overlap_results"
KINDS = (*uploads.SUFFIXES, "eval")
_PART = "results"  # of the uploads


def show(store: Store, overlap: OverlapResult) -> None:
    """Upload results, and read them against what a run has found, at the threshold chosen there."""
    st.markdown(
        "Scores of models on instances that were found, against scores on clean ones. Files of "
        "lm-evaluation-harness (`--log_samples`), inspect_ai, OpenCompass, AISBench, EvalScope, "
        "lighteval, DeepEval, HELM, promptfoo and Every Eval Ever are read, and tables of `model`, "
        "`instance_id`, `correct`."
    )
    downloads.ask(store, "Upload results", key=FILES, part=_PART, kinds=KINDS)
    paths = {path.name: path for path in uploads.listing(downloads.folder(store), _PART, KINDS)}
    if not paths:
        st.info("No results yet: upload a file with scored instances.", icon=":material/upload:")
        return
    chosen = st.multiselect(
        "Results",
        list(paths),
        default=list(paths)[:1],
        format_func=downloads.given_names(paths).__getitem__,
        key=f"{FILES}_chosen",
    )
    if not chosen:
        notice.caption("Choose at least one file.")
        return
    try:
        answers = [answer for name in chosen for answer in _answers(paths[name])]
        effect = report(answers, {overlap.run: labels.labels(overlap)})
    except DcqError as error:
        notice.error(error)
        return
    _show(effect)


def _answers(path: Path) -> list[HarnessAnswer]:
    """The answers of a file; where it does not name its model, a field asks for it."""
    unnamed = Path(uploads.given_name(path)).stem
    read = _read(path, unnamed)
    for sentence in read.remarks(uploads.given_name(path)):
        notice.caption(sentence)
    answers = read.answers
    if all(answer.model != unnamed for answer in answers):
        return answers
    name = st.text_input(
        f"Model of {plain(unnamed)}",
        unnamed,
        key=f"{FILES}_model_{path.name}",
        help="The file does not say which model answered.",
    )
    return [replace(answer, model=name.strip() or unnamed) for answer in answers]


@lru_cache(maxsize=8)
def _read(path: Path, model: str) -> HarnessFile:
    """An upload's name has its hash, so what a path holds never changes."""
    return read_results(path, model)


def _show(effect: EffectReport) -> None:
    for model_effect in effect.models:
        st.markdown(f"#### {plain(effect_sentence(model_effect))}")
    paired = effect.paired
    notice.caption(
        f"{len(paired.answers):,} answers, {paired.by_text:,} matched by text and "
        f"{paired.by_id:,} by id; {paired.unlabeled:,} have no label."
    )
    rulers.show_chart(Chart("accuracy_by_category", accuracy_rows(effect)), key="overlap_accuracy")
    table = _table(effect)
    st.dataframe(
        table,
        hide_index=True,
        key="overlap_effect",
        alt="Accuracy of each model by category, with the differences.",
        column_config=_columns(),
    )
    if assumed := assumption_sentence(effect):
        notice.caption(assumed)
    _by_meteor(effect)
    _subjects(effect)
    _domains(effect)
    _sizes(effect)
    with st.container(horizontal=True, vertical_alignment="center"):
        glossary.offer(
            ("Accuracy", "Gap", "Adjusted gap", "p of the gap", "METEOR", "Rank correlation")
        )
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            downloads.offer_table("Table", "dcq-overlap-effect", lambda: table, key="overlap_table")


def _table(effect: EffectReport) -> pd.DataFrame:
    rows: list[dict[str, object]] = []
    for model_effect in effect.models:
        row: dict[str, object] = {"model": model_effect.model}
        for name, part in model_effect.categories.items():
            row |= {name: _points(part.accuracy), f"n {name}": part.n}
        for name, gap in (
            ("difference", model_effect.difference),
            ("adjusted", model_effect.adjusted),
        ):
            row |= {
                name: _points(gap.difference),
                f"{name} low": _points(gap.low),
                f"{name} high": _points(gap.high),
                f"{name} p": gap.p_value,
            }
        rows.append(row)
    table = pd.DataFrame(rows)
    numbers = [name for name in table.columns if name != "model" and not name.startswith("n ")]
    return table.astype(dict.fromkeys(numbers, float))


def _points(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _columns() -> Mapping[str, Any]:
    """How each column is written, and what its numbers mean."""
    shares = ("all", "clean", "not-clean", "input-only", "input-and-label")
    gaps = [f"{name}{end}" for name in ("difference", "adjusted") for end in ("", " low", " high")]
    terms = dict.fromkeys(shares, "Accuracy") | {f"n {name}": "Instances" for name in shares}
    for name, term in (("difference", "Gap"), ("adjusted", "Adjusted gap")):
        terms |= {f"{name}{end}": term for end in ("", " low", " high")}
        terms[f"{name} p"] = "p of the gap"
    config = {
        "model": st.column_config.TextColumn("Model", pinned=True),
        **{name: st.column_config.NumberColumn(format="%.1f %%") for name in shares},
        **{name: st.column_config.NumberColumn(format="%+.1f") for name in gaps},
        **{
            f"{name} p": st.column_config.NumberColumn(format="%.3f")
            for name in ("difference", "adjusted")
        },
    }
    return glossary.columns(terms, config)


def _by_meteor(effect: EffectReport) -> None:
    rows = pd.DataFrame(
        [
            {
                "model": model_effect.model,
                "start": part.start,
                "end": part.end,
                "n": part.accuracy.n,
                "accuracy": part.accuracy.accuracy,
                "low": part.accuracy.low,
                "high": part.accuracy.high,
            }
            for model_effect in effect.models
            for part in model_effect.by_score
            if part.accuracy.n
        ]
    )
    # A scan keeps no score of what it does not find, so that all may be in one bin.
    if rows.empty or rows["start"].nunique() < 2:
        return
    st.markdown("##### By METEOR of the best match")
    st.plotly_chart(
        charts.accuracy_by_meteor(rows),
        key="overlap_meteor",
        config={"displayModeBar": False},
        alt=charts.describe_accuracy_by_meteor(rows),
    )
    st.caption("The numbers on top are the instances in each bin; bars are 95 % intervals.")


def _subjects(effect: EffectReport) -> None:
    if not effect.subjects:
        return
    st.markdown("##### By subject")
    rows = [
        {"model": model, "subject": subject}
        | {name: _points(part.accuracy) for name, part in parts.items()}
        | {f"n {name}": part.n for name, part in parts.items()}
        for model, subjects in effect.subjects.items()
        for subject, parts in subjects.items()
    ]
    st.dataframe(
        rows,
        hide_index=True,
        key="overlap_subjects",
        alt="Accuracy by category for each model and subject.",
        column_config=_columns(),
    )


def _domains(effect: EffectReport) -> None:
    if not effect.web.counts:
        return
    st.markdown("##### By domain")
    top_domains = list(effect.web.counts.items())[:SHOWN_DOMAINS]
    rows = pd.DataFrame(top_domains, columns=["domain", "instances"])
    st.plotly_chart(
        charts.domain_bars(rows, effect.web.n),
        key="overlap_domains",
        config={"displayModeBar": False},
        alt=charts.describe_domain_bars(rows, effect.web.n),
    )
    text = " ".join(blocklist_sentences(effect))
    notice.caption(f"{text} Chosen on these very pages, so on others they avoid less.")


def _sizes(effect: EffectReport) -> None:
    if len(effect.models) < 2:
        return
    st.markdown("##### By size")
    if effect.sizes.models:
        rows = pd.DataFrame(
            [
                {
                    "model": sized_model.model,
                    "billions": sized_model.billions,
                    "gain": sized_model.gain,
                    "low": sized_model.low,
                    "high": sized_model.high,
                }
                for sized_model in effect.sizes.models
            ]
        ).astype({"low": float, "high": float})
        st.plotly_chart(
            charts.gain_by_size(rows),
            key="overlap_sizes",
            config={"displayModeBar": False},
            alt=charts.describe_gain_by_size(rows, effect.sizes.trend.correlation),
        )
    notice.caption(size_sentence(effect))
