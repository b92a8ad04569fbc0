"""Having variants written: the writer, all missing ones at once, and the progress."""

from __future__ import annotations

import streamlit as st

from dcq import settings
from dcq.asking import launch
from dcq.asking.estimate import Estimate
from dcq.asking.options import Options
from dcq.jobs.state import State
from dcq.models.batch import PRICE_SHARE
from dcq.models.endpoints import Endpoint, resolve
from dcq.quiz.coverage import Tally
from dcq.store import Store, results
from dcq.store.samples import StoredSample
from dcq.ui import ask, live, models, people, roles, run_card, terms
from dcq.ui.names import listed_partitions
from dcq.ui.run_card import MethodCard
from dcq.ui.text import plain
from dcq.ui.variants import balancing
from dcq.variants import offline, reword, rewording
from dcq.variants.freeze import SLOTS, lacking_slots
from dcq.variants.method import REWORDING
from dcq.variants.prompts import Protocol
from dcq.variants.reword import RewordingDesign
from dcq.variants.rewording import Rewording
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
    """The panel: the rewording in progress, or what became of it and the form that starts one."""
    if show_state(store, sample.id):
        st.caption("Finished ones can be reviewed below.")
        return
    newest = rewording.state(store, sample.id)
    missing = (
        f"{tally.missing:,} variants are missing" if tally.missing else "Have variants written"
    )
    with st.expander(missing, expanded=bool(tally.missing), icon=":material/edit_note:"):
        if newest and newest.state is State.FINISHED and newest.notes:
            st.caption(plain(" ".join(newest.notes[:_NOTES])))
        _ask(store, sample, tally)


def show_state(store: Store, sample_id: str) -> bool:
    """The newest rewording while it writes, drawn again each second, or where it stopped short;
    returns whether it writes."""
    newest = rewording.state(store, sample_id)
    if newest and newest.state.live:
        live.show(store, lambda store: _draw(store, sample_id))
        return True
    if newest and newest.state is not State.FINISHED:
        _card(store, newest)
    return False


def is_live(store: Store, sample_id: str) -> bool:
    """Whether variants of the sample are being written."""
    newest = rewording.state(store, sample_id)
    return newest is not None and newest.state.live


def writer() -> Endpoint | None:
    """The writer of a single variant: the chosen model, None for the offline generator. Raises
    ModelChoiceError if the model cannot be used as named."""
    name = model()
    return resolve(name, settings.load()) if name is not None else None


def protocol() -> Protocol:
    """The protocol whose prompt the chosen model is asked with."""
    return Protocol(st.session_state.get("variants_prompt") or Protocol.V1)


def needed_role() -> roles.Role:
    """The role needed to have variants written: a model costs money, the generator does not."""
    return roles.Role.ANNOTATOR if model() is None else roles.Role.RUNNER


def check(store: Store) -> None:
    """Raise InputError if the user may not name the chosen writer."""
    if name := model():
        models.check(store, name)


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
            models.offer_names()
        _ask_prompt()
    else:
        which.caption(plain(not_offline or _WEAKER))
    candidates = balancing.ask_candidates()
    again = st.checkbox(
        "Write all again, not only what is missing",
        key="variants_again",
        help="The current variants stay in the history of each instance.",
    )
    chosen = None
    if name := model():
        chosen = terms.choose([name], page="variants")
    count = len(sample.instances) * SLOTS if again else tally.missing
    said = ""
    if candidates > SLOTS or (name and chosen):  # else there is no need to look
        lacking = lacking_slots(store, sample, candidates, again=again)
        count = sum(map(len, lacking.values()))
        if name and chosen:
            said = _say_price(sample, name, chosen, lacking)
    some = chosen is not None and chosen.terms.limit is not None
    what = "texts" if candidates > SLOTS else "variants"
    label = f"Write {'all' if again else 'the'} {count:,} {'' if again else 'missing '}{what}"
    if some:
        label = f"Write variants for up to {terms.PILOT} instances"
    design = RewordingDesign(candidates=candidates, protocol=protocol(), again=again)

    def begin() -> list[str]:
        check(store)
        options = chosen or Options(author=people.known_author())
        return [rewording.start(store, sample.id, name, design, options)]

    ask.offer(
        ask.Start(
            key="variants_write",
            label=label if count else "Nothing is missing",
            begin=begin,
            said=[said] if said else [],
            unless=(by == OFFLINE and not_offline) or not count,
            role=needed_role(),
            icon=":material/edit:",
        )
    )


def _say_price(
    sample: StoredSample, model: str, chosen: Options, lacking: dict[str, list[int]]
) -> str:
    """What asking costs, as one line below the inputs; empty where nothing is asked."""
    first = dict(list(lacking.items())[: chosen.terms.limit])
    estimate = reword.estimate(model, sample.instances, first, protocol())
    if not estimate.calls:
        return ""
    share = PRICE_SHARE if chosen.by_batch else 1.0
    return f"{say_cost(estimate, share)}, more if replies lack variants."


def say_cost(estimate: Estimate, share: float = 1.0) -> str:
    """What asking takes, in words; ``share`` of the list price."""
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
    now = rewording.state(store, sample_id)
    if now is None:
        return False
    _card(store, now)
    st.progress(min(1.0, now.done / max(now.planned, 1)))
    live.promise()
    return now.state.live


def _card(store: Store, now: Rewording) -> None:
    place = listed_partitions([now.asked])[now.asked.partition]
    timed = results.latency(store, [now.run]).get(now.run)
    run_card.show(store, now.asked, now.state, _method_card(now), place=place, timed=timed)


def _method_card(now: Rewording) -> MethodCard:
    return MethodCard(
        what=lambda run: "rewording",
        so_far=lambda run: f"{now.done:,} of {now.planned:,} variants written",
        unusable="without a usable text",
        reasons_title="Why variants are lacking",
        role=roles.Role.RUNNER if now.writer else roles.Role.ANNOTATOR,
        resume=lambda store, run, allowed, all_of_it: launch.resume(store, REWORDING, run, allowed),
        result_button=lambda run, state: None,
    )
