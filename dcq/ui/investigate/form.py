"""The form for an investigation: kind, models, controls, limits, all remembered by the address; and
controls that one click draws or makes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dcq import methods, settings
from dcq.asking.options import Terms
from dcq.errors import DcqError
from dcq.evidence.controls import MANY
from dcq.investigation import corpus_scan, evidence_order, more_controls, walk
from dcq.investigation.control_sizes import SMALL
from dcq.investigation.state import of_choice, open_record
from dcq.models.endpoints import resolve
from dcq.quiz import choice as choosing
from dcq.quiz.choice import KINDS, QuizChoice
from dcq.records import QuizKind
from dcq.store import Store, samples, variants
from dcq.store.investigations import Investigation
from dcq.store.samples import ListedSample, StoredSample
from dcq.ui import action, links, notice, page, roles
from dcq.ui import run_limits as limits
from dcq.ui.investigate import price
from dcq.ui.investigate.price import StartConditions, control_names
from dcq.ui.result_names import kind_name
from dcq.ui.roles import UserRole
from dcq.ui.start_button import Start
from dcq.ui.text import plain
from dcq.ui.variants import writing
from dcq.variants import control_writing, offline, placebo_writing
from dcq.variants.placebo_writing import PlaceboWriter

SAMPLE, MODELS = "investigate_sample", "investigate_models"
_KIND, _METHODS = "investigate_kind", "investigate_methods"


def choose_kind(investigations: Sequence[Investigation]) -> QuizKind:
    """The kind of quiz with originals; at first that of the newest investigation of the sample."""
    named = {kind_name(kind): kind for kind in KINDS}
    chosen = st.segmented_control(
        "Quiz with originals",
        list(named),
        default=kind_name(investigations[0].kind if investigations else QuizKind.STANDARD),
        required=True,
        key=_KIND,
        bind="query-params",
        help="Standard: the original in the slot that the model chooses least. Rotated: the "
        "original once in each slot, four calls an instance, so that no slot matters.",
    )
    return named[str(chosen)]


def choose_methods(
    store: Store,
    sample_id: str,
    models: Sequence[str],
    investigations: Sequence[Investigation],
) -> list[str]:
    """Further methods, by name; at first those that all ``models`` are known to allow, or those of
    the newest investigation of the sample."""
    allowed = _allowed(store, sample_id, models, surely=False)
    if not allowed:
        return []
    named = {methods.named(name).title: name for name in allowed}
    before = (
        investigations[0].methods
        if investigations
        else _allowed(store, sample_id, models, surely=True)
    )
    chosen = st.pills(
        "And by",
        list(named),
        selection_mode="multi",
        default=[title for title, name in named.items() if name in before],
        key=f"{_METHODS}_{'_'.join(allowed)}",
        bind="query-params",
        help="Further methods, asked of the target and of each control after the quizzes, until "
        "the answer is clear. One answer is made of all of them, with weights that are kept before "
        "the first reply.",
    )
    return [named[title] for title in chosen]


def _allowed(
    store: Store, sample_id: str, models: Sequence[str], *, surely: bool
) -> tuple[str, ...]:
    """What all of the ``models`` can be asked by, in the order in which it is asked."""
    return _usable(str(store.path), samples.state(store), sample_id, tuple(models), surely=surely)


@st.cache_data(max_entries=16, ttl=60, show_spinner=False)  # a key may be set meanwhile
def _usable(
    path: str, state: tuple[int, ...], sample_id: str, models: tuple[str, ...], *, surely: bool
) -> tuple[str, ...]:
    """``state`` is only part of the cache key."""
    store = Store(Path(path))
    shared_methods: tuple[str, ...] | None = None
    for model in models:
        try:
            endpoint = resolve(model, settings.load())
            model_methods = evidence_order.usable(store, sample_id, endpoint, surely=surely)
        except DcqError:  # said where it is started
            continue
        shared_methods = (
            model_methods
            if shared_methods is None
            else tuple(name for name in shared_methods if name in model_methods)
        )
    return shared_methods or ()


def first_models(investigations: Sequence[Investigation]) -> list[str]:
    """The models of the newest investigation of the sample."""
    return [investigation.model for investigation in same_choice(investigations)]


def same_choice(investigations: Sequence[Investigation]) -> list[Investigation]:
    """The investigations of a sample that have the same design as the newest, newest first."""
    if not investigations:
        return []
    first = investigations[0]
    choice = QuizChoice(first.sample, first.kind, first.controls, first.methods)
    return [investigation for investigation in investigations if of_choice(investigation, choice)]


def choose_controls(
    store: Store,
    sample_id: str,
    kind: QuizKind,
    others: Sequence[str],
    models: Sequence[str],
    investigations: Sequence[Investigation],
) -> QuizChoice | None:
    """A picker over the controls that fit or, where none does, those of other tasks, with offers of
    more, newer texts than the ``models`` first. Returns the choice with the ``others`` methods;
    None, with advice on the screen, while no control is chosen or variants are being written."""
    target = samples.load(store, sample_id)
    fitting = choosing.fitting(store, target.partition)
    if show_writing(store, target, fitting):
        return None
    listed_samples = fitting or choosing.of_other_tasks(store, target.partition)
    named = control_names(listed_samples)
    newest = investigations[0] if investigations else None
    of_this_writer = choosing.usual_for(store, target.id)
    usual = [
        sample.id
        for sample in choosing.usual(listed_samples)
        # those of the newest investigation, and what was drawn since; of another task none unasked
        if (newest and sample.id in newest.controls)
        or (sample.id in of_this_writer and (newest is None or sample.made_at > newest.made_at))
    ]
    written_in_the_run = control_writing.lacking(store, target.id, list(named))
    written = sum(
        bool(listed_sample.with_variants) or listed_sample.id in written_in_the_run
        for listed_sample in listed_samples
    )
    key = f"{CONTROLS}_{target.id}_{written}"
    links.take_some(key, CONTROLS, list(named), usual)
    chosen: list[str] = []
    if sentence := choosing.newer_texts(store, target.id, models):
        notice.info(sentence, icon=":material/event:")
    row = st.container(horizontal=True, vertical_alignment="bottom")
    if listed_samples:
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
    offer_controls(store, target, fitting, row, chosen)
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


def choose_terms(investigations: Sequence[Investigation]) -> Terms:
    """How many instances, and the budget of each model; at first as in the newest investigation."""
    newest = investigations[0] if investigations else None
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


def start(
    store: Store,
    choice: QuizChoice,
    start_conditions: StartConditions,
    models: Sequence[str],
    terms: Terms,
) -> Start:
    """The start button, labelled with the action that it starts."""
    goes_on = any(
        open_record(store, choice, model, terms.limit)
        for model in dict.fromkeys(need.model for need in start_conditions.needs)
    )
    label = "Continue" if goes_on else "Investigate"
    if not sum(need.calls for need in start_conditions.needs):
        label = "Show the finding"
    return Start(
        key="investigate_start",
        label=label,
        remarks=[f"The sample is searched for in the corpus {corpus_scan.corpus_name()} too, free."]
        * bool(corpus_scan.corpus_name()),
        begin=lambda: [
            investigation.id for investigation in walk.begin(store, choice, models, terms)
        ],
        unless=start_conditions.unready,
        side_text=price.sentence(start_conditions.needs),
    )


CONTROLS = "investigate_controls"


def show_writing(store: Store, target: StoredSample, fitting: Sequence[ListedSample]) -> bool:
    """The target or its placebo while variants of it are written, or after that stopped early;
    returns whether they are being written."""
    new_sample = _placebo_of(target, fitting)
    for sample_id in (target.id, *([new_sample.id] if new_sample else [])):
        if writing.show_state(store, sample_id):
            st.caption("Then this page goes on by itself.")
            return True
    return False


def offer_controls(
    store: Store,
    target: StoredSample,
    fitting: Sequence[ListedSample],
    row: DeltaGenerator,
    chosen: Sequence[str],
) -> None:
    """Offers of controls, in ``row`` beside the picker: ten small bundled ones that the target's
    writer rewords, or those of the target's task that come with rewordings and are not drawn yet; a
    placebo if there are none and the store has few; bundled controls of another task if nothing
    fits at all."""
    task, language = target.partition.task, target.partition.language
    small = more_controls.propose_small(store, target.id)
    pairs = () if small else more_controls.bundled(store, task, language)
    if not fitting:
        notice.info(
            f"The store has no control of this task and language ({task}, {language}), and without "
            "one there is no verdict.",
            icon=":material/science:",
        )
    if small:
        with row:
            _offer_small(store, target, small, chosen, primary=not fitting)
    elif pairs:
        with row:
            _offer_bundled(store, pairs, "", primary=not fitting)
    elif len(fitting) < MANY and _placebo_of(target, fitting) is None:
        _offer_placebo(store, target, primary=not fitting)
    if not fitting and not pairs and not small and (others := more_controls.nearest(store, target)):
        _offer_bundled(store, others, " of another task", primary=False)
    if sentence := choosing.left_out(store, target.id, [sample.id for sample in fitting]):
        st.caption(plain(sentence))


def _placebo_of(target: StoredSample, fitting: Sequence[ListedSample]) -> ListedSample | None:
    return next((sample for sample in fitting if sample.placebo_of == target.id), None)


def _offer_small(
    store: Store,
    target: StoredSample,
    sources: Sequence[more_controls.SmallSource],
    chosen: Sequence[str],
    *,
    primary: bool,
) -> None:
    """A button that adds small controls to the ``chosen`` ones."""
    noun = "control" if len(sources) == 1 else "controls"
    writer = placebo_writing.writer_of(store, target.id)
    who = "the offline generator" if writer is None or writer.model is None else writer.model

    def draw() -> None:
        drawn = more_controls.draw_small(store, sources, author=roles.known_author())
        st.query_params[CONTROLS] = [*chosen, *drawn]

    action.button(
        f"Add {len(sources)} small {noun}",
        draw,
        key="investigate_small",
        icon=":material/add:",
        kind="primary" if primary else "secondary",
        role=UserRole.ANNOTATOR,
        tip=f"{SMALL} instances each, of different sources, which no model has seen. "
        f"When you start, {who} rewords them like the target; the price below includes that. Ten "
        "of them find more than three large controls, for the same calls.",
    )


def _offer_bundled(
    store: Store, pairs: Sequence[tuple[str, str]], other: str, *, primary: bool
) -> None:
    """``other`` ends the label of controls that do not fit; of others it is empty."""
    noun = "control" if len(pairs) == 1 else "controls"

    def draw() -> None:
        drawn = more_controls.draw_bundled(store, pairs, author=roles.known_author())
        if other:  # they are not chosen by themselves
            st.query_params[CONTROLS] = drawn
        else:
            links.forget(CONTROLS)

    action.button(
        f"Draw {len(pairs)} bundled {noun}{other}",
        draw,
        key="investigate_draw",
        icon=":material/add:",
        kind="primary" if primary else "secondary",
        role=UserRole.ANNOTATOR,
        tip="Texts that come with dcq, with their variants, and that no model has seen."
        + (" Against these a conclusion stays undecided: they show habits only." if other else ""),
    )


def _offer_placebo(store: Store, target: StoredSample, *, primary: bool) -> None:
    """A button that makes the placebo and has its variants written by the target's writer, with the
    cost; a link where that writer cannot be called from here."""
    if not variants.current(store, target.id):
        page.link("variants", "Write the variants of the sample first", variants_sample=target.id)
        return
    writer = placebo_writing.writer_of(store, target.id)
    if writer is None or (writer.model is None and offline.unavailable(target.partition.language)):
        if primary:
            page.link("variants", "Make a placebo of the sample", variants_sample=target.id)
        return
    terms = Terms()
    with st.container(gap="xsmall"):
        st.caption(
            "A placebo is a control made of the sample itself: one variant of each instance plays "
            "the original, and new variants of it are written "
            + plain(f"by {writer.model or 'the offline generator'}. ")
            + _cost(store, target, writer)
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if writer.model is not None:
                budget = limits.choose_budget(
                    st.container(), "Budget of the writing, USD", key="investigate_placebo_budget"
                )
                terms = Terms(budget_usd=budget)

            def start() -> None:
                placebo_writing.start(store, target.id, writer, terms, author=roles.known_author())
                links.forget(CONTROLS)

            action.button(
                "Make a placebo and write its variants",
                start,
                key="investigate_placebo",
                icon=":material/balance:",
                kind="primary" if primary else "secondary",
                role=UserRole.ANNOTATOR if writer.model is None else UserRole.RUNNER,
            )


def _cost(store: Store, target: StoredSample, writer: PlaceboWriter) -> str:
    if writer.model is None:
        return "This is free of charge and takes seconds."
    try:
        estimate = placebo_writing.estimate(store, target.id, writer)
    except DcqError as error:
        return plain(str(error))
    return f"{writing.say_cost(estimate)}, more if replies lack variants."
