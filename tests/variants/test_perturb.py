import asyncio
from collections.abc import Sequence

import pytest

from dcq.errors import (
    EndpointBusyError,
    EndpointError,
    EndpointRefusedError,
    RequestRejectedError,
)
from dcq.records import Instance, Reply
from dcq.variants.perturb import Perturbed, Reworded, perturb
from dcq.variants.prompts import (
    PERTURB_V1,
    PERTURB_V1_OWN,
    PERTURB_V2,
    Protocol,
    perturbation_prompt,
)

INSTANCE = Instance("The old man walked 3 miles to the big town.")
ONE = "The aged man walked 3 miles to the big town."
TWO = "The old man strode 3 miles to the large town."
THREE = "The elderly man walked 3 miles to the big city."
FOUR = "The ancient man marched 3 miles to the big town."
WRONG = "The aged man walked 4 miles to the big city."


def lettered(*texts: str, finish_reason: str = "stop") -> Reply:
    lines = [f"{letter}) {text}" for letter, text in zip("ABCD", texts, strict=False)]
    return Reply("\n\n".join(lines), finish_reason)


def own(count: int) -> str:
    """Our own request for ``count`` rewordings."""
    return perturbation_prompt(PERTURB_V1_OWN, INSTANCE.text, count)


FIGURE_4 = perturbation_prompt(PERTURB_V1, INSTANCE.text, 3)
RELEASED = perturbation_prompt(PERTURB_V2, INSTANCE.text, 4)


def run(
    replies: Sequence[Reply | EndpointError],
    wanted: int = 4,
    kept: Sequence[str] = (),
    protocol: Protocol = Protocol.V1,
) -> tuple[Perturbed, list[str]]:
    """The result of asking an endpoint that sends ``replies`` in turn, and the prompts it got."""
    prompts: list[str] = []

    async def ask(prompt: str) -> Reply:
        reply = replies[len(prompts)]
        prompts.append(prompt)
        if isinstance(reply, EndpointError):
            raise reply
        return reply

    return asyncio.run(perturb(ask, INSTANCE, wanted, protocol=protocol, kept=kept)), prompts


def test_the_papers_request_is_for_three_and_the_fourth_is_asked_for_besides() -> None:
    replies = [lettered(ONE, TWO, THREE), lettered(FOUR)]
    result, prompts = run(replies)
    assert prompts == [FIGURE_4, own(1)]
    assert result.texts == (ONE, TWO, THREE, FOUR)
    assert [made.prompt for made in result.made] == ["perturb/v1"] * 3 + ["perturb/v1-own"]
    assert (result.shortfalls, result.replies) == ((), tuple(replies))


def test_three_variants_take_the_papers_request_alone() -> None:
    result, prompts = run([lettered(ONE, TWO, THREE)], wanted=3)
    assert prompts == [FIGURE_4]
    assert result.texts == (ONE, TWO, THREE)


def test_the_releases_request_is_always_for_four() -> None:
    result, prompts = run([lettered(ONE, TWO, THREE, FOUR)], protocol=Protocol.V2)
    assert prompts == [RELEASED]
    assert result.made == tuple(Reworded(text, "perturb/v2") for text in (ONE, TWO, THREE, FOUR))
    result, prompts = run(
        [lettered(ONE, WRONG), lettered(TWO, THREE, FOUR)], 3, protocol=Protocol.V2
    )
    assert prompts == [RELEASED, RELEASED]
    assert result.texts == (ONE, TWO, THREE)
    assert result.shortfalls == ()


def test_letters_on_lines_of_their_own_are_read_as_the_release_writes_them() -> None:
    reply = Reply(f"A)\n{ONE}\n\nB)\n{TWO}\n\nC)\n{THREE}\n\nD)\n{FOUR}\n---\n")
    result, _ = run([reply], protocol=Protocol.V2)
    assert result.texts == (ONE, TWO, THREE, FOUR)


def test_only_what_is_missing_is_asked_again() -> None:
    replies = [lettered(ONE, WRONG, ONE), lettered(TWO, WRONG), lettered(THREE), lettered(FOUR)]
    result, prompts = run(replies)
    assert result.texts == (ONE, TWO, THREE, FOUR)
    assert result.shortfalls == ()
    assert prompts == [FIGURE_4, FIGURE_4, own(2), own(1)]


def test_after_the_last_round_each_missing_variant_has_a_reason() -> None:
    nothing = [lettered(WRONG, ONE), lettered(WRONG), lettered(WRONG)]
    result, prompts = run([lettered(ONE, TWO), *nothing])
    assert len(prompts) == 4  # three requests, and one more where a fourth variant is wanted
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
        (Reply("I cannot do that."), "0 of 3"),
    ],
)
def test_replies_without_options(reply: Reply, reason: str) -> None:
    result, prompts = run([reply] * 3, wanted=3)
    assert prompts == [FIGURE_4] * 3
    assert result.texts == ()
    assert len(result.shortfalls) == 3
    assert all(reason in sentence for sentence in result.shortfalls)


def test_an_option_cut_off_by_the_token_limit_is_not_used() -> None:
    cut = lettered(ONE, TWO, THREE[:-6], finish_reason="length")
    result, _ = run([cut, lettered(THREE)], wanted=3)
    assert result.texts == (ONE, TWO, THREE)


def test_a_busy_endpoint_costs_a_round() -> None:
    busy = EndpointBusyError("The endpoint is busy.")
    result, prompts = run([busy, lettered(ONE, TWO, THREE), busy, busy])
    assert len(prompts) == 4
    assert result.texts == (ONE, TWO, THREE)
    assert result.shortfalls == ("The endpoint is busy.",)


def test_a_variant_that_was_never_asked_for_has_a_reason_too() -> None:
    busy = EndpointBusyError("The endpoint is busy.")
    result, _ = run([busy, busy, busy, lettered(ONE, TWO, THREE)])
    assert result.texts == (ONE, TWO, THREE)
    assert result.shortfalls == ("All requests were used up before the fourth variant.",)


def test_a_rejected_request_is_not_sent_again() -> None:
    result, prompts = run([RequestRejectedError("The text is too long for this model.")])
    assert len(prompts) == 1
    assert result.shortfalls == ("The text is too long for this model.",) * 4


def test_a_wrong_key_ends_everything() -> None:
    with pytest.raises(EndpointRefusedError, match="key"):
        run([EndpointRefusedError("The key is wrong.")])
