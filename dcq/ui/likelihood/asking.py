"""The form for likelihoods: texts, models, cost, and the start button."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dcq.asking import launch, prepare
from dcq.asking.options import Options
from dcq.errors import DcqError, InputError
from dcq.likelihood.cut import LikelihoodCut, cut
from dcq.likelihood.detection import freeze
from dcq.likelihood.estimate import embedded_seconds, estimates
from dcq.likelihood.measures import MEASURES, LikelihoodMeasure, ScoringContext, choose
from dcq.likelihood.method import METHOD, PROMPT, LikelihoodTask
from dcq.models import embedded
from dcq.models.presets import EMBEDDED
from dcq.store import Store
from dcq.store.samples import StoredSample
from dcq.ui import model_picker, notice, page, run_limits, start_button
from dcq.ui.run_card import duration
from dcq.words import counted, usd_words

_AFTER = {
    measure.name: measure.title
    for measure in MEASURES
    if measure.context is not ScoringContext.ALONE
}


def show(store: Store, sample: StoredSample) -> None:
    """The form, the price and the button."""
    try:
        cut(store, sample.id, choose(None))
    except InputError:
        st.info(
            "No instance of this sample has a usable rewording to compare it with.",
            icon=":material/edit_note:",
        )
        page.link("variants", "Write the variants", variants_sample=sample.id)
        return
    measures = _choose_measures()
    chosen = model_picker.choose(store, key="likelihood_models", first=[EMBEDDED])
    _say_what_fits(chosen)
    options = run_limits.choose(chosen, page="likelihood", batches=False)
    try:
        likelihood_cut = cut(store, sample.id, measures)
    except InputError as error:
        notice.warning(error)
        page.link("dataset", "Draw a sample")
        return
    _say_what(likelihood_cut, sample)
    if not start_button.has_models(chosen):
        return
    task = LikelihoodTask(likelihood_cut.requests, measures, sample.partition.language)
    _show_price(chosen, task, options)
    count = len(chosen)
    start_button.offer(
        start_button.Start(
            panel="likelihood",
            key="likelihood_start",
            label=f"Score in {count} runs" if count > 1 else "Score the texts",
            begin=lambda: launch.begin(
                store, METHOD, [freeze(store, sample.id, measures)], chosen, options
            ),
            obstacles=prepare.unready(((METHOD, model) for model in chosen), options.terms),
        )
    )


def _choose_measures() -> tuple[LikelihoodMeasure, ...]:
    """Those that need no further text scored, and any of the others."""
    alone = [measure for measure in MEASURES if measure.context is ScoringContext.ALONE]
    more = st.pills(
        f"Besides {', '.join(measure.title for measure in alone)}",
        list(_AFTER),
        selection_mode="multi",
        format_func=_AFTER.__getitem__,
        key="likelihood_more",
        persist_state="page",
        help="They score each text once more, ReCaLL after texts of other controls, CoDeC after "
        "another instance of the sample. The mean log-probability alone decides, whatever is "
        "shown beside it.",
    )
    return choose([*(measure.name for measure in alone), *more])


def _say_what_fits(chosen: Sequence[str]) -> None:
    """Which models give log-probabilities, where one is chosen that may not, or none can be."""
    if missing := embedded.missing():
        notice.info(
            f"{missing} Without it, name a model that gives log-probabilities: vllm:NAME, or "
            "likelihood:/path/to/file.gguf.",
            icon=":material/smart_toy:",
        )
    elif any(not _is_local(model) for model in chosen):
        st.caption(
            "A provider has to return a prompt's log-probabilities (`echo` and `logprobs`), as "
            "vLLM does; most chat services do not, and the run then stops at its first call."
        )


def _is_local(model: str) -> bool:
    """Whether a model computes on this machine; one that cannot be reached is said elsewhere."""
    try:
        return not METHOD.endpoint(model).base_url
    except DcqError:
        return True


def _say_what(likelihood_cut: LikelihoodCut, sample: StoredSample) -> None:
    left = len(sample.instances) - len(likelihood_cut.requests)
    words = f"{counted(len(likelihood_cut.requests), 'instance')}, each beside "
    words += counted(likelihood_cut.variants, "rewording")
    notice.caption(f"{words}. {left:,} with fewer are left out." if left else f"{words}.")


def _show_price(chosen: Sequence[str], task: LikelihoodTask, options: Options) -> None:
    rows = [
        {
            "model": model,
            "calls": estimate.calls,
            "cost": usd_words(estimate.cost_usd),
            "tokens_in": estimate.tokens_in,
        }
        for model, estimate in zip(
            chosen, estimates(chosen, task, options.terms.limit), strict=True
        )
    ]
    start_button.show_price(
        pd.DataFrame(rows),
        {
            "model": st.column_config.TextColumn("Model", width=230),
            "calls": st.column_config.NumberColumn("Texts", width=65, format="localized"),
        },
        key="likelihood_estimates",
        alt="What scoring takes: texts, tokens and money, by model.",
        models=chosen,
    )
    if EMBEDDED in chosen:
        seconds = embedded_seconds(task, options.terms.limit)
        st.caption(f"The embedded model takes about {duration(seconds)} of one core here.")
    with st.expander(f"{task.size:,} requests: see what is scored of the first"):
        st.caption(f"{PROMPT.wording} Nothing says which is the original.")
        for text in task.texts(0):
            st.code(text.context + text.text, language=None, wrap_lines=True)
