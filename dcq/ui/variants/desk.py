"""Whoever curates a sample: what they may do, their decisions and what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from dcq.store import Store, reviews, undo
from dcq.store.samples import StoredSample
from dcq.store.variants import Decision, StoredVariant
from dcq.ui import notice, people, roles
from dcq.variants import curation

AT = "variants_at"
_TROUBLE = "variants_trouble"
_UNDO = "variants_can_undo"
UNDOABLE = 20


@dataclass(frozen=True)
class Desk:
    """A user curating a sample. Their last decisions and edits can be undone, from any instance,
    from another tab and after a refresh. ``state`` is that of the variants when the page was
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
    def lack(self) -> str | None:
        """Why the user cannot decide or edit, None if they can; as of when the page was drawn."""
        return self._lack()

    def _lack(self) -> str | None:
        return roles.lacks(roles.Role.ANNOTATOR) or (None if self.author else people.NEEDED)

    def refuses(self) -> bool:
        """For callbacks: shows why and returns True if the user may not do this."""
        lack = self._lack()
        if lack:
            notice.toast(lack, icon=":material/lock:", duration="long")
        return bool(lack)

    def decide(self, seen: Sequence[StoredVariant], decision: Decision) -> None:
        """Save a decision about the variants as they were ``seen``."""
        self.has_decided(seen, decision)

    def has_decided(self, seen: Sequence[StoredVariant], decision: Decision) -> bool:
        """As ``decide``; False if it was refused, or some had changed."""
        if self.refuses():
            return False
        done = reviews.decide(self.store, self.sample.id, seen, decision, self.author)
        self.tell_changes(seen, done.changed)
        return not done.changed

    @property
    def can_undo(self) -> bool:
        """Whether one of the user's newest decisions or edits can be undone."""
        asked = (str(self.store.path), self.sample.id, self.author, self.state)
        known = st.session_state.get(_UNDO)
        if known is None or known[0] != asked:
            found = self.author and undo.last_action(
                self.store, self.sample.id, self.author, UNDOABLE
            )
            known = st.session_state[_UNDO] = asked, bool(found)
        return bool(known[1])

    def undo(self) -> None:
        """Undo the last decision or edit and return to the instance that it was about."""
        if self.refuses():
            return
        undone = undo.undo(self.store, self.sample.id, self.author, UNDOABLE)
        if undone is None:
            notice.toast("There is nothing left to undo.", icon=":material/undo:")
        else:
            return_to(undone.instance_ids[0])

    def tell_changes(self, seen: Sequence[StoredVariant], changed: Sequence[StoredVariant]) -> None:
        """Show, on the next page draw, which variants others changed first, so that the decision
        about them was not saved."""
        if not changed:
            return
        by_slot = {(v.instance_id, v.slot): v for v in seen}
        numbers = {instance.id: at for at, instance in enumerate(self.sample.instances, start=1)}
        messages = [
            f"Instance {numbers[now.instance_id]}: "
            f"{curation.tell_change(now, by_slot[now.instance_id, now.slot])}"
            for now in changed
        ]
        more = f" And {len(messages) - 5:,} more." if len(messages) > 5 else ""
        shown = " ".join(messages[:5])
        self.tell(f"{shown}{more} Your decision was not saved there; see below.")

    def tell(self, sentence: str) -> None:
        """Show a sentence above the record until the next action."""
        st.session_state[_TROUBLE] = sentence


_RETURN = "variants_return"


def return_to(instance_id: str) -> None:
    """Show this instance at the next page draw, if the list has it."""
    st.session_state[_RETURN] = instance_id


def returning() -> str | None:
    """The instance of ``return_to``, once."""
    found = st.session_state.pop(_RETURN, None)
    return str(found) if found else None


def show_trouble() -> None:
    """Show what could not be done at the last click, if anything."""
    sentence = st.session_state.pop(_TROUBLE, None)
    if sentence:
        notice.warning(sentence, icon=":material/group:")
