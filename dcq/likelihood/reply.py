"""The likelihoods of one instance's wordings, written as a reply that is stored, and read back.

A stored reply may come from a stranger's bundle, so nothing in it is believed unchecked.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dcq.models.scorers.likelihood import Likelihood

_NUMBERS = "<f4"  # little-endian, 32 bits: 7 digits
_ABOVE = 1e-3  # nats by which rounding may lift a log-probability above 0
MOST_TOKENS = 100_000  # of one text
_ARRAYS = ("logprobs", "means", "spreads")


class BadReplyError(Exception):
    """A reply that cannot be used; the message is the reason in a few words."""


def write_likelihoods(likelihoods: Sequence[Likelihood]) -> tuple[str, Mapping[str, float] | None]:
    """The likelihoods of a request's texts, in their order, as a reply: numbers by token, as base64
    of 32-bit floats, and the tokens as text. The second value is None, because such a reply has no
    log-probabilities of letters."""
    documents = [
        {
            **{
                name: base64.b64encode(values.astype(_NUMBERS).tobytes()).decode("ascii")
                for name in _ARRAYS
                if (values := getattr(likelihood, name)) is not None
            },
            **({"pieces": list(likelihood.pieces)} if likelihood.pieces else {}),
        }
        for likelihood in likelihoods
    ]
    return json.dumps({"texts": documents}, separators=(",", ":")), None


def read_likelihoods(reply: str, count: int) -> list[Likelihood]:
    """The likelihoods of ``count`` texts. Raises ``BadReplyError`` where the reply has another
    number of texts, or numbers that are no log-probabilities."""
    try:
        document = json.loads(reply)
        texts = document["texts"]
    except (ValueError, RecursionError, LookupError, TypeError):
        raise BadReplyError("no likelihoods") from None
    if not isinstance(texts, list) or len(texts) != count:
        raise BadReplyError(f"not the likelihoods of {count} texts")
    return [_read_one(entry) for entry in texts]


def _read_one(entry: Any) -> Likelihood:
    if not isinstance(entry, dict):
        raise BadReplyError("a text without likelihoods")
    logprobs, means, spreads = (_numbers(entry.get(name)) for name in _ARRAYS)
    if logprobs is None:
        raise BadReplyError("a text without tokens")
    if logprobs.max() > _ABOVE:
        raise BadReplyError("log-probabilities above 0")
    for other in (means, spreads):
        if other is not None and len(other) != len(logprobs):
            raise BadReplyError("not as many means or deviations as tokens")
    if spreads is not None and spreads.min() < 0:
        raise BadReplyError("deviations below 0")
    pieces = entry.get("pieces", [])
    if not isinstance(pieces, list) or not all(isinstance(piece, str) for piece in pieces):
        raise BadReplyError("tokens that are no text")
    aligned_pieces = tuple(pieces) if len(pieces) == len(logprobs) else ()
    return Likelihood(logprobs, means, spreads, aligned_pieces)


def _numbers(written: Any) -> NDArray[np.float64] | None:
    """None where there are none."""
    if written is None or written == "":
        return None
    if not isinstance(written, str) or len(written) > 6 * MOST_TOKENS:
        raise BadReplyError("numbers that cannot be read")
    try:
        packed = base64.b64decode(written, validate=True)
        values = np.frombuffer(packed, dtype=_NUMBERS).astype(np.float64)
    except (ValueError, binascii.Error):
        raise BadReplyError("numbers that cannot be read") from None
    if not np.isfinite(values).all():
        raise BadReplyError("log-probabilities that are not finite numbers")
    return values
