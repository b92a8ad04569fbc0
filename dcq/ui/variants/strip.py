"""The records of a list as a strip of dots, each with what became of it."""

from __future__ import annotations

from collections.abc import Sequence

from dcq.store.blind import Stage
from dcq.store.variants import Decision
from dcq.ui import pictures
from dcq.ui.pictures import Dot, State
from dcq.ui.variants import desk as desks
from dcq.ui.variants.desk import Desk
from dcq.variants.curation import Record

ACROSS = 100  # dots; of a longer list those around the record that is open


def show(desk: Desk, shown: Sequence[Record], here: Record) -> None:
    """The dots around the record that is open, ``here``; a click opens one."""
    names = [record.instance.id for record in shown]
    start = names.index(here.instance.id) // ACROSS * ACROSS
    part = shown[start : start + ACROSS]
    beyond = start + ACROSS
    pictures.strip(
        [_dot(desk, record) for record in part],
        here=here.instance.id,
        words=f"Instances of this list, {start + 1:,} to {start + len(part):,} of {len(shown):,}",
        before=_dot(desk, shown[start - 1]) if start else None,
        after=_dot(desk, shown[beyond]) if beyond < len(shown) else None,
        key="variants_strip",
        on_open=desks.return_to,
    )


def state_of(desk: Desk, record: Record) -> State:
    """What became of a record, as far as the user may know it: of what they decide blind, their
    own decisions."""
    found = set()
    for variant in record.variants.values():
        if desk.pairing.stage(variant) is Stage.DIFFER and variant.decision is Decision.OPEN:
            return State.DISPUTED
        mine = desk.pairing.mine(variant)
        found.add(mine.decision if mine else variant.decision)
    if not found:
        return State.MISSING
    if Decision.OPEN in found:
        return State.OPEN
    return State.REJECTED if Decision.REJECTED in found else State.ACCEPTED


def _dot(desk: Desk, record: Record) -> Dot:
    name = record.instance.id
    return Dot(name, record.number, state_of(desk, record), name in desk.drafts)
