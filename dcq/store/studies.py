"""Studies: what is asked as one question, and so is judged and corrected together.

All that is asked about one benchmark forms that benchmark's own study, which nobody has to make and
which takes in what is asked later; ``EVERYTHING`` is all of these. A saved study is a named choice
of partitions, models, methods and controls, in revisions with author and time. What is asked after
a revision was saved changes nothing that it found: see ``Study.known``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from dcq.errors import InputError
from dcq.naming import check_name
from dcq.store.connect import Store, utc_now
from dcq.store.rows import column, newest_rows, records

QUIZ, REPLICATION, OVERLAP, LIKELIHOOD = "quiz", "replication", "overlap", "likelihood"
ALL = "null"  # kept where a study takes every method, also those of later releases
LONGEST_NAME = 80
# Commands of ``python -m dcq study``, which also takes a study's name as its first word.
COMMANDS = ("init", "plan", "run", "check", "list", "show", "save", "remove")
# The rule for conclusions, raised whenever the same results give another one. By the first one, a
# high figure that a check blocks did not keep other methods from saying "no evidence". Before the
# third one all pairs of a store were corrected together, later runs changed saved studies, and a
# partition that was surely seen could be "no evidence".
FIRST_RULE, RULE = 1, 3
_BENCHMARKS_APART = SURELY_SEEN_IS_OPEN = 3


class KnownRun(NamedTuple):
    """A run as studies see it: ``at`` is when it was begun or, of one that is not one's ``own``,
    when it was taken in (UTC). Of runs with one ``key`` only one counts."""

    run: str
    key: Hashable
    at: datetime
    finished: bool
    own: bool


@dataclass(frozen=True)
class Study:
    """A choice of results. ``partitions`` are the tested ones and ``controls`` the unseen ones, by
    ``key/split``. None stands for everything that the store has at any time, and for ``methods``
    for all methods. ``made_at`` is UTC. ``rule`` is the one that conclusions are drawn by; bundles
    and passports name theirs. ``revision`` counts how often a study of this name was saved."""

    name: str
    partitions: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    controls: tuple[str, ...] | None = None
    author: str = ""
    made_at: datetime | None = None
    rule: int = RULE
    revision: int = 0

    @property
    def is_fixed(self) -> bool:
        """Whether later runs change nothing that the study found."""
        return bool(self.name) and self.made_at is not None and self.rule >= _BENCHMARKS_APART

    def own(self, partition: str) -> str:
        """The name of the study that results on a partition are corrected in: this one or, where it
        is all there are, that of the benchmark, which has the partition's key."""
        apart = not self.name and self.rule >= _BENCHMARKS_APART
        return benchmark_of(partition) if apart else self.name

    def known(self, runs: Iterable[KnownRun]) -> frozenset[str]:
        """The runs that a study takes into account. A fixed one takes those that were there when it
        was saved and, of each key that had none, the first that was finished since. What others
        sent and somebody took in since is left out."""
        every = list(runs)
        if not self.is_fixed or self.made_at is None:
            return frozenset(entry.run for entry in every)
        there = [entry for entry in every if entry.at <= self.made_at]
        had = {entry.key for entry in there}
        since: dict[Hashable, KnownRun] = {}
        for entry in sorted(every, key=lambda each: (not each.finished, each.at, each.run)):
            if entry.own and entry.key not in had:
                since.setdefault(entry.key, entry)
        return frozenset(entry.run for entry in (*there, *since.values()))

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


def benchmark_of(partition: str) -> str:
    """The key of the benchmark that a partition (``key/split``) belongs to."""
    return partition.rpartition("/")[0] or partition


def save(store: Store, study: Study) -> Study:
    """Store a study under its name, in place of an earlier one of that name, which stays in the
    history. Raises InputError for a name that is empty or too long, and for an empty choice."""
    name = " ".join(study.name.split())
    check_name(name, "study", LONGEST_NAME)
    check_free(name)
    if of_benchmark(store, name):
        raise InputError(
            f"“{name}” is the study of all that is asked about this benchmark; choose another name."
        )
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


def check_free(name: str) -> None:
    """Raise InputError for the name of a command; a study that bears one is from before."""
    if name in COMMANDS:
        raise InputError(f"“{name}” is a command of study; give the study another name.")


def remove(store: Store, name: str, *, author: str = "") -> None:
    """Take a study off the list; its history stays. Raises InputError if there is none."""
    load(store, name)
    with store.write() as db:
        db.execute(
            "INSERT INTO study (name, author, made_at) VALUES (?,?,?)", [name, author, utc_now()]
        )


def listing(store: Store) -> list[Study]:
    """The studies as they are now, the newest first."""
    numbered = (
        "(SELECT *, count(methods) OVER (PARTITION BY name ORDER BY seq) AS revision FROM study)"
    )
    with store.read() as db:
        rows = db.execute(  # one without methods was taken off the list
            f"FROM {newest_rows(numbered, 'name')} WHERE methods IS NOT NULL ORDER BY seq DESC"
        )
        return records(rows, Study)


def of_benchmark(store: Store, key: str) -> Study | None:
    """The study of all that is asked about a benchmark, by its key; None where the store has no
    such benchmark."""
    with store.read() as db:
        ids = column(
            db.execute(
                "SELECT id FROM partition WHERE starts_with(id, ? || '/') ORDER BY id", [key]
            )
        )
    own = tuple(partition for partition in ids if benchmark_of(partition) == key)
    return Study(key, partitions=own) if own else None


def load(store: Store, name: str) -> Study:
    """The study of this name, a benchmark's by its key. Raises InputError if there is none."""
    studies = {entry.name: entry for entry in listing(store)}
    study = studies.get(" ".join(name.split())) or of_benchmark(store, name)
    if study is None:
        study_names = ", ".join(f"“{entry}”" for entry in studies) or "none yet"
        raise InputError(f"There is no study named “{name}”; studies in this store: {study_names}.")
    return study


def _write(chosen: Sequence[str] | None) -> str | None:
    return None if chosen is None else json.dumps(list(dict.fromkeys(chosen)), ensure_ascii=False)
