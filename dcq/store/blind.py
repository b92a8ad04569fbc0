"""What two people say of the same variants: pure functions on opinions that were read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from dcq.store.variants import Decision


class Stage(StrEnum):
    """How far the two are with a slot of an instance that is assigned to them."""

    BLIND = "blind"  # not both have decided
    AGREED = "agreed"
    DIFFER = "differ"


@dataclass(frozen=True)
class Opinion:
    """What ``annotator`` says of the ``variant`` (its seq) of a slot, and why. ``open`` takes back
    what they said before."""

    instance_id: str
    slot: int
    variant: int
    annotator: str
    person: str  # as ``pairs.person`` has the annotator's name
    decision: Decision
    reason: str
    seq: int = 0  # 0 and no time before it is kept
    at: datetime | None = None

    @property
    def place(self) -> Place:
        """The slot that it is about."""
        return self.instance_id, self.slot


Place = tuple[str, int]  # an instance and a slot
Said = Mapping[Place, Mapping[tuple[int, str], Opinion]]  # place → variant and person → the newest


def gather(said: Iterable[Opinion], before: Said | None = None) -> Said:
    """The newest opinion of each person about each text, by place; with those of ``before``, which
    stays as it is."""
    found: dict[Place, Mapping[tuple[int, str], Opinion]] = dict(before or {})
    for one in said:
        found[one.place] = {**found.get(one.place, {}), (one.variant, one.person): one}
    return found


def first_both(said: Iterable[Opinion], people: tuple[str, str]) -> tuple[Opinion, Opinion] | None:
    """Of the newest opinions about a slot: those of two ``people``, in that order, about the first
    text that both have decided about; None while there is none."""
    by_text: dict[int, dict[str, Opinion]] = {}
    for one in said:
        if one.decision is not Decision.OPEN:
            by_text.setdefault(one.variant, {})[one.person] = one
    first, second = people
    found = [(of[first], of[second]) for of in by_text.values() if first in of and second in of]
    return min(found, key=lambda both: max(one.seq for one in both), default=None)


def both_by_place(
    said: Said, people: tuple[str, str], places: Iterable[Place] | None = None
) -> dict[Place, tuple[Opinion, Opinion]]:
    """What ``first_both`` finds for each place, or for some; those without are left out."""
    found = {}
    for place in said if places is None else places:
        two = first_both(said.get(place, {}).values(), people)
        if two is not None:
            found[place] = two
    return found


def stage(both: tuple[Opinion, Opinion] | None) -> Stage:
    """Of what ``first_both`` found."""
    if both is None:
        return Stage.BLIND
    return Stage.AGREED if both[0].decision is both[1].decision else Stage.DIFFER
