"""The blind decisions of two annotators about the variants of a sample, and how far they agree.

Only opinions on variants that both have decided about are shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC
from typing import Any

import pandas as pd

from dcq.errors import InputError
from dcq.evidence.agreement import Agreement, agree
from dcq.evidence.interval import Interval
from dcq.evidence.pace import AnnotatorPace, pace
from dcq.records import slot_letter
from dcq.store import Store, opinions, samples, variants
from dcq.store.opinions import Opinion, Place, Stage
from dcq.store.pairs import AnnotatorPair
from dcq.store.variants import Decision
from dcq.words import kappa_words, p_words, percent

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
class PairAgreement:
    """The opinions of the two of ``pair`` on what both decided about, by place, and how far they
    agree. Each slot counts once, with the first text that both have decided about: a disagreement
    stays one even if a better text ended it."""

    pair: AnnotatorPair
    opinion_pairs: Both
    agreement: Agreement

    @property
    def differ(self) -> list[Place]:
        """The places where they differ."""
        return [
            place
            for place, two in self.opinion_pairs.items()
            if opinions.stage(two) is Stage.DIFFER
        ]

    @property
    def paces(self) -> tuple[tuple[str, AnnotatorPace], ...]:
        """The speed and drift of each of the two, by name, over what both have decided about."""
        return tuple(
            (name, _pace(self.opinion_pairs, side)) for side, name in enumerate(self.pair.names)
        )


def _pace(opinion_pairs: Both, side: int) -> AnnotatorPace:
    person_opinions = [two[side] for two in opinion_pairs.values()]
    dated = [(opinion, opinion.at) for opinion in person_opinions if opinion.at is not None]
    return pace(
        [at.replace(tzinfo=UTC).timestamp() for _, at in dated],
        [opinion.decision is Decision.ACCEPTED for opinion, _ in dated],
        [opinion.instance_id for opinion, _ in dated],
    )


def compare(pair: AnnotatorPair, opinion_pairs: Both) -> PairAgreement:
    """The agreement over the slots that both annotators have decided about."""
    first, second = ([two[side].decision for two in opinion_pairs.values()] for side in (0, 1))
    units = [instance for instance, _ in opinion_pairs]
    return PairAgreement(pair, opinion_pairs, agree(first, second, units=units))


@dataclass(frozen=True)
class Stored:
    """The two annotators of a ``sample``, and on how many of their disagreements a third person has
    decided."""

    sample: str
    compared: PairAgreement
    adjudicated: int

    def document(self) -> dict[str, Any]:
        """The keys documented for the command line."""
        agreement = self.compared.agreement
        return {
            "sample": self.sample,
            "annotators": list(self.compared.pair.names),
            "assigned": len(self.compared.pair.instances),
            "instances": agreement.units,
            "n": agreement.n,
            "agree": agreement.same,
            "share": agreement.share,
            **_limits("share", agreement.interval),
            "kappa": agreement.kappa,
            **_limits("kappa", agreement.kappa_interval),
            "alpha": agreement.alpha,
            **_limits("alpha", agreement.alpha_interval),
            "disagreements": len(self.compared.differ),
            "adjudicated": self.adjudicated,
            "pace": [
                {"annotator": name, **asdict(annotator_pace)}
                for name, annotator_pace in self.compared.paces
            ],
        }


def load(store: Store, sample_id: str) -> Stored:
    """The agreement for a sample's newest assignment, ended or not. Raises InputError where there
    never was one, or no such sample."""
    sample = samples.load(store, sample_id).id
    agreement = _compared(store, sample)
    if agreement is None:
        raise InputError(
            f"No two annotators were ever assigned to the sample {sample}; assign them on the page "
            "Variants, behind the button that says how many instances are ready."
        )
    current = variants.current(store, sample, {instance for instance, _ in agreement.differ})
    adjudicated = sum(
        now.decision is not Decision.OPEN
        for instance, slot in agreement.differ
        if (now := current.get(instance, {}).get(slot))
    )
    return Stored(sample, agreement, adjudicated)


def _compared(store: Store, sample_id: str) -> PairAgreement | None:
    pair, stored_opinions = opinions.since(store, sample_id)
    if pair is None:
        return None
    return compare(pair, opinions.both_by_place(opinions.gather(stored_opinions), pair.people))


def _limits(name: str, interval: Interval | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def frame(store: Store, sample_id: str) -> pd.DataFrame:
    """A row for each slot that both have decided about, with both opinions and the final decision.
    Raises InputError without a sample."""
    sample = samples.load(store, sample_id)
    agreement = _compared(store, sample.id)
    opinion_pairs = agreement.opinion_pairs if agreement else {}
    current = variants.current(store, sample.id, {instance for instance, _ in opinion_pairs})
    texts = opinions.texts(store, sample.id)
    places = {instance.id: number for number, instance in enumerate(sample.instances)}
    rows = []
    for instance, slot in sorted(opinion_pairs, key=lambda place: (places[place[0]], place[1])):
        two = opinion_pairs[instance, slot]
        now = current.get(instance, {}).get(slot)
        rows.append(
            {
                "sample": sample.id,
                "instance": instance,
                "slot": slot_letter(slot),
                "variant": texts.get(two[0].variant),
                **sides(two),
                "agree": opinions.stage(two) is Stage.AGREED,
                "decision": now.decision.value if now else None,
                "reviewer": now.reviewer if now else None,
                "text_changed": now is not None and now.seq != two[0].variant,
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def of_texts(store: Store, sample_id: str) -> dict[int, dict[str, object]]:
    """The opinions about the texts that both have decided about, as columns: seq of the variant →
    column → value."""
    agreement = _compared(store, sample_id)
    return (
        {two[0].variant: sides(two) for two in agreement.opinion_pairs.values()}
        if agreement
        else {}
    )


def sides(opinions: Sequence[Opinion]) -> dict[str, object]:
    """Two opinions as columns."""
    return {
        f"{name}_{side}": value
        for side, opinion in enumerate(opinions, start=1)
        for name, value in (
            ("annotator", opinion.annotator),
            ("opinion", opinion.decision.value),
            ("reason", opinion.reason),
            ("at", opinion.at.isoformat() if opinion.at else None),
        )
    }


def describe(who: str, agreement: Agreement) -> str:
    """A sentence: on how many of the items that both labelled ``who`` agree, with percent, κ, α and
    their intervals, where they exist."""
    if agreement.interval is None or agreement.share is None:
        return f"{who} have labelled nothing in common."
    low, high = agreement.interval
    parts = [
        f"{who} agree on {agreement.same:,} of {agreement.n:,} "
        f"({percent(agreement.share)}, {percent(low)} to {percent(high)})"
    ]
    if agreement.kappa is not None:
        parts.append(f"Cohen's κ {_words(agreement.kappa, agreement.kappa_interval)}")
    if agreement.alpha is not None:
        parts.append(f"Krippendorff's α {_words(agreement.alpha, agreement.alpha_interval)}")
    return ", ".join(parts) + "."


def describe_pace(name: str, pace: AnnotatorPace) -> str:
    """A sentence on how long ``name`` takes, and what they accept, in the first half and in the
    second; empty where there are too few decisions."""
    if pace.accepted_early is None or pace.accepted_late is None:
        return ""
    took = ""
    if pace.seconds is not None:
        took = f"takes {pace.seconds:.0f} s a variant"
        if pace.seconds_early is not None and pace.seconds_late is not None:
            took += f" ({pace.seconds_early:.0f} s, then {pace.seconds_late:.0f} s)"
        took += " and "
    drift = "" if pace.p_value is None else f" ({p_words(pace.p_value)})"
    return (
        f"{name} {took}accepts {percent(pace.accepted_early)} in the first half, "
        f"{percent(pace.accepted_late)} in the second{drift}."
    )


def _words(value: float, interval: Interval | None) -> str:
    return kappa_words(value, *(interval or (None, None)))
