"""What two annotators decided blind about the variants of a sample, and how far they agree.

Only what both have decided about is told: until then each one's opinion is their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dcq.errors import InputError
from dcq.evidence.agreement import Agreement, agree
from dcq.evidence.interval import Interval
from dcq.records import slot_letter
from dcq.store import Store, blind, opinions, samples, variants
from dcq.store.blind import Opinion, Place, Stage
from dcq.store.pairs import Pair
from dcq.store.variants import Decision

Both = Mapping[Place, tuple[Opinion, Opinion]]
SIDES = (
    *("annotator_1", "opinion_1", "reason_1", "at_1"),
    *("annotator_2", "opinion_2", "reason_2", "at_2"),
)
COLUMNS = (
    *("sample", "instance", "slot", "variant", *SIDES),
    *("agree", "decision", "reviewer", "text_changed"),
)


@dataclass(frozen=True)
class Compared:
    """What the two of ``pair`` both decided about, by place, and how far they agree. Each slot
    counts once, with the first text that both have decided about: a disagreement that was settled
    by a better text remains one."""

    pair: Pair
    both: Both
    agreement: Agreement

    @property
    def differ(self) -> list[Place]:
        """Where they differ."""
        return [place for place, two in self.both.items() if blind.stage(two) is Stage.DIFFER]


def compare(pair: Pair, both: Both) -> Compared:
    """From what both have decided about."""
    first, second = ([two[side].decision for two in both.values()] for side in (0, 1))
    units = [instance for instance, _ in both]
    return Compared(pair, both, agree(first, second, units=units))


@dataclass(frozen=True)
class Stored:
    """The two annotators of a ``sample``, and on how many of their disagreements a third person has
    decided."""

    sample: str
    compared: Compared
    adjudicated: int

    def document(self) -> dict[str, Any]:
        """The keys documented for the command line."""
        found = self.compared.agreement
        return {
            "sample": self.sample,
            "annotators": list(self.compared.pair.names),
            "assigned": len(self.compared.pair.instances),
            "instances": found.units,
            "n": found.n,
            "agree": found.same,
            "share": found.share,
            **_limits("share", found.interval),
            "kappa": found.kappa,
            **_limits("kappa", found.kappa_interval),
            "alpha": found.alpha,
            **_limits("alpha", found.alpha_interval),
            "disagreements": len(self.compared.differ),
            "adjudicated": self.adjudicated,
        }


def load(store: Store, sample_id: str) -> Stored:
    """Of a sample's newest assignment, ended or not. Raises InputError where there never was one,
    or no such sample."""
    sample = samples.load(store, sample_id).id
    found = _compared(store, sample)
    if found is None:
        raise InputError(
            f"No two annotators were ever assigned to the sample {sample}; assign them on the page "
            "Variants, behind the button that says how many instances are ready."
        )
    current = variants.current(store, sample, {instance for instance, _ in found.differ})
    adjudicated = sum(
        now.decision is not Decision.OPEN
        for instance, slot in found.differ
        if (now := current.get(instance, {}).get(slot))
    )
    return Stored(sample, found, adjudicated)


def _compared(store: Store, sample_id: str) -> Compared | None:
    pair, said = opinions.since(store, sample_id)
    if pair is None:
        return None
    return compare(pair, blind.both_by_place(blind.gather(said), pair.people))


def _limits(name: str, interval: Interval | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def frame(store: Store, sample_id: str) -> pd.DataFrame:
    """Who decided what: a row for each slot that both have decided about, with both opinions, and
    what became of it. Raises InputError without a sample."""
    sample = samples.load(store, sample_id)
    found = _compared(store, sample.id)
    both = found.both if found else {}
    current = variants.current(store, sample.id, {instance for instance, _ in both})
    texts = opinions.texts(store, sample.id)
    places = {instance.id: number for number, instance in enumerate(sample.instances)}
    rows = []
    for instance, slot in sorted(both, key=lambda place: (places[place[0]], place[1])):
        two = both[instance, slot]
        now = current.get(instance, {}).get(slot)
        rows.append(
            {
                "sample": sample.id,
                "instance": instance,
                "slot": slot_letter(slot),
                "variant": texts.get(two[0].variant),
                **sides(two),
                "agree": blind.stage(two) is Stage.AGREED,
                "decision": now.decision.value if now else None,
                "reviewer": now.reviewer if now else None,
                "text_changed": now is not None and now.seq != two[0].variant,
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def of_texts(store: Store, sample_id: str) -> dict[int, dict[str, object]]:
    """The opinions about the texts that both have decided about, as columns: seq of the variant →
    column → value."""
    found = _compared(store, sample_id)
    return {two[0].variant: sides(two) for two in found.both.values()} if found else {}


def sides(two: Sequence[Opinion]) -> dict[str, object]:
    """Two opinions as columns."""
    return {
        f"{name}_{side}": value
        for side, one in enumerate(two, start=1)
        for name, value in (
            ("annotator", one.annotator),
            ("opinion", one.decision.value),
            ("reason", one.reason),
            ("at", one.at.isoformat() if one.at else None),
        )
    }
