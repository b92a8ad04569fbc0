"""Variants and the decisions of people about them. Rows are only added: the latest of a slot
counts, the older ones are its history.

Several people may work on one sample at once, so whoever decides or edits says what they saw. What
has changed since then is left as it is, and handed back to be shown. Slots 0 to 3 hold the variants
of which quizzes are made. Later slots hold candidates, of which ``dcq.variants.choose_candidates``
moves some into the first four; they are read only on request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

import duckdb

from dcq.records import Sample, Severity, VariantFinding, Writer
from dcq.store.connect import Store, utc_now
from dcq.store.moment import until_changed, until_written_to
from dcq.store.rows import column, grouped, insert_records, newest_rows, parsed, records

_KEPT = 256  # samples whose variants stay in memory
SLOTS = 4  # of the variants, 0 to 3; in the slots after them are candidates to take their places

if TYPE_CHECKING:  # takes half a second to import, which not every reader needs
    import pandas as pd


class Decision(StrEnum):
    """A person's decision about a variant; ``open`` withdraws an earlier decision."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    OPEN = "open"


@dataclass(frozen=True)
class NewVariant:
    """A variant to be stored. ``origin`` and ``prompt`` say who wrote it, as ``dcq.records.Writer``
    does; ``author`` is the person who wrote it, had it written or imported it; ``rewording_id`` is
    the rewording that it came with, if any."""

    instance_id: str
    slot: int
    text: str
    origin: str
    author: str = ""
    findings: tuple[VariantFinding, ...] = ()
    prompt: str | None = None
    rewording_id: str | None = None


@dataclass(frozen=True)
class Flag:
    """A person's doubt about a variant, in a few words. It does not affect the variant's use."""

    note: str
    author: str


@dataclass(frozen=True)
class StoredVariant:
    """The newest variant of a slot, with the newest decision about it."""

    seq: int
    instance_id: str
    slot: int
    text: str
    origin: str
    author: str
    findings: tuple[VariantFinding, ...]
    at: datetime
    decision: Decision
    reviewer: str
    prompt: str | None = None  # that a model answered, None where none is known
    review: int = 0  # seq of the decision, 0 while there is none
    instruction: str = ""  # what a person added to the prompt
    flag: Flag | None = None

    @property
    def usable(self) -> bool:
        """Whether it may be used in a quiz: accepted ones may, rejected ones may not, others if no
        check found an error."""
        if self.decision is Decision.OPEN:
            return not any(f.severity is Severity.ERROR for f in self.findings)
        return self.decision is Decision.ACCEPTED


_NEWEST = newest_rows(
    "variant",
    *("instance_id", "slot"),
    where="sample_id = $sample AND ($candidates OR slot < $slots) "
    "AND ($every OR instance_id IN (SELECT unnest($instances::VARCHAR[])))",
)
_OF_SAMPLE = "sample_id = $sample"
_SLOT = ("sample_id", "instance_id", "slot")  # of any sample
_CURRENT = f"""
    SELECT n.*, n.made_at AS at, coalesce(s.decision, 'open') AS decision,
        coalesce(s.author, '') AS reviewer, coalesce(s.seq, 0) AS review,
        coalesce(w.instruction, '') AS instruction,
        CASE WHEN f.raised THEN {{'note': f.note, 'author': f.author}} END AS flag
    FROM {_NEWEST} n
    LEFT JOIN {newest_rows("review", "variant_seq", where=_OF_SAMPLE)} s ON s.variant_seq = n.seq
    LEFT JOIN {newest_rows("flag", "variant_seq", where=_OF_SAMPLE)} f ON f.variant_seq = n.seq
    LEFT JOIN rewording w ON w.id = n.rewording_id
    ORDER BY n.instance_id, n.slot"""  # noqa: S608  (our own words)


def of_sample(sample: Sample, author: str) -> list[NewVariant]:
    """The variants that came with a sample. What a person wrote elsewhere has no author, because
    whoever imported it did not write it."""
    new_variants = []
    for instance_id, texts in sample.variants.items():
        by = sample.writers.get(instance_id, (Writer("bundled"),) * len(texts))
        new_variants += [
            NewVariant(
                instance_id,
                slot,
                text,
                writer.origin,
                "" if writer.origin == "person" else author,
                prompt=writer.prompt,
            )
            for slot, (text, writer) in enumerate(zip(texts, by, strict=True))
            if text
        ]
    return new_variants


def add(store: Store, sample_id: str, new: Sequence[NewVariant]) -> None:
    """Store variants; each becomes the newest of its slot."""
    with store.write() as db:
        insert(db, sample_id, new)


def insert(db: duckdb.DuckDBPyConnection, sample_id: str, new: Sequence[NewVariant]) -> None:
    """As ``add``, within a transaction that is already open."""
    insert_records(db, "variant", new, sample_id=sample_id, made_at=utc_now())


@until_written_to()
def state(store: Store, sample_id: str) -> tuple[int, int]:
    """A value that changes whenever a variant of the sample is written, decided about or
    flagged."""
    with store.read() as db:
        return _state_of(db, sample_id)


def _state_of(db: duckdb.DuckDBPyConnection, sample_id: str) -> tuple[int, int]:
    row = db.execute(
        "SELECT coalesce((SELECT max(seq) FROM variant WHERE sample_id = $sample), 0), "
        "greatest(coalesce((SELECT max(seq) FROM review WHERE sample_id = $sample), 0), "
        "  coalesce((SELECT max(seq) FROM flag WHERE sample_id = $sample), 0))",
        {"sample": sample_id},
    ).fetchone()
    return row or (0, 0)


def changed_since(
    store: Store, sample_id: str, since: tuple[int, int]
) -> tuple[tuple[int, int], frozenset[str]]:
    """The ``state`` now, and the instances of a sample whose variants were written, decided about
    or flagged since an earlier one."""
    with store.read() as db:
        rows = db.execute(
            "SELECT DISTINCT instance_id FROM variant WHERE sample_id = $sample AND (seq > $written"
            "  OR seq IN (SELECT variant_seq FROM review WHERE seq > $decided)"
            "  OR seq IN (SELECT variant_seq FROM flag WHERE seq > $decided))",
            {"sample": sample_id, "written": since[0], "decided": since[1]},
        ).fetchall()
        now = _state_of(db, sample_id)
    return now, frozenset(instance_id for (instance_id,) in rows)


def current(
    store: Store,
    sample_id: str,
    instance_ids: Iterable[str] | None = None,
    *,
    candidates: bool = False,
) -> dict[str, dict[int, StoredVariant]]:
    """The newest variant of every slot, of all instances or of some: instance id → slot → variant.
    With ``candidates`` also what is in the slots after the fourth."""
    if instance_ids is None:
        return {at: dict(slots) for at, slots in _all_current(store, sample_id, candidates).items()}
    with store.read() as db:
        return current_of(db, sample_id, instance_ids, candidates=candidates)


@until_written_to()
def _written(store: Store, sample_id: str) -> tuple[object, ...]:
    """As ``state``, with the times: a file that took the place of another may count alike."""
    tables = ("variant", "review", "flag")
    with store.read() as db:
        return tuple(
            value
            for table in tables
            for value in db.execute(
                f"SELECT max(seq), max(made_at) FROM {table} WHERE sample_id = ?",  # noqa: S608  (our own names)
                [sample_id],
            ).fetchall()
        )


@until_changed(lambda store, sample_id, candidates: _written(store, sample_id), kept=_KEPT)
def _all_current(
    store: Store, sample_id: str, candidates: bool
) -> Mapping[str, Mapping[int, StoredVariant]]:
    with store.read() as db:
        return current_of(db, sample_id, candidates=candidates)


def current_of(
    db: duckdb.DuckDBPyConnection,
    sample_id: str,
    instance_ids: Iterable[str] | None = None,
    *,
    candidates: bool = False,
) -> dict[str, dict[int, StoredVariant]]:
    """As ``current``, within a transaction that is already open."""
    asked = {
        "sample": sample_id,
        "candidates": candidates,
        "slots": SLOTS,
        "every": instance_ids is None,
        "instances": list(instance_ids or ()),
    }
    variants_by_instance: dict[str, dict[int, StoredVariant]] = {}
    for variant in records(db.execute(_CURRENT, asked), StoredVariant):
        variants_by_instance.setdefault(variant.instance_id, {})[variant.slot] = variant
    return variants_by_instance


def replace(
    store: Store, sample_id: str, pairs: Sequence[tuple[NewVariant, StoredVariant | None]]
) -> tuple[StoredVariant, ...]:
    """Store each new variant in place of the one that was seen in its slot (None: the slot was
    empty). Slots that have changed since are left alone; returns what is there now."""
    changed, replacements = [], []
    with store.write() as db:
        ids = {new.instance_id for new, _ in pairs}
        current_variants = current_of(db, sample_id, ids, candidates=True)
        for new, seen_variant in pairs:
            now = current_variants.get(new.instance_id, {}).get(new.slot)
            if now is not None and state_of(now) != state_of(seen_variant):
                changed.append(now)
            else:
                replacements.append(new)
        insert(db, sample_id, replacements)
    return tuple(changed)


def usable_texts(store: Store, sample_id: str) -> dict[str, dict[int, str]]:
    """The texts from which a quiz may be built: instance id -> slot -> text."""
    return {
        instance_id: {slot: v.text for slot, v in slots.items() if v.usable}
        for instance_id, slots in current(store, sample_id).items()
    }


def writers(store: Store, sample_ids: Sequence[str]) -> dict[str, str]:
    """The writer of most of each sample's present variants: sample -> origin."""
    return dict(_writers(store, tuple(sample_ids)))


@until_written_to()
def _writers(store: Store, sample_ids: tuple[str, ...]) -> Mapping[str, str]:
    with store.read() as db:
        of_samples = "slot < ? AND sample_id IN (SELECT unnest(?))"
        rows = db.execute(
            "SELECT sample_id, mode(origin) FROM "  # noqa: S608  (our own words)
            f"{newest_rows('variant', *_SLOT, where=of_samples)} GROUP BY sample_id",
            [SLOTS, list(sample_ids)],
        ).fetchall()
    return dict(rows)


def _as_asked(asked: str) -> str:
    """SQL for the variants that frozen texts are, a table of id and seq in parentheses: of each
    text the last that had been written when it was frozen, or, if the clock was set back since, the
    first. ``asked`` selects id, sample_id, made_at, instance_id and text of what was frozen."""
    return (
        "(SELECT a.id, coalesce(max(v.seq) FILTER (v.made_at <= a.made_at), min(v.seq)) AS seq "  # noqa: S608  (our own queries)
        f"FROM ({asked}) a JOIN variant v ON v.sample_id = a.sample_id "
        "AND v.instance_id = a.instance_id AND v.text = a.text "
        "GROUP BY a.id, a.instance_id, a.text)"
    )


_OF_QUIZZES = (
    "SELECT q.id, q.sample_id, q.made_at, i.instance_id, unnest(i.options) AS text "
    "FROM quiz q JOIN item i ON i.quiz_id = q.id WHERE q.id IN (SELECT unnest(?))"
)
# With the id of one quiz.
OF_QUIZ = f"(SELECT v.* FROM {_as_asked(_OF_QUIZZES)} JOIN variant v USING (seq))"  # noqa: S608


def writers_of_quizzes(store: Store, quiz_ids: Sequence[str]) -> dict[str, str]:
    """The writer of most of the variants that each quiz asks about, whatever was written since:
    quiz -> origin."""
    return _writers_of_what_was_asked(store, "quiz", _OF_QUIZZES, quiz_ids)


def writers_of_requests(store: Store, frozen_ids: Sequence[str]) -> dict[str, str]:
    """The same of frozen requests whose facts hold ``variants``."""
    return _writers_of_what_was_asked(
        store,
        "frozen",
        "SELECT f.id, f.sample_id, f.made_at, r.instance_id, "
        "unnest(from_json(r.facts -> '$.variants', '[\"VARCHAR\"]')) AS text "
        "FROM frozen f JOIN frozen_request r ON r.frozen_id = f.id "
        "WHERE f.id IN (SELECT unnest(?))",
        frozen_ids,
    )


def _writers_of_what_was_asked(
    store: Store, table: str, asked: str, ids: Sequence[str]
) -> dict[str, str]:
    """The writers of frozen texts, ``asked`` as in ``_as_asked``. Where no text is there (a bundle
    may come without), that of most of the sample's present variants."""
    with store.read() as db:
        rows = db.execute(
            f"SELECT a.id, mode(v.origin) FROM {_as_asked(asked)} a "  # noqa: S608  (our own words)
            "JOIN variant v USING (seq) GROUP BY a.id",
            [list(ids)],
        ).fetchall()
        found = dict(rows)
        samples_of = dict(
            db.execute(
                f"SELECT id, sample_id FROM {table} WHERE id IN (SELECT unnest(?))",  # noqa: S608  (our own names)
                [[frozen_id for frozen_id in ids if frozen_id not in found]],
            ).fetchall()
        )
    present = writers(store, list(set(samples_of.values()))) if samples_of else {}
    return found | {
        frozen_id: present[sample_id]
        for frozen_id, sample_id in samples_of.items()
        if sample_id in present
    }


def with_accepted(store: Store) -> set[str]:
    """The samples with a variant that is accepted now."""
    with store.read() as db:
        rows = db.execute(
            "SELECT DISTINCT n.sample_id FROM "  # noqa: S608  (our own words)
            f"{newest_rows('variant', *_SLOT, where='slot < ?')} n "
            f"JOIN {newest_rows('review', 'variant_seq')} r ON r.variant_seq = n.seq "
            "WHERE r.decision = ?",
            [SLOTS, Decision.ACCEPTED],
        )
        return set(column(rows))


def rejected_texts(store: Store, sample_id: str) -> dict[str, set[str]]:
    """The texts that people have rejected in any slot and not reopened: instance id -> texts."""
    with store.read() as db:
        rows = db.execute(
            "SELECT v.instance_id, v.text FROM variant v "  # noqa: S608  (our own words)
            f"JOIN {newest_rows('review', 'variant_seq', where=_OF_SAMPLE)} r "
            "ON r.variant_seq = v.seq WHERE v.sample_id = $sample AND r.decision = $decision",
            {"sample": sample_id, "decision": Decision.REJECTED},
        )
        return {instance: {text for (text,) in texts} for instance, texts in grouped(rows).items()}


def state_of(variant: StoredVariant | None) -> tuple[int, int] | None:
    """A value that changes whenever a slot gets another text or another decision."""
    return (variant.seq, variant.review) if variant else None


def history(store: Store, sample_id: str, instance_id: str) -> pd.DataFrame:
    """All that happened to an instance's four variants, newest first: made_at, slot, what
    (``written``, ``accepted``, ``rejected``, ``open``, ``flagged``, ``unflagged``), who, undone_by
    (who took a later decision back, so that this one holds again), origin, prompt, note (of a flag,
    or the instruction added to the prompt), text."""
    with store.read() as db:
        return db.execute(
            "WITH own AS (SELECT * FROM variant "
            "  WHERE sample_id = $1 AND instance_id = $2 AND slot < $3) "
            "SELECT v.made_at, v.slot, 'written' AS what, v.author AS who, v.undone_by, "
            "v.origin, v.prompt, coalesce(w.instruction, '') AS note, v.text "
            "FROM own v LEFT JOIN rewording w ON w.id = v.rewording_id "
            "UNION ALL SELECT r.made_at, v.slot, r.decision, r.author, r.undone_by, v.origin, "
            "v.prompt, '', v.text FROM review r JOIN own v ON v.seq = r.variant_seq "
            "UNION ALL SELECT f.made_at, v.slot, if(f.raised, 'flagged', 'unflagged'), f.author, "
            "'', v.origin, v.prompt, f.note, v.text FROM flag f JOIN own v "
            "ON v.seq = f.variant_seq ORDER BY made_at DESC",
            [sample_id, instance_id, SLOTS],
        ).df()


def read_findings(text: str) -> tuple[VariantFinding, ...]:
    """The findings of the checks, from their stored form. Raises ValueError or TypeError for
    anything else."""
    findings: tuple[VariantFinding, ...] = parsed(tuple[VariantFinding, ...], text)
    return findings
