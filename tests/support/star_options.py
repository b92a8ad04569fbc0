"""Options that differ by one word each."""

from __future__ import annotations

import random
from collections.abc import Sequence

from dcq.variants.balance import SLOTS, Pool


def star(number: int, *, seed: int = 0) -> Pool:
    """Eight candidates as a model writes them: four rewordings of the original, which is shorter
    than all of them, then four of the first of these, many of which are short."""
    rng = random.Random(seed + number)

    def change(words: list[str], endings: Sequence[str]) -> list[str]:
        made = list(words)
        for at in rng.sample(range(len(words)), 4):
            made[at] = f"{words[at][:5]}{rng.choice(endings)}"
        return made

    original = [f"word{rng.randint(10, 99)}y" for _ in range(12)]
    first = [change(original, ("zzzz", "xxxx", "yyy")) for _ in range(4)]
    second = [change(first[0], ("", "", "", "z")) for _ in range(4)]
    made = dict.fromkeys(" ".join(words) for words in [*first, *second])
    made.pop(" ".join(original), None)
    return Pool(" ".join(original), tuple(made), {slot: slot for slot in range(SLOTS)})
