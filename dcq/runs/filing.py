"""From what an endpoint sent for one question to the answer that is kept."""

from __future__ import annotations

from datetime import UTC, datetime

from dcq.errors import EndpointError
from dcq.quiz import parse, prompts
from dcq.records import Answer, Mode, Outcome, Reading, Reply
from dcq.runs import likelihood


def file_reply(
    position: int,
    attempt: int,
    prompt: str,
    options: int,
    got: Reply | EndpointError,
    *,
    mode: Mode = Mode.LETTER,
    waited: float = 0.0,
) -> Answer:
    """The answer to the question at ``position``, which had ``options`` options: the reply read, or
    the outcome ``error`` with its reason. ``waited`` seconds stand in where a reply tells none."""
    if isinstance(got, EndpointError):
        reply = Reply(
            None,
            tokens_in=got.tokens_in,
            tokens_out=got.tokens_out,
            attempts=got.calls,
            usage_reported=got.usage_reported,
        )
        reading = Reading(Outcome.ERROR, None, str(got))
    elif mode is Mode.LIKELIHOOD:
        reply, reading = got, likelihood.read_scores(got)
    else:
        reply, reading = got, parse.read_reply(got, options)
    return Answer(
        position=position,
        attempt=attempt,
        outcome=reading.outcome,
        letter=reading.letter,
        reason=reading.reason,
        reply=reply.text if reply.text is not None else reply.refusal,
        prompt_sha256=prompts.sha256(prompt),
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
