"""What is chosen for an investigation: kind, models, controls, terms. The address remembers it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq import methods
from dcq.asking.options import Terms
from dcq.errors import DcqError
from dcq.investigation import walk
from dcq.investigation.state import of_choice, open_record
from dcq.quiz import choice as choosing
from dcq.quiz.choice import KINDS, Choice
from dcq.records import Kind
from dcq.store import Store, samples
from dcq.store.investigations import Investigation
from dcq.ui import links, notice
from dcq.ui import terms as limits
from dcq.ui.ask import Start
from dcq.ui.investigate import offers, price
from dcq.ui.investigate.offers import CONTROLS
from dcq.ui.investigate.price import Told
from dcq.ui.investigate.words import control_names
from dcq.ui.names import kind_name

SAMPLE, MODELS = "investigate_sample", "investigate_models"
_KIND, _METHODS = "investigate_kind", "investigate_methods"


def choose_kind(known: Sequence[Investigation]) -> Kind:
    """The quiz with originals; that of the newest investigation of the sample at first."""
    named = {kind_name(kind): kind for kind in KINDS}
    chosen = st.segmented_control(
        "Quiz with originals",
        list(named),
        default=kind_name(known[0].kind if known else Kind.STANDARD),
        required=True,
        key=_KIND,
        bind="query-params",
        help="Standard: the original in the slot that the model chooses least. Rotated: the "
        "original once in each slot, four calls an instance, so that no slot matters.",
    )
    return named[str(chosen)]


def choose_methods(known: Sequence[Investigation]) -> list[str]:
    """Further methods, by name; those of the newest investigation of the sample at first."""
    named = {method.title: method.name for method in methods.beside_the_quiz()}
    before = known[0].methods if known else ()
    chosen = st.pills(
        "And by",
        list(named),
        selection_mode="multi",
        default=[title for title, name in named.items() if name in before],
        key=_METHODS,
        bind="query-params",
        help="Further methods, asked of the target and of each control after the quizzes. Their "
        "verdicts stand beside the quiz's, and all are corrected together.",
    )
    return [named[title] for title in chosen]


def first_models(known: Sequence[Investigation]) -> list[str]:
    """The models of the newest investigation of the sample."""
    return [one.model for one in same_choice(known)]


def same_choice(known: Sequence[Investigation]) -> list[Investigation]:
    """Of investigations of one sample, newest first, those that ask what the newest asks."""
    if not known:
        return []
    first = known[0]
    choice = Choice(first.sample, first.kind, first.controls, first.methods)
    return [one for one in known if of_choice(one, choice)]


def choose_controls(
    store: Store,
    sample_id: str,
    kind: Kind,
    others: Sequence[str],
    known: Sequence[Investigation],
) -> Choice | None:
    """A picker over the controls that fit or, where none does, those of other tasks, with offers of
    more. Returns the choice with the ``others`` methods; None, and says what to do, while no
    control is chosen or variants are being written."""
    target = samples.load(store, sample_id)
    fitting = choosing.fitting(store, target.partition)
    if offers.show_writing(store, target, fitting):
        return None
    listed = fitting or choosing.of_other_tasks(store, target.partition)
    named = control_names(listed)
    newest = known[0] if known else None
    usual = [
        one.id
        for one in choosing.usual(listed)
        # those of the newest investigation, and what was drawn since; of another task none unasked
        if (newest and one.id in newest.controls)
        or (fitting and (newest is None or one.made_at > newest.made_at))
    ]
    written = sum(bool(one.with_variants) for one in listed)
    key = f"{CONTROLS}_{target.id}_{written}"
    links.take_some(key, CONTROLS, list(named), usual)
    chosen: list[str] = []
    row = st.container(horizontal=True, vertical_alignment="bottom")
    if listed:
        with row:
            chosen = st.multiselect(
                "Controls" if fitting else "Controls of another task",
                list(named),
                format_func=named.__getitem__,
                placeholder="Choose at least one" if fitting else "None",
                key=key,
                persist_state="page",
                help="Texts that the model cannot have seen; the target is compared with them. A "
                "verdict needs some of the same task and language.",
            )
    offers.show(store, target, fitting, row)
    links.put_some(CONTROLS, chosen)
    if not chosen:
        return None
    try:
        choice = choosing.choose(store, target.id, kind, chosen, others)
    except DcqError as error:
        notice.warning(error, icon=":material/block:")
        return None
    if sentence := choosing.caution(store, choice):
        notice.warning(sentence, icon=":material/balance:")
    return choice


def choose_terms(known: Sequence[Investigation]) -> Terms:
    """How many instances, and the budget of a model; at first as in the newest investigation."""
    newest = known[0] if known else None
    row = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
    limit = limits.choose_limit(
        row,
        key="investigate_share",
        pilot=newest is not None and newest.limit == limits.PILOT,
    )
    budget = limits.choose_budget(
        row,
        "Budget a model, USD, for all steps",
        key="investigate_budget",
        first=newest.budget_usd if newest else None,
    )
    return Terms(limit, budget)


def start(store: Store, choice: Choice, told: Told, models: Sequence[str], terms: Terms) -> Start:
    """The one button, named after what it will do."""
    goes_on = any(open_record(store, choice, need.model, terms.limit) for need in told.needs)
    label = "Continue" if goes_on else "Investigate"
    if not sum(need.calls for need in told.needs):
        label = "Show the finding"
    return Start(
        key="investigate_start",
        label=label,
        begin=lambda: [one.id for one in walk.begin(store, choice, models, terms)],
        unless=told.unready,
        beside=price.sentence(told.needs),
    )
