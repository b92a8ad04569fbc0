"""Steps of the schema: money."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m043_earlier_prices(db: Connection) -> None:
    """The tokens of a run whose calls were made at another price than it has now, in USD per
    million; ``made_at`` is when that price ceased to count. The view
    sums them by run, with the dearest of their prices."""
    db.execute("""
        CREATE TABLE earlier_price (
            run_id VARCHAR NOT NULL, price_in DOUBLE NOT NULL, price_out DOUBLE NOT NULL,
            tokens_in BIGINT NOT NULL, tokens_out BIGINT NOT NULL, made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE VIEW charged_earlier AS
        SELECT run_id, sum(tokens_in) AS earlier_in, sum(tokens_out) AS earlier_out,
            sum(tokens_in * price_in + tokens_out * price_out) / 1e6 AS earlier_usd,
            max(price_in) AS dearest_in, max(price_out) AS dearest_out
        FROM earlier_price GROUP BY run_id""")
