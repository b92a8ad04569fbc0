"""What the contamination did to the score: originals against rewordings, above clean models."""

import streamlit as st

from dcq.effect import stored
from dcq.ui import links, page, run_panel
from dcq.ui.effect import asking, bringing, result

BENCHMARK = "effect_benchmark"

store = page.start(
    "Effect",
    "Whether a score is inflated: originals against rewordings, above what clean models lose.",
)
links.recall(BENCHMARK, asking.SAMPLE)
if page.arrived():
    run_panel.forget(asking.PAGE)


def read(benchmark: str) -> None:
    """Show the scores of a benchmark."""
    run_panel.forget(asking.PAGE)
    st.session_state[BENCHMARK] = benchmark


effects = {effect.score_set.benchmark: effect for effect in stored.all_stored(store)}
if effects:
    chosen = links.choose("Benchmark", [*effects], key=BENCHMARK)
    links.remember(BENCHMARK)
    result.show(effects[chosen])
else:
    st.info(
        "No scores yet. Ask the model and at least three clean ones below, or export originals and "
        "accepted rewordings as a benchmark, run it elsewhere, and bring the logs here.",
        icon=":material/trending_down:",
    )
with st.expander("Bring scores", icon=":material/upload:", expanded=not effects):
    bringing.show(store)
with st.expander(
    "Ask models", icon=":material/smart_toy:", expanded=not effects or asking.is_under_way(store)
):
    asking.show(store, read)
