import numpy as np
import pandas as pd
import pytest

from dcq.quiz import tables

ROWS = pd.DataFrame(
    [
        ("b", 0, "A", True),
        ("b", 3, "A", True),
        ("a", 0, None, False),
        ("a", 3, "D", True),
        ("c", 3, None, True),  # "none of these" is an answer
    ],
    columns=["instance", "slot", "letter", "answered"],
).astype({"slot": "int8"})


def test_right_by_instance_and_slot() -> None:
    found = tables.right(ROWS)
    expected = pd.DataFrame(
        [[np.nan, 1.0], [1.0, 0.0], [np.nan, 0.0]],  # c was not asked with the original at A
        index=pd.Index(["a", "b", "c"], name="instance"),
        columns=pd.Index(np.array([0, 3], dtype="int8"), name="slot"),
    )
    pd.testing.assert_frame_equal(found, expected)


def test_one_row_of_each_is_what_a_pivot_gives() -> None:
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        [(f"{i:02}", slot) for i in rng.permutation(30) for slot in rng.permutation(4)],
        columns=["instance", "slot"],
    ).assign(letter=rng.choice(list("ABCD"), 120), answered=rng.random(120) < 0.9)
    value = (rows["letter"] == rows["slot"].map(dict(enumerate("ABCD")))).astype(float)
    expected = rows.assign(value=value.where(rows["answered"])).pivot(
        index="instance", columns="slot", values="value"
    )
    pd.testing.assert_frame_equal(tables.right(rows), expected)


@pytest.mark.parametrize(("letter", "values"), [("A", [1.0, 0.0]), ("D", [0.0, 1.0])])
def test_what_was_chosen(letter: str, values: list[float]) -> None:
    found = tables.chose(ROWS[ROWS["slot"] == 3], letter)
    expected = pd.Series(
        [values[0], values[1], 0.0], index=pd.Index(["b", "a", "c"], name="instance"), name="value"
    )
    pd.testing.assert_series_equal(found, expected)
    assert np.isnan(tables.chose(ROWS[ROWS["slot"] == 0], letter)["a"])
