"""Quizzes: frozen lists of questions."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from dcq.errors import InputError
from dcq.records import Item, QuizKind, fingerprint
from dcq.store.connect import Store, utc_now
from dcq.store.moment import until_changed, until_written_to
from dcq.store.rows import insert_records, record, records

if TYPE_CHECKING:  # takes half a second to import, which not every reader needs
    import pandas as pd


@dataclass(frozen=True)
class StoredQuiz:
    """A stored quiz. ``slot`` is where the original stands, None where it is absent or rotated.
    ``dataset`` and ``split`` are what a new run calls its partition."""

    id: str
    sample_id: str
    kind: QuizKind
    slot: int | None
    prompt: str
    left_out: Mapping[str, str]
    at: datetime
    dataset: str
    split: str
    partition_id: str
    items: tuple[Item, ...]


def save(
    store: Store,
    sample_id: str,
    kind: QuizKind,
    slot: int | None,
    prompt: str,
    items: Sequence[Item],
    left_out: Mapping[str, str],
) -> str:
    """Freeze a quiz; returns its id, which is the same for the same questions."""
    quiz_id = identify(sample_id, kind, slot, prompt, items)
    if _is_there(store, quiz_id):
        return quiz_id
    with store.write() as db:
        if db.execute("SELECT 1 FROM quiz WHERE id = ?", [quiz_id]).fetchone():
            return quiz_id
        db.execute(
            "INSERT INTO quiz (id, sample_id, kind, slot, prompt, items, left_out, made_at) "
            "VALUES (?,?,?,?,?,?,?,?)",
            [
                quiz_id,
                sample_id,
                kind,
                slot,
                prompt,
                len(items),
                json.dumps(dict(left_out)),
                utc_now(),
            ],
        )
        insert_records(db, "item", items, first_position=0, quiz_id=quiz_id)
    return quiz_id


def identify(
    sample_id: str, kind: QuizKind, slot: int | None, prompt: str, items: Sequence[Item]
) -> str:
    """The id that a quiz of these questions has once it is frozen."""
    texts = (text for item in items for text in (item.instance_id, *item.options))
    return fingerprint(sample_id, kind, str(slot), prompt, *texts)


def _is_there(store: Store, quiz_id: str) -> bool:
    with store.read() as db:
        return db.execute("SELECT 1 FROM quiz WHERE id = ?", [quiz_id]).fetchone() is not None


@until_written_to()
def _written(store: Store) -> tuple[object, ...]:
    """A value that changes whenever a quiz is kept."""
    with store.read() as db:
        return tuple(db.execute("SELECT count(*), max(made_at) FROM quiz").fetchall())


@until_changed(lambda store, quiz_id: _written(store), kept=256)
def load(store: Store, quiz_id: str) -> StoredQuiz:
    """The quiz of this id, or of the only id that starts with it. Raises InputError if there is
    none."""
    with store.read() as db:
        found = records(
            db.execute(
                "SELECT q.*, q.made_at AS at, p.title AS dataset, p.split_title AS split, "
                "p.id AS partition_id FROM quiz q JOIN sample s ON s.id = q.sample_id "
                "JOIN partition_now p ON p.id = s.partition_id WHERE starts_with(q.id, ?)",
                [quiz_id],
            ),
            StoredQuiz,
            items=(),
        )
        if len(found) != 1 or not quiz_id:
            raise InputError(
                f"{'No quiz' if not found else 'More than one quiz'} has the id {quiz_id!r}; "
                "`python -m dcq status` lists the quizzes."
            )
        items = records(
            db.execute("SELECT * FROM item WHERE quiz_id = ? ORDER BY position", [found[0].id]),
            Item,
        )
    return replace(found[0], items=tuple(items))


def same_variants(store: Store, pairs: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """The pairs of quizzes, out of these, that show the same options to every instance that both
    ask about, except in the one slot where the second quiz has the original; both must share an
    instance."""
    if not pairs:
        return set()
    without, having = zip(*pairs, strict=True)
    with store.read() as db:
        rows = db.execute(
            "SELECT b.quiz_id, o.quiz_id "
            "FROM (SELECT unnest(?) AS without, unnest(?) AS having) p "
            "JOIN quiz q ON q.id = p.having JOIN item o ON o.quiz_id = q.id "
            "JOIN item b ON b.quiz_id = p.without AND b.instance_id = o.instance_id "
            "GROUP BY ALL HAVING bool_and("
            # List positions count from 1: without the one at slot + 1.
            "o.options[1:q.slot] = b.options[1:q.slot] "
            "AND o.options[q.slot + 2:] = b.options[q.slot + 2:])",
            [list(without), list(having)],
        ).fetchall()
    return {(str(bare), str(placed)) for bare, placed in rows}


def language_of(store: Store, quiz_id: str) -> str:
    """The language of a quiz's texts: the one that it was first asked in, or that of its partition
    before that."""
    with store.read() as db:
        [(language,)] = db.execute(
            "SELECT coalesce((SELECT arg_min(r.language, r.made_at) FROM own_run r "
            "  WHERE r.subject = q.id), p.language) FROM quiz q "
            "JOIN sample s ON s.id = q.sample_id JOIN partition p ON p.id = s.partition_id "
            "WHERE q.id = ?",
            [quiz_id],
        ).fetchall()
    return str(language)


def item_at(store: Store, quiz_id: str, position: int) -> Item:
    """The question at ``position`` (from 0), without the rest of its quiz. Raises InputError if
    there is none."""
    with store.read() as db:
        found = record(
            db.execute(
                "SELECT * FROM item WHERE quiz_id = ? AND position = ?", [quiz_id, position]
            ),
            Item,
        )
    if found is None:
        raise InputError(
            f"Quiz {quiz_id} has no question {position + 1}; `python -m dcq status` tells how "
            "many each quiz has."
        )
    return found


def listing(store: Store) -> pd.DataFrame:
    """All quizzes, newest first: quiz, sample, partition, title, split_title, role, kind, slot,
    items, left_out (how many instances), made_at, runs."""
    with store.read() as db:
        return db.execute(
            "SELECT q.id AS quiz, q.sample_id AS sample, p.id AS partition, "
            "p.shown_title AS title, p.shown_split AS split_title, p.role, q.kind, q.slot, "
            "q.items, "
            "len(json_keys(q.left_out))::INTEGER AS left_out, q.made_at, "
            "(SELECT count(*) FROM run r WHERE r.subject = q.id)::INTEGER AS runs "
            "FROM quiz q JOIN sample s ON s.id = q.sample_id "
            "JOIN partition_now p ON p.id = s.partition_id ORDER BY q.made_at DESC"
        ).df()
