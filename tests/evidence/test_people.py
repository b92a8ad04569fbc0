import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.evidence.interval import effective_answers
from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.people import pool

answers = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 15), st.booleans()),
    min_size=1,
    unique_by=lambda one: one[:2],
)


def test_one_person_is_scored_as_a_standard_quiz() -> None:
    found = pool([("ada", i, i < 6) for i in range(20)])
    alone = kappa_fixed(6, 20)
    assert (found.people, found.instances) == (1, 20)
    for name in ("n", "correct", "score", "kappa_fixed", "kappa_low", "kappa_high", "p_value"):
        assert getattr(found.kappa, name) == pytest.approx(getattr(alone, name)), name


def test_no_answer_gives_no_value() -> None:
    found = pool([])
    assert (found.people, found.instances, found.kappa.n) == (0, 0, 0)
    assert found.kappa == kappa_fixed(0, 0)
    assert found.kappa.kappa_fixed is None
    assert found.kappa.kappa_low is None
    assert not found.above_chance


@given(answers)
def test_counts_bounds_and_order(given_: list[tuple[int, int, bool]]) -> None:
    found = pool(given_)
    assert found.kappa.n == len(given_)
    assert found.kappa.correct == sum(right for *_, right in given_)
    assert found.people == len({person for person, *_ in given_})
    assert found.instances == len({instance for _, instance, _ in given_})
    low, kappa, high = found.kappa.kappa_low, found.kappa.kappa_fixed, found.kappa.kappa_high
    assert low is not None
    assert kappa is not None
    assert high is not None
    assert -1 / 3 - 1e-9 <= low <= kappa + 1e-9
    assert kappa - 1e-9 <= high <= 1 + 1e-9
    assert pool(given_[::-1]).kappa.kappa_low == pytest.approx(low)


@given(answers)
def test_the_effective_size_is_between_all_alike_and_all_apart(
    given_: list[tuple[int, int, bool]],
) -> None:
    rows: dict[int, list[bool]] = {}
    for _, instance, is_right in given_:
        rows.setdefault(instance, []).append(is_right)
    asked = np.array([len(row) for row in rows.values()], dtype=float)
    right = np.array([sum(row) for row in rows.values()], dtype=float)
    size = effective_answers(right, asked)
    assert asked.sum() ** 2 / (asked**2).sum() <= size + 1e-9
    assert size <= asked.sum()


def test_people_who_agree_on_every_text_weigh_as_one() -> None:
    one = pool([("ada", i, i < 12) for i in range(20)])
    five = pool([(person, i, i < 12) for person in "abcde" for i in range(20)])
    assert five.kappa.n == 100
    assert five.kappa.kappa_low == pytest.approx(one.kappa.kappa_low, abs=0.01)
    assert five.kappa.kappa_high == pytest.approx(one.kappa.kappa_high, abs=0.01)


def test_people_who_answer_apart_weigh_more() -> None:
    drawn = np.random.default_rng(0).random((5, 40)) < 0.5
    apart = pool([(p, i, bool(drawn[p, i])) for p in range(5) for i in range(40)])
    alone = pool([(0, i, bool(drawn[0, i])) for i in range(40)])
    assert apart.kappa.kappa_low is not None
    assert apart.kappa.kappa_high is not None
    assert alone.kappa.kappa_low is not None
    assert alone.kappa.kappa_high is not None
    width = apart.kappa.kappa_high - apart.kappa.kappa_low
    assert width < 0.6 * (alone.kappa.kappa_high - alone.kappa.kappa_low)


@pytest.mark.simulation
@pytest.mark.parametrize("spread", [0.0, 0.3])
def test_the_interval_covers_the_share(spread: float) -> None:
    """Texts differ by ``spread`` in how easily they are recognised; four people, 20 of 60 each."""
    rng = np.random.default_rng(1)
    covered, times, share = 0, 1500, 0.4
    for _ in range(times):
        easy = share + spread * rng.choice([-1, 1], 60)
        given_ = [
            (person, int(i), bool(rng.random() < easy[i]))
            for person in range(4)
            for i in rng.choice(60, 20, replace=False)
        ]
        found = pool(given_).kappa
        assert found.kappa_low is not None
        assert found.kappa_high is not None
        covered += found.kappa_low <= (share - 0.25) / 0.75 <= found.kappa_high
    assert 0.935 <= covered / times <= 0.99
