"""Answers, one a row, gathered by model, partition and kind of quiz."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dcq.errors import InputError
from dcq.evidence.kappa import Kappa, kappa_fixed
from dcq.evidence.rotated import rotated_kappa
from dcq.exchange.cells import SLOTS, read_answer
from dcq.records import LETTERS, Kind, Outcome, Role

COLUMNS = ("model", "partition", "role", "instance_id", "correct", "answer")
KIND = "kind"
_IDENTITY = ("model", "partition", "instance_id")
_NO_LETTER, _NO_REPLY = -1, -2
_WITHOUT_ORIGINAL = (Kind.MODIFIED.value, Kind.BDQ.value)


@dataclass(frozen=True)
class Group:
    """The answers of one model on one partition with one kind of quiz.

    ``right`` has a row an instance and a column a call: 1 right, 0 wrong, NaN without a reply. It
    has a column a slot where an instance was asked with the original at several, else one column.
    ``slot`` is the letter of the only slot, "" where there are several. ``replies`` counts calls
    with a reply, ``named`` those that name a letter. ``reused`` and ``unreadable`` rows, repeats
    and those without a letter in ``correct``, are left out of all this.
    """

    model: str
    partition: str
    role: Role
    kind: str
    right: NDArray[np.float64]
    slots: int
    slot: str
    replies: int
    named: int
    reused: int
    unreadable: int

    @property
    def asked(self) -> int:
        """How many instances were asked."""
        return len(self.right)

    @property
    def rotated(self) -> bool:
        """True where an instance was asked with the original at several slots."""
        calls: int = self.right.shape[1]
        return calls > 1

    @cached_property
    def counts(self) -> tuple[int, int]:
        """Correct answers, and instances with a reply, of a quiz that is not rotated."""
        return int(np.nansum(self.right)), int((~np.isnan(self.right)).sum())

    @property
    def yardstick(self) -> Hashable:
        """Groups with the same value were asked alike, so one can be the other's control."""
        return self.model, self.kind, self.rotated, self.slot

    @cached_property
    def kappa(self) -> Kappa:
        """Score and κ; over instances where the quiz is rotated."""
        return rotated_kappa(self.right) if self.rotated else kappa_fixed(*self.counts)

    def left_out(self) -> tuple[str, ...]:
        """Sentences on the rows that were left out."""
        return tuple(
            f"{count} {'row is' if count == 1 else 'rows are'} left out: {words}."
            for count, words in (
                (self.reused, "a reused answer, for an instance and slot that had one already"),
                (self.unreadable, "no letter from A to D in the column correct"),
            )
            if count
        )


def missing(table: pd.DataFrame) -> tuple[str, ...]:
    """Columns that such a file needs and ``table`` lacks."""
    return tuple(name for name in COLUMNS if name not in table)


def group_answers(table: pd.DataFrame, name: str) -> tuple[tuple[Group, ...], tuple[str, ...]]:
    """The groups of a ``table`` of texts in the file's order, and sentences on rows left out.

    Raises ``InputError`` where a role or an identity is missing, a partition has two roles for one
    model, or no row can be scored.
    """
    cells = table.assign(
        **{column: table[column].str.strip() for column in _IDENTITY},
        role=table["role"].str.strip().str.lower(),
        kind=table[KIND].str.strip().str.lower() if KIND in table else "",
    )
    _check_identities(cells, name)
    _check_roles(cells, name)
    without = cells[KIND].isin(_WITHOUT_ORIGINAL)
    notes: tuple[str, ...] = ()
    if without.any():
        cells = cells[~without]
        notes = (f"{without.sum():,} rows are left out: their quiz has no original to find.",)
    slot = _code(cells["correct"], _slot_of)
    if not (slot >= 0).any():
        raise InputError(
            f"No row of {name} has a letter from A to D in the column correct; write there the "
            "letter of the original."
        )
    keys = ["model", "partition", KIND]
    group = cells.groupby(keys, sort=False).ngroup().to_numpy()
    calls = pd.DataFrame(
        {
            "group": group,
            "instance": pd.factorize(cells["instance_id"])[0],
            "slot": slot,
            "choice": _code(cells["answer"], _choice_of),
        }
    )
    unreadable = slot < 0
    reused = ~unreadable & calls.duplicated(["group", "instance", "slot"]).to_numpy()
    names = cells.drop_duplicates(keys).to_dict("records")
    kept = calls[~unreadable & ~reused].sort_values("group", kind="stable")
    ends = np.cumsum(np.bincount(kept["group"], minlength=len(names)))[:-1]
    parts = np.split(kept[["instance", "slot", "choice"]].to_numpy(), ends)
    dropped = [np.bincount(group[rows], minlength=len(names)) for rows in (reused, unreadable)]
    groups = tuple(
        _make(row, part, *(int(counts[i]) for counts in dropped))
        for i, (row, part) in enumerate(zip(names, parts, strict=True))
    )
    return groups, notes


def _make(
    row: dict[Hashable, str], calls: NDArray[np.int64], reused: int, unreadable: int
) -> Group:
    """A group from its ``calls``: a row each, with instance, slot and choice."""
    instance, slot, choice = calls.T
    instances, place = np.unique(instance, return_inverse=True)
    slots, column = np.unique(slot, return_inverse=True)
    if len(instances) == len(calls):  # each asked once
        column = np.zeros_like(column)
    right = np.full((len(instances), max(column, default=0) + 1), np.nan)
    right[place, column] = np.where(choice == _NO_REPLY, np.nan, choice == slot)
    return Group(
        model=row["model"],
        partition=row["partition"],
        role=Role(row["role"]),
        kind=row[KIND],
        right=right,
        slots=len(slots),
        slot=SLOTS[slots[0]] if len(slots) == 1 else "",
        replies=int((choice != _NO_REPLY).sum()),
        named=int((choice >= 0).sum()),
        reused=reused,
        unreadable=unreadable,
    )


def _check_identities(cells: pd.DataFrame, name: str) -> None:
    for column in _IDENTITY:
        empty = (cells[column] == "").to_numpy()
        if empty.any():
            raise InputError(f"Row {empty.argmax() + 1} of {name} has no {column}; fill it in.")


def _check_roles(cells: pd.DataFrame, name: str) -> None:
    unknown = ~cells["role"].isin(list(Role)).to_numpy()
    if unknown.any():
        at = int(unknown.argmax())
        raise InputError(
            f"Row {at + 1} of {name} has the role {cells['role'].iloc[at][:40]!r}; write target, "
            "control or positive."
        )
    roles = cells.drop_duplicates(["model", "partition", "role"])
    twice = roles[roles.duplicated(["model", "partition"])]
    if len(twice):
        raise InputError(
            f"{name} gives partition {twice['partition'].iloc[0][:80]!r} two roles for one model; "
            "keep one of them."
        )


def _code(cells: pd.Series[str], read: Callable[[str], int]) -> NDArray[np.int64]:
    """Each cell as a number; equal cells are read once."""
    codes, texts = pd.factorize(cells)
    return np.array([read(text) for text in texts], dtype=np.int64)[codes]


def _slot_of(cell: str) -> int:
    letter = read_answer(cell).letter
    return SLOTS.index(letter) if letter in SLOTS else _NO_LETTER


def _choice_of(cell: str) -> int:
    reading = read_answer(cell)
    if reading.outcome is Outcome.ERROR:
        return _NO_REPLY
    return _NO_LETTER if reading.letter is None else LETTERS.index(reading.letter)
