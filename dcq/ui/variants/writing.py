"""Having variants written: the writer, all missing ones at once, and the progress."""

from __future__ import annotations

import streamlit as st

from dcq import settings
from dcq.asking import launch
from dcq.asking.cost import CostEstimate
from dcq.asking.options import Options
from dcq.jobs.state import RunState
from dcq.models.batch import PRICE_SHARE
from dcq.models.endpoints import Endpoint, resolve
from dcq.quiz.coverage import Tally
from dcq.store import Store, results
from dcq.store.samples import StoredSample
from dcq.ui import model_picker, refresh, roles, run_card, run_limits, start_button
from dcq.ui.result_names import listed_partitions
from dcq.ui.run_card import MethodCard
from dcq.ui.text import plain
from dcq.ui.variants import balancing
from dcq.variants import offline, reword
from dcq.variants.freeze import SLOTS, lacking_slots
from dcq.variants.method import REWORDING
from dcq.variants.prompts import Protocol
from dcq.variants.reword import RewordingDesign, RewordingProgress
from dcq.words import usd_words

OFFLINE, MODEL = "Offline generator (weaker)", "A model"
PROMPTS = {
    Protocol.V1: "Paper (v1)",
    Protocol.V2: "Release (v2)",
    Protocol.PARAPHRASE: "Paraphrase (dcq's)",
}
_WEAKER = (
    "Synonyms from a dictionary, chosen without understanding the sentence. Good for trying things "
    "out; for a result to publish, use a model and read what it wrote."
)
_NOTES = 5  # of the reasons why variants are lacking


def show(store: Store, sample: StoredSample, tally: Tally) -> None:
    """The panel: the progress of a rewording under way, or the outcome of the last one and the form
    that starts another."""
    if show_state(store, sample.id):
        st.caption("Finished ones can be reviewed below.")
        return
    newest = reword.state(store, sample.id)
    missing = (
        f"{tally.missing:,} variants are missing" if tally.missing else "Have variants written"
    )
    with st.expander(missing, expanded=bool(tally.missing), icon=":material/edit_note:"):
        if newest and newest.state is RunState.FINISHED and newest.notes:
            st.caption(plain(" ".join(newest.notes[:_NOTES])))
        _ask(store, sample, tally)


def show_state(store: Store, sample_id: str) -> bool:
    """The newest rewording while it writes, drawn again each second, or after it stopped early;
    returns whether it writes."""
    newest = reword.state(store, sample_id)
    if newest and newest.state.live:
        refresh.show(store, lambda store: _draw(store, sample_id))
        return True
    if newest and newest.state is not RunState.FINISHED:
        _card(store, newest)
    return False


def is_live(store: Store, sample_id: str) -> bool:
    """Whether variants of the sample are being written."""
    newest = reword.state(store, sample_id)
    return newest is not None and newest.state.live


def writer() -> Endpoint | None:
    """The writer of a single variant: the chosen model, None for the offline generator. Raises
    ModelChoiceError if the model cannot be used as named."""
    name = model()
    return resolve(name, settings.load()) if name is not None else None


def protocol() -> Protocol:
    """The protocol whose prompt the chosen model is asked with."""
    return Protocol(st.session_state.get("variants_prompt") or Protocol.V1)


def needed_role() -> roles.UserRole:
    """The role needed to have variants written: a model costs money, the generator does not."""
    return roles.UserRole.ANNOTATOR if model() is None else roles.UserRole.RUNNER


def check(store: Store) -> None:
    """Raise InputError if the user may not name the chosen writer."""
    if name := model():
        model_picker.check(store, name)


def writer_name() -> str:
    """The writer in words."""
    name = model()
    return "the offline generator (weaker)" if name is None else name or "no model yet"


def model() -> str | None:
    """The name of the chosen model as typed; None for the offline generator."""
    if st.session_state.get("variants_by", OFFLINE) == OFFLINE:
        return None
    return (st.session_state.get("variants_model") or "").strip()


def _ask(store: Store, sample: StoredSample, tally: Tally) -> None:
    who, which = st.container(), st.container()  # side by side, one would be cut off
    not_offline = offline.unavailable(sample.partition.language)
    by = who.segmented_control(
        "Written by",
        [OFFLINE, MODEL],
        default=MODEL if not_offline else OFFLINE,
        required=True,
        key="variants_by",
        bind="query-params",
        persist_state="session",
    )
    if by == MODEL:
        with which.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(
                "Model",
                placeholder="gpt-4o, ollama:llama3.1:8b, NAME@https://host/v1",
                key="variants_model",
                persist_state="session",
            )
            model_picker.offer_names()
        _ask_prompt()
    else:
        which.caption(plain(not_offline or _WEAKER))
    candidates = balancing.ask_candidates()
    again = st.checkbox(
        "Write all again, not only what is missing",
        key="variants_again",
        help="The current variants stay in the history of each instance.",
    )
    chosen_options = None
    if name := model():
        chosen_options = run_limits.choose([name], page="variants")
    count = len(sample.instances) * SLOTS if again else tally.missing
    remark = ""
    if candidates > SLOTS or (name and chosen_options):  # else there is no need to look
        lacking = lacking_slots(store, sample, candidates, again=again)
        count = sum(map(len, lacking.values()))
        if name and chosen_options:
            remark = _say_price(sample, name, chosen_options, lacking)
    some = chosen_options is not None and chosen_options.terms.limit is not None
    what = "texts" if candidates > SLOTS else "variants"
    label = f"Write {'all' if again else 'the'} {count:,} {'' if again else 'missing '}{what}"
    if some:
        label = f"Write variants for up to {run_limits.PILOT} instances"
    design = RewordingDesign(candidates=candidates, protocol=protocol(), again=again)

    def begin() -> list[str]:
        check(store)
        options = chosen_options or Options(author=roles.known_author())
        return [reword.start(store, sample.id, name, design, options)]

    start_button.offer(
        start_button.Start(
            key="variants_write",
            label=label if count else "Nothing is missing",
            begin=begin,
            remarks=[remark] if remark else [],
            unless=(by == OFFLINE and not_offline) or not count,
            role=needed_role(),
            icon=":material/edit:",
        )
    )


def _say_price(
    sample: StoredSample, model: str, chosen_options: Options, lacking: dict[str, list[int]]
) -> str:
    """What asking costs, as one line below the inputs; empty where nothing is asked."""
    first = dict(list(lacking.items())[: chosen_options.terms.limit])
    estimate = reword.estimate(model, sample.instances, first, protocol())
    if not estimate.calls:
        return ""
    share = PRICE_SHARE if chosen_options.by_batch else 1.0
    return f"{say_cost(estimate, share)}, more if replies lack variants."


def say_cost(estimate: CostEstimate, share: float = 1.0) -> str:
    """The cost of asking, in words; ``share`` of the list price."""
    usd = None if estimate.cost_usd is None else estimate.cost_usd * share
    calls = "call" if estimate.calls == 1 else "calls"
    return (
        f"About {estimate.calls:,} {calls}, {estimate.tokens_in:,} tokens in and "
        f"{estimate.tokens_out:,} out; cost: {usd_words(usd)}"
    )


def _ask_prompt() -> None:
    st.segmented_control(
        "Asked with the prompt of the",
        list(PROMPTS),
        default=Protocol.V1,
        format_func=PROMPTS.__getitem__,
        required=True,
        key="variants_prompt",
        bind="query-params",
        persist_state="session",
        help="The paper's prompt asks for three variants, so the fourth takes a second request, "
        "whose wording is dcq's. The release's prompt asks for four at once. The request for "
        "paraphrases is dcq's, for studies of what a quiz needs. The prompt is saved with each "
        "variant.",
    )


def _draw(store: Store, sample_id: str) -> bool:
    """The newest rewording; whether it writes."""
    now = reword.state(store, sample_id)
    if now is None:
        return False
    _card(store, now)
    st.progress(min(1.0, now.done / max(now.planned, 1)))
    refresh.promise()
    return now.state.live


def _card(store: Store, now: RewordingProgress) -> None:
    place = listed_partitions([now.asked])[now.asked.partition]
    timed = results.latency(store, [now.run]).get(now.run)
    run_card.show(store, now.asked, now.state, _method_card(now), place=place, timed=timed)


def _method_card(now: RewordingProgress) -> MethodCard:
    return MethodCard(
        what=lambda run: "rewording",
        so_far=lambda run: f"{now.done:,} of {now.planned:,} variants written",
        unusable="without a usable text",
        reasons_title="Why variants are lacking",
        role=roles.UserRole.RUNNER if now.writer else roles.UserRole.ANNOTATOR,
        resume=lambda store, run, allowed, all_of_it: launch.resume(store, REWORDING, run, allowed),
        result_button=lambda run, state: None,
    )
