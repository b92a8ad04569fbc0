"""Investigations: the choice for each, and its runs."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from dcq.errors import InputError
from dcq.records import QuizKind
from dcq.store import samples
from dcq.store.connect import Store, utc_now
from dcq.store.moment import INVESTIGATIONS
from dcq.store.rows import grouped, records
from dcq.words import counted

Place = tuple[str, str]  # the kind of a quiz, or the name of another method, and a sample


@dataclass(frozen=True)
class AdoptedRun:
    """A run that an investigation uses, and its cost in USD before the investigation began."""

    run: str
    usd_before: float


@dataclass(frozen=True)
class Investigation:
    """One model on one sample and on its ``controls`` (ids of samples): a modified quiz of the
    sample, then quizzes of ``kind``, then other ``methods`` (their names). ``limit`` (instances of
    each) and ``budget_usd`` (for all of it) are None where there is none. ``made_at`` is UTC."""

    id: str
    sample: str
    model: str
    kind: QuizKind
    controls: tuple[str, ...]
    limit: int | None
    budget_usd: float | None
    made_at: datetime
    methods: tuple[str, ...] = ()
    runs: Mapping[Place, AdoptedRun] = field(default_factory=dict)

    @property
    def places(self) -> tuple[Place, ...]:
        """The steps of the investigation, in their order."""
        return places_of(self.sample, self.kind, self.controls, self.methods)


def places_of(
    sample_id: str, kind: QuizKind, controls: Sequence[str], methods: Sequence[str] = ()
) -> tuple[Place, ...]:
    """The steps of an investigation, in their order: the quizzes, then the other methods."""
    sample_ids = (sample_id, *controls)
    return (
        (QuizKind.MODIFIED, sample_id),
        *((kind, sample) for sample in sample_ids),
        *((method, sample) for method in methods for sample in sample_ids),
    )


def create(
    store: Store,
    sample_id: str,
    model: str,
    kind: QuizKind,
    controls: Sequence[str],
    *,
    methods: Sequence[str] = (),
    limit: int | None = None,
    budget_usd: float | None = None,
) -> Investigation:
    """Keep a new investigation, which has no run yet."""
    investigation_id, now = secrets.token_hex(8), utc_now()
    with store.write([INVESTIGATIONS]) as db:
        db.execute(
            "INSERT INTO investigation "
            "(id, sample_id, model, kind, controls, methods, instances, budget_usd, made_at) "
            "VALUES (?,?,?,?,?,?,?,?,?)",
            [
                *(investigation_id, sample_id, model, kind, list(controls), list(methods)),
                *(limit, budget_usd, now),
            ],
        )
    return load(store, investigation_id)


def allow(
    store: Store, investigation_id: str, *, limit: int | None, budget_usd: float | None
) -> Investigation:
    """Give an investigation another limit or budget; None leaves the present one. Raises InputError
    for a limit below the present one, once it has a run."""
    before = load(store, investigation_id)
    most = 0
    if limit is not None and before.runs:
        most = before.limit or len(samples.load(store, before.sample).instances)
    if limit is not None and limit < most:
        raise InputError(
            f"This investigation was begun with {counted(most, 'instance')} of each sample; leave "
            "the limit out, give a higher one, or begin anew without --resume."
        )
    with store.write([INVESTIGATIONS]) as db:
        db.execute(
            "UPDATE investigation SET instances = coalesce(?, instances), "
            "budget_usd = coalesce(?, budget_usd) WHERE id = ?",
            [limit, budget_usd, investigation_id],
        )
    return load(store, investigation_id)


def narrow(store: Store, investigation_id: str, methods: Sequence[str]) -> Investigation:
    """Restrict an investigation to these other methods."""
    with store.write([INVESTIGATIONS]) as db:
        db.execute(
            "UPDATE investigation SET methods = ? WHERE id = ?", [list(methods), investigation_id]
        )
    return load(store, investigation_id)


def replace_control(
    store: Store, investigation_id: str, sample_id: str, other_id: str
) -> Investigation:
    """Put another sample in the place of a control of an investigation."""
    before = load(store, investigation_id)
    controls = [other_id if control == sample_id else control for control in before.controls]
    with store.write([INVESTIGATIONS]) as db:
        db.execute(
            "UPDATE investigation SET controls = ? WHERE id = ?", [controls, investigation_id]
        )
    return load(store, investigation_id)


def add_run(
    store: Store, investigation_id: str, place: Place, run_id: str, usd_before: float
) -> None:
    """Make a run part of an investigation. Nothing happens if that step has a run already."""
    kind, sample_id = place
    with store.write([INVESTIGATIONS]) as db:
        db.execute(
            "INSERT OR IGNORE INTO investigation_run VALUES (?,?,?,?,?)",
            [investigation_id, kind, sample_id, run_id, usd_before],
        )


def load(store: Store, investigation_id: str) -> Investigation:
    """The investigation of this id. Raises InputError if there is none."""
    investigations = _read(store, "id = ?", [investigation_id])
    if not investigations:
        raise InputError(f"There is no investigation {investigation_id!r} in this store.")
    return investigations[0]


def newest(store: Store, sample_id: str, model: str) -> Investigation | None:
    """The newest investigation of a model on a sample; None if there is none."""
    investigations = _read(store, "sample_id = ? AND model = ?", [sample_id, model])
    return investigations[0] if investigations else None


def listing(store: Store) -> list[Investigation]:
    """The newest investigation of each model on each sample, newest first."""
    investigations: dict[tuple[str, str], Investigation] = {}
    for investigation in _read(store, "true", []):
        investigations.setdefault((investigation.sample, investigation.model), investigation)
    return list(investigations.values())


def _read(store: Store, where: str, values: Sequence[str]) -> list[Investigation]:
    with store.read() as db:
        found = records(
            db.execute(
                "SELECT * REPLACE (coalesce(methods, []) AS methods), sample_id AS sample, "  # noqa: S608  (our own words)
                f"instances AS limit FROM investigation WHERE {where} AND id NOT IN ("
                "SELECT investigation_id FROM investigation_run "
                "JOIN imported_run USING (run_id)) ORDER BY seq DESC",
                values,
            ),
            Investigation,
        )
        adopted = grouped(
            db.execute(
                "SELECT investigation_id, kind, sample_id, run_id, usd_before "
                "FROM investigation_run WHERE investigation_id IN (SELECT unnest(?))",
                [[investigation.id for investigation in found]],
            )
        )
    return [
        replace(
            investigation,
            runs={
                (kind, sample): AdoptedRun(*run)
                for kind, sample, *run in adopted.get(investigation.id, ())
            },
        )
        for investigation in found
    ]
