"""Answers, one per row, grouped by model, partition and kind of quiz."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dcq.audit.release_rows import SLOTS, read_answer
from dcq.errors import InputError
from dcq.evidence.ablation import Ablation, above_own_baseline, compare
from dcq.evidence.kappa import Kappa, kappa_fixed
from dcq.evidence.rotated import rotated_kappa
from dcq.records import LETTERS, PartitionRole, QuizKind
from dcq.variants.leakage import CHANCE

COLUMNS = ("model", "partition", "role", "instance_id", "correct", "answer")
KIND = "kind"
_IDENTITY = ("model", "partition", "instance_id")
# Beyond them an analysis takes more than some ten seconds.
MOST_GROUPS, MOST_COMPARISONS = 20_000, 200_000
_NO_ANSWER = -1
_FIVE_OPTIONS = (QuizKind.BDQ.value, QuizKind.BCQ.value)
_WITHOUT_ORIGINAL = (QuizKind.MODIFIED.value, QuizKind.BDQ.value)
_Choices = Mapping[tuple[str, str], Mapping[int, int]]  # model, partition → instance → choice


@dataclass(frozen=True)
class AnswerGroup:
    """The answers of one model on one partition with one kind of quiz; for a bcq, at one slot.

    ``right`` has one row per instance and one column per call: 1 right, 0 wrong, NaN no answer. It
    has one column per slot if instances were asked with the original at several, else one column.
    ``slots`` are the letters of the original. ``without``, shape (n,), tells for a bcq whether the
    slot was chosen in the bdq, in the same codes; None if the file does not have it. ``none``: how
    many answers are "none of these", and how many there are. ``left_out`` are the numbers of rows
    that are not counted, each with a sentence.
    """

    model: str
    partition: str
    role: PartitionRole
    kind: str
    right: NDArray[np.float64]
    slots: str
    without: NDArray[np.float64] | None
    none: tuple[int, int]
    left_out: tuple[tuple[int, str], ...]

    @property
    def rotated(self) -> bool:
        """True if instances were asked with the original at several slots."""
        calls: int = self.right.shape[1]
        return calls > 1

    @property
    def setting(self) -> tuple[tuple[str, str], ...]:
        """The settings that a control must share with this group, besides the model."""
        slots = self.slots if self.rotated or len(self.slots) == 1 else "mixed"
        calls = "several" if self.rotated else "one"
        return (("kind", self.kind), ("calls an instance", calls), ("slot", slots))

    @cached_property
    def ablation(self) -> Ablation | None:
        """A bcq against the same model's choices without the original, paired by instance."""
        return None if self.without is None else compare(self.without, self.right[:, 0])

    @property
    def values(self) -> NDArray[np.float64]:
        """The values that are compared with controls: ``right``, or for a bcq the gain of each
        instance over the bdq, from −1 to 1, shape (n, 1)."""
        return self.right if self.without is None else self.right - self.without[:, None]

    @property
    def comparable(self) -> bool:
        """Whether it can be compared with controls, or be one. It cannot without κ, as for a bcq
        without a bdq or if every answer in the bdq was the slot."""
        return self.kappa.kappa_fixed is not None

    @property
    def chance(self) -> float | None:
        """The share at which κ is 0. With "none of these" among the options guessing has no fixed
        share; it is then how often the model chose the slot without the original, None if unknown.
        """
        if self.ablation is not None:
            return self.ablation.modified_share
        return None if self.kind in _FIVE_OPTIONS else CHANCE

    @property
    def unusable(self) -> float:
        """Share of the instances that lack an answer: in any slot, of a rotated quiz; in the bdq or
        in the bcq. 0 without instances."""
        gaps = np.isnan(self.values).any(axis=1)
        return float(gaps.mean()) if gaps.size else 0.0

    @property
    def refused_as_wrong(self) -> NDArray[np.float64] | None:
        """For a bcq, ``values`` with calls that have no answer counted as wrong. None for other
        kinds, whose ``values`` mark such calls as NaN."""
        if self.without is None:
            return None
        return np.nan_to_num(self.right, nan=0.0) - self.without[:, None]

    @cached_property
    def kappa(self) -> Kappa:
        """Score and κ over answers; for a rotated quiz, over instances."""
        if self.ablation is not None:
            return above_own_baseline(self.ablation)
        if self.rotated:
            return rotated_kappa(self.right)
        n, correct = int((~np.isnan(self.right)).sum()), int(np.nansum(self.right))
        if self.chance is None:
            return Kappa(n, correct, correct / n if n else None, None, None, None, None)
        return kappa_fixed(correct, n, self.chance)


def missing(table: pd.DataFrame) -> tuple[str, ...]:
    """Columns that such a file needs and ``table`` lacks."""
    return tuple(name for name in COLUMNS if name not in table)


def group_answers(
    table: pd.DataFrame, name: str
) -> tuple[tuple[AnswerGroup, ...], tuple[str, ...]]:
    """The groups of a ``table`` of strings in the file's order, and sentences on rows left out.

    Raises ``InputError`` if a role or an id is missing, a partition has two roles for one model, no
    row can be scored, or there are too many groups.
    """
    cells = table.assign(
        **{column: table[column].str.strip() for column in _IDENTITY},
        role=table["role"].str.strip().str.lower(),
        kind=table[KIND].str.strip().str.lower() if KIND in table else "",
    )
    _check_identities(cells, name)
    _check_roles(cells, name)
    cells = cells.assign(
        slot=_code(cells["correct"], _slot_of),
        choice=_choices(cells),
        instance=pd.factorize(cells["instance_id"])[0],
    )
    without, cells, notes = _take_out(cells)
    if not (cells["slot"] >= 0).any():
        raise InputError(
            f"No row of {name} has a letter from A to D in the column correct; fill in the letter "
            "of the original."
        )
    cells = cells.assign(at=_slot_of_bcq(cells))
    keys = ["model", "partition", KIND, "at"]
    group = cells.groupby(keys, sort=False).ngroup().to_numpy()
    calls = cells[["instance", "slot", "choice"]].assign(group=group)
    unreadable = (calls["slot"] < 0).to_numpy()
    reused = ~unreadable & calls.duplicated(["group", "instance", "slot"]).to_numpy()
    named = cells.drop_duplicates(keys)
    _check_size(named, name)
    names = named.to_dict("records")
    used = calls[~unreadable & ~reused].sort_values("group", kind="stable")
    ends = np.cumsum(np.bincount(used["group"], minlength=len(names)))[:-1]
    parts = np.split(used[["instance", "slot", "choice"]].to_numpy(), ends)
    dropped = [np.bincount(group[rows], minlength=len(names)) for rows in (reused, unreadable)]
    groups = tuple(
        _make(row, part, without, *(int(counts[i]) for counts in dropped))
        for i, (row, part) in enumerate(zip(names, parts, strict=True))
    )
    return groups, notes


def _take_out(cells: pd.DataFrame) -> tuple[_Choices, pd.DataFrame, tuple[str, ...]]:
    """The choices of quizzes without original that a bcq is compared with, and the other rows."""
    without = cells[KIND].isin(_WITHOUT_ORIGINAL)
    if not without.any():
        return {}, cells, ()
    owners = set(cells[cells[KIND] == QuizKind.BCQ].groupby(["model", "partition"]).groups)
    biased = cells[cells[KIND] == QuizKind.BDQ]
    choices = {
        (str(model), str(partition)): dict(zip(rows["instance"], rows["choice"], strict=True))
        for (model, partition), rows in biased.drop_duplicates(
            ["model", "partition", "instance"]
        ).groupby(["model", "partition"], sort=False)
        if (model, partition) in owners
    }
    used = sum(map(len, choices.values()))
    unused = int(without.sum()) - used
    notes = (f"{unused:,} rows are left out: their quiz has no original.",)
    return choices, cells[~without], notes if unused else ()


def _slot_of_bcq(cells: pd.DataFrame) -> pd.Series[int]:
    """The slot of each row of a bcq, since each slot is a separate quiz; −1 for other kinds. A row
    without a readable slot gets that of the first row that has one."""
    slots = cells["slot"].where(cells["slot"] >= 0)
    first = slots.groupby([cells["model"], cells["partition"], cells[KIND]]).transform("first")
    return slots.fillna(first).where(cells[KIND] == QuizKind.BCQ, _NO_ANSWER).fillna(_NO_ANSWER)


def _make(
    row: dict[Hashable, str],
    calls: NDArray[np.int64],
    without: _Choices,
    reused: int,
    unreadable: int,
) -> AnswerGroup:
    """A group from its ``calls``: one row each, with instance, slot and choice."""
    instance, slot, choice = calls.T
    instances, place = np.unique(instance, return_inverse=True)
    slots, column = np.unique(slot, return_inverse=True)
    if len(instances) == len(calls):  # each asked once
        column = np.zeros_like(column)
    right = np.full((len(instances), max(column, default=0) + 1), np.nan)
    right[place, column] = np.where(choice == _NO_ANSWER, np.nan, choice == slot)
    before, unpaired = None, 0
    if row[KIND] == QuizKind.BCQ and len(slots):
        chosen = without.get((row["model"], row["partition"]), {})
        is_paired = np.array([key in chosen for key in instances])
        paired = np.array([chosen[key] for key in instances[is_paired]])
        if (paired != _NO_ANSWER).any():
            before = np.where(paired == _NO_ANSWER, np.nan, paired == slots[0])
            right, unpaired = right[is_paired], int((~is_paired).sum())
    return AnswerGroup(
        model=row["model"],
        partition=row["partition"],
        role=PartitionRole(row["role"]),
        kind=row[KIND],
        right=right,
        slots="".join(SLOTS[slot] for slot in slots),
        without=before,
        none=(int((choice == len(SLOTS)).sum()), int((choice != _NO_ANSWER).sum())),
        left_out=tuple(
            (count, f"{count} {'row is' if count == 1 else 'rows are'} left out: {words}.")
            for count, words in (
                (reused, "a reused answer, for an instance and slot that already have one"),
                (unreadable, "no letter from A to D in the column correct"),
                (unpaired, "the quiz without originals did not ask this instance"),
            )
            if count
        ),
    )


def _check_identities(cells: pd.DataFrame, name: str) -> None:
    for column in _IDENTITY:
        empty = (cells[column] == "").to_numpy()
        if empty.any():
            raise InputError(f"Row {empty.argmax() + 1} of {name} has no {column}; fill it in.")


def _check_size(named: pd.DataFrame, name: str) -> None:
    """Raise InputError for more groups, one in each row of ``named``, than can be analysed."""
    is_control = named["role"] == PartitionRole.CONTROL
    counts = is_control.groupby([named["model"], named[KIND], named["at"]]).agg(["size", "sum"])
    comparisons = int(((counts["size"] - counts["sum"]) * counts["sum"]).sum())
    for count, most, what in (
        (len(named), MOST_GROUPS, "results"),
        (comparisons, MOST_COMPARISONS, "comparisons of a result with a control"),
    ):
        if count > most:
            raise InputError(
                f"{name} has {count:,} {what}, more than the {most:,} that can be analysed at "
                "once; give it in several files."
            )


def _check_roles(cells: pd.DataFrame, name: str) -> None:
    unknown = ~cells["role"].isin(list(PartitionRole)).to_numpy()
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


def _choices(cells: pd.DataFrame) -> NDArray[np.int64]:
    """The index of the option that each answer names. E counts only if it is an option."""
    five = cells[KIND].isin(_FIVE_OPTIONS).to_numpy()
    four_read = _code(cells["answer"], partial(_choice_of, options=len(SLOTS)))
    if not five.any():
        return four_read
    five_read = _code(cells["answer"], partial(_choice_of, options=len(LETTERS)))
    return np.where(five, five_read, four_read)


def _code(cells: pd.Series[str], read: Callable[[str], int]) -> NDArray[np.int64]:
    """Each cell as a number; equal cells are parsed once."""
    codes, texts = pd.factorize(cells)
    return np.array([read(text) for text in texts], dtype=np.int64)[codes]


def _slot_of(cell: str) -> int:
    letter = read_answer(cell).value
    return SLOTS.index(letter) if letter in SLOTS else _NO_ANSWER


def _choice_of(cell: str, options: int) -> int:
    letter = read_answer(cell, options).value
    return _NO_ANSWER if letter is None else LETTERS.index(letter)
