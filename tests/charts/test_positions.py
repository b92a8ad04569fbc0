from __future__ import annotations

import pandas as pd
import pytest

from dcq import charts


@pytest.mark.parametrize("count", [1, 2, 5])
def test_position_preference_has_one_panel_a_model(count: int) -> None:
    counts = pd.DataFrame(
        [
            {"model": f"<i>m{i}</i>", "answer": letter, "count": n}
            for i in range(count)
            for letter, n in zip("ABCD", (70, 10, 10, 10), strict=True)
        ]
    )
    figure = charts.position_preference(counts)
    assert len(figure.data) == len({trace.xaxis for trace in figure.data}) == count
    assert len([s for s in figure.layout.shapes if s.line.dash == "dash"]) == count
    titles = [a.text for a in figure.layout.annotations]
    assert all("<i>" not in text for text in titles)
    assert all(list(trace.y) == [0.7, 0.1, 0.1, 0.1] for trace in figure.data)
    assert "A most often (70 % of 100)" in charts.describe_position_preference(counts)
