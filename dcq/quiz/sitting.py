"""The quiz as a person takes it: which questions they get, and which of their answers count.

A person's question is one of the four that a rotated quiz asks about an instance: same texts, same
order of the options, the original at a slot that is drawn. With the original in one slot
throughout, as models get it, a person would soon look there; drawn for each question by itself, no
habit of choosing a slot finds it in more or less than one of four.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from dcq.records import Item, fingerprint
from dcq.store.sittings import Curation, Sitting, person_key

SHORT, LONG = 10, 20  # questions of a first look, and of a sitting that is meant as a control


def draw(
    questions: Sequence[Item], size: int, seed: int, asked: Collection[str] = ()
) -> tuple[Item, ...]:
    """At most ``size`` of the ``questions`` of a rotated quiz, one an instance, in an order that
    goes by ``seed``; none about an instance that was ``asked`` before."""
    by_instance: dict[str, list[Item]] = {}
    for question in questions:
        if question.instance_id not in asked:
            by_instance.setdefault(question.instance_id, []).append(question)

    def key(instance: str, what: str) -> int:
        return int(fingerprint(str(seed), what, instance), 16)

    order = sorted(by_instance, key=lambda instance: key(instance, "order"))
    return tuple(
        by_instance[instance][key(instance, "slot") % len(by_instance[instance])]
        for instance in order[:size]
    )


@dataclass(frozen=True)
class PersonsAnswer:
    """One answer that counts: whose (see ``person_key``), about which instance, and whether it was
    the original."""

    person: str
    instance: str
    right: bool


@dataclass(frozen=True)
class Judged:
    """A finished sitting and the answers of it that count; where none does, ``why`` says why."""

    sitting: Sitting
    counted: tuple[PersonsAnswer, ...]
    why: str = ""


CURATED = "has worked on these texts, so the originals were not new"
AGAIN = "has been asked about all of these instances before"


def judge(sittings: Sequence[Sitting], curations: Sequence[Curation]) -> list[Judged]:
    """The finished ones of ``sittings`` (all of a store, oldest first), with what counts.

    A person's first answer about an instance counts, whatever the sample. Nothing counts of a
    sitting whose person had worked on the texts of the sample before its last answer.
    """
    since = {(one.sample_id, one.key): one.at for one in curations}
    seen: set[tuple[str, str]] = set()
    found = []
    for sitting in sittings:
        key = person_key(sitting.person)
        answers = [
            PersonsAnswer(key, item.instance_id, right)
            for item, right in zip(sitting.items, sitting.right, strict=True)
        ]
        new = tuple(one for one in answers if (key, one.instance) not in seen)
        seen.update((key, one.instance) for one in answers)
        if not sitting.finished:
            continue
        if _had_seen(sitting, since.get((sitting.sample_id, key))):
            found.append(Judged(sitting, (), CURATED))
        else:
            found.append(Judged(sitting, new, "" if new else AGAIN))
    return found


def _had_seen(sitting: Sitting, since: datetime | None) -> bool:
    return since is not None and sitting.answered_at is not None and since <= sitting.answered_at


def by_sample(judged: Sequence[Judged]) -> Mapping[str, list[PersonsAnswer]]:
    """The answers that count, by sample; samples without any are left out."""
    found: dict[str, list[PersonsAnswer]] = {}
    for one in judged:
        if one.counted:
            found.setdefault(one.sitting.sample_id, []).extend(one.counted)
    return found
