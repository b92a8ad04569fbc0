import asyncio
from collections.abc import Sequence

import pytest

from dcq.errors import (
    EndpointBusyError,
    EndpointError,
    EndpointRefusedError,
    RequestRejectedError,
)
from dcq.quiz.perturb import Perturbed, perturb
from dcq.quiz.prompts import perturbation_prompt
from dcq.records import Instance, Reply

INSTANCE = Instance("The old man walked 3 miles to the big town.")
ONE = "The aged man walked 3 miles to the big town."
TWO = "The old man strode 3 miles to the large town."
THREE = "The elderly man walked 3 miles to the big city."
FOUR = "The ancient man marched 3 miles to the big town."
WRONG = "The aged man walked 4 miles to the big city."


def lettered(*texts: str, finish_reason: str = "stop") -> Reply:
    lines = [f"{letter}) {text}" for letter, text in zip("ABCD", texts, strict=False)]
    return Reply("\n\n".join(lines), finish_reason)


def run(
    replies: Sequence[Reply | EndpointError], wanted: int = 4, kept: Sequence[str] = ()
) -> tuple[Perturbed, list[str]]:
    """The result of asking an endpoint that sends ``replies`` in turn, and the prompts it got."""
    prompts: list[str] = []

    async def ask(prompt: str) -> Reply:
        reply = replies[len(prompts)]
        prompts.append(prompt)
        if isinstance(reply, EndpointError):
            raise reply
        return reply

    return asyncio.run(perturb(ask, INSTANCE, wanted, kept=kept)), prompts


def test_one_good_reply_is_enough() -> None:
    reply = lettered(ONE, TWO, THREE, FOUR)
    result, prompts = run([reply])
    assert result == Perturbed((ONE, TWO, THREE, FOUR), (), (reply,))
    assert prompts == [perturbation_prompt(INSTANCE.text, 4)]


def test_only_what_is_missing_is_asked_again() -> None:
    result, prompts = run([lettered(ONE, WRONG, ONE), lettered(TWO), lettered(THREE, FOUR)])
    assert result.texts == (ONE, TWO, THREE, FOUR)
    assert result.shortfalls == ()
    assert prompts == [perturbation_prompt(INSTANCE.text, n) for n in (4, 3, 2)]


def test_after_the_last_round_each_missing_variant_has_a_reason() -> None:
    result, prompts = run([lettered(ONE, TWO), lettered(WRONG, ONE), lettered(WRONG)])
    assert len(prompts) == 3
    assert result.texts == (ONE, TWO)
    assert result.shortfalls == (
        "An option of the model failed a check: A number was changed: “3” is missing, “4” is new.",
        "The model gave 1 of 2 options.",
    )


def test_variants_that_stay_are_not_made_again() -> None:
    result, _ = run([lettered(ONE), lettered(TWO)], wanted=1, kept=[ONE])
    assert result.texts == (TWO,)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(None, refusal="no"), "refused"),
        (Reply(None, "content_filter"), "refused"),
        (Reply("", "length"), "token limit"),
        (Reply(" "), "empty"),
        (Reply("I cannot do that."), "0 of 4"),
    ],
)
def test_replies_without_options(reply: Reply, reason: str) -> None:
    result, prompts = run([reply] * 3)
    assert len(prompts) == 3
    assert result.texts == ()
    assert len(result.shortfalls) == 4
    assert all(reason in sentence for sentence in result.shortfalls)


def test_an_option_cut_off_by_the_token_limit_is_not_used() -> None:
    cut = lettered(ONE, TWO, THREE, FOUR[:-6], finish_reason="length")
    result, _ = run([cut, lettered(FOUR)])
    assert result.texts == (ONE, TWO, THREE, FOUR)


def test_a_busy_endpoint_costs_a_round() -> None:
    busy = EndpointBusyError("The endpoint is busy.")
    result, prompts = run([busy, lettered(ONE, TWO, THREE), busy])
    assert len(prompts) == 3
    assert result.texts == (ONE, TWO, THREE)
    assert result.shortfalls == ("The endpoint is busy.",)


def test_a_rejected_request_is_not_sent_again() -> None:
    result, prompts = run([RequestRejectedError("The text is too long for this model.")])
    assert len(prompts) == 1
    assert result.shortfalls == ("The text is too long for this model.",) * 4


def test_a_wrong_key_ends_everything() -> None:
    with pytest.raises(EndpointRefusedError, match="key"):
        run([EndpointRefusedError("The key is wrong.")])
