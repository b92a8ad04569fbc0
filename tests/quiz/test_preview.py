from __future__ import annotations

import pandas as pd

from dcq.quiz.preview import READY, unready


def estimates(*rows: tuple[str, str, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["partition", "model", "ready"])


def test_a_reason_is_given_once_with_all_models_it_holds_for() -> None:
    rows = [
        (p, m, w) for p in ("one", "two") for m, w in (("a", "No."), ("b", READY), ("c", "No."))
    ]
    assert unready(estimates(*rows)) == ["a, c: No."]


def test_what_a_sample_lacks_is_said_of_the_sample() -> None:
    rows = [(p, m, w) for p, w in (("one", READY), ("two", "No variants.")) for m in ("a", "b")]
    assert unready(estimates(*rows)) == ["two: No variants."]


def test_nothing_is_said_where_all_can_start() -> None:
    assert unready(estimates(("one", "a", READY))) == []
