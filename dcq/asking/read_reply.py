"""From an endpoint's reply to one request to the answer that is stored."""

from __future__ import annotations

from datetime import UTC, datetime

from dcq.asking.prompt import sha256
from dcq.asking.task import Task
from dcq.errors import EndpointError
from dcq.records import Answer, Outcome, Reading, Reply


def read_reply(
    position: int,
    attempt: int,
    text: str,
    task: Task,
    got: Reply | EndpointError,
    *,
    waited: float = 0.0,
) -> Answer:
    """The answer to the request at ``position``, whose prompt was ``text``: the reply as its task
    reads it, or the outcome ``error`` with its reason. ``waited`` seconds are recorded where a
    reply gives no time."""
    if isinstance(got, EndpointError):
        reply = Reply(
            None,
            tokens_in=got.tokens_in,
            tokens_out=got.tokens_out,
            attempts=got.calls,
            usage_reported=got.usage_reported,
        )
        reading = Reading(Outcome.ERROR, None, str(got))
    else:
        reply, reading = got, task.read(position, got)
    return Answer(
        position=position,
        attempt=attempt,
        outcome=reading.outcome,
        value=reading.value,
        reason=reading.reason,
        reply=reply.content if reply.content is not None else reply.refusal,
        prompt_sha256=sha256(text),
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        seconds=reply.seconds or waited,
        calls=reply.attempts,
        sent=reply.sent,
        logprobs=reply.logprobs,
        at=datetime.now(UTC),
        served_model=reply.served_model,
        fingerprint=reply.fingerprint,
        usage_reported=reply.usage_reported,
    )
