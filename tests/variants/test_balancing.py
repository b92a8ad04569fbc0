import numpy as np

from dcq.variants.balance import Ranks
from dcq.variants.balancing import strategy_rows, tell, tell_ranks

EVEN = np.full((4, 4), 0.25)
SHORT = np.array([[0.5, 0.5, 0, 0], [0.6, 0.4, 0, 0], [0.62, 0.38, 0, 0], [0.5, 0.5, 0, 0]])
BEFORE = Ranks(8, {"length": SHORT, "centrality": EVEN})
AFTER = Ranks(8, {"length": EVEN, "centrality": EVEN + np.eye(4) * 0.06 - 0.015})
NOTHING = Ranks(0, {})


def test_one_sentence_names_the_best_strategy_and_its_worst_slot() -> None:
    assert tell_ranks(BEFORE) == (
        "Of the strategies without memory, always the shortest finds most originals: 62 % with the "
        "original at C."
    )
    assert tell(BEFORE, AFTER) == (
        "Before, always choosing the shortest found 62 % of originals; now no strategy finds more "
        "than 30 %."
    )
    assert tell(NOTHING, AFTER) == "Now no strategy finds more than 30 %."
    assert "three usable variants" in tell(NOTHING, NOTHING)


def test_a_row_a_strategy_and_none_for_what_is_not_known() -> None:
    rows = strategy_rows(BEFORE, AFTER)
    assert [row["strategy"] for row in rows] == [
        "always the shortest",
        "always the longest",
        "always the most central",
    ]
    assert rows[0]["C"] == "62 % → 25 %"
    assert strategy_rows(None, AFTER)[0]["C"] == "25 %"
    assert strategy_rows(None, NOTHING) == []
