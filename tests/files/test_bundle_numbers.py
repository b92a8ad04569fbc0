"""No number of a bundle gets into a store that no store has."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from dcq import methods
from dcq.errors import InputError
from dcq.likelihood.method import METHOD as LIKELIHOOD
from dcq.overlap.method import CRAWL, SCAN, SEARCH
from dcq.protect.method import ProtectMethod
from dcq.quiz.method import QUIZ
from dcq.replication.method import METHODS
from dcq.store import Store, runs
from dcq.store.bundle_put import add_rows
from dcq.store.bundle_tables import BY_NAME
from dcq.store.bundle_take import take
from dcq.store.studies import EVERYTHING
from dcq.variants.method import REWORDING
from tests.support.studied import filled

pytestmark = pytest.mark.slow

Tables = dict[str, pa.Table]
NAN, FAR = math.nan, math.inf
ALWAYS = ("partition", "sample", "instance")
NUMBERED = {
    "answer", "crawl_request", "cut", "instance", "item", "judge_request", "look", "match_label",
    "overlap", "overlap_hit", "overlap_part", "overlap_query", "overlap_request", "overlap_score",
    "partition_role", "piece", "planned_looks", "quiz", "replication", "review",
    "rewording_request", "rewording_slot", "run", "run_event", "sample", "sitting_answer",
    "sitting_item", "standing_set", "study", "variant",
}  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """The rows of a store with something in each table."""
    path = shutil.copy(filled(tmp_path_factory), tmp_path_factory.mktemp("filled") / "dcq.duckdb")
    return take(Store(path), EVERYTHING, methods.kinds_of(EVERYTHING))


def changed(tables: Tables, table: str, column: str, value: Any) -> Tables:
    """With another value in the first row of a column, one of a list's where it has lists."""
    rows = tables[table]
    place = rows.schema.get_field_index(column)
    kind = rows.schema.field(place).type
    while pa.types.is_list(kind):
        value, kind = [value], kind.value_type
    values = [value, *rows[column].to_pylist()[1:]]
    made = pa.array(values, rows.schema.field(place).type)
    kept = {name: tables[name] for name in {*ALWAYS, *beneath(table)}}
    return kept | {table: rows.set_column(place, rows.schema.field(place), made)}


def beneath(table: str) -> set[str]:
    """The tables that a table needs: those it refers to, and their own."""
    parents = {parent for _, parent, _ in BY_NAME[table].foreign_keys} - {table}
    return parents.union(*map(beneath, parents))


def refused(store: Store, tables: Tables, match: str = "that no store has") -> None:
    with pytest.raises(InputError, match=match) as caught:
        add_rows(store, tables, methods.run_names())
    assert "\n" not in str(caught.value)


def left_empty(store: Store) -> bool:
    return runs.listing(store) == []


def numbers(tables: Tables) -> Iterator[tuple[str, str, bool]]:
    """Each column with numbers, and whether they are floats; seeds may be any."""
    for name, rows in tables.items():
        for field in rows.schema:
            kind = field.type
            while pa.types.is_list(kind):
                kind = kind.value_type
            if field.name != "seed" and (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
                yield name, field.name, pa.types.is_floating(kind)


def test_numbers_stand_in_these_tables(whole: Tables) -> None:
    assert {table for table, *_ in numbers(whole)} == NUMBERED
    assert sum(3 if floating else 1 for *_, floating in numbers(whole)) > 80


@pytest.mark.parametrize("table", sorted(NUMBERED))
def test_a_number_below_zero_or_that_is_none_is_refused_wherever_it_stands(
    whole: Tables, fresh_store: Store, table: str
) -> None:
    for _, column, floating in (one for one in numbers(whole) if one[0] == table):
        # A row that is not known is -1.
        below = -2 if column == "row_number" else -1
        for value in (-1.0, NAN, FAR) if floating else (below,):
            # What others refer to is missed there before it is looked at.
            refused(
                fresh_store,
                changed(whole, table, column, value),
                f"a {column} in {table} that no store has|does not have it",
            )
    assert left_empty(fresh_store)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("variant", "slot", 77),
        ("quiz", "slot", 4),
        ("item", "correct", 4),
        ("sitting_item", "correct", 4),
        ("sample", "n", 0),
        ("run", "price_in", 1e7),
        ("run", "price_out", -1e-300),
        ("run", "lost_usd", 1e300),
        ("run", "max_calls", 0),
        ("run", "concurrency", 0),
        ("run", "concurrency", 100_000),
        ("run", "method", "mining"),
        ("run", "method", None),
        ("run", "lost_usd", None),
        ("run", "id", "../../evil"),
        ("run", "id", "a/b"),
        ("run", "id", ""),
        ("overlap", "method", "mining"),
        ("look", "p_value", 1.5),
        ("planned_looks", "limits", 1.5),
        ("answer", "attempt", 0),
        ("sitting_answer", "letter", "Z"),
        ("match_label", "label", "perhaps"),
    ],
)
def test_a_value_beyond_its_column_is_refused(
    whole: Tables, fresh_store: Store, table: str, column: str, value: Any
) -> None:
    refused(
        fresh_store,
        changed(whole, table, column, value),
        f"a {column} in {table} that no store has|a question in item that|does not have it|"
        "runs of the kind mining, which this release does not know",
    )
    assert left_empty(fresh_store)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda t: changed(t, "sample", "n", 99), "another number of rows in instance"),
        (lambda t: changed(t, "quiz", "items", 1), "another number of rows in item"),
        (lambda t: changed(t, "quiz", "items", 99) | {"item": t["item"]}, "rows in item than its"),
        (lambda t: changed(t, "answer", "position", 9_999), "question that its run does not ask"),
    ],
)
def test_counts_that_the_rows_do_not_bear_out_are_refused(
    whole: Tables, fresh_store: Store, change: Callable[[Tables], Tables], match: str
) -> None:
    refused(fresh_store, change(whole), match)
    assert left_empty(fresh_store)


def test_a_sender_does_not_say_which_option_is_the_original(
    whole: Tables, fresh_store: Store
) -> None:
    """A quiz of one's own with the same questions has the same id, and would have the sender's
    key."""
    options = len(whole["item"]["options"][0])
    for place in range(options):
        if place != whole["item"]["correct"][0].as_py():
            refused(fresh_store, changed(whole, "item", "correct", place), "is the original")
    assert left_empty(fresh_store)


def test_a_time_that_is_none_is_refused(whole: Tables, fresh_store: Store) -> None:
    rows = whole["run"]
    place = rows.schema.get_field_index("made_at")
    for micros in (2**63 - 1, -(2**62)):
        ticks = pa.array([micros] * rows.num_rows, pa.int64())
        made = ticks.cast(pa.timestamp("us"))
        refused(
            fresh_store,
            whole | {"run": rows.set_column(place, rows.schema.field(place), made)},
            "made_at in run that no store has|cannot be added",
        )
    assert left_empty(fresh_store)


def test_the_methods_that_a_bundle_may_have_are_those_that_there_are() -> None:
    there = {
        one.name for one in (QUIZ, REWORDING, CRAWL, SCAN, SEARCH, LIKELIHOOD, ProtectMethod())
    }
    assert methods.run_names() == there | set(METHODS)


def test_rows_that_are_sound_are_put(whole: Tables, tmp_path: Path) -> None:
    assert (
        add_rows(Store(tmp_path / "other.duckdb"), whole, methods.run_names())["run"]
        == whole["run"].num_rows
    )
