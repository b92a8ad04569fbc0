"""What the contamination did to the score: originals against rewordings, above clean models."""

import streamlit as st

from dcq.effect import stored
from dcq.ui import links, page
from dcq.ui.effect import bringing, result

BENCHMARK = "effect_benchmark"

store = page.start(
    "Effect",
    "Whether a score is inflated: originals against rewordings, above what clean models lose.",
)
links.recall(BENCHMARK)
effects = {one.score_set.benchmark: one for one in stored.all_stored(store)}
if effects:
    links.take(BENCHMARK, effects)
    chosen = st.selectbox("Benchmark", list(effects), key=BENCHMARK)
    links.put(BENCHMARK, chosen)
    links.remember(BENCHMARK)
    result.show(effects[chosen])
else:
    st.info(
        "No scores yet. Export originals and accepted rewordings as a benchmark, run it on the "
        "model and on at least three clean ones, and bring the logs here.",
        icon=":material/trending_down:",
    )
with st.expander("Bring scores", icon=":material/upload:", expanded=not effects):
    bringing.show(store)
