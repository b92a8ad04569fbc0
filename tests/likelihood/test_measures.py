"""Each measure against another implementation of its formula, and at extreme values."""

from __future__ import annotations

import math
import statistics
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.likelihood.measures import DECIDING, MEASURES, Scored, ScoringContext, choose
from dcq.likelihood.measures.compressed import zlib_ratio
from dcq.likelihood.measures.in_context import codec, recall
from dcq.likelihood.measures.lowest import min_k_plus_plus, min_k_prob
from dcq.likelihood.measures.mean import mean_log_probability
from dcq.models.scorers.likelihood import Likelihood

LOGPROBS = st.lists(st.floats(-40, -1e-3), min_size=1, max_size=60)


def array(values: list[float]) -> np.ndarray:
    return np.array(values, dtype=np.float64)


@given(LOGPROBS, st.text())
def test_they_are_their_formulas(logprobs: list[float], text: str) -> None:
    mean = statistics.fmean(logprobs)
    assert mean_log_probability(array(logprobs)) == pytest.approx(mean)
    size = len(zlib.compress(text.encode()))
    assert zlib_ratio(array(logprobs), text) == pytest.approx(mean / size)
    lowest = sorted(logprobs)[: max(1, math.floor(len(logprobs) * 0.2))]
    assert min_k_prob(array(logprobs)) == pytest.approx(statistics.fmean(lowest))


def test_min_k_plus_plus_is_that_of_a_whole_vocabulary() -> None:
    """Probabilities of four tokens at each of ten places; the token at a place is the third."""
    random = np.random.default_rng(0)
    table = random.dirichlet(np.ones(4), size=10)
    logs = np.log(table)
    means = (table * logs).sum(axis=1)
    variances = [
        sum(p * (math.log(p) - mean) ** 2 for p in row)
        for row, mean in zip(table, means, strict=True)
    ]
    scaled = sorted(
        (math.log(row[2]) - mean) / math.sqrt(variance)
        for row, mean, variance in zip(table, means, variances, strict=True)
    )
    found = min_k_plus_plus(logs[:, 2], means, np.sqrt(variances))
    assert found == pytest.approx((scaled[0] + scaled[1]) / 2)


def test_one_token_is_its_own_lowest() -> None:
    one = array([-3.0])
    assert mean_log_probability(one) == min_k_prob(one) == -3.0
    assert min_k_plus_plus(one, array([-2.0]), array([0.5])) == -2.0
    assert recall(one, array([-6.0])) == 2.0
    assert codec(one, array([-6.0])) is None  # ten tokens and the last are left out


def test_where_all_tokens_are_equal_nothing_is_divided_by_nothing() -> None:
    flat = array([-1.5] * 30)
    assert min_k_prob(flat) == mean_log_probability(flat) == -1.5
    assert min_k_plus_plus(flat, flat, np.zeros(30)) == 0.0
    assert recall(flat, flat) == 1.0
    assert codec(flat, flat) == 0.0
    assert recall(np.zeros(30), flat) is None


@given(st.lists(st.tuples(st.floats(-9, 0), st.floats(-9, 0)), min_size=12, max_size=40))
def test_codec_is_that_of_its_authors(pairs: list[tuple[float, float]]) -> None:
    """Tokens 10 to the last but one, confidence alone minus confidence in context."""
    alone, after = (list(side) for side in zip(*pairs, strict=True))
    expected = statistics.fmean(alone[10:-1]) - statistics.fmean(after[10:-1])
    assert codec(array(alone), array(after)) == pytest.approx(expected, abs=1e-12)
    # With something before it, a text has a score for its first token as well.
    assert codec(array(alone), array([-5.0, *after])) == pytest.approx(expected, abs=1e-12)


def test_higher_means_likelier_seen() -> None:
    """A text whose log-probabilities are a quarter of another's, and that a context disturbs."""
    random = np.random.default_rng(1)
    logprobs = -random.exponential(3.0, 40)
    before = Likelihood(logprobs * 1.05)
    means, spreads = np.full(40, -3.0), np.full(40, 2.0)
    unseen = Scored("a text", dict.fromkeys(ScoringContext, before))
    unseen.by_context[ScoringContext.ALONE] = Likelihood(logprobs, means, spreads)  # type: ignore[index]
    seen = Scored("a text", dict(unseen.by_context))
    seen.by_context[ScoringContext.ALONE] = Likelihood(logprobs / 4, means, spreads)  # type: ignore[index]
    for measure in MEASURES:
        low, high = measure.of(unseen), measure.of(seen)
        assert low is not None
        assert high is not None
        assert high > low, measure.name


def test_what_a_measure_needs_and_is_not_there_gives_no_value() -> None:
    bare = Scored("a text", {ScoringContext.ALONE: Likelihood(array([-1.0] * 20))})
    assert {one.name for one in MEASURES if one.of(bare) is None} == {"minkpp", "recall", "codec"}


def test_the_deciding_one_is_always_chosen() -> None:
    assert [one.name for one in choose(None)] == ["mean", "zlib", "mink", "minkpp"]
    assert choose(["codec"])[0] is DECIDING
    assert [one.name for one in choose(["codec", "recall"])] == ["mean", "recall", "codec"]
    with pytest.raises(InputError, match="no measure 'perplexity'; choose from mean, zlib"):
        choose(["perplexity"])
