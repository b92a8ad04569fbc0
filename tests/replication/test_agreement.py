from __future__ import annotations

import pytest

from dcq.errors import InputError
from dcq.replication.agreement import agree, both
from dcq.replication.judge import Match

E, N, I = Match.EXACT, Match.NEAR_EXACT, Match.INEXACT  # noqa: E741  # a table of labels


def test_by_hand() -> None:
    found = agree([E, E, N, I, I, None], [E, N, N, I, I, I])
    assert (found.n, found.same, found.share) == (5, 4, 0.8)
    # Chance: 2/5·1/5 + 1/5·2/5 + 2/5·2/5 = 8/25.
    assert found.kappa == pytest.approx((0.8 - 0.32) / (1 - 0.32))
    # α = 1 − (n−1)·(disagreements, both ways)/Σ n_c(n − n_c), over 10 labels: 3, 3 and 4.
    assert found.alpha == pytest.approx(1 - 9 * 2 / (3 * 7 + 3 * 7 + 4 * 6))
    assert found.interval is not None
    assert found.interval.low < 0.8 < found.interval.high


def test_without_anything_to_compare() -> None:
    assert agree([], []).share is None
    assert agree([None], [E]).n == 0
    same = agree([I, I], [I, I])
    assert (same.share, same.kappa, same.alpha) == (1.0, None, None)
    with pytest.raises(InputError, match="different completions"):
        agree([E], [])


def test_what_two_labels_have_in_common() -> None:
    assert both(E, N) is N
    assert both(E, E) is E
    assert both(N, I) is I
    assert both(None, E) is None
