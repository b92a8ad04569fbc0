"""Quiz, replication and overlap of one sample and model beside each other."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dcq.documents.cross_evidence_sentences import agreement_sentence, pair_sentence
from dcq.errors import DcqError
from dcq.judging.cross_evidence import (
    CrossEvidence,
    SampleEvidence,
    SampleMethodName,
    cross_evidence,
)
from dcq.store import Store
from dcq.ui import downloads, glossary, notice, page
from dcq.ui.text import plain

_TITLES = {
    SampleMethodName.QUIZ: "Quiz",
    SampleMethodName.REPLICATION: "Replication",
    SampleMethodName.OVERLAP: "Overlap",
}


def show(store: Store, sample_id: str, model: str, *, overlap_run: str | None = None) -> None:
    """The results side by side, whether the methods find the same instances, and each instance."""
    try:
        evidence = cross_evidence(store, sample_id, model, overlap_run=overlap_run)
    except DcqError as error:
        notice.error(error)
        return
    for column, sample_evidence in zip(
        st.columns(len(evidence.results), gap="large"), evidence.results, strict=True
    ):
        with column:
            _beside(sample_evidence, sample_id)
    st.markdown(f"#### {plain(agreement_sentence(evidence.pairs))}")
    for pair in evidence.pairs:
        st.markdown(f"- {plain(pair_sentence(pair))}")
    if evidence.pairs:
        st.caption(
            "Found on the web means: could have been seen. Completed means: can be written from "
            "memory. The quiz asks for the wording. They need not find the same instances."
        )
    _instances(evidence)


def _beside(sample_evidence: SampleEvidence, sample_id: str) -> None:
    st.markdown(f"##### {_TITLES[sample_evidence.method]}")
    st.markdown(plain(sample_evidence.sentence))
    if sample_evidence.run is not None:
        return
    if sample_evidence.method is SampleMethodName.QUIZ:
        page.link("quiz", "Ask a model", icon=":material/quiz:", quiz_sample=sample_id)
    elif sample_evidence.method is SampleMethodName.REPLICATION:
        page.link(
            "replication",
            "Ask for completions",
            icon=":material/content_copy:",
            replication_sample=sample_id,
        )


def _instances(cross_evidence: CrossEvidence) -> None:
    rows = [
        {
            "number": number,
            "text": instance_evidence.text,
            "overlap": instance_evidence.category.value if instance_evidence.category else None,
            "completion": instance_evidence.match.value if instance_evidence.match else None,
            "quiz": instance_evidence.picked.value if instance_evidence.picked else None,
        }
        for number, instance_evidence in enumerate(cross_evidence.instances, 1)
    ]
    st.markdown("##### Instances")
    st.dataframe(
        rows,
        hide_index=True,
        height=360,
        key="overlap_together",
        alt="What overlap, replication and quiz say of each instance.",
        column_config=glossary.columns(
            {"overlap": "Category", "completion": "Matches", "quiz": "Right"},
            {
                "number": st.column_config.NumberColumn("Instance", width="small"),
                "text": st.column_config.TextColumn("Text", width="large"),
                "overlap": st.column_config.TextColumn("Found", width="small"),
                "completion": st.column_config.TextColumn("Completed", width="small"),
                "quiz": st.column_config.TextColumn("Original picked", width="small"),
            },
        ),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        glossary.offer(("Do the methods agree", "Category", "Matches", "Verdict"))
        with st.popover("Download", icon=":material/download:", type="tertiary"):
            downloads.offer_table(
                "Instances",
                f"dcq-together-{cross_evidence.sample}",
                lambda: pd.DataFrame(rows),
                key="overlap_together_download",
            )
