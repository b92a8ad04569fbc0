"""What is chosen for an investigation: kind, models, controls, terms. The address remembers it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dcq.asking.prepare import Terms
from dcq.errors import DcqError
from dcq.quiz import choice as choosing
from dcq.quiz.choice import KINDS, Choice
from dcq.quiz.investigation_price import Need
from dcq.quiz.investigation_state import open_record
from dcq.records import Kind
from dcq.report import more_controls
from dcq.store import Store, samples
from dcq.store.investigations import Investigation
from dcq.store.samples import StoredSample
from dcq.ui import links, notice, page, people, roles
from dcq.ui import terms as limits
from dcq.ui.investigate.words import control_names
from dcq.ui.names import kind_name
from dcq.ui.text import plain

SAMPLE, MODELS = "investigate_sample", "investigate_models"
_KIND, _CONTROLS = "investigate_kind", "investigate_controls"


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


def first_models(known: Sequence[Investigation]) -> list[str]:
    """The models of the newest investigation of the sample."""
    return [one.model for one in same_choice(known)]


def same_choice(known: Sequence[Investigation]) -> list[Investigation]:
    """Of investigations of one sample, newest first, those that ask what the newest asks."""
    if not known:
        return []
    wanted = known[0].kind, set(known[0].controls)
    return [one for one in known if (one.kind, set(one.controls)) == wanted]


def choose_controls(
    store: Store, sample_id: str, kind: Kind, known: Sequence[Investigation]
) -> Choice | None:
    """A picker over the controls that fit; None, and what to do, while there is none."""
    target = samples.load(store, sample_id)
    fitting = choosing.fitting(store, target.partition)
    named = control_names(fitting)
    usual = [
        one.id
        for one in choosing.usual(fitting)
        # those of the newest investigation, and what was drawn since
        if not known or one.id in known[0].controls or one.made_at > known[0].made_at
    ]
    key = f"{_CONTROLS}_{target.id}_{len(named)}"
    links.take_some(key, _CONTROLS, list(named), usual)
    chosen: list[str] = []
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if fitting:
            chosen = st.multiselect(
                "Controls",
                list(named),
                format_func=named.__getitem__,
                placeholder="Choose at least one",
                key=key,
                persist_state="page",
                help="Texts of the same task and language that the model cannot have seen. The "
                "target is compared with them.",
            )
        _offer_bundled(store, target, alone=not fitting)
    links.put_some(_CONTROLS, chosen)
    if not chosen:
        return None
    try:
        return choosing.choose(store, target.id, kind, chosen)
    except DcqError as error:
        notice.warning(error, icon=":material/block:")
        return None


def _offer_bundled(store: Store, target: StoredSample, *, alone: bool) -> None:
    """Bundled control texts that are not drawn yet, by one click; where there is no control at all
    (``alone``), that is said, and where there is nothing to draw, what else can be done."""
    task, language = target.partition.task, target.partition.language
    pairs = more_controls.bundled(store, task, language)
    if alone:
        notice.info(
            f"The store has no control of this task and language ({task}, {language}), and without "
            "one there is no verdict.",
            icon=":material/science:",
        )
    if not pairs:
        if alone:
            page.go("variants", "Make a placebo of the sample", variants_sample=target.id)
        return
    lack = roles.lacks(roles.Role.ANNOTATOR)
    noun = "control" if len(pairs) == 1 else "controls"
    if st.button(
        f"Draw {len(pairs)} bundled {noun}",
        type="primary" if alone else "secondary",
        icon=":material/add:",
        key="investigate_draw",
        disabled=bool(lack),
        help=lack or "Texts that come with dcq, with their variants, and that no model has seen.",
    ):
        try:
            roles.require(roles.Role.ANNOTATOR)
            more_controls.draw_bundled(store, pairs, author=people.known_author())
        except DcqError as error:
            notice.error(error)
        else:
            links.forget(_CONTROLS)
            st.rerun()


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


def start_button(
    store: Store, choice: Choice, told: Sequence[Need], terms: Terms, unready: str
) -> bool:
    """The one button, named after what it will do."""
    models = dict.fromkeys(need.model for need in told)
    goes_on = any(open_record(store, choice, model, terms.limit) for model in models)
    label = "Continue" if goes_on else "Investigate"
    if not sum(need.calls for need in told):
        label = "Show the finding"
    lack = roles.lacks(roles.Role.RUNNER) or unready or None
    return st.button(
        label,
        type="primary",
        icon=":material/play_arrow:",
        key="investigate_start",
        disabled=bool(lack),
        help=lack and plain(lack),
    )
