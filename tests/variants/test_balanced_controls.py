"""Quizzes of real texts that length or likeness solve, and what is left of it after a choice."""

from collections.abc import Sequence

import pytest

from benchmarks import balance as leaks
from dcq.partitions import draw_sample, open_partition
from dcq.variants import offline
from dcq.variants.balance import balance
from dcq.variants.synonyms import WordGroup, find_groups

pytestmark = pytest.mark.slow


@pytest.fixture
def parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both writers of variants look for the same words of the same texts."""
    known: dict[str, list[WordGroup]] = {}

    def find(text: str, free: Sequence[bool], *, code: bool) -> list[WordGroup]:
        if text not in known:
            known[text] = find_groups(text, free, code=code)
        return known[text]

    for module in (leaks, offline):
        monkeypatch.setattr(module, "find_groups", find)


@pytest.mark.usefixtures("parsed_once")
@pytest.mark.parametrize("key", ["control-news", "control-nli"])
def test_no_strategy_is_left_that_finds_a_third(key: str) -> None:
    opened = open_partition(key, "test")
    sample = draw_sample(opened, 30)
    pools = [leaks.pool_of(one, list(leaks.leaky(one)), 8) for one in sample.instances]
    found = balance(pools, sample.partition.language)
    before = found.before.strategies()
    assert max(before["shortest"]) > 0.6
    assert max(before["medoid"]) > 0.6
    for name, shares in found.after.strategies().items():
        assert max(shares) <= 0.33, name
        assert min(shares) >= 0.17, name
