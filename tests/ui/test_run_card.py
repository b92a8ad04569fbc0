from __future__ import annotations

import pytest

from dcq.ui.run_card import duration


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "1 s"),
        (8.4, "8 s"),
        (99, "99 s"),
        (100, "2 min"),
        (3_600, "60 min"),
        (7_500, "2 h 5 min"),
    ],
)
def test_times_to_come_are_as_exact_as_they_can_be(seconds: float, words: str) -> None:
    assert duration(seconds) == words
