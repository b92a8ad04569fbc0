"""What a run's calls cost that were made before its price changed: each counts at the price of its
own time."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from dcq.store.connect import Store, utc_now


@dataclass(frozen=True)
class Earlier:
    """Tokens that are charged at earlier prices, and the USD that they came to."""

    tokens_in: int = 0
    tokens_out: int = 0
    usd: float = 0.0


NONE_EARLIER = Earlier()


def total(db: duckdb.DuckDBPyConnection, run_id: str) -> Earlier:
    """What a run's calls at earlier prices come to."""
    row = db.execute(
        "SELECT earlier_in, earlier_out, earlier_usd FROM charged_earlier WHERE run_id = ?",
        [run_id],
    ).fetchone()
    return Earlier(int(row[0]), int(row[1]), float(row[2])) if row else NONE_EARLIER


def close(db: duckdb.DuckDBPyConnection, run_id: str) -> None:
    """Keep the present price of a run, if it has one, for all that was asked at it. A run that was
    imported has no earlier prices: what a file says about money is not believed."""
    if db.execute("SELECT 1 FROM imported_run WHERE run_id = ?", [run_id]).fetchone():
        db.execute("DELETE FROM earlier_price WHERE run_id = ?", [run_id])
        return
    earlier = total(db, run_id)
    db.execute(
        """
        INSERT INTO earlier_price
        SELECT r.id, r.price_in, r.price_out, t.tokens_in, t.tokens_out, ? FROM run r,
            (SELECT coalesce(sum(tokens_in), 0) - ? AS tokens_in,
                coalesce(sum(tokens_out), 0) - ? AS tokens_out FROM answer WHERE run_id = ?) t
        WHERE r.id = ? AND r.price_in IS NOT NULL AND r.price_out IS NOT NULL""",
        [utc_now(), earlier.tokens_in, earlier.tokens_out, run_id, run_id],
    )


def price_of_batch(store: Store, run_id: str, file: str) -> tuple[float, float] | None:
    """The earlier price at which a batch was sent; None if it was the present one."""
    with store.read() as db:
        row = db.execute(
            "SELECT price_in, price_out FROM earlier_price WHERE run_id = ? AND made_at > "
            "(SELECT max(made_at) FROM batch WHERE run_id = ? AND file = ?) "
            "ORDER BY made_at LIMIT 1",
            [run_id, run_id, file],
        ).fetchone()
    return (float(row[0]), float(row[1])) if row else None


def add(
    store: Store, run_id: str, price: tuple[float, float], tokens_in: int, tokens_out: int
) -> None:
    """Charge tokens that came in only now, as of a batch, at the earlier price of their calls."""
    with store.write() as db:
        db.execute(
            "INSERT INTO earlier_price SELECT ?, ?, ?, ?, ?, min(made_at) FROM earlier_price "
            "WHERE run_id = ? AND price_in = ? AND price_out = ?",
            [run_id, *price, tokens_in, tokens_out, run_id, *price],
        )
