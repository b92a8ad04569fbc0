"""Quizzes of real texts that length or likeness solve, and what is left of it after a choice."""

import pytest

from benchmarks.balance import leaky, pool_of
from dcq.partitions import draw_sample, open_partition
from dcq.variants.balance import balance

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("key", ["control-news", "control-nli"])
def test_no_strategy_is_left_that_finds_a_third(key: str) -> None:
    opened = open_partition(key, "test")
    sample = draw_sample(opened, 30)
    pools = [pool_of(one, list(leaky(one)), 8) for one in sample.instances]
    found = balance(pools, sample.partition.language)
    before = found.before.strategies()
    assert max(before["shortest"]) > 0.6
    assert max(before["medoid"]) > 0.6
    for name, shares in found.after.strategies().items():
        assert max(shares) <= 0.33, name
        assert min(shares) >= 0.17, name
