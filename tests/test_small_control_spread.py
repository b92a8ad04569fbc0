"""The benchmark of how much small controls differ: its estimate, and the texts that it asks for."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.small_controls import Source, estimate_spread, kind_of, small_sample, table
from dcq.partitions import entries
from dcq.variants import offline
from dcq.variants.freeze import LEAST

SMALL = [entry for entry in entries() if entry.is_small]


def drawn(rng: np.random.Generator, spread: float, mean: float = 0.7) -> list[np.ndarray]:
    """Ten sources of eleven yes/no answers, whose true shares have this deviation."""
    concentration = mean * (1 - mean) / spread**2 - 1 if spread else 1e9
    shares = rng.beta(mean * concentration, (1 - mean) * concentration, size=10)
    return [(rng.random(11) < share).astype(np.float64) for share in shares]


@pytest.mark.parametrize("spread", [0.0, 0.1, 0.2])
def test_the_interval_of_the_spread_covers_the_truth(spread: float) -> None:
    rng = np.random.default_rng(7)
    found = [estimate_spread([drawn(rng, spread)]) for _ in range(300)]
    covered = np.mean([one.low <= spread <= one.high for one in found])
    assert 0.92 <= covered <= 0.99
    assert all(one.low <= one.value <= one.high for one in found)


def test_several_tasks_narrow_the_spread_and_their_means_are_no_part_of_it() -> None:
    rng = np.random.default_rng(8)
    tasks = [drawn(rng, 0.05, mean) for mean in (0.4, 0.6, 0.8, 0.5, 0.7) for _ in range(4)]
    together = estimate_spread(tasks)
    assert together.low <= 0.05 <= together.high < 0.1
    assert estimate_spread([[values for task in tasks for values in task]]).low > 0.1


def test_sources_that_do_not_differ_have_no_spread() -> None:
    alike = estimate_spread([[np.array([1.0, 0.0, 1.0, 1.0])] * 5])
    assert (alike.value, alike.low) == (0.0, 0.0)


def test_a_row_of_the_table_says_what_was_counted() -> None:
    shares = {"control-a": 6, "control-b": 9, "control-c": 12}
    group = [
        Source("nli", "en", key, (np.arange(12) < right).astype(np.float64), np.full(12, 0.6))
        for key, right in shares.items()
    ]
    *_, row = table([group])
    cells = row.strip("| ").split(" | ")
    assert cells[:5] == ["nli", "en", "3 × 12 to 12", "0.75 (0.50 to 1.00)", "0.250"]
    assert cells[8] == "0.60"


def test_all_of_them_fall_into_tasks_and_languages() -> None:
    kinds = [
        (kind_of(small_sample(entry)), entry.language) for entry in SMALL if entry.language == "en"
    ]
    tasks = ["arithmetic", "classification", "nli", "short answers", "summarisation"]
    assert sorted(set(kinds)) == [(task, "en") for task in tasks]
    assert all(kinds.count((task, "en")) == 10 for task in tasks)


@pytest.mark.parametrize(
    "key", [entry.key for entry in SMALL if offline.unavailable(entry.language)]
)
def test_those_that_the_generator_cannot_reword_have_words_of_their_own(key: str) -> None:
    [entry] = (entry for entry in SMALL if entry.key == key)
    sample = small_sample(entry)
    assert len(sample.variants) == sample.n
    assert all(len(texts) >= LEAST for texts in sample.variants.values())
