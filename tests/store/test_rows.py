from datetime import datetime

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.store.rows import insert_rows

COLUMNS = ("name", "note", "parts", "slot", "seen", "made_at")
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
ROWS = st.lists(
    st.tuples(
        TEXT,
        st.none() | TEXT,
        st.lists(TEXT, max_size=3),
        st.none() | st.integers(-128, 127),
        st.floats(allow_nan=False),
        st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1)),
    ),
    max_size=20,
)


def table() -> duckdb.DuckDBPyConnection:
    db = duckdb.connect(":memory:")
    db.execute("CREATE SEQUENCE seq")
    db.execute(
        "CREATE TABLE kept (seq BIGINT DEFAULT nextval('seq'), name VARCHAR, note VARCHAR, "
        "parts VARCHAR[], slot TINYINT, seen DOUBLE, made_at TIMESTAMP)"
    )
    return db


@given(ROWS)
def test_rows_come_back_as_they_went_in_and_in_order(rows: list[tuple[object, ...]]) -> None:
    with table() as db:
        insert_rows(db, "kept", COLUMNS, rows)
        stored = db.execute("SELECT * FROM kept ORDER BY seq").fetchall()
        assert stored == [(number, *row) for number, row in enumerate(rows, 1)]


def test_a_row_that_lacks_a_value_is_a_mistake() -> None:
    with table() as db, pytest.raises(ValueError, match="shorter"):
        insert_rows(db, "kept", ("name", "note"), [("a", "b"), ("c",)])
