"""How many tokens endpoints counted in the prompts of runs, beside the length of what was asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dcq.store.connect import Store

if TYPE_CHECKING:  # takes half a second to import, which not every reader needs
    import pandas as pd


def counted(store: Store, run_ids: Sequence[str]) -> pd.DataFrame:
    """Of each of these runs that asked in words: run, n (replies that took one call), reported
    (those of them whose usage the endpoint reported) and alike (how many have the commonest number
    of prompt tokens)."""
    with store.read() as db:
        return db.execute(
            """
            WITH alike AS (
                SELECT a.run_id, a.tokens_in, count(*) AS n,
                    count(*) FILTER (a.usage_reported) AS reported
                FROM answer a WHERE a.run_id IN (
                        SELECT id FROM run WHERE mode = 'letter'
                            AND id IN (SELECT unnest(?::VARCHAR[])))
                    AND a.calls = 1 AND a.outcome <> 'error'
                GROUP BY ALL)
            SELECT run_id AS run, sum(n) AS n, sum(reported) AS reported, max(n) AS alike
            FROM alike GROUP BY ALL
            """,
            [list(run_ids)],
        ).df()


def by_length(store: Store, run_ids: Sequence[str]) -> pd.DataFrame:
    """The replies of these runs that took one call: run, tokens (of the prompt, as counted by the
    endpoint, or its bytes where it counts none), reported (whether it counted them for certain) and
    characters (of the wording and the texts in it). Of a replication these are the guided ones,
    whose wording is the run's. Runs whose texts are in tables of their method are left out."""
    with store.read() as db:
        return db.execute(
            """
            WITH asked AS (
                SELECT a.run_id, a.position, a.tokens_in, a.usage_reported, r.subject,
                    length(r.wording) AS fixed
                FROM answer a JOIN run r ON r.id = a.run_id
                WHERE a.run_id IN (SELECT unnest(?::VARCHAR[])) AND a.calls = 1
                    AND a.outcome <> 'error')
            SELECT a.run_id AS run, a.tokens_in AS tokens, a.usage_reported AS reported,
                a.fixed + list_sum(list_transform(i.options, lambda text: length(text)))
                    AS characters
            FROM asked a JOIN item i ON i.quiz_id = a.subject AND i.position = a.position
            UNION ALL
            SELECT a.run_id, a.tokens_in, a.usage_reported, a.fixed + length(f.text)
            FROM asked a
            JOIN frozen_request f ON f.frozen_id = a.subject AND f.position = a.position
            UNION ALL
            SELECT a.run_id, a.tokens_in, a.usage_reported, a.fixed + length(p.first)
            FROM asked a JOIN replication t ON t.id = a.subject
            JOIN piece p ON p.replication_id = t.id
                AND p.position = a.position // len(t.instructions)
            WHERE t.instructions[1 + a.position % len(t.instructions)] = 'guided'
            """,
            [list(run_ids)],
        ).df()
