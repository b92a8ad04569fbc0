"""Were prompts cut by the server that read them? Told from token counts and lengths alone.

Some servers drop what does not fit into their context and say nothing. Their count of prompt tokens
is then the same for texts of unlike length.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcq.errors import InputError
from dcq.evidence.arguments import MOST, read_numbers

SMALLEST_CONTEXT = 64  # tokens; a smaller count is no context's
_NEAR = 2  # tokens: a cut may fall on either side of a mark of the template
_FEWEST = 3  # prompts
# Characters a token differ less within one benchmark.
_LONGER = 1.5
# So many prompts with one count, of texts that differ so much, are no chance.
_PATTERNS = ((3, 0.8, 1.1), (5, 0.2, 1.2))  # how many, their share, longest to shortest


class PromptCounts(NamedTuple):
    """What is known of the prompts of a run: of ``n``, ``cut`` were cut to about ``tokens``.
    ``uncounted``: the endpoint reports no prompt tokens, so that nothing can be told."""

    n: int
    cut: int = 0
    tokens: int = 0
    uncounted: bool = False


def count_cut(tokens: NDArray[np.int64], characters: NDArray[np.int64]) -> PromptCounts:
    """How many prompts were cut, from the tokens that the server counted in each and its length in
    characters; both of shape (prompts,). Raises ``InputError`` where they differ in number, or are
    negative."""
    for counts in (tokens, characters):
        read_numbers(counts, "Numbers of tokens and characters", 0, MOST)
    if len(tokens) != len(characters):
        raise InputError("Tokens and characters differ in number; give both of each prompt.")
    n = len(tokens)
    if n < _FEWEST:
        return PromptCounts(n)
    values, counts = np.unique(tokens, return_counts=True)
    ceiling = int(values[counts.argmax()])
    at = np.abs(tokens - ceiling) <= _NEAR
    if ceiling < SMALLEST_CONTEXT or at.sum() < _FEWEST:
        return PromptCounts(n)
    cut = np.zeros(n, dtype=bool)
    if (~at).sum() >= _FEWEST:
        usual = float(np.median(characters[~at] / np.maximum(tokens[~at], 1)))
        cut = at & (characters > _LONGER * usual * tokens)
    if cut.sum() < _FEWEST:
        spread = float(characters[at].max() / max(1, characters[at].min()))
        same = any(
            at.sum() >= fewest and at.mean() >= share and spread >= apart
            for fewest, share, apart in _PATTERNS
        )
        cut = at if same else np.zeros(n, dtype=bool)
    return PromptCounts(n, int(cut.sum()), ceiling) if cut.any() else PromptCounts(n)
