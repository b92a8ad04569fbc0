import contextlib
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dcq.errors import RequestRejectedError
from dcq.models.faults import Trouble
from dcq.models.scorers.echo import Echo, read_echo, read_likelihood
from dcq.models.scorers.likelihood import Likelihood, ScoredText

TEXT = ScoredText("a river", "By the sea\n")
PROMPT = TEXT.context + TEXT.text


def reply(text: str, logprobs: list[Any], generated: int = 0, **more: Any) -> bytes:
    said = {"token_logprobs": logprobs, **more}
    usage = {"completion_tokens": generated}
    return json.dumps({"choices": [{"text": text, "logprobs": said}], "usage": usage}).encode()


def read(tokens: list[str], offsets: list[Any] | None = None) -> Likelihood | Trouble | None:
    """The text's tokens behind the context; each has its own place as log-probability."""
    logprobs = [None, *(-float(place) for place in range(1, len(tokens)))]
    body = reply(PROMPT, logprobs, tokens=tokens, text_offset=offsets)
    echo = read_echo(body, PROMPT)
    return read_likelihood(echo, TEXT) if isinstance(echo, Echo) else echo


def placed(found: Likelihood | Trouble | None) -> list[float]:
    assert isinstance(found, Likelihood)
    return [-value for value in found.logprobs]


@pytest.mark.parametrize(
    "logprobs",
    [
        [-(10**400), -1],
        [-1e308, -1e308],
        [float("nan")],
        [-float("inf")],
        [True],
        ["-1"],
        [-1, None, -1],
        [0.3],
        [-1, 0.3],
    ],
)
def test_numbers_that_are_no_log_probabilities_are_trouble(logprobs: list[object]) -> None:
    assert isinstance(read_echo(reply("a river", [None, *logprobs]), "a river"), Trouble)


def test_rounding_above_0_is_certainty() -> None:
    echo = read_echo(reply("a river", [1e-6, -1.0]), "a river")
    assert isinstance(echo, Echo)
    found = read_likelihood(echo, ScoredText("a river"))
    assert found is not None
    assert found.logprobs.tolist() == [0.0, -1.0]


LOGPROBS = st.lists(st.floats(-50, 0), min_size=1, max_size=30)


@given(LOGPROBS, st.booleans(), st.integers(0, 3), st.text(min_size=1))
def test_all_that_is_the_prompts_is_scored(
    logprobs: list[float], begins: bool, generated: int, text: str
) -> None:
    """With and without a beginning-of-text token, whose place is empty."""
    prompt = [None, *logprobs] if begins else logprobs
    body = reply(f"{text}!", [*prompt, *[-1.0] * generated], generated)
    echo = read_echo(body, text)
    assert isinstance(echo, Echo)
    found = read_likelihood(echo, ScoredText(text))
    assert found is not None
    assert found.tokens == len(logprobs)
    assert math.isclose(found.total, sum(logprobs), abs_tol=1e-9)


def test_tokens_tell_where_the_text_begins() -> None:
    found = read(["By", " the", " sea", "\n", "a", " river"])
    assert placed(found) == [4, 5]
    assert isinstance(found, Likelihood)
    assert found.pieces == ("a", " river")


def test_a_beginning_that_the_text_does_not_show_is_not_scored() -> None:
    assert placed(read(["<s>", "By", " the", " sea", "\n", "a", " river"])) == [5, 6]
    body = reply("a river", [-3.0, -1.0, -2.0], tokens=["<s>", "a", " river"])
    echo = read_echo(body, "a river")
    assert isinstance(echo, Echo)
    found = read_likelihood(echo, ScoredText("a river"))
    assert found is not None
    assert found.logprobs.tolist() == [-1.0, -2.0]


@pytest.mark.parametrize("shown", ["\ufffd", "bytes:\\xe2"])
def test_offsets_tell_it_where_a_token_is_not_shown_as_text(shown: str) -> None:
    text = ScoredText("a\u20ac", "By the sea\n")
    logprobs: list[Any] = [None, -1.0, -2.0, -3.0, -4.0]
    for tokens, offsets, expected in (
        (["By", " the", " sea\n", "a", shown], [0, 2, 6, 11, 12], [-3.0, -4.0]),
        # vLLM counts a beginning that the text does not show.
        (["<s>", "By the", " sea\n", "a", shown], [0, 3, 9, 14, 15], [-3.0, -4.0]),
    ):
        body = reply(text.context + text.text, logprobs, tokens=tokens, text_offset=offsets)
        echo = read_echo(body, text.context + text.text)
        assert isinstance(echo, Echo)
        if shown.startswith("bytes"):  # then offsets count what stands there instead
            assert echo.offsets == ()
        else:
            found = read_likelihood(echo, text)
            assert found is not None
            assert found.logprobs.tolist() == expected
            assert found.pieces == ("a", "\u20ac")


@pytest.mark.parametrize(
    "offsets",
    [
        [0, 2, 6, 10, 11, 9],  # falls
        [0, 2, 6, 10, 11, 999],  # beyond the end
        [1, 2, 6, 10, 11, 12],
        [0, 2, 7, 10, 11, 12],  # not where the token stands
        [0, "2", 6, 10, 11, 12],
        [0, True, 6, 10, 11, 12],
        [0, 2.5, 6, 10, 11, 12],
        [0, -2, 6, 10, 11, 12],
    ],
)
def test_offsets_that_cannot_be_are_not_believed(offsets: list[Any]) -> None:
    assert read(["By", " the", " sea", "\n", "a", "\ufffd"], offsets) is None


def test_white_space_before_a_word_is_its_own_tokens() -> None:
    text = ScoredText("river", "By the ")
    tokens = ["By", " the", " river"]
    echo = read_echo(reply("By the river", [None, -1.0, -2.0], tokens=tokens), "By the river")
    assert isinstance(echo, Echo)
    found = read_likelihood(echo, text)
    assert found is not None
    assert (found.logprobs.tolist(), found.pieces) == ([-2.0], ("river",))


def test_a_token_of_context_and_text_cannot_be_parted() -> None:
    assert placed(read(["By", " the", " sea", "\na", " river"])) == [3, 4]
    with pytest.raises(RequestRejectedError, match=r"end of the context.*line break"):
        read(["By", " the se", "a\na", " river"])


def test_the_context_alone_tells_it_if_the_server_says_the_same_of_it() -> None:
    both = Echo((None, -1.0, -2.0, -3.0))
    assert read_likelihood(both, TEXT) is None
    found = read_likelihood(both, TEXT, Echo((None, -1.01)))
    assert found is not None
    assert found.logprobs.tolist() == [-2.0, -3.0]
    for other in (Echo((None, -1.2)), Echo((-0.1, -1.0)), Echo((None, *[-1.0] * 9))):
        assert read_likelihood(both, TEXT, other) is None
    named = Echo((None, -1.0, -2.0), tokens=("token_id:1", "token_id:2", "token_id:3"))
    alone = Echo((None, -1.0), tokens=("token_id:1", "token_id:7"))
    assert read_likelihood(named, TEXT, alone) is None


@pytest.mark.parametrize(
    "more",
    [
        {"tokens": ["a"]},
        {"tokens": ["a", " river", "!"]},
        {"text_offset": [0]},
        {"tokens": "ab"},
        {"tokens": {"a": 1}},
        {"tokens": ["a", 7]},
        {"tokens": ["a", " brook"]},
        {"tokens": ["a", " riv"]},
    ],
)
def test_lists_that_do_not_fit_are_trouble(more: dict[str, Any]) -> None:
    found = read_echo(reply("a river", [None, -1.0], **more), "a river")
    assert isinstance(found, Trouble)
    assert found.retries == 1


@pytest.mark.parametrize("logprobs", [[None], [None, -1.0]])
def test_nothing_to_score_is_an_error(logprobs: list[Any]) -> None:
    echo = read_echo(reply("a", logprobs, tokens=["<s>", "a"][-len(logprobs) :]), "a")
    assert isinstance(echo, Echo)
    if len(logprobs) == 1:
        with pytest.raises(RequestRejectedError, match="too short"):
            read_likelihood(echo, ScoredText("a"))
    else:
        found = read_likelihood(echo, ScoredText("a"))
        assert found is not None
        assert found.tokens == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["choices", "text", "logprobs", "token_logprobs", "usage"]), inner
        )
    ),
)


@settings(max_examples=50)
@given(JSON | st.fixed_dictionaries({"choices": st.lists(JSON, min_size=1)}), st.binary())
def test_any_other_reply_is_trouble_and_no_crash(document: Any, junk: bytes) -> None:
    for body in (json.dumps(document).encode(), junk):
        with contextlib.suppress(RequestRejectedError):
            assert not isinstance(read_echo(body, "the river"), Echo)


@given(
    st.lists(st.sampled_from([None, -1.0, -2.0]) | JSON, max_size=4),
    JSON | st.lists(st.sampled_from(["By", " the sea\n", "a river"]), max_size=4),
    JSON | st.lists(st.integers(-2, 20), max_size=4),
)
def test_any_lists_are_a_score_trouble_or_a_sentence(
    logprobs: list[Any], tokens: Any, offsets: Any
) -> None:
    found = read_echo(reply(PROMPT, logprobs, tokens=tokens, text_offset=offsets), PROMPT)
    if isinstance(found, Echo):
        try:
            scored = read_likelihood(found, TEXT)
        except RequestRejectedError:
            return
        assert scored is None or math.isfinite(scored.total)


def test_what_echoes_nothing_is_no_score() -> None:
    assert isinstance(read_echo(b"{", "text"), Trouble)
    assert read_echo(b'{"choices": [{"text": "other", "logprobs": null}]}', "text") is None


@pytest.mark.parametrize("echoed", ["the river", "is long yes", "The river is long yes"])
def test_a_text_that_was_cut_is_rejected_alone(echoed: str) -> None:
    choice = {"text": echoed, "logprobs": {"token_logprobs": [None, -1.0, -9.0]}}
    with pytest.raises(RequestRejectedError, match="scored another text"):
        read_echo(json.dumps({"choices": [choice]}).encode(), "the river is long")
