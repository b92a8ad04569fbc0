"""The lot of each item: which of its wordings is published."""

from __future__ import annotations

import hmac

import rfc8785

_WORD = 8  # bytes of a draw
_RANGE = 1 << 8 * _WORD


def draw(key: bytes, root: str, beacon: str, item: str, wordings: int) -> int:
    """The place, from 0, of the published one of an item's ``wordings``.

    HMAC-SHA256 under the secret ``key`` of the commitment's ``root``, the ``beacon``'s value (empty
    without one) and the item's id; what does not divide evenly is drawn again, so that every
    wording is equally likely.
    """
    return uniform(key, ["dcq-lot", root, beacon, item], wordings)


def uniform(key: bytes, about: list[str], below: int) -> int:
    """A number from 0 to ``below`` − 1 that follows from ``key`` and ``about``, each equally
    likely."""
    limit = _RANGE - _RANGE % below
    count = 0
    while True:
        message = rfc8785.dumps([*about, below, count])
        value = int.from_bytes(hmac.digest(key, message, "sha256")[:_WORD])
        if value < limit:
            return value % below
        count += 1


def permutation(key: bytes, about: list[str], size: int) -> list[int]:
    """The places 0 to ``size`` − 1 in an order that follows from ``key`` and ``about``, each order
    equally likely (Fisher and Yates)."""
    places = list(range(size))
    for last in range(size - 1, 0, -1):
        other = uniform(key, [*about, str(last)], last + 1)
        places[last], places[other] = places[other], places[last]
    return places
