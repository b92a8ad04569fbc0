from __future__ import annotations

import math

import numpy as np
import pytest

from dcq.errors import EndpointRefusedError
from dcq.models.scorers.distribution import Distribution, summarise


def by_sums(logits: list[float], target: int) -> tuple[float, float, float]:
    """log p of the target, and mean and deviation of log p under p, from exact sums."""
    top = max(logits)
    total = math.fsum(math.exp(x - top) for x in logits)
    logp = [x - top - math.log(total) for x in logits]
    mean = math.fsum(math.exp(x) * x for x in logp)
    variance = math.fsum(math.exp(x) * (x - mean) ** 2 for x in logp)
    return logp[target], mean, math.sqrt(variance)


@pytest.mark.parametrize("width", [1, 7, 500, 1000])
@pytest.mark.parametrize("scale", [0.1, 3.0, 30.0])
def test_slices_of_any_width_give_the_sums_over_the_whole_vocabulary(
    width: int, scale: float
) -> None:
    draw = np.random.default_rng(1)
    logits = (draw.normal(0, scale, (6, 1000)) + 50).astype(np.float32)
    targets = draw.integers(0, 1000, 6)
    slices = (logits[:, at : at + width] for at in range(0, 1000, width))
    found = summarise(slices, targets)
    for place, target in enumerate(targets):
        own, mean, spread = by_sums(logits[place].tolist(), int(target))
        assert found.logprob[place] == pytest.approx(own, abs=2e-5, rel=1e-6)
        assert found.mean[place] == pytest.approx(mean, abs=2e-5)
        assert found.spread[place] == pytest.approx(spread, abs=2e-4)


def test_a_model_without_a_doubt_has_no_spread() -> None:
    found = summarise([np.array([[0.0, -300.0], [0.0, -300.0]], np.float32)], np.array([0, 1]))
    assert found.logprob.tolist() == [0.0, -300.0]
    assert found.mean.tolist() == found.spread.tolist() == [0.0, 0.0]


def test_one_that_knows_nothing_gives_all_tokens_the_same() -> None:
    found = summarise([np.zeros((1, 512), np.float32)] * 2, np.array([700]))
    assert found.logprob[0] == found.mean[0] == pytest.approx(-math.log(1024))
    assert found.spread[0] == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_logits_that_are_no_numbers_are_an_error(value: float) -> None:
    with (
        pytest.raises(EndpointRefusedError, match="finite numbers"),
        np.errstate(invalid="ignore"),
    ):
        summarise([np.array([[0.0, value]], np.float32)], np.array([0]))


def test_parts_make_up_the_whole() -> None:
    whole = Distribution(np.arange(5.0), np.arange(5.0) + 5, np.arange(5.0) + 10)
    parts = whole.split(np.array([2, 2]))
    assert [part.mean.tolist() for part in parts] == [[5, 6], [], [7, 8, 9]]
    assert Distribution.join(parts).spread.tolist() == whole.spread.tolist()
