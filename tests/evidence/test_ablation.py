import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as peer  # type: ignore[import-untyped]  # it ships no types

from dcq.errors import InputError
from dcq.evidence.ablation import compare, mcnemar

pairs = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


@given(st.integers(0, 80), st.integers(0, 80))
def test_mcnemar_agrees_with_statsmodels(gained: int, lost: int) -> None:
    assert mcnemar(gained, lost) == pytest.approx(
        peer([[3, gained], [lost, 4]], exact=True).pvalue, abs=1e-12
    )
    assert mcnemar(gained, lost) == mcnemar(lost, gained)


@given(pairs)
def test_the_interval_holds_the_difference_and_mirrors(case: list[tuple[bool, bool]]) -> None:
    before, after = [a for a, _ in case], [b for _, b in case]
    found, mirrored = compare(before, after), compare(after, before)
    assert found.difference is not None
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low <= found.difference <= found.high <= 1
    assert found.low < found.high
    assert mirrored.low == pytest.approx(-found.high)
    assert found.difference == pytest.approx(
        (found.standard_share or 0) - (found.modified_share or 0)
    )


def test_the_papers_xsum_ablation() -> None:
    before = [True] * 3 + [False] * 97  # GPT-4, option D: 3 % without the original, 100 % with it
    found = compare(before, [True] * 100)
    assert (found.gained, found.lost) == (97, 0)
    assert found.difference == pytest.approx(0.97)
    assert found.low is not None
    assert found.low > 0.9
    assert found.p_value is not None
    assert found.p_value < 1e-20


def test_edges() -> None:
    nothing = compare([], [])
    assert (nothing.n, nothing.difference, nothing.low, nothing.p_value) == (0, None, None, None)
    unchanged = compare([True, False], [True, False])
    assert (unchanged.difference, unchanged.p_value) == (0, 1)
    with pytest.raises(InputError, match="both of them hold"):
        compare([True], [True, False])
