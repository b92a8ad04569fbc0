"""Published or foreign results, analysed again without asking any model."""

import json
from pathlib import Path

import streamlit as st

from dcq.audit.release import AuditedRelease
from dcq.errors import DcqError
from dcq.ui import downloads, glossary, notice, page
from dcq.ui.audit import answers, release

store = page.start(
    "Audit", "Check published answers, or your own from another tool. No model is asked."
)
headline = st.container()
path = answers.choose(store, key="audit_path")
if path is None:
    with headline:
        st.info(
            "Upload a result file: the csv that the quiz's authors publish, or a csv with one "
            "answer per row. It is checked for broken questions and for options that give the "
            "original away, and compared with control partitions.",
            icon=":material/upload_file:",
        )
    answers.explain(expanded=True)
    st.stop()

try:
    with st.spinner("Analysing…"):
        audit = answers.analyse(path)
except DcqError as error:
    with headline:
        notice.error(error)
    answers.explain(expanded=True)
    st.stop()

if isinstance(audit, AuditedRelease):
    with headline:
        release.answer(audit)
    release.show(audit)
    terms = release.TERMS
else:
    with headline:
        answers.answer(audit)
    answers.show(audit)
    terms = answers.TERMS

with st.container(horizontal=True, vertical_alignment="center"):
    glossary.offer(terms)
    downloads.offer_file(
        "The analysis as JSON",
        lambda: json.dumps(audit.document(), ensure_ascii=False, indent=1),
        f"{Path(audit.name).stem}-audit.json",
        "application/json",
        key="audit_json",
        icon=":material/download:",
    )
answers.explain(expanded=False)
