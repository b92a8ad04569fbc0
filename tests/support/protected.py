"""Protected benchmarks for tests: secrets of made-up wordings."""

from __future__ import annotations

from dataclasses import replace

from dcq.protect.secret import Beacon, PrivateItem, Secret

VERBS = ("stood", "waited", "rested", "lingered", "paused", "halted", "tarried", "stayed")


def a_secret(items: int = 12, wordings: int = 4, *, key: int = 1, order: int = 9) -> Secret:
    """``key`` draws the lots and ``order`` everything else; the wordings are the same for all."""
    return Secret(
        title="Rivers",
        split="test",
        language="en",
        task="classification",
        made="2026-11-25",
        made_by="0.1.0",
        canary="canary GUID 0",
        items=tuple(
            PrivateItem(
                f"{number:04d}",
                tuple(f"Text: boat {number} {verb} by the mill" for verb in VERBS[:wordings]),
                "Wet",
            )
            for number in range(1, items + 1)
        ),
        key=bytes([key]) * 32,
        salt=bytes([2]) * 32,
        order=bytes([order]) * 32,
    )


def with_beacon(secret: Secret, value: str = "") -> Secret:
    """The same, whose lots rest on a round."""
    return replace(secret, beacon=Beacon("drand", "5412345", value))
