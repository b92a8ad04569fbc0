"""Asking a model for rewordings, and asking again for just those that are missing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from dcq.errors import EndpointBusyError, RequestRejectedError
from dcq.quiz.checks import check, passes
from dcq.quiz.prompts import perturbation_prompt
from dcq.quiz.variants_reply import read_variants
from dcq.records import Instance, Reply, Severity

Ask = Callable[[str], Awaitable[Reply]]


@dataclass(frozen=True)
class Perturbed:
    """What came of asking. ``texts`` are the new variants, each without an error-level finding;
    ``shortfalls`` has one sentence for each variant that is wanting; ``replies`` are all replies,
    for the accounts."""

    texts: tuple[str, ...]
    shortfalls: tuple[str, ...]
    replies: tuple[Reply, ...]


async def perturb(
    ask: Ask, instance: Instance, wanted: int = 4, rounds: int = 3, kept: Sequence[str] = ()
) -> Perturbed:
    """``wanted`` (1 to 4) rewordings of ``instance`` with the prompt of Figure 4.

    ``ask`` sends one prompt with the prompt's own temperature and token limit. It is called at most
    ``rounds`` times, each time for the missing number only. ``kept`` are variants that stay: new
    ones must differ from them. A request that is rejected ends the asking, a busy endpoint costs a
    round; both are told in ``shortfalls``. EndpointRefusedError is not caught.
    """
    texts: list[str] = []
    replies: list[Reply] = []
    reasons: list[str] = []
    for _ in range(rounds):
        missing = wanted - len(texts)
        if not missing:
            break
        try:
            reply = await ask(perturbation_prompt(instance.text, missing))
        except RequestRejectedError as error:
            reasons = [str(error)]
            break
        except EndpointBusyError as error:
            reasons = [str(error)]
            continue
        replies.append(reply)
        reasons = _take(reply, instance, missing, kept, texts)
    missing = wanted - len(texts)
    last = reasons[-1] if reasons else ""
    shortfalls = [*reasons, *[last] * missing][:missing]
    return Perturbed(tuple(texts), tuple(shortfalls), tuple(replies))


def _take(
    reply: Reply, instance: Instance, missing: int, kept: Sequence[str], texts: list[str]
) -> list[str]:
    """Moves the usable options of ``reply`` into ``texts``; returns why the others are not."""
    if reply.refusal or not (reply.text or "").strip():
        return [_silence(reply)]
    options = read_variants(reply.text or "", missing, instance.text)
    if reply.finish_reason == "length":
        options = options[:-1]  # the last one is cut off
    reasons = []
    for option in options:
        findings = check(instance, option, [*kept, *texts])
        if passes(findings):
            texts.append(option)
        else:
            worst = next(f for f in findings if f.severity is Severity.ERROR)
            reasons.append(f"An option of the model failed a check: {worst.sentence}")
    if len(options) < missing:
        cut = " and was cut at the token limit" if reply.finish_reason == "length" else ""
        reasons.append(f"The model gave {len(options)} of {missing} options{cut}.")
    return reasons


def _silence(reply: Reply) -> str:
    if reply.refusal or reply.finish_reason == "content_filter":
        return "The model or its filter refused to reword this text."
    if reply.finish_reason == "length":
        return "The model reached its token limit before it wrote anything."
    return "The model's reply was empty."
