from __future__ import annotations

import pandas as pd
import pytest

from dcq.audit.answers_file import analyse
from dcq.documents.chart_rows import ruler_rows


def bcq(partition: str, role: str, with_it: str, without: str) -> list[dict[str, str]]:
    """A letter an instance, with the original at B and without it."""
    common = {"model": "m", "partition": partition, "role": role}
    return [
        common | {"instance_id": str(i), "kind": kind, "correct": "B", "answer": letter}
        for kind, letters in (("bdq", without), ("bcq", with_it))
        for i, letter in enumerate(letters)
    ]


def test_a_bcq_is_drawn_on_the_scale_of_shares() -> None:
    """The model chooses the slot in half of the instances without the original, too."""
    rows = bcq("p", "target", "B" * 30 + "E" * 10, "B" * 20 + "E" * 20)
    for i in range(4):
        rows += bcq(f"c{i}", "control", "B" * 20 + "E" * 20, "B" * 20 + "E" * 20)
    result = analyse(pd.DataFrame(rows, dtype=object), "x.csv").results[0]
    estimate = result.evidence.estimate
    assert estimate.low is not None
    assert estimate.high is not None
    [row] = ruler_rows([result], {}).to_dict("records")
    assert row["found"] == pytest.approx(0.75)
    # κ is 0 at a share of 0.5 and 1 at a share of 1.
    assert row["low"] == pytest.approx(0.5 + 0.5 * estimate.low)
    assert row["high"] == pytest.approx(0.5 + 0.5 * estimate.high)
    assert row["low"] < row["found"] < row["high"]
    # The controls gained nothing: they lie where the same share is expected.
    assert row["dots"] == pytest.approx([0.5] * 4)
    assert row["expected_low"] <= 0.5 <= row["expected_high"]
