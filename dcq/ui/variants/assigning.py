"""Assigning two annotators to a share of a sample's instances, and how far they have come."""

from __future__ import annotations

import streamlit as st

from dcq.errors import DcqError, InputError
from dcq.evidence.bootstrap import FEWEST
from dcq.evidence.interval import Interval
from dcq.store import pairs, variants
from dcq.store.pairs import AnnotatorPair
from dcq.store.variants import Decision
from dcq.ui import browser, downloads, notice, roles
from dcq.ui.text import plain
from dcq.ui.variants.curator import Curator
from dcq.variants import annotators
from dcq.variants.annotators import PairAgreement
from dcq.words import interval_words, percent, two_decimals

_FIRST, _SECOND, _SHARE, _SEED = (
    f"variants_two_{name}" for name in ("first", "second", "share", "seed")
)
_TROUBLE = "variants_two_trouble"


def offer(curator: Curator) -> None:
    """An expander: the form, or the two assigned people and how far they agree."""
    pairing = curator.pairing
    active = pairing.active
    with st.expander("Two annotators", icon=":material/group:", key="variants_two"):
        if trouble := st.session_state.pop(_TROUBLE, None):
            notice.error(trouble)
        agreement = pairing.compared()
        if active:
            _tell_progress(curator, active, len(agreement.opinion_pairs) if agreement else 0)
        if agreement is not None and agreement.agreement.n:
            _tell_agreement(curator, agreement)
        if active:
            _offer_end(curator, active)
        else:
            _ask(curator)


def _ask(curator: Curator) -> None:
    st.markdown(
        "Two people decide about the same instances blind to each other's decisions. What they "
        "agree on is decided; where they differ, a third person decides."
    )
    with st.container(horizontal=True):
        for label, key in (("First annotator", _FIRST), ("Second annotator", _SECOND)):
            st.text_input(
                label,
                key=key,
                max_chars=browser.NAME_LIMIT,
                help="The address that they sign in with."
                if roles.shared()
                else "The name that they enter at the top of this page; case and spaces do not "
                "matter.",
            )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.number_input(
            "Per cent of the instances",
            1,
            100,
            20,
            key=_SHARE,
            help="Drawn from the instances that no one has decided about.",
        )
        st.number_input(
            "Seed", 0, 2**31 - 1, 0, key=_SEED, help="The same seed draws the same instances."
        )
        st.button(
            "Assign",
            type="primary",
            icon=":material/group_add:",
            key="variants_two_assign",
            disabled=bool(curator.why_not),
            help=curator.why_not,
            on_click=notice.told(_assign),
            args=(curator,),
        )


def _assign(curator: Curator) -> None:
    if curator.refuses():
        return
    names = tuple(str(st.session_state.get(key) or "") for key in (_FIRST, _SECOND))
    try:
        _check_addresses(names)
        pairs.assign(
            curator.store,
            curator.sample.id,
            (names[0], names[1]),
            st.session_state[_SHARE] / 100,
            seed=int(st.session_state[_SEED]),
            author=curator.author,
            instance_ids=[instance.id for instance in curator.sample.instances],
        )
    except DcqError as error:
        st.session_state[_TROUBLE] = str(error)


def _check_addresses(names: tuple[str, ...]) -> None:
    """On an app with sign-in a display name is anyone's, so only an address names a person."""
    without = [name for name in names if name.strip() and "@" not in name]
    if roles.shared() and without:
        raise InputError(
            f"Users of this app sign in, so name {without[0]} by the e-mail address they use."
        )


def _tell_progress(curator: Curator, pair: AnnotatorPair, done: int) -> None:
    """Who decides about what, and about how much both have; of one's own progress only to them."""
    first, second = map(plain, pair.names)
    current = variants.current(curator.store, curator.sample.id, pair.instances)
    stored_variants = [variant for slots in current.values() for variant in slots.values()]
    own_count = sum(curator.pairing.mine(variant) is not None for variant in stored_variants)
    yours = f", you alone about {own_count:,} more" if own_count else ""
    st.markdown(
        f"**{first}** and **{second}** decide about {len(pair.instances):,} of "
        f"{len(curator.sample.instances):,} instances, drawn with the seed {pair.seed}, without "
        f"seeing each other's decisions. Both have decided about {done:,} of "
        f"{len(stored_variants):,} "
        f"variants{yours}."
    )
    st.caption(f"Assigned by {plain(pair.author)} on {pair.at:%-d %B %Y}.")


def _tell_agreement(curator: Curator, agreement: PairAgreement) -> None:
    """The figures with their intervals, the decisions against each other, and the file."""
    seen_agreement = agreement.agreement
    first, second = agreement.pair.names
    st.dataframe(
        [
            {
                "figure": "Same decision",
                "value": _percent(seen_agreement.share),
                "interval": _range(seen_agreement.interval),
            },
            {
                "figure": "Cohen's κ",
                "value": _number(seen_agreement.kappa),
                "interval": _interval(seen_agreement.kappa_interval),
            },
            {
                "figure": "Krippendorff's α",
                "value": _number(seen_agreement.alpha),
                "interval": _interval(seen_agreement.alpha_interval),
            },
        ],
        hide_index=True,
        width="stretch",
        key="variants_two_figures",
        alt="Percent agreement, Cohen's kappa and Krippendorff's alpha, each with its interval.",
        column_config={"figure": "", "value": "Value", "interval": "95 % interval"},
    )
    st.dataframe(
        [
            {"first": f"{first}: {decision}"}
            | {
                other.value: sum(
                    (opinion.decision, two.decision) == (decision, other)
                    for opinion, two in agreement.opinion_pairs.values()
                )
                for other in (Decision.ACCEPTED, Decision.REJECTED)
            }
            for decision in (Decision.ACCEPTED, Decision.REJECTED)
        ],
        hide_index=True,
        width="stretch",
        key="variants_two_table",
        alt="How often each decision of one annotator met each of the other.",
        column_config={
            "first": "",
            "accepted": f"{second}: accepted",
            "rejected": f"{second}: rejected",
        },
    )
    st.caption(
        f"n: {seen_agreement.n:,} variants; instances: {seen_agreement.units:,}. Whole instances "
        "are resampled; "
        f"there is no interval for fewer than {FEWEST} of them, or if the decisions are too alike."
    )
    downloads.offer_table(
        "Both opinions",
        f"dcq-opinions-{curator.sample.id}",
        lambda: annotators.frame(curator.store, curator.sample.id),
        key="variants_two_download",
        suffixes=(".csv",),
    )


def _offer_end(curator: Curator, pair: AnnotatorPair) -> None:
    with st.popover("End the assignment", icon=":material/group_off:", type="tertiary"):
        st.markdown(
            "What the two have not both decided about, and what they differ on, is then open to "
            "everyone. What each said before both had decided stays unseen."
        )
        st.button(
            "End it",
            key=f"variants_two_end_{pair.seq}",
            disabled=bool(curator.why_not),
            help=curator.why_not,
            on_click=notice.told(_end),
            args=(curator,),
        )


def _end(curator: Curator) -> None:
    if not curator.refuses():
        pairs.end(curator.store, curator.sample.id, curator.author)


def _percent(share: float | None) -> str:
    return "no value" if share is None else percent(share, 1)


def _range(limits: Interval | None) -> str:
    return "none" if limits is None else f"{percent(limits.low)} to {percent(limits.high)}"


def _number(value: float | None) -> str:
    return "no value" if value is None else two_decimals(value)


def _interval(limits: Interval | None) -> str:
    return "none" if limits is None else interval_words(*limits)
