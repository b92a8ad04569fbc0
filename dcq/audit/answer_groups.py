"""Answers, one per row, as evidence: one for each model, partition and kind of quiz."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dcq.audit import wording
from dcq.audit.release_rows import SLOTS, read_answer
from dcq.errors import InputError
from dcq.evidence.ablation import Ablation, above_own_baseline, compare
from dcq.evidence.check import Check, Mark, Topic
from dcq.evidence.kappa import Kappa, kappa_fixed
from dcq.evidence.leak import CHANCE
from dcq.evidence.record import FOUND, Evidence, Measure, MethodEstimate
from dcq.evidence.rotated import rotated_kappa
from dcq.quiz.evidence import METHOD
from dcq.quiz.wording import WORDS
from dcq.records import LETTERS, PartitionRole, QuizKind

COLUMNS = ("model", "partition", "role", "instance_id", "correct", "answer")
KIND = "kind"
_IDENTITY = ("model", "partition", "instance_id")
# Beyond them an analysis takes more than some ten seconds.
MOST_GROUPS, MOST_COMPARISONS = 20_000, 200_000
_NO_ANSWER = -1
_FIVE_OPTIONS = (QuizKind.BDQ.value, QuizKind.BCQ.value)
_WITHOUT_ORIGINAL = (QuizKind.MODIFIED.value, QuizKind.BDQ.value)
_REASONS = (
    "a reused answer, for an instance and slot that already have one",
    "no letter from A to D in the column correct",
    "the quiz without originals did not ask this instance",
)
_Choices = Mapping[tuple[str, str], Mapping[int, int]]  # model, partition → instance → choice


def missing(table: pd.DataFrame) -> tuple[str, ...]:
    """Columns that such a file needs and ``table`` lacks."""
    return tuple(name for name in COLUMNS if name not in table)


def read_evidence(table: pd.DataFrame, name: str) -> tuple[list[Evidence], tuple[str, ...]]:
    """The evidence in a ``table`` of strings, in the file's order, and sentences on rows left out.

    Each slot of a bcq is a quiz of its own. Raises ``InputError`` if a role or an id is missing, a
    partition has two roles for one model, no row can be scored, or there are too many results.
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
    evidence = [
        _evidence(i, row, part, without, [int(counts[i]) for counts in dropped])
        for i, (row, part) in enumerate(zip(names, parts, strict=True))
    ]
    return evidence, notes


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


def _evidence(
    place: int,
    row: Mapping[Any, str],
    calls: NDArray[np.int64],
    without: _Choices,
    dropped: Sequence[int],
) -> Evidence:
    """The evidence in ``calls``: one row each, with instance, slot and choice. ``place`` in the
    file stands for a run; ``dropped`` counts the rows that were reused and those without a slot."""
    kind, choice = row[KIND], calls[:, 2]
    instances, right, slots = _tabulate(calls)
    values, refused_as_wrong, ablation, unpaired = right, None, None, 0
    bdq = without.get((row["model"], row["partition"]), {}) if kind == QuizKind.BCQ else {}
    paired = np.isin(instances, list(bdq))
    chosen = np.array([bdq[instance] for instance in instances[paired]], dtype=np.int64)
    if (chosen != _NO_ANSWER).any():
        unpaired, right = int((~paired).sum()), right[paired]
        before = np.where(chosen == _NO_ANSWER, np.nan, chosen == SLOTS.index(slots))
        ablation = compare(before, right[:, 0])
        values = right - before[:, None]
        refused_as_wrong = np.nan_to_num(right, nan=0.0) - before[:, None]
    kappa, rotated = _kappa(kind, right, ablation), right.shape[1] > 1
    # Without κ nothing can be compared: as for a bcq without a bdq.
    lacking = kappa.kappa_fixed is None and (kappa.n or kind == QuizKind.BCQ)
    why = wording.no_bdq if ablation is None else wording.no_room
    own_share = ablation.modified_share if ablation else None
    measure = Measure(FOUND, values, refused_as_wrong=refused_as_wrong, own_share=own_share)
    gaps = np.isnan(values).any(axis=1)
    return Evidence(
        method=METHOD,
        run=str(place),
        model=row["model"],
        partition=row["partition"],
        place=row["partition"],
        role=row["role"],
        estimate=MethodEstimate.of_kappa(kappa),
        measures=() if lacking else (measure,),
        usable=kappa.n,
        planned=len(right),
        unusable=float(gaps.mean()) if gaps.size else 0.0,
        setting=(
            ("kind", kind),
            ("calls an instance", "several" if rotated else "one"),
            ("slot", slots if rotated or len(slots) == 1 else "mixed"),
        ),
        ablation=ablation,
        chance=None if kind in _FIVE_OPTIONS else CHANCE,
        incomparable=Check(Topic.CONTROLS, Mark.BAD, why) if lacking else None,
        text_only=None,
        declined=(int((choice == len(SLOTS)).sum()), int((choice != _NO_ANSWER).sum()))
        if kind == QuizKind.BCQ
        else None,
        family_key=place,
        checks=_left_out([*dropped, unpaired]),
        words=WORDS,
        figures={"name": _name(kind, slots), "kind": kind, "slot": slots, "correct": kappa.correct}
        | {"mode": None},  # the file does not tell whether letters were asked for
    )


def _tabulate(calls: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64], str]:
    """The instances, with a row for each of what was right (1 right, 0 wrong, NaN no answer), and
    the letters of the original. There is a column for each slot if instances were asked with the
    original at several, else one."""
    instance, slot, choice = calls.T
    instances, place = np.unique(instance, return_inverse=True)
    slots, column = np.unique(slot, return_inverse=True)
    if len(instances) == len(calls):  # each asked once
        column = np.zeros_like(column)
    right = np.full((len(instances), max(column, default=0) + 1), np.nan)
    right[place, column] = np.where(choice == _NO_ANSWER, np.nan, choice == slot)
    return instances, right, "".join(SLOTS[slot] for slot in slots)


def _kappa(kind: str, right: NDArray[np.float64], ablation: Ablation | None) -> Kappa:
    """Score and κ over answers; for a rotated quiz, over instances."""
    if ablation is not None:
        return above_own_baseline(ablation)
    if right.shape[1] > 1:
        return rotated_kappa(right)
    n, correct = int((~np.isnan(right)).sum()), int(np.nansum(right))
    if kind in _FIVE_OPTIONS:
        return Kappa(n, correct, correct / n if n else None, None, None, None, None)
    return kappa_fixed(correct, n, CHANCE)


def _name(kind: str, slots: str) -> str | None:
    """The quiz in words; None if the file does not say of which kind it is."""
    return f"{kind}, original at {slots}" if kind == QuizKind.BCQ and slots else kind or None


def _left_out(counts: Sequence[int]) -> tuple[Check, ...]:
    """A check for each reason why rows are not counted; ``counts`` are in the order of
    ``_REASONS``."""
    return tuple(
        Check(Topic.COMPLETE, Mark.CAUTION, wording.rows_left_out, {"count": count, "why": why})
        for count, why in zip(counts, _REASONS, strict=True)
        if count
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
