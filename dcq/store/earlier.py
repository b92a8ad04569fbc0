"""Stored answers to requests that were made before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC

from dcq.records import Answer, Outcome
from dcq.store.connect import Store
from dcq.store.runs import Plan


def find(
    store: Store, plan: Plan, prompt_hashes: Sequence[str], *, logprobs: bool = False
) -> dict[str, tuple[str, Answer]]:
    """The newest answer to each prompt that was sent as ``plan`` would send it, with its run's id,
    by prompt hash.

    Only what a model said counts: no error, and nothing that was itself taken from another run.
    ``logprobs``: only answers that have them.
    """
    with store.read() as db:
        rows = db.execute(
            "SELECT a.run_id, a.position, a.attempt, a.outcome, a.value, a.reason, a.reply, "
            "a.prompt_sha256, a.tokens_in, a.tokens_out, a.seconds, a.calls, a.sent, a.logprobs, "
            "a.served_model, a.fingerprint, a.made_at FROM answer a JOIN run r ON r.id = a.run_id "
            "WHERE r.model = ? AND r.base_url = ? AND r.mode = ? AND r.temperature = ? "
            "AND r.max_tokens = ? AND a.prompt_sha256 IN (SELECT unnest(?::VARCHAR[])) "
            "AND a.outcome <> 'error' AND a.calls > 0 AND (NOT ? OR a.logprobs IS NOT NULL) "
            "QUALIFY row_number() OVER "
            "(PARTITION BY a.prompt_sha256 ORDER BY a.made_at DESC, a.run_id, a.position) = 1",
            [
                plan.model,
                plan.base_url,
                plan.mode,
                plan.temperature,
                plan.max_tokens,
                list(prompt_hashes),
                logprobs,
            ],
        ).fetchall()
    found = {}
    for run_id, position, attempt, outcome, value, reason, reply, digest, *usage, at in rows:
        tokens_in, tokens_out, seconds, calls, sent, known, served, fingerprint = usage
        found[digest] = (
            run_id,
            Answer(
                position=position,
                attempt=attempt,
                outcome=Outcome(outcome),
                value=value,
                reason=reason,
                reply=reply,
                prompt_sha256=digest,
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                seconds=seconds,
                calls=calls,
                sent=json.loads(sent),
                logprobs=None if known is None else json.loads(known),
                at=at.replace(tzinfo=UTC),
                served_model=served,
                fingerprint=fingerprint,
            ),
        )
    return found


def known(store: Store, model: str, base_url: str, prompt_hashes: Sequence[str]) -> set[str]:
    """Which of these prompts have a stored answer of this model at this address that ``find`` could
    give; for methods whose requests have no further parameters."""
    with store.read() as db:
        rows = db.execute(
            "SELECT DISTINCT a.prompt_sha256 FROM answer a JOIN run r ON r.id = a.run_id "
            "WHERE r.model = ? AND r.base_url = ? AND a.outcome <> 'error' AND a.calls > 0 "
            "AND a.prompt_sha256 IN (SELECT unnest(?::VARCHAR[]))",
            [model, base_url, list(prompt_hashes)],
        ).fetchall()
    return {digest for (digest,) in rows}
