from __future__ import annotations

import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask

from dcq.errors import InputError
from dcq.evidence.agreement import agree
from dcq.evidence.interval import wilson

LABELS = st.sampled_from(["yes", "no", "maybe"])


def _from_table(counts: dict[tuple[str, str], int]) -> tuple[list[str], list[str]]:
    pairs = [pair for pair, count in counts.items() for _ in range(count)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def test_by_hand() -> None:
    found = agree(["e", "e", "n", "i", "i", None], ["e", "n", "n", "i", "i", "i"])
    assert (found.n, found.same, found.share) == (5, 4, 0.8)
    # Chance: 2/5·1/5 + 1/5·2/5 + 2/5·2/5 = 8/25.
    assert found.kappa == pytest.approx((0.8 - 0.32) / (1 - 0.32))
    # α = 1 − (n−1)·(disagreements, both ways)/Σ n_c(n − n_c), over 10 labels: 3, 3 and 4.
    assert found.alpha == pytest.approx(1 - 9 * 2 / (3 * 7 + 3 * 7 + 4 * 6))
    assert found.interval == wilson(4, 5)
    assert (found.kappa_interval, found.alpha_interval) == (None, None)  # five are too few


# Cohen (1960), Table 1, in per cent: three diagnoses by two judges, κ = .492 after rounding.
COHEN = {
    ("a", "a"): 88, ("b", "a"): 14, ("c", "a"): 18,
    ("a", "b"): 10, ("b", "b"): 40, ("c", "b"): 10,
    ("a", "c"): 2, ("b", "c"): 6, ("c", "c"): 12,
}  # fmt: skip
# The examples of the article "Cohen's kappa" in Wikipedia: κ 0.40, and 60 % agreement twice.
GRANTS = {("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15}
EVEN = {("y", "y"): 45, ("y", "n"): 15, ("n", "y"): 25, ("n", "n"): 15}
UNEVEN = {("y", "y"): 25, ("y", "n"): 35, ("n", "y"): 5, ("n", "n"): 35}


@pytest.mark.parametrize(
    ("table", "share", "kappa"),
    [(COHEN, 0.70, 0.492), (GRANTS, 0.70, 0.40), (EVEN, 0.60, 0.1304), (UNEVEN, 0.60, 0.2593)],
)
def test_published_tables(table: dict[tuple[str, str], int], share: float, kappa: float) -> None:
    found = agree(*_from_table(table))
    assert found.n == sum(table.values())
    assert found.share == pytest.approx(share)
    assert found.kappa == pytest.approx(kappa, abs=5e-4)
    assert found.kappa_interval is not None
    assert found.kappa_interval.low < kappa < found.kappa_interval.high


def test_published_data_of_krippendorff() -> None:
    """Krippendorff (2011), A (two observers, ten units, two values: α = 0.095) and B (two
    observers, twelve units, names: α = 0.692)."""
    binary = agree([0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0])
    assert binary.alpha == pytest.approx(0.095, abs=5e-4)
    names = agree(list("aabbdcccedda"), list("babbbccceddd"))
    assert names.alpha == pytest.approx(0.692, abs=5e-4)


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=60))
def test_as_the_libraries_have_it(pairs: list[tuple[str, str]]) -> None:
    found = agree([a for a, _ in pairs], [b for _, b in pairs])
    if len({label for pair in pairs for label in pair}) == 1:
        assert (found.kappa, found.alpha) == (None, None)
        return
    task = AnnotationTask(
        [
            (who, item, pair[side])
            for item, pair in enumerate(pairs)
            for side, who in enumerate("ab")
        ]
    )
    assert found.share == pytest.approx(task.avg_Ao())
    assert found.kappa == pytest.approx(task.kappa())
    assert found.alpha == pytest.approx(task.alpha())


def _resampled_by_library(pairs: list[tuple[str, str]], draws: int) -> tuple[list[float], ...]:
    """κ and α of resamples, by the libraries, one by one."""
    rng, kappas, alphas = np.random.default_rng(1), [], []
    codes = {label: code for code, label in enumerate(sorted({x for p in pairs for x in p}))}
    for _ in range(draws):
        drawn = [pairs[at] for at in rng.integers(0, len(pairs), len(pairs))]
        task = AnnotationTask(
            [(w, item, p[side]) for item, p in enumerate(drawn) for side, w in enumerate("ab")]
        )
        kappas.append(task.kappa())
        data = [[codes[p[side]] for p in drawn] for side in (0, 1)]
        alphas.append(
            float(
                krippendorff.alpha(
                    reliability_data=data,
                    level_of_measurement="nominal",
                    value_domain=list(codes.values()),
                )
            )
        )
    return kappas, alphas


def test_intervals_are_those_of_a_bootstrap_by_the_libraries() -> None:
    first, second = _from_table(GRANTS)
    found = agree(first, second)
    kappas, alphas = _resampled_by_library(list(zip(first, second, strict=True)), 1_000)
    assert found.kappa_interval == pytest.approx(np.quantile(kappas, [0.025, 0.975]), abs=0.03)
    assert found.alpha_interval == pytest.approx(np.quantile(alphas, [0.025, 0.975]), abs=0.03)
    assert agree(first, second) == found
    assert agree(first, second, seed=1).kappa_interval != found.kappa_interval


def test_items_of_one_unit_are_drawn_together() -> None:
    """Four labels of an instance that are always alike say no more than one."""
    first, second = _from_table(GRANTS)
    alone = agree(first, second)
    together = agree(
        [a for a in first for _ in range(4)],
        [b for b in second for _ in range(4)],
        units=[at for at in range(len(first)) for _ in range(4)],
    )
    assert (together.n, together.units) == (200, 50)
    assert (together.share, together.kappa) == (alone.share, alone.kappa)
    assert together.kappa_interval == pytest.approx(alone.kappa_interval, abs=0.03)
    assert together.interval == pytest.approx(alone.interval, abs=0.02)
    apart = agree([a for a in first for _ in range(4)], [b for b in second for _ in range(4)])
    assert apart.kappa_interval is not None
    assert together.kappa_interval is not None
    assert np.ptp(apart.kappa_interval) < 0.6 * np.ptp(together.kappa_interval)


@given(
    st.lists(st.tuples(LABELS, LABELS, st.integers(0, 30)), max_size=60),
    st.booleans(),
)
def test_limits_are_on_both_sides_and_in_bounds(
    rows: list[tuple[str, str, int]], in_units: bool
) -> None:
    units = [unit for *_, unit in rows] if in_units else None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = agree([a for a, *_ in rows], [b for _, b, _ in rows], units=units)
    assert found.units == (len(set(units)) if units is not None else len(rows))
    if found.interval is not None and found.share is not None:
        assert 0 <= found.interval.low <= found.share <= found.interval.high <= 1
    for interval in (found.kappa_interval, found.alpha_interval):
        if interval is not None:
            assert -1 <= interval.low < interval.high <= 1


def test_without_anything_to_compare() -> None:
    assert agree([], []).share is None
    assert agree([None], ["e"]).n == 0
    same = agree(["i"] * 40, ["i"] * 40)
    assert (same.share, same.kappa, same.alpha) == (1.0, None, None)
    assert (same.kappa_interval, same.alpha_interval) == (None, None)
    with pytest.raises(InputError, match="different items"):
        agree(["e"], [])
    with pytest.raises(InputError, match="different items"):
        agree(["e"], ["e"], units=[])


def test_labels_too_alike_give_a_value_without_limits() -> None:
    """A third of the resamples would miss the only rejection, and give nothing."""
    found = agree(["yes"] * 40, ["yes"] * 39 + ["no"])
    assert found.kappa == 0
    assert found.alpha is not None
    assert (found.kappa_interval, found.alpha_interval) == (None, None)
    perfect = agree(["yes", "no"] * 20, ["yes", "no"] * 20)
    assert (perfect.kappa, perfect.alpha) == (1, 1)
    assert (perfect.kappa_interval, perfect.alpha_interval) == (None, None)
    assert perfect.interval is not None
    assert perfect.interval.low == pytest.approx(0.912, abs=1e-3)
