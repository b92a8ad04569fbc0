"""Whose a run is: this store's own, or others', who sent it in a bundle or a backup.

A bundle that is imported stays whole and apart: its file is kept, with what its rows give, and none
of its rows joins those of the store. So nothing in it can decide a pair of one's own. Somebody may
take it in; then its runs are among those of the store, marked, and count beside one's own until it
is taken back. Runs of others are never continued or reused, taken in or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

import duckdb

from dcq.errors import InputError
from dcq.store.connect import Store, utc_now
from dcq.store.rows import column, insert_records, insert_rows, newest_rows, records
from dcq.store.variants import SLOTS
from dcq.words import listed

if TYPE_CHECKING:  # takes a quarter of a second to import, which not every reader needs
    import pyarrow as pa

_OF_SOURCES = ("source_part", "source_outcome", "source_run")
_CHUNK = 4_000_000  # bytes of a file in a row
LONGEST_SENDER = 80


class SourceKind(StrEnum):
    """How runs of others came here."""

    BUNDLE = "bundle"
    BACKUP = "backup"
    EARLIER = "earlier"  # with an earlier release, which did not keep from whom


@dataclass(frozen=True)
class Taking:
    """Who took a source in or back, and when (UTC)."""

    taken: bool
    author: str
    at: datetime


@dataclass(frozen=True)
class Source:
    """What brought runs of others: a bundle, whose manifest has the SHA-256 ``id``, or another's
    backup. ``sender`` is how the importer names whose it is, ``author`` the importer, ``at`` when
    (UTC), ``taking`` who took it in or back last."""

    id: str
    kind: SourceKind
    sender: str
    file: str
    study: str | None
    author: str
    at: datetime
    taking: Taking | None = None

    @property
    def taken(self) -> bool:
        """Whether its runs count here."""
        return self.taking is not None and self.taking.taken

    @property
    def who(self) -> str:
        """The sender, in a sentence."""
        return self.sender or _UNNAMED[self.kind]


NO_NAME = "the sender of"  # a file: who sent it, where nobody was named
_UNNAMED = {
    SourceKind.BUNDLE: "the sender of a bundle",
    SourceKind.BACKUP: "whoever made the backup that was restored",
    SourceKind.EARLIER: "a sender whom an earlier release did not keep",
}


@dataclass(frozen=True)
class SentConclusion:
    """What the rows of a source give of a model and a partition (``key/split``), judged as the
    sender's study; ``runs`` are its runs of the pair."""

    model: str
    partition: str
    ruling: str
    sentence: str
    runs: tuple[str, ...]


@dataclass(frozen=True)
class SourceRun:
    """A run of a kept bundle: its ``method``, ``model``, ``subject`` (a quiz, say) and sample."""

    source: str
    run: str
    method: str
    model: str
    subject: str
    sample: str


def identity(store: Store) -> str:
    """What tells this store and its backups from all others; empty where there is not one."""
    with store.read() as db:
        rows = db.execute("SELECT id FROM store_identity LIMIT 2").fetchall()
    return str(rows[0][0]) if len(rows) == 1 else ""


def keep(
    store: Store,
    source: Source,
    data: bytes,
    outcomes: Sequence[SentConclusion],
    runs: Iterable[SourceRun],
) -> bool:
    """Keep a bundle's file (``data``) beside the store's own rows; returns whether it is new."""
    with store.write() as db:
        if db.execute("SELECT 1 FROM source WHERE id = ?", [source.id]).fetchone():
            return False
        _insert(db, source)
        parts = range(0, len(data), _CHUNK)
        db.executemany(
            "INSERT INTO source_part VALUES (?, ?, ?)",
            [[source.id, i, data[start : start + _CHUNK]] for i, start in enumerate(parts)],
        )
        insert_rows(
            db,
            "source_outcome",
            ("source_id", "position", "model", "partition_id", "ruling", "sentence", "runs"),
            [
                [source.id, i, o.model, o.partition, o.ruling, o.sentence, o.runs]
                for i, o in enumerate(outcomes)
            ],
        )
        insert_rows(
            db,
            "source_run",
            ("source_id", "run_id", "method", "model", "subject", "sample_id"),
            [[source.id, r.run, r.method, r.model, r.subject, r.sample] for r in runs],
        )
    return True


def _insert(db: duckdb.DuckDBPyConnection, source: Source) -> None:
    insert_records(db, "source", [source], made_at=source.at)


def listing(store: Store) -> list[Source]:
    """All sources, the newest first."""
    with store.read() as db:
        rows = db.execute(
            "SELECT s.*, s.made_at AS at, CASE WHEN t.seq IS NOT NULL THEN "  # noqa: S608  (our own words)
            "{'taken': t.taken, 'author': t.author, 'at': t.made_at} END AS taking FROM source s "
            f"LEFT JOIN {newest_rows('taking', 'source_id')} t ON t.source_id = s.id "
            "ORDER BY s.made_at DESC, s.id"
        )
        return records(rows, Source)


def load(store: Store, source_id: str) -> Source:
    """The source of this id, or of the only id that starts with it. Raises InputError if there is
    none."""
    found = [entry for entry in listing(store) if source_id and entry.id.startswith(source_id)]
    if len(found) != 1:
        raise InputError(
            f"{'Nothing imported' if not found else 'More than one import'} has the id "
            f"{source_id!r}; `python -m dcq imported list` lists what others sent."
        )
    return found[0]


def data(store: Store, source_id: str) -> bytes:
    """The file of a kept bundle; empty for other sources."""
    with store.read() as db:
        rows = db.execute(
            "SELECT bytes FROM source_part WHERE source_id = ? ORDER BY position", [source_id]
        )
        return b"".join(column(rows))


def outcomes(store: Store, source_id: str) -> list[SentConclusion]:
    """What the rows of a source give."""
    with store.read() as db:
        rows = db.execute(
            "SELECT *, partition_id AS partition FROM source_outcome "
            "WHERE source_id = ? ORDER BY position",
            [source_id],
        )
        return records(rows, SentConclusion)


def record_taking(store: Store, source_id: str, author: str, *, taken: bool) -> Source:
    """Record that a source was taken in, or back. Raises InputError where it is so already."""
    source = load(store, source_id)
    if source.taken == taken:
        raise InputError(
            f"What {source.who} sent is taken in already."
            if taken
            else f"What {source.who} sent is not taken in."
        )
    with store.write() as db:
        insert_rows(
            db,
            "taking",
            ("source_id", "taken", "author", "made_at"),
            [[source.id, taken, author, utc_now()]],
        )
    return load(store, source.id)


def mark(db: duckdb.DuckDBPyConnection, ids: str, source_id: str) -> None:
    """Mark the runs whose ids the query ``ids`` gives as runs of others."""
    db.execute(
        f"INSERT INTO imported_run (run_id, made_at, source_id) SELECT id, ?::TIMESTAMP, ? "  # noqa: S608  (our own words)
        f"FROM ({ids}) WHERE id NOT IN (SELECT run_id FROM imported_run)",
        [utc_now(), source_id],
    )


def _as_there(db: duckdb.DuckDBPyConnection, source_id: str) -> None:
    """Count the runs of a source as there since they were begun: they came with the whole store
    that they were asked in, its studies among it."""
    db.execute(
        "UPDATE imported_run SET made_at = run.made_at FROM run "
        "WHERE run.id = imported_run.run_id AND imported_run.source_id = ?",
        [source_id],
    )


def mark_sent(store: Store, source: Source) -> None:
    """Mark all runs of a store that was made of a bundle as those of its sender, so that whatever
    is written of them says whose they are. They count there."""
    with store.write() as db:
        _insert(db, source)
        mark(db, "SELECT id FROM run", source.id)
        _as_there(db, source.id)
    record_taking(store, source.id, "", taken=True)


def mark_restored(store: Store, file: str, own: Sequence[tuple[str, str, str]] | None) -> int:
    """Mark the runs of a store that was made of a backup as others', except those in ``own``: each
    with its model and address; returns how many are. ``own`` is None for another's backup, of which
    nothing is one's own, nor are its weights."""
    source = Source(
        f"backup-{utc_now():%y%m%d-%H%M%S}", SourceKind.BACKUP, "", file, None, "", utc_now()
    )
    with store.write() as db:
        db.execute("CREATE TEMP TABLE own (id VARCHAR, model VARCHAR, base_url VARCHAR)")
        db.executemany("INSERT INTO own VALUES (?, ?, ?)", [("", "", ""), *(own or [])])
        strangers = "SELECT id FROM run ANTI JOIN own USING (id, model, base_url)"
        if own is None:
            # What they had imported themselves is all theirs alike.
            for table in ("imported_run", "taking", *_OF_SOURCES, "source", "imported_plan"):
                db.execute(f"DELETE FROM {table}")  # noqa: S608  (our own names)
            db.execute("INSERT INTO imported_plan SELECT id FROM answer_plan")
        mark(db, strangers, source.id)
        _as_there(db, source.id)
        [(count,)] = db.execute(
            "SELECT count(*) FROM imported_run WHERE source_id = ?", [source.id]
        ).fetchall()
        if count:
            _insert(db, source)
    return int(count)


def own_runs(store: Store) -> list[tuple[str, str, str]]:
    """The runs that were asked from this store, each with its model and address."""
    with store.read() as db:
        return db.execute("SELECT id, model, base_url FROM own_run").fetchall()


def otherwise_here(store: Store, sent_runs: pa.Table, sent_answers: pa.Table) -> str | None:
    """A run of one's own that has another model or another reply in these tables of a bundle; None
    where there is none. What was asked here since, or read again there, is no difference."""
    run = "id, model, method, subject"
    with store.read() as db:
        db.register("sent_run", sent_runs)
        db.register("sent_answer", sent_answers)
        rows = db.execute(
            f"WITH differing AS (SELECT id FROM (SELECT {run} FROM sent_run "  # noqa: S608  (our words)
            f"EXCEPT SELECT {run} FROM own_run) UNION ALL "
            "SELECT s.run_id FROM sent_answer s JOIN answer a USING (run_id, position, attempt) "
            "WHERE s.outcome IS DISTINCT FROM a.outcome OR s.value IS DISTINCT FROM a.value "
            "OR s.reply IS DISTINCT FROM a.reply UNION ALL "
            "SELECT s.run_id FROM sent_answer s LEFT JOIN answer a "
            "ON a.run_id = s.run_id AND a.position = s.position AND a.reply = s.reply "
            "AND coalesce(a.value = s.value, true) "  # a lost letter may have been read since
            "WHERE s.reply IS NOT NULL AND a.run_id IS NULL) "
            "SELECT id FROM differing WHERE id IN (SELECT id FROM own_run) ORDER BY id LIMIT 1"
        ).fetchall()
        db.unregister("sent_run")
        db.unregister("sent_answer")
    return next((run_id for (run_id,) in rows), None)


def is_imported(store: Store, run_id: str) -> bool:
    """Whether a run of the store is others'."""
    with store.read() as db:
        return bool(db.execute("SELECT 1 FROM imported_run WHERE run_id = ?", [run_id]).fetchone())


def senders(store: Store) -> dict[str, str]:
    """Who sent each run of others that is among those of the store, by run."""
    with store.read() as db:
        marked = db.execute("SELECT run_id, source_id FROM imported_run").fetchall()
    if not marked:
        return {}
    names = {entry.id: entry.who for entry in listing(store)}
    return {run: names.get(source, _UNNAMED[SourceKind.EARLIER]) for run, source in marked}


def taken_in(store: Store) -> dict[str, datetime]:
    """When each run of others came among those of the store (UTC), by run; without those that came
    with the whole store that they were asked in (``_as_there``)."""
    with store.read() as db:
        return dict(
            db.execute(
                "SELECT m.run_id, m.made_at FROM imported_run m JOIN run r ON r.id = m.run_id "
                "WHERE m.made_at > r.made_at"
            ).fetchall()
        )


def run_of_others(store: Store, run_id: str) -> tuple[Source, SourceRun] | None:
    """Where a run of others came from: one of a kept bundle, or one among the store's. None for
    one's own, for an unknown id, and for the beginning of several ids."""
    if not run_id:
        return None
    with store.read() as db:
        rows = db.execute(
            "SELECT m.source_id, r.id, r.method, r.model, r.subject, r.sample_id "
            "FROM imported_run m JOIN run r ON r.id = m.run_id WHERE starts_with(r.id, $run) "
            "UNION SELECT source_id, run_id, method, model, subject, sample_id FROM source_run "
            "WHERE starts_with(run_id, $run) AND run_id NOT IN (SELECT id FROM run)",
            {"run": run_id},
        ).fetchall()
        if db.execute("SELECT 1 FROM own_run WHERE starts_with(id, ?)", [run_id]).fetchone():
            return None
    if len({row[1] for row in rows}) != 1:
        return None
    found = SourceRun(*rows[0])
    known = {entry.id: entry for entry in listing(store)}
    if found.source not in known:
        return None
    return known[found.source], found


def name_sent(name: str, who: str) -> str:
    """A person whom a sender names: whoever has the same name here is somebody else."""
    return f"{name} {_sent_by(who)}".lstrip()


def _sent_by(who: str) -> str:
    return f"(sent by {who})"


def whose_rewordings(store: Store, sample_id: str) -> str:
    """Which of the current rewordings of a sample others sent, in sentences; empty where none
    were."""
    names = sorted({source.who for source in listing(store)})
    if not names:
        return ""
    with store.read() as db:
        slots = newest_rows("variant", "instance_id", "slot", where="sample_id = ? AND slot < ?")
        authors = column(db.execute(f"SELECT author FROM {slots}", [sample_id, SLOTS]))  # noqa: S608
    marks = {name: _sent_by(name) for name in names}
    found = [[name for name in names if author.endswith(marks[name])] for author in authors]
    sent = [who for who in found if who]
    if not sent:
        return ""
    who = listed(sorted({name for names in sent for name in names}))
    return (
        f"{len(sent):,} of {len(authors):,} rewordings of this sample were sent by {who}. Write "
        f"your own with: python -m dcq perturb {sample_id} --again --model MODEL"
    )


def refuse_others(store: Store, run_ids: Iterable[str]) -> None:
    """Raise InputError where one of these runs is others': nobody's key goes where they asked, and
    what they left open is not continued."""
    for run_id in run_ids:
        if (found := run_of_others(store, run_id)) is not None:
            raise InputError(refusal(*found))


def refusal(source: Source, run: SourceRun) -> str:
    """Why a run of others is not continued, and what to do instead."""
    return (
        f"Run {run.run} was asked by {source.who}, not by you, so it is neither continued nor "
        f"reused. Ask again as your own: python -m dcq imported ask-again {run.run} --model MODEL"
    )


def own_of(store: Store, run_ids: Sequence[str]) -> list[str]:
    """These runs without those of others, in their order."""
    others = senders(store)
    return [run for run in run_ids if run not in others]
