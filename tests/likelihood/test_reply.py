"""The kept reply: what comes back is what was written, and nothing else is taken for it."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.likelihood.reply import BadReplyError, read_likelihoods, write_likelihoods
from dcq.models.scorers.likelihood import Likelihood

HOSTILE = ("</script>", "\x00\x1b[31m", "\ud83d", "{braces}", "\u202e", "=1+1")


def packed(*values: float, kind: str = "<f4") -> str:
    return base64.b64encode(np.array(values, dtype=kind).tobytes()).decode()


def test_what_is_read_is_what_was_written() -> None:
    one = Likelihood(
        np.array([-0.5, -1.25, 0.0]), np.array([-2.0] * 3), np.array([0.0, 0.5, 1.0]), HOSTILE[:3]
    )
    bare = Likelihood(np.array([-3.0]))
    written, logprobs = write_likelihoods([one, bare])
    assert logprobs is None
    assert written.isascii()  # any token can be stored
    back, plain = read_likelihoods(written, 2)
    assert back.logprobs.tolist() == [-0.5, -1.25, 0.0]
    assert back.means is not None
    assert back.spreads is not None
    assert (back.means.tolist(), back.spreads.tolist()) == ([-2.0] * 3, [0.0, 0.5, 1.0])
    assert back.pieces == HOSTILE[:3]
    assert (plain.logprobs.tolist(), plain.means, plain.spreads, plain.pieces) == (
        [-3.0],
        None,
        None,
        (),
    )


def said(**changed: Any) -> str:
    return json.dumps({"texts": [{"logprobs": packed(-1, -2), **changed}]})


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "no likelihoods"),
        ("sha256:0011", "no likelihoods"),
        ("[" * 100_000, "no likelihoods"),
        ("[]", "no likelihoods"),
        ('{"texts": 3}', "not the likelihoods of 1"),
        ('{"texts": []}', "not the likelihoods of 1"),
        ('{"texts": ["A"]}', "a text without likelihoods"),
        (said(logprobs=None), "without tokens"),
        (said(logprobs=""), "without tokens"),
        (said(logprobs=[1.0]), "cannot be read"),
        (said(logprobs="AAA"), "cannot be read"),
        (said(logprobs="AAAAAAA="), "cannot be read"),
        (said(logprobs="A" * 700_000), "cannot be read"),
        (said(logprobs=packed(-1, float("nan"))), "not finite"),
        (said(logprobs=packed(-1, float("-inf"))), "not finite"),
        (said(logprobs=packed(-1, 0.5)), "above 0"),
        (said(means=packed(-1)), "not as many"),
        (said(spreads=packed(-1, 1)), "below 0"),
        (said(pieces="ab"), "no text"),
        (said(pieces=[1, 2]), "no text"),
    ],
)
def test_any_other_reply_is_none(reply: str, why: str) -> None:
    with pytest.raises(BadReplyError, match=why):
        read_likelihoods(reply, 1)


def test_tokens_of_another_number_are_left_out() -> None:
    [one] = read_likelihoods(said(pieces=["a"]), 1)
    assert one.pieces == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["texts", "logprobs", "means", "pieces"]), inner)
    ),
)


@given(JSON)
def test_no_reply_is_a_crash(document: Any) -> None:
    with pytest.raises(BadReplyError):
        read_likelihoods(json.dumps(document), 2)
