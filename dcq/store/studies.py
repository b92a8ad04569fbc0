"""Studies: named choices of results that are judged together, stored with author and time.

The results of a study are one family for the correction, and its controls are the ones that count.
``EVERYTHING`` is the study of the whole store, which nobody has to make.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from dcq.errors import InputError
from dcq.naming import check_name
from dcq.store.connect import Store, utc_now
from dcq.store.rows import newest_rows, records

QUIZ, REPLICATION, OVERLAP, LIKELIHOOD = "quiz", "replication", "overlap", "likelihood"
ALL = "null"  # kept where a study takes every method, also those of later releases
LONGEST_NAME = 80
# The rule for conclusions, raised whenever the same results give another one. By the first one, a
# high figure that a check blocks did not keep other methods from saying "no evidence".
FIRST_RULE, RULE = 1, 2


@dataclass(frozen=True)
class Study:
    """A choice of results. ``partitions`` are the tested ones and ``controls`` the unseen ones, by
    ``key/split``. None stands for everything that the store has at any time, and for ``methods``
    for all methods. ``made_at`` is UTC. ``rule`` is the one that conclusions are drawn by; bundles
    and passports name theirs."""

    name: str
    partitions: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    controls: tuple[str, ...] | None = None
    author: str = ""
    made_at: datetime | None = None
    rule: int = RULE

    def uses(self, *methods: str) -> bool:
        """Whether results of one of these methods belong to the study."""
        return self.methods is None or not set(self.methods).isdisjoint(methods)

    def has(self, names: Collection[str], partition: str, *, is_control: bool) -> bool:
        """Whether results of a model, by any of its ``names``, on a partition belong to the
        study."""
        return self.takes(partition, is_control=is_control) and (
            self.models is None or not set(self.models).isdisjoint(names)
        )

    def takes(self, partition: str, *, is_control: bool) -> bool:
        """Whether a partition belongs to the study, whatever model is asked about it."""
        selection = self.controls if is_control else self.partitions
        return selection is None or partition in selection


EVERYTHING = Study("")


def save(store: Store, study: Study) -> Study:
    """Store a study under its name, in place of an earlier one of that name, which stays in the
    history. Raises InputError for a name that is empty or too long, and for an empty choice."""
    name = " ".join(study.name.split())
    check_name(name, "study", LONGEST_NAME)
    narrowed = (("partition", study.partitions), ("model", study.models), ("method", study.methods))
    for what, chosen in narrowed:
        if chosen is not None and not chosen:
            raise InputError(f"Choose at least one {what}, or all of them.")
    with store.write() as db:
        db.execute(
            "INSERT INTO study (name, partitions, models, methods, controls, author, made_at) "
            "VALUES (?,?,?,?,?,?,?)",
            [
                name,
                _write(study.partitions),
                _write(study.models),
                ALL if study.methods is None else _write(study.methods),
                _write(study.controls),
                study.author,
                utc_now(),
            ],
        )
    return load(store, name)


def remove(store: Store, name: str, *, author: str = "") -> None:
    """Take a study off the list; its history stays. Raises InputError if there is none."""
    load(store, name)
    with store.write() as db:
        db.execute(
            "INSERT INTO study (name, author, made_at) VALUES (?,?,?)", [name, author, utc_now()]
        )


def listing(store: Store) -> list[Study]:
    """The studies as they are now, the newest first."""
    with store.read() as db:
        rows = db.execute(  # one without methods was taken off the list
            f"FROM {newest_rows('study', 'name')} WHERE methods IS NOT NULL ORDER BY seq DESC"
        )
        return records(rows, Study)


def load(store: Store, name: str) -> Study:
    """The study of this name. Raises InputError if there is none."""
    studies = {entry.name: entry for entry in listing(store)}
    study = studies.get(" ".join(name.split()))
    if study is None:
        study_names = ", ".join(f"“{entry}”" for entry in studies) or "none yet"
        raise InputError(f"There is no study named “{name}”; studies in this store: {study_names}.")
    return study


def _write(chosen: Sequence[str] | None) -> str | None:
    return None if chosen is None else json.dumps(list(dict.fromkeys(chosen)), ensure_ascii=False)
