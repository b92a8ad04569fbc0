"""Asking a model for rewordings, and asking again only for those that are missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dcq.asking.calls import Ask
from dcq.errors import EndpointBusyError, RequestRejectedError
from dcq.records import Instance, Reply, Severity
from dcq.variants.checks import check, passes
from dcq.variants.prompts import Protocol, choose_rewording, perturbation_prompt
from dcq.variants.reply import read_variants

TRIES = 3  # requests for what one request asks for
_UNASKED = "All requests were used up before the fourth variant."


@dataclass(frozen=True)
class Reworded:
    """A new variant, and the id of the prompt that it answers; None without a model."""

    text: str
    prompt: str | None


@dataclass(frozen=True)
class Perturbed:
    """The outcome: the new variants, without error-level findings, one sentence in ``shortfalls``
    for each that is missing, and all ``replies``, to count their cost."""

    made: tuple[Reworded, ...]
    shortfalls: tuple[str, ...]
    replies: tuple[Reply, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The new variants' texts."""
        return tuple(made.text for made in self.made)


def count_requests(protocol: Protocol, wanted: int) -> int:
    """How many requests ``wanted`` (1 to 4) rewordings of one text take if nothing goes wrong."""
    return 1 if wanted <= choose_rewording(protocol, wanted)[1] else 2


async def perturb(
    ask: Ask,
    instance: Instance,
    wanted: int = 4,
    *,
    protocol: Protocol = Protocol.V1,
    kept: Sequence[str] = (),
) -> Perturbed:
    """``wanted`` (1 to 4) rewordings of ``instance``, requested with the prompt of ``protocol``.

    ``ask`` sends one prompt with the prompt's own temperature and token limit. The paper's prompt
    asks for three, so the fourth takes another request; the release's asks for four, and surplus
    ones are dropped. Missing ones are requested again, in at most ``TRIES`` requests, and one more
    for the fourth. ``kept`` are variants that stay: new ones must differ from them. A rejected
    request ends the asking, a busy endpoint uses up a request; ``shortfalls`` has both.
    EndpointRefusedError is not caught.
    """
    made: list[Reworded] = []
    replies: list[Reply] = []
    reasons: list[str] = []
    for _ in range(TRIES - 1 + count_requests(protocol, wanted)):
        missing = wanted - len(made)
        if not missing:
            break
        prompt, count = choose_rewording(protocol, missing)
        try:
            reply = await ask(perturbation_prompt(prompt, instance.text, count))
        except RequestRejectedError as error:
            reasons = [str(error)]
            break
        except EndpointBusyError as error:
            reasons = [str(error)]
            continue
        replies.append(reply)
        texts, reasons = _read(reply, instance, count, [*kept, *(one.text for one in made)])
        made += [Reworded(text, prompt.id) for text in texts[:missing]]
    missing = wanted - len(made)
    last = reasons[-1] if reasons else _UNASKED
    shortfalls = [*reasons, *[last] * missing][:missing]
    return Perturbed(tuple(made), tuple(shortfalls), tuple(replies))


def _read(
    reply: Reply, instance: Instance, count: int, others: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The usable ones of the ``count`` options requested, and why the others are not usable."""
    if reply.refusal or not (reply.text or "").strip():
        return [], [_silence(reply)]
    options = read_variants(reply.text or "", count, instance.text)
    if reply.finish_reason == "length":
        options = options[:-1]  # the last one is cut off
    texts: list[str] = []
    reasons: list[str] = []
    for option in options:
        findings = check(instance, option, [*others, *texts])
        if passes(findings):
            texts.append(option)
        else:
            worst = next(f for f in findings if f.severity is Severity.ERROR)
            reasons.append(f"An option of the model failed a check: {worst.sentence}")
    if len(options) < count:
        cut = " and was cut at the token limit" if reply.finish_reason == "length" else ""
        reasons.append(f"The model gave {len(options)} of {count} options{cut}.")
    return texts, reasons


def _silence(reply: Reply) -> str:
    if reply.refusal or reply.finish_reason == "content_filter":
        return "The model or its filter refused to reword this text."
    if reply.finish_reason == "length":
        return "The model reached its token limit before it wrote anything."
    return "The model's reply was empty."
