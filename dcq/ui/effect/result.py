"""The result on scores: whether they are inflated, the slopes, and how far to believe it."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from dcq import charts
from dcq.documents.deck.effect import slope_rows
from dcq.effect import dates_wording, document, wording
from dcq.effect.dates import OverTime
from dcq.effect.matter import EffectRuling, MatterFinding, targets
from dcq.effect.stored import StoredEffect
from dcq.evidence.inflation import HEADLINE_REFERENCES
from dcq.sections import Chart
from dcq.ui import downloads, glossary, notice, page, rulers
from dcq.ui.text import plain
from dcq.words import model_title

TERMS = ("Drop", "Inflation", "p of the inflation", "ConStat", "Effect", "95 % interval")
_ELSEWHERE = ("n", "ConStat", "p of the inflation")  # in the sentences above, and in the file
_BADGES: dict[EffectRuling, tuple[Literal["orange", "green", "yellow"], str]] = {
    EffectRuling.INFLATED: ("orange", ":material/trending_down:"),
    EffectRuling.SEEN_NOT_INFLATED: ("green", ":material/check:"),
    EffectRuling.NOT_INFLATED: ("green", ":material/check:"),
    EffectRuling.NOT_ENOUGH: ("yellow", ":material/hourglass_empty:"),
}


def show(effect: StoredEffect) -> None:
    """Each target's finding, the chart, and the table of all models."""
    target_findings = targets(effect.findings)
    for finding in target_findings:
        _say(finding)
    if not target_findings:
        st.info("All models of these files are references; a target is missing.")
    for target, rows in slope_rows(effect).groupby("panel", sort=False):
        rulers.show_chart(Chart("effect_slopes", rows), key=f"effect_slopes_{target}")
    table = document.table(effect.findings)
    st.dataframe(
        table.drop(columns=[name for name in _ELSEWHERE if name in table]),
        hide_index=True,
        key="effect_table",
        alt="Scores of each model on originals and on rewordings, and the inflation.",
        column_config=glossary.columns(
            {name: name for name in ("Drop", "Inflation", "Effect")},
        ),
    )
    for complaint in wording.complaints(effect.scores):
        notice.caption(complaint)
    for model, over_time in effect.over_time.items():
        _over_time(effect, model, over_time)
    for finding in target_findings:
        _references(finding)
    with st.container(horizontal=True, vertical_alignment="center"):
        glossary.offer(TERMS)
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            downloads.offer_table("Table", "dcq-effect", lambda: table, key="effect_download")
        page.link("overlap", "What overlap does to scores", overlap_view="Effect")
        page.link("results", "Was it seen?")


def _say(finding: MatterFinding) -> None:
    """Below five references the figure is no headline."""
    few = finding.inflation is not None and finding.inflation.references < HEADLINE_REFERENCES
    headline = plain(wording.headline(finding))
    if finding.ruling is not None:
        colour, icon = _BADGES[finding.ruling]
        st.badge(finding.ruling.value.capitalize(), icon=icon, color=colour)
    st.markdown(f"**{headline}**" if few else f"#### {headline}")
    if within := wording.within_sentence(finding):
        st.markdown(plain(within))
    notice.caption(" ".join(wording.reasons(finding)))


def _over_time(effect: StoredEffect, model: str, over_time: OverTime | None) -> None:
    st.subheader(f"{plain(model)} over time", anchor=False)
    sentences = dates_wording.sentences(over_time)
    st.markdown(plain(sentences[0]))
    if over_time is None:
        return
    models = {model_scores.model: model_scores for model_scores in effect.scores.models}
    rows = dates_wording.rows(models, effect.context, over_time)
    st.plotly_chart(
        charts.effect_over_time(rows, over_time.cutoff),
        key=f"effect_dates_{model}",
        config={"displayModeBar": False},
        alt=charts.describe_effect_over_time(rows, over_time.cutoff),
    )
    for sentence in sentences[1:]:
        notice.caption(sentence)


def _references(finding: MatterFinding) -> None:
    if not finding.references:
        return
    with st.expander(
        f"References of {plain(model_title(finding.model))}", icon=":material/groups:"
    ):
        st.dataframe(
            document.references_table(finding),
            hide_index=True,
            key=f"effect_references_{finding.model}",
            alt="Each reference model, its own drop and answer, and the inflation without it.",
            column_config=glossary.columns(
                {"n": "n", "Drop": "Drop", "Inflation without it": "Inflation"}
            ),
        )
