"""Checking models on the page Protect: the command, its cost for the author, and the results."""

from __future__ import annotations

import shlex

import pandas as pd
import streamlit as st

from dcq import charts
from dcq.evidence.lot import STOP, call_models, e_process, picked_fractions
from dcq.judging.answer import Concluded
from dcq.judging.judged import JudgedResult
from dcq.judging.study import judged_results
from dcq.protect import NAME, make
from dcq.protect.scores_file import assess_file, left_out_words
from dcq.store import Store
from dcq.ui import action, glossary, judged_table, notice, run_panel
from dcq.ui.judged_study import concluded_of
from dcq.ui.protect import asking, folders
from dcq.ui.roles import UserRole
from dcq.words import model_title, percent


def show(store: Store) -> None:
    """The command for a check, and the results of all that were made."""
    st.warning(
        "Private wordings that are sent to an endpoint are **burnt for whoever serves it**: it may "
        "train on them, and then its next model knows both sides. Prefer open weights on your own "
        "machine, and make a fresh batch for each provider. Someone else's rewording of your items "
        "weakens the test and never falsifies it.",
        icon=":material/local_fire_department:",
    )
    benchmark_folders = folders.every(store)
    if benchmark_folders:
        chosen = st.selectbox(
            "Benchmark",
            benchmark_folders,
            format_func=lambda path: path.name,
            key="protect_check_folder",
        )
        with run_panel.show(store, asking.panel()):
            asking.show(store, chosen)
        st.code(
            f"python -m dcq protect check {shlex.quote(str(chosen / make.SECRET))} "
            "--model likelihood:embedded",
            language="bash",
            wrap_lines=True,
        )
        st.caption(
            "The secret is read by that command alone, which the button starts too, and no wording "
            "reaches the store. `watch` "
            "in the place of `check` takes several models and ends each as soon as E is enough."
        )
    results = judged_results(store, NAME, every_run=True)
    if not results:
        st.info("No model has been checked yet.", icon=":material/fact_check:")
        return
    _show_results(results, concluded_of(store))


def _show_results(results: list[JudgedResult], concluded: Concluded) -> None:
    st.markdown(f"**{results[0].sentence}**".replace("$", "\\$"))
    judged_table.show(results, concluded, key="protect_results")
    values = [float(result.evidence.figures["e_value"]) for result in results if _tested(result)]  # type: ignore[arg-type]  # a number
    if not values:
        return
    called = sum(call_models(values))
    left, right = st.columns(2)
    average = sum(values) / len(values)
    left.metric("Average evidence", f"{average:,.3g}", help=glossary.tip("Average evidence"))
    right.metric(
        "Models called", f"{called:,} of {len(values):,}", help=glossary.tip("Models called")
    )
    glossary.offer(("Published picked", "p of the draw", "E", "Average evidence", "Models called"))
    rows = pd.concat([_curve(result) for result in results if _tested(result)])
    st.plotly_chart(
        charts.evidence_curves(rows, STOP),
        alt=charts.describe_evidence_curves(rows, STOP),
        key="protect_evidence",
    )


def _tested(result: JudgedResult) -> bool:
    return "scores" in result.evidence.figures


def _curve(result: JudgedResult) -> pd.DataFrame:
    table = result.evidence.figures["scores"]
    fractions = picked_fractions(list(table))  # type: ignore[call-overload]  # an array
    path = e_process(fractions, [1 / result.evidence.wordings] * len(fractions))
    model = f"{model_title(result.evidence.model)} · {result.evidence.at:%d %b %Y}"
    return pd.DataFrame({"model": model, "items": range(1, len(path) + 1), "e_value": path})


def show_scores() -> None:
    """The test of scores that others computed."""
    st.markdown(
        "A csv file with `item, wording, published, score`, one wording a row, `published` 1 for "
        "exactly one wording of each item; a higher score is a stronger preference."
    )
    upload = st.file_uploader("Scores", type=["csv"], key="protect_scores", max_upload_size=200)
    if upload is None:
        return

    def test() -> None:
        benchmarks = assess_file(upload.getvalue(), upload.name)
        rows = [
            {
                "Benchmark": name or "–",
                "Items": scored.test.items,
                "Published picked": percent(scored.test.share, 1),
                "p of the draw": f"{scored.test.p_value:.3g}",
                "E": f"{scored.test.e_value:.3g}",
            }
            for name, scored in benchmarks.items()
        ]
        for name, scored in benchmarks.items():
            if sentence := left_out_words(name, scored.left_out):
                notice.caption(sentence)
            for sentence in scored.reasons:
                notice.warning(f"{name}: {sentence}" if name else sentence)
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt="The test of each benchmark.")

    action.attempt(test, UserRole.VIEWER)
