"""The opinions of two annotators on a sample, as far as the present user may see them.

Until both have decided about a variant, each sees their own opinion and no one sees the other's.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from dcq.store import Store, opinions, pairs
from dcq.store.opinions import Opinion, Said, Stage
from dcq.store.pairs import AnnotatorPair
from dcq.store.variants import Decision, StoredVariant
from dcq.ui.text import plain
from dcq.variants import annotators as report
from dcq.variants.annotators import Both, PairAgreement
from dcq.variants.curation import Queue, Record

_VERBS = {Decision.ACCEPTED: "accepts", Decision.REJECTED: "rejects"}
_ICONS = {Decision.ACCEPTED: ":material/check:", Decision.REJECTED: ":material/block:"}


@dataclass(frozen=True)
class Pairing:
    """The assignment of a sample to two annotators, None where there never was one; all
    ``opinions`` about it, and in ``opinion_pairs`` those of places that both have decided about.
    ``user_name`` is the user's name in it, if they are one of the two; ``was`` the name of the two
    under which this tab was used before, if it was another."""

    pair: AnnotatorPair | None
    opinions: Said
    opinion_pairs: Both
    user_name: str | None = None
    was: str | None = None

    @property
    def active(self) -> AnnotatorPair | None:
        """The assignment, if it has not ended."""
        return self.pair if self.pair and self.pair.instances else None

    def has(self, instance_id: str) -> bool:
        """Whether an instance is assigned to the two."""
        return self.pair is not None and instance_id in self.pair.instances

    def both(self, variant: StoredVariant) -> tuple[Opinion, Opinion] | None:
        """The opinions of the two about a slot, once both have decided."""
        return self.opinion_pairs.get((variant.instance_id, variant.slot))

    def stage(self, variant: StoredVariant) -> Stage | None:
        """How far the two are with an assigned slot, None where anyone may decide."""
        return opinions.stage(self.both(variant)) if self.has(variant.instance_id) else None

    def mine(self, variant: StoredVariant) -> Opinion | None:
        """The present user's own opinion about a text that is still blind."""
        if self.user_name is None or self.was or self.stage(variant) is not Stage.BLIND:
            return None
        of_slot = self.opinions.get((variant.instance_id, variant.slot), {})
        opinion = of_slot.get((variant.seq, pairs.person(self.user_name)))
        return opinion if opinion and opinion.decision is not Decision.OPEN else None

    def why_not(self, variant: StoredVariant | None) -> str | None:
        """Why the user cannot decide about a variant or rewrite it, None if they can."""
        stage = self.stage(variant) if variant else None
        if self.pair is None or stage in {None, Stage.AGREED}:
            return None
        first, second = self.pair.names
        if self.was:
            return (
                f"You came here as {self.was} in this tab, and {first} and {second} must not see "
                "each other's decisions; open the page in another tab to work under another name."
            )
        if stage is Stage.BLIND and self.user_name is None:
            return f"This is with {first} and {second}, who decide blind."
        if stage is Stage.DIFFER and self.user_name is not None:
            return f"{first} and {second} differ here; a third person decides."
        return None

    def left(self, record: Record) -> list[StoredVariant]:
        """The open variants that the user may decide about and has not yet."""
        return [
            variant
            for variant in record.variants.values()
            if variant.decision is Decision.OPEN and self._is_left(variant)
        ]

    def acceptable(self, record: Record) -> list[StoredVariant]:
        """As ``record.acceptable``, restricted to variants that the user may decide about and has
        not yet. Where two differ, a third person looks at each."""
        return [
            variant
            for variant in record.acceptable
            if self._is_left(variant) and self.stage(variant) is not Stage.DIFFER
        ]

    def _is_left(self, variant: StoredVariant) -> bool:
        return self.why_not(variant) is None and self.mine(variant) is None

    def among(self, records: Sequence[Record], queue: Queue) -> list[Record]:
        """Records in a queue of assigned annotators. In ``ASSIGNED`` an annotator sees the records
        that they have still to decide about."""
        return [
            record
            for record in records
            if self.has(record.instance.id) and self._is_in(record, queue)
        ]

    def _is_in(self, record: Record, queue: Queue) -> bool:
        stage = Stage.BLIND if queue is Queue.ASSIGNED else Stage.DIFFER
        return any(
            self.stage(variant) is stage
            and variant.decision is Decision.OPEN
            and self.mine(variant) is None
            for variant in record.variants.values()
        )

    def state(self, variant: StoredVariant) -> tuple[str, str] | None:
        """The state of an undecided variant in words, with an icon; None where it is not
        assigned."""
        stage = self.stage(variant)
        if stage is Stage.DIFFER and variant.decision is Decision.OPEN:
            return "disagreement", ":material/forum:"
        if stage is not Stage.BLIND or self.active is None:
            return None
        if self.user_name is None or self.was:
            return f"with {' and '.join(self.active.names)}", ":material/group:"
        own_opinion = self.mine(variant)
        if own_opinion is None:
            return "blind", ":material/visibility_off:"
        return f"you: {own_opinion.decision.value}", _ICONS[own_opinion.decision]

    def compared(self) -> PairAgreement | None:
        """How far the two agree; None without an assignment."""
        return report.compare(self.pair, self.opinion_pairs) if self.pair else None


def read(store: Store, sample_id: str, author: str) -> Pairing:
    """The pairing of a sample, as far as the user may see it."""
    held = _hold(str(store.path), sample_id)
    with held.lock:
        held.catch_up(store, sample_id)
    user_name = held.pair.member(author) if held.pair and author else None
    return Pairing(
        held.pair, held.opinions, held.opinion_pairs, user_name, _was(held.pair, user_name)
    )


def describe(opinions: tuple[Opinion, Opinion], *, but: Opinion | None = None) -> str:
    """Both opinions side by side with their reasons, as Markdown; the reason of ``but`` is left
    out."""
    return " ".join(
        f":gray-badge[{_ICONS[opinion.decision]} {plain(opinion.annotator)} "
        f"{_VERBS[opinion.decision]}]"
        + (f" “{plain(opinion.reason)}”" if opinion.reason and opinion is not but else "")
        for opinion in opinions
    )


def _was(pair: AnnotatorPair | None, user_name: str | None) -> str | None:
    """The name of the two that this tab was used under first, if the present one is another: names
    are typed, and who has seen one's opinions must not decide as the other."""
    if pair is None:
        return None
    key = f"variants_annotator_{pair.seq}"
    first = st.session_state.setdefault(key, user_name) if user_name else st.session_state.get(key)
    return str(first) if first and first != user_name else None


@dataclass
class _PairReading:
    """What the server has read of a sample's opinions; each page draw reads only newer ones."""

    pair: AnnotatorPair | None = None
    opinions: Said = field(default_factory=dict)
    opinion_pairs: Both = field(default_factory=dict)
    seq: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def catch_up(self, store: Store, sample_id: str) -> None:
        """Read the rows added since the last call. A page that is being drawn keeps the values that
        it has."""
        pair, new = opinions.since(store, sample_id, self.seq)
        if self.pair is not None and (pair is None or pair.seq < self.pair.seq):
            self.opinions, self.opinion_pairs, self.seq = {}, {}, 0  # an older store took its place
            pair, new = opinions.since(store, sample_id)
        before, self.pair = self.pair, pair
        if new:
            self.opinions, self.seq = opinions.gather(new, self.opinions), new[-1].seq
        if pair is not None and (before is None or before.people != pair.people):
            self.opinion_pairs = opinions.both_by_place(self.opinions, pair.people)
        elif pair is not None and new:
            places = {opinion.place for opinion in new}
            self.opinion_pairs = {
                **self.opinion_pairs,
                **opinions.both_by_place(self.opinions, pair.people, places),
            }


@st.cache_resource(max_entries=4, show_spinner=False)
def _hold(path: str, sample_id: str) -> _PairReading:
    """``path`` and ``sample_id`` are only the cache's key."""
    return _PairReading()
