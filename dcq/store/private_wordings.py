"""Wordings that may not leave this machine: those of protected benchmarks, but for the published
ones and those that a person has burnt, item by item.

Every door asks ``refuse_private``: what is sent to a model or a search service, and every file for
others. ``private_texts`` is what replies are searched for. A copy of one's own store is no door: it
is the store, and is to be kept like the secret.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import duckdb

from dcq.errors import InputError
from dcq.private_texts import NOTHING, PrivateTexts, letters_of
from dcq.store.connect import Store, utc_now
from dcq.store.moment import until_written_to
from dcq.store.rows import records

PUBLISHED, GIVEN_UP = "published", "given up"
# So long a part of a wording is private, in what is sent and in what comes back: five words or so.
# Shorter ones may be of common phrases, and a refusal would be in the way.
PART = 24  # bytes of letters
_NAMED = 5  # items of a message
_READ = 50  # texts of which a message names the items


@dataclass(frozen=True)
class PrivateWording:
    """A wording of the ``item`` of a protected benchmark whose commitment has this ``root``, from
    the variants of ``instance`` in ``sample``; ``burnt`` says why anybody may see it, "" while
    nobody may."""

    root: str
    item: str
    sample: str
    instance: str
    text: str
    burnt: str = ""


@until_written_to()
def listing(store: Store) -> tuple[PrivateWording, ...]:
    """All wordings of protected benchmarks that this store holds, by benchmark and item."""
    with store.read() as db:
        rows = db.execute(
            "SELECT p.root, p.item, v.sample_id AS sample, v.instance_id AS instance, v.text, "
            "coalesce(b.why, '') AS burnt FROM private_wording p "
            "JOIN variant v ON v.seq = p.variant_seq LEFT JOIN burnt_wording b "
            "ON (b.root, b.item, b.variant_seq) = (p.root, p.item, p.variant_seq) "
            "ORDER BY p.root, p.item, p.variant_seq"
        )
        return tuple(records(rows, PrivateWording))


def count_private(store: Store) -> int:
    """How many wordings may not leave."""
    return sum(not wording.burnt for wording in listing(store))


def record(store: Store, root: str, wordings: Mapping[str, Sequence[str]]) -> None:
    """Note that the variants with these texts are secret: wordings by item of the benchmark whose
    commitment has this ``root``. Variants that are noted already are not noted again."""
    with store.write() as db:
        _insert(db, "private_wording", root, wordings)


def publish(store: Store, root: str, wordings: Mapping[str, Sequence[str]]) -> None:
    """Note that these wordings, by item, are published and no secret any more."""
    with store.write() as db:
        _insert(db, "burnt_wording", root, wordings, why=PUBLISHED, author="")


def carry_over(old: Store, new: Store) -> None:
    """Note in ``new`` what is secret, published and given up in ``old``, and which lots were drawn
    there, as far as ``new`` has the wordings and samples: an older copy knows nothing of it."""
    with old.read() as db:
        secret = db.execute(
            "SELECT p.root, p.item, v.sample_id, v.text, p.made_at FROM private_wording p "
            "JOIN variant v ON v.seq = p.variant_seq"
        ).fetchall()
        burnt = db.execute(
            "SELECT b.root, b.item, v.sample_id, v.text, b.made_at, b.why, b.author "
            "FROM burnt_wording b JOIN variant v ON v.seq = b.variant_seq"
        ).fetchall()
        draws = db.execute("SELECT root, sample_id, made_at FROM lot_draw").fetchall()
    with new.write() as db:
        if secret:
            db.execute(
                "INSERT OR IGNORE INTO private_wording (root, item, variant_seq, made_at) "
                "SELECT o.root, o.item, v.seq, o.made_at FROM (SELECT unnest(?::VARCHAR[]) AS root,"
                " unnest(?::VARCHAR[]) AS item, unnest(?::VARCHAR[]) AS sample_id, "
                "unnest(?::VARCHAR[]) AS text, unnest(?::TIMESTAMP[]) AS made_at) o "
                "JOIN variant v USING (sample_id, text)",
                [list(column) for column in zip(*secret, strict=True)],
            )
        if burnt:
            db.execute(
                "INSERT OR IGNORE INTO burnt_wording (root, item, variant_seq, made_at, why, "
                "author) SELECT o.root, o.item, v.seq, o.made_at, o.why, o.author FROM ("
                "SELECT unnest(?::VARCHAR[]) AS root, unnest(?::VARCHAR[]) AS item, "
                "unnest(?::VARCHAR[]) AS sample_id, unnest(?::VARCHAR[]) AS text, "
                "unnest(?::TIMESTAMP[]) AS made_at, unnest(?::VARCHAR[]) AS why, "
                "unnest(?::VARCHAR[]) AS author) o JOIN variant v USING (sample_id, text)",
                [list(column) for column in zip(*burnt, strict=True)],
            )
        for draw in draws:
            db.execute(
                "INSERT INTO lot_draw (root, sample_id, made_at) SELECT * FROM "
                "(SELECT ? AS root, ? AS sample_id, ?::TIMESTAMP AS made_at) d WHERE EXISTS "
                "(SELECT 1 FROM sample WHERE id = d.sample_id) AND NOT EXISTS (SELECT 1 FROM "
                "lot_draw l WHERE (l.sample_id, l.root) = (d.sample_id, d.root))",
                list(draw),
            )


def burn(store: Store, sample_id: str, items: Sequence[str], author: str) -> int:
    """Give up the secrecy of all wordings of some items that were made of this sample, in the name
    of a person; returns how many were secret until now. Raises InputError where the sample has no
    such item, before anything is noted."""
    own = [wording for wording in listing(store) if wording.sample == sample_id]
    known = {wording.item for wording in own}
    for item in items:
        if item not in known:
            raise InputError(
                f"Sample {sample_id} has no private item {item!r}; it has "
                f"{_named(sorted(known)) or 'none'}."
            )
    chosen = [wording for wording in own if wording.item in items and not wording.burnt]
    with store.write() as db:
        for root in {wording.root for wording in chosen}:
            texts: dict[str, list[str]] = {}
            for wording in chosen:
                if wording.root == root:
                    texts.setdefault(wording.item, []).append(wording.text)
            _insert(db, "burnt_wording", root, texts, why=GIVEN_UP, author=author)
    return len(chosen)


def _insert(
    db: duckdb.DuckDBPyConnection,
    table: str,
    root: str,
    wordings: Mapping[str, Sequence[str]],
    **more: str,
) -> None:
    pairs = [(item, text) for item, texts in wordings.items() for text in texts]
    names = "".join(f", {name}" for name in more)
    db.execute(
        f"INSERT OR IGNORE INTO {table} (root, item, variant_seq, made_at{names}) "  # noqa: S608  (our own names)
        f"SELECT ?, w.item, v.seq, ?{', ?' * len(more)} FROM "
        "(SELECT unnest(?::VARCHAR[]) AS item, unnest(?::VARCHAR[]) AS text) w "
        "JOIN variant v ON v.text = w.text",
        [root, utc_now(), *more.values(), [i for i, _ in pairs], [text for _, text in pairs]],
    )


@until_written_to()
def private_texts(store: Store) -> PrivateTexts:
    """What may not leave, ready to be searched for: a long part counts as the whole, unless a
    published wording or the instance itself has it."""
    wordings = listing(store)
    secret = [wording.text for wording in wordings if not wording.burnt]
    if not secret:
        return NOTHING
    open_ = [wording.text for wording in wordings if wording.burnt]
    with store.read() as db:
        instances = db.execute(
            "SELECT text FROM instance WHERE (sample_id, id) IN (SELECT (v.sample_id, "
            "v.instance_id) FROM variant v JOIN private_wording p ON p.variant_seq = v.seq)"
        ).fetchall()
    return PrivateTexts(secret, [*open_, *(text for (text,) in instances)], part=PART)


def refuse_private(
    store: Store, texts: Iterable[str] | Callable[[], Iterable[str]], what: str
) -> None:
    """Raise InputError where one of the ``texts`` that are about to leave has a private wording.
    ``what`` names them, as the beginning of a sentence in the plural. A function is called only
    where something is private."""
    private = private_texts(store)
    if not private:
        return
    found = [text for text in (texts() if callable(texts) else texts) if private.found_in(text)]
    if not found:
        return
    letters = [letters_of(text) for text in found[:_READ]]
    secret = [wording for wording in listing(store) if not wording.burnt]
    hit = [
        wording for wording in secret if any(letters_of(wording.text) in text for text in letters)
    ] or secret
    sample, items = hit[0].sample, sorted({wording.item for wording in hit})
    raise InputError(
        f"{what} have private wordings of a protected benchmark ({_named(items)} of sample "
        f"{sample}). Give up the secrecy of an item with: python -m dcq protect burn {sample} "
        f"{items[0]} --by NAME"
    )


def _named(items: Sequence[str]) -> str:
    more = f" and {len(items) - _NAMED:,} more" if len(items) > _NAMED else ""
    kind = "item " if len(items) == 1 else "items "
    return kind + ", ".join(items[:_NAMED]) + more if items else ""
