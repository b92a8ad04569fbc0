from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dcq.store.rows import (
    column,
    grouped,
    insert_records,
    insert_rows,
    newest_rows,
    parsed,
    record,
    records,
)

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


class Colour(StrEnum):
    BLUE = "blue"


@dataclass(frozen=True)
class Mark:
    place: int
    colour: Colour


@dataclass(frozen=True)
class Kept:
    """A record with a field of each kind that a store has."""

    name: str
    parts: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    facts: Mapping[str, object]
    marks: tuple[Mark, ...]
    colour: Colour | None = None
    people: frozenset[str] | None = None
    left: tuple[str, ...] | None = None


KEPT = Kept("a", ("b", "c"), ((1, 2), (3, 4)), {"é": 1}, (Mark(0, Colour.BLUE),), Colour.BLUE)


def test_a_record_comes_back_as_it_went_in() -> None:
    with duckdb.connect(":memory:") as db:
        db.execute(
            "CREATE TABLE kept (owner VARCHAR, position INTEGER, name VARCHAR, parts VARCHAR[], "
            "pairs INTEGER[][], facts VARCHAR, marks VARCHAR, colour VARCHAR, people VARCHAR[])"
        )
        insert_records(db, "kept", [KEPT, replace(KEPT, colour=None)], first_position=3, owner="o")
        insert_records(db, "kept", [], first_position=0, owner="o")
        assert db.execute("SELECT owner, position FROM kept").fetchall() == [("o", 3), ("o", 4)]
        # ``left`` has no column and is no part of what is read.
        rows = db.execute("SELECT * FROM kept ORDER BY position")
        assert records(rows, Kept) == [KEPT, replace(KEPT, colour=None)]
        rows = db.execute("SELECT * REPLACE (['x', 'x'] AS people), 'null' AS left FROM kept")
        assert record(rows, Kept) == replace(KEPT, people=frozenset("x"), left=None)
        assert record(db.execute("SELECT * FROM kept WHERE name = 'b'"), Kept) is None


@dataclass(frozen=True)
class Within:
    id: str
    mark: Mark
    other: Mark | None
    given: Mark


def test_a_record_within_a_record_is_read_from_its_columns_or_a_struct() -> None:
    row = "SELECT 'i' AS id, 1 AS place, 'blue' AS colour"
    with duckdb.connect(":memory:") as db:
        blue = Mark(1, Colour.BLUE)
        rows = db.execute(f"{row}, {{'place': 2, 'colour': 'blue'}} AS other")
        assert records(rows, Within, given=blue) == [
            Within("i", blue, Mark(2, Colour.BLUE), given=blue)
        ]
        rows = db.execute(f"{row}, CASE WHEN false THEN {{'place': 2}} END AS other")
        assert records(rows, Within, given=blue) == [Within("i", blue, None, given=blue)]


@pytest.mark.parametrize("text", ['[["a"]]', '[[0, "blue", 1]]', '[[0, "red"]]', "7", "[7]", "{"])
def test_a_text_that_is_no_such_value_is_refused(text: str) -> None:
    assert parsed(tuple[Mark, ...], '[[0, "blue"]]') == (Mark(0, Colour.BLUE),)
    with pytest.raises((ValueError, TypeError)):
        parsed(tuple[Mark, ...], text)


HISTORY = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.none() | st.text("uv"))
)


@settings(max_examples=30)  # each makes a database
@given(HISTORY)
def test_the_newest_row_of_each_key_is_the_last_even_where_it_is_empty(
    rows: list[tuple[str, str, str | None]],
) -> None:
    with duckdb.connect(":memory:") as db:
        db.execute("CREATE SEQUENCE s")
        db.execute(
            "CREATE TABLE said (seq BIGINT DEFAULT nextval('s'), who VARCHAR, place VARCHAR, "
            "word VARCHAR)"
        )
        insert_rows(db, "said", ("who", "place", "word"), rows)
        newest = db.execute(f"FROM {newest_rows('said', 'who', 'place')} SELECT who, place, word")
        assert {tuple(row[:2]): row[2] for row in newest.fetchall()} == {
            (who, place): word for who, place, word in rows
        }
        of_one = newest_rows("said", "place", where="who = ?")
        assert dict(db.execute(f"FROM {of_one} SELECT place, word", ["a"]).fetchall()) == {
            place: word for who, place, word in rows if who == "a"
        }


def test_rows_are_grouped_by_their_first_column_in_order() -> None:
    with duckdb.connect(":memory:") as db:
        rows = db.execute("FROM (VALUES ('b', 1, 2), ('a', 3, 4), ('b', 0, 5))")
        assert grouped(rows) == {"b": [(1, 2), (0, 5)], "a": [(3, 4)]}
        assert column(db.execute("FROM (VALUES ('b', 1), ('a', 3))")) == ["b", "a"]
