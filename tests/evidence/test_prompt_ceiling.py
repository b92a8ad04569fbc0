from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from dcq.evidence.prompt_ceiling import PromptCounts, count_cut

rng = np.random.default_rng(0)
Lengths = NDArray[np.int64]


def prompts(n: int, spread: float = 0.3) -> tuple[Lengths, Lengths]:
    """Tokens and characters of whole prompts, some 4.3 characters a token."""
    characters = rng.lognormal(9, spread, n).astype(np.int64)
    return (characters / rng.normal(4.3, 0.2, n)).astype(np.int64), characters


def test_whole_prompts_are_not_called_cut() -> None:
    for n in (3, 8, 40, 400, 5_000):
        for spread in (0.02, 0.3, 1.0):
            assert count_cut(*prompts(n, spread)) == PromptCounts(n)


def test_a_ceiling_above_some_prompts_is_found() -> None:
    tokens, characters = prompts(100)
    ceiling = int(np.median(tokens) * 0.6)
    counted = count_cut(np.minimum(tokens, ceiling), characters)
    assert counted.tokens == ceiling
    assert counted.cut > 50


def test_half_of_a_context_is_found_below_whole_prompts() -> None:
    """Ollama keeps half of what does not fit, so the ceiling is not the largest count."""
    tokens, characters = prompts(200)
    context = int(np.quantile(tokens, 0.8))
    counted = count_cut(np.where(tokens > context, context // 2 + 2, tokens), characters)
    assert counted == PromptCounts(200, cut=int((tokens > context).sum()), tokens=context // 2 + 2)


def test_one_count_for_all_is_a_ceiling_where_lengths_differ() -> None:
    characters = np.array([3_513, 3_675, 3_741, 3_945, 4_103, 4_288, 4_391])
    assert count_cut(np.full(7, 2_048), characters).cut == 7
    assert count_cut(np.full(7, 2_048), np.full(7, 4_000)).cut == 0


@pytest.mark.parametrize("tokens", [0, 1, 10, 63])
def test_a_count_that_is_no_contexts_tells_nothing(tokens: int) -> None:
    assert count_cut(np.full(9, tokens), np.arange(1_000, 10_000, 1_000)).cut == 0


def test_fewer_than_three_prompts_tell_nothing() -> None:
    assert count_cut(np.array([2_048, 2_048]), np.array([9_000, 90_000])) == PromptCounts(2)
