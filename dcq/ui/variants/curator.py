"""The person who curates a sample: their permissions, their decisions, and the two annotators'
opinions on a record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd
import streamlit as st

from dcq.store import Store, opinions, reviews, undo, variants
from dcq.store.opinions import Opinion, Stage
from dcq.store.samples import StoredSample
from dcq.store.undo import Action
from dcq.store.variants import Decision, StoredVariant
from dcq.ui import notice, roles
from dcq.ui.text import plain
from dcq.ui.variants import annotators
from dcq.ui.variants.annotators import Pairing
from dcq.variants import annotators as variants_annotators
from dcq.variants import curation
from dcq.variants.curation import OF_TWO, Queue, Record

AT = "variants_at"
_TROUBLE = "variants_trouble"
_UNDO = "variants_can_undo"
_DECIDED = "variants_decided"  # where and as whom the user has decided, and not undone since
UNDOABLE = 20


@dataclass(frozen=True)
class Curator:
    """A user who curates a sample. Their last decisions and edits can be undone, from any instance,
    from another tab and after a refresh. ``state`` is the state of the variants when the page was
    drawn."""

    store: Store
    sample: StoredSample
    author: str
    state: tuple[int, int]

    @property
    def drafter(self) -> str:
        """Whose drafts are shown: the signed-in identity where there is one, because a name may
        change or be shared."""
        return roles.identity() or self.author

    @cached_property
    def why_not(self) -> str | None:
        """Why the user cannot decide or edit, None if they can; as of when the page was drawn."""
        return self._why_not()

    @cached_property
    def drafts(self) -> dict[str, dict[int, str]]:
        """The user's unsaved texts in this sample (instance id -> slot -> text), empty while they
        may not edit; as of when the page was drawn."""
        if self.why_not:
            return {}
        return reviews.of_sample(self.store, self.sample.id, self.drafter)

    @cached_property
    def pairing(self) -> Pairing:
        """The two annotators of the sample; as of when it was first asked for, or of the user's
        last decision."""
        return annotators.read(self.store, self.sample.id, self.author)

    def why_not_change(self, variant: StoredVariant | None) -> str | None:
        """Why the user cannot decide about this variant or edit it, None if they can."""
        return self.why_not or self.pairing.why_not(variant)

    def _why_not(self) -> str | None:
        return roles.why_not_decide(self.author)

    def refuses(self) -> bool:
        """For callbacks: shows why and returns True if the user may not do this."""
        reason = self._why_not()
        if reason:
            notice.toast(reason, icon=":material/lock:", duration="long")
        return bool(reason)

    def decide(self, seen_variants: Sequence[StoredVariant], decision: Decision) -> None:
        """Save a decision about the variants as they were seen."""
        self.has_decided(seen_variants, decision)

    def has_decided(self, seen_variants: Sequence[StoredVariant], decision: Decision) -> bool:
        """As ``decide``; False if it was refused, or some variants had changed. Of what the user
        decides blind, only their opinion is saved."""
        if self.refuses():
            return False
        refused = [variant for variant in seen_variants if self.pairing.why_not(variant)]
        allowed = [variant for variant in seen_variants if not self.pairing.why_not(variant)]
        finished_decided = opinions.decide(
            self.store, self.sample.id, allowed, decision, self.author
        )
        self.forget_pairing()
        self.tell_changes(allowed, finished_decided.changed)
        self._tell_refused([*refused, *finished_decided.refused])
        in_order = not (finished_decided.changed or finished_decided.refused or refused)
        if in_order and allowed and self.pairing.pair is None:
            st.session_state[_DECIDED] = self._place
        return in_order

    def explain(self, opinion: Opinion, reason: str) -> None:
        """Save why the user has this opinion."""
        if not self.refuses() and not self.pairing.was:
            opinions.explain(self.store, self.sample.id, opinion.variant, self.author, reason)
            self.forget_pairing()

    def forget_pairing(self) -> None:
        """Read the ``pairing`` again when it is next asked for."""
        self.__dict__.pop("pairing", None)

    @property
    def can_undo(self) -> bool:
        """Whether one of the user's newest decisions or edits can be undone. The store is not read
        for this after each decision, because that takes longer than the decision."""
        if st.session_state.get(_DECIDED) == self._place:
            return True
        asked = (*self._place, self.state)
        cache_entry = st.session_state.get(_UNDO)
        if cache_entry is None or cache_entry[0] != asked:
            cache_entry = st.session_state[_UNDO] = asked, self._last_action() is not None
        return bool(cache_entry[1]) or (
            self.pairing.user_name is not None
            and not self.pairing.was
            and opinions.can_take_back(self.store, self.sample.id, self.author)
        )

    def undo(self) -> None:
        """Undo the last decision or edit and return to the instance that it was about."""
        if self.refuses():
            return
        st.session_state.pop(_DECIDED, None)
        if instance_id := self._take_opinion_back():
            return_to(instance_id)
            return
        if self._is_with_others(self._last_action()):
            return
        undone = undo.undo(self.store, self.sample.id, self.author, UNDOABLE)
        if undone is None:
            notice.toast("There is nothing left to undo.", icon=":material/undo:")
        else:
            return_to(undone.instance_ids[0])

    @property
    def _place(self) -> tuple[str, str, str]:
        return str(self.store.path), self.sample.id, self.author

    def _last_action(self) -> Action | None:
        if not self.author:
            return None
        return undo.last_action(self.store, self.sample.id, self.author, UNDOABLE)

    def _is_with_others(self, action: Action | None) -> bool:
        """Whether two annotators decide now about what an action was about; then shows why it is
        not undone."""
        if action is None or self.pairing.pair is None:
            return False
        current_variants = variants.current(self.store, self.sample.id, action.instance_ids)
        about = [current_variants[instance_id][slot] for instance_id, slot in action.before]
        refused = [variant for variant in about if self.pairing.why_not(variant)]
        self._tell_refused(refused)
        return bool(refused)

    def _take_opinion_back(self) -> str | None:
        """Take back what the user said last if that is blind still, and no decision came later; the
        instance that it was about."""
        if self.pairing.user_name is None or self.pairing.was:
            return None
        last = self._last_action()
        instance_id = opinions.take_newest_back(
            self.store, self.sample.id, self.author, last.at if last else None
        )
        self.forget_pairing()
        return instance_id

    def _tell_refused(self, refused: Sequence[StoredVariant]) -> None:
        """Show why the user cannot decide about these."""
        if refused:
            reason = self.pairing.why_not(refused[0]) or "Others decide about this."
            more = f" So it is with {len(refused) - 1:,} more." if len(refused) > 1 else ""
            self.notify(f"{reason}{more}")

    def tell_changes(
        self, seen_variants: Sequence[StoredVariant], changed: Sequence[StoredVariant]
    ) -> None:
        """Show, on the next page draw, which variants others changed first, so that the decision
        about them was not saved."""
        if not changed:
            return
        by_slot = {(v.instance_id, v.slot): v for v in seen_variants}
        numbers = {instance.id: at for at, instance in enumerate(self.sample.instances, start=1)}
        messages = [
            f"Instance {numbers[now.instance_id]}: "
            f"{curation.tell_change(now, by_slot[now.instance_id, now.slot])}"
            for now in changed
        ]
        more = f" And {len(messages) - 5:,} more." if len(messages) > 5 else ""
        text = " ".join(messages[:5])
        self.notify(f"{text}{more} Your decision was not saved there; see below.")

    def notify(self, sentence: str) -> None:
        """Show a sentence above the record until the next action."""
        st.session_state[_TROUBLE] = sentence


_RETURN = "variants_return"


def return_to(instance_id: str) -> None:
    """Show this instance at the next page draw, if the list has it."""
    st.session_state[_RETURN] = instance_id


def returning() -> str | None:
    """The instance of ``return_to``; None when it is called again."""
    instance_id = st.session_state.pop(_RETURN, None)
    return str(instance_id) if instance_id else None


def show_trouble() -> None:
    """Show why the last click failed, if it did."""
    sentence = st.session_state.pop(_TROUBLE, None)
    if sentence:
        notice.warning(sentence, icon=":material/group:")


_LONGEST_REASON = 300  # characters


def explain_pairing(curator: Curator, record: Record) -> None:
    """A line that says who decides about a record, until the two have both done so."""
    pairing = curator.pairing
    if pairing.active is None or not any(
        pairing.stage(variant) is Stage.BLIND for variant in record.variants.values()
    ):
        return
    first, second = pairing.active.names
    if pairing.user_name is None or pairing.was:
        st.caption(f":material/group: With {plain(first)} and {plain(second)}, who decide blind.")
        return
    other = second if pairing.user_name == first else first
    st.caption(
        f":material/visibility_off: You and {plain(other)} decide here without seeing each other's "
        "decisions."
    )


def show_opinions(curator: Curator, variant: StoredVariant) -> None:
    """Below the text of a variant: both opinions where the two differ, and a field for why the user
    thinks so, until a third person has decided."""
    pairing = curator.pairing
    own_opinion = pairing.mine(variant)
    if own_opinion is not None and own_opinion.decision is Decision.ACCEPTED:
        return
    if pairing.stage(variant) is Stage.DIFFER and (opinion_pair := pairing.both(variant)):
        waits = variant.decision is Decision.OPEN and not pairing.was
        own_opinion = next(
            (
                opinion
                for opinion in opinion_pair
                if waits and opinion.annotator == pairing.user_name
            ),
            None,
        )
        older = "" if opinion_pair[0].variant == variant.seq else " (about the text before)"
        st.markdown(f":small[{annotators.describe(opinion_pair, but=own_opinion)}{older}]")
    if own_opinion is not None:
        key = f"variants_why_{own_opinion.variant}"
        st.text_input(
            "Why",
            own_opinion.reason,
            key=key,
            max_chars=_LONGEST_REASON,
            placeholder="Why? (optional; read once both have decided)",
            label_visibility="collapsed",
            on_change=notice.told(_explain),
            args=(curator, own_opinion, key),
        )


def show_agreement(curator: Curator, queue: Queue) -> None:
    """In the lists for two annotators: how far they agree, in one line."""
    agreement = curator.pairing.compared() if queue in OF_TWO else None
    if agreement is not None:
        names = " and ".join(agreement.pair.names)
        sentences = [
            variants_annotators.describe(names, agreement.agreement),
            *(variants_annotators.describe_pace(*pace) for pace in agreement.paces),
        ]
        st.caption(plain(" ".join(filter(None, sentences))))


def add_to_history(curator: Curator, record: Record, history: pd.DataFrame) -> pd.DataFrame:
    """The history of a record's variants, with both opinions where both have decided."""
    rows = [
        {
            "made_at": opinion.at,
            "slot": opinion.slot,
            "what": f"{opinion.decision}, blind"
            + (f": “{opinion.reason}”" if opinion.reason else ""),
            "who": opinion.annotator,
            "undone_by": "",
        }
        for variant in record.variants.values()
        for opinion in curator.pairing.both(variant) or ()
    ]
    if not rows:
        return history
    added = pd.concat([history, pd.DataFrame(rows)], ignore_index=True)
    return added.sort_values("made_at", ascending=False, kind="stable", ignore_index=True)


def _explain(curator: Curator, opinion: Opinion, key: str) -> None:
    curator.explain(opinion, st.session_state[key])
