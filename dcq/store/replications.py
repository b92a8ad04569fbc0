"""Replications: the instances of a sample cut in two, as models are asked to complete them.

A replication never changes. The completions that a judge is asked about are added to its run's list
as they come, so that a request keeps its position. Cuts that people moved, and the labels that they
give completions (exact, near-exact or inexact), are rows that are only added; the newest counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dcq.errors import InputError
from dcq.store import frozen
from dcq.store.connect import Store, utc_now
from dcq.store.moment import until_written
from dcq.store.results import state as state_of_results
from dcq.store.rows import newest_rows


@dataclass(frozen=True)
class StoredPiece:
    """One instance, cut: see ``dcq.replication.pieces.Pieces``. ``wrong_label`` is that of the
    wrong-label control, None where it is not asked. ``cut_by`` is what decided the cut
    (``dcq.replication.pieces.CutBy``), None in what an older release kept."""

    instance_id: str
    form: str
    first: str
    second: str
    label: str | None
    gap: str
    inside_sentence: bool
    wrong_label: str | None = None
    cut_by: str | None = None


@dataclass(frozen=True)
class Replication:
    """The pieces that models are to complete, with the ``version`` of the wordings and the
    ``instructions``. Cuts were drawn between the shares ``earliest`` and ``latest`` of the text.
    ``judge`` is the model that is to judge, empty for none; ``left_out`` says why instances of the
    sample are not among the ``pieces``: instance id -> reason."""

    id: str
    sample_id: str
    version: str
    instructions: tuple[str, ...]
    judge: str
    seed: int
    earliest: float
    latest: float
    author: str
    left_out: Mapping[str, str]
    pieces: tuple[StoredPiece, ...]


def save(store: Store, new: Replication) -> str:
    """Store a replication, whose own id is ignored; returns its new id."""
    return frozen.keep(store, "t", "replication", new, piece=new.pieces)


def load(store: Store, replication_id: str) -> Replication:
    """A replication with its pieces. Raises InputError if there is none of this id."""
    pieces = ("piece", StoredPiece)
    stored = frozen.kept(store, "replication", replication_id, Replication, pieces=pieces)
    if stored is None:
        raise InputError(f"No replication has the id {replication_id!r}.")
    return stored


@dataclass(frozen=True)
class Outline:
    """How many completions a whole replication asks for, and the model that is to judge, empty for
    none."""

    requests: int
    judge: str


def outlines(store: Store, replication_ids: Sequence[str]) -> dict[str, Outline]:
    """The outlines of replications by id, without their texts."""
    with store.read() as db:
        rows = db.execute(
            "SELECT r.id, len(r.instructions) * count(p.position), r.judge FROM replication r "
            "LEFT JOIN piece p ON p.replication_id = r.id WHERE r.id IN (SELECT unnest(?)) "
            "GROUP BY r.id, r.instructions, r.judge",
            [list(replication_ids)],
        ).fetchall()
    return {replication_id: Outline(requests, judge) for replication_id, requests, judge in rows}


def add_to_judge(store: Store, run_id: str, pieces: Sequence[int]) -> None:
    """Add completions of a run, by the place of their piece, to the list that judges are asked
    about; those on the list keep their position."""
    frozen.add_to_list(store, "judge_request", run_id, "piece", pieces)


def to_judge(store: Store, run_id: str) -> list[int]:
    """The pieces whose completions judges of a run are asked about, by the position of the
    request."""
    return frozen.listed(store, "judge_request", run_id, "piece")


def move(
    store: Store, sample_id: str, instance_id: str, seed: int, offset: int | None, author: str
) -> None:
    """Note that a person cuts an instance after ``offset`` characters of its text, under this
    ``seed``; None takes that back."""
    with store.write() as db:
        db.execute(
            "INSERT INTO cut (sample_id, instance_id, seed, cut_offset, author, made_at) "
            "VALUES (?,?,?,?,?,?)",
            [sample_id, instance_id, seed, offset, author, utc_now()],
        )


@dataclass(frozen=True)
class MovedCut:
    """A cut after ``offset`` characters, moved by ``author``."""

    offset: int
    author: str


def current(store: Store, sample_id: str, seed: int) -> dict[str, MovedCut]:
    """The moved cuts of a sample under this ``seed``, by instance id."""
    with store.read() as db:
        rows = db.execute(
            "SELECT instance_id, cut_offset, author FROM "  # noqa: S608  (our own words)
            f"{newest_rows('cut', 'instance_id', where='sample_id = ? AND seed = ?')} "
            "WHERE cut_offset IS NOT NULL",
            [sample_id, seed],
        )
        return {instance_id: MovedCut(*cut) for instance_id, *cut in rows.fetchall()}


def add(store: Store, run_id: str, position: int, annotator: str, label: str) -> None:
    """Note the label that ``annotator`` gives the completion at ``position`` of a run's pieces; an
    empty ``label`` takes an earlier one back."""
    with store.write() as db:
        db.execute(
            "INSERT INTO match_label (run_id, position, annotator, label, made_at) "
            "VALUES (?,?,?,?,?)",
            [run_id, position, annotator, label, utc_now()],
        )


def of(store: Store, run_id: str) -> dict[str, dict[int, str]]:
    """The labels of each annotator for the completions of a run: annotator -> position among the
    pieces -> label; annotators by name."""
    return labels_by_run(store, [run_id]).get(run_id, {})


def labels_by_run(store: Store, run_ids: Sequence[str]) -> dict[str, dict[str, dict[int, str]]]:
    """As ``of``, of many runs; those without a label are left out."""
    within = "run_id IN (SELECT unnest(?::VARCHAR[]))"
    newest = newest_rows("match_label", "run_id", "annotator", "position", where=within)
    with store.read() as db:
        rows = db.execute(
            f"SELECT run_id, annotator, position, label FROM {newest} "  # noqa: S608  (our own words)
            "WHERE label <> '' ORDER BY run_id, annotator, position",
            [list(run_ids)],
        ).fetchall()
    labels: dict[str, dict[str, dict[int, str]]] = {}
    for run, annotator, position, label in rows:
        labels.setdefault(run, {}).setdefault(annotator, {})[position] = label
    return labels


@until_written
def state(store: Store) -> tuple[int, ...]:
    """A value that changes whenever something is written that the result of a replication rests
    on."""
    with store.read() as db:
        row = db.execute("SELECT coalesce(max(seq), 0) FROM match_label").fetchone()
    return (*state_of_results(store), *map(int, row or ()))
