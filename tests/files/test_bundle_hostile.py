"""Bundles from strangers: nothing that is not as it was made gets into a store."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.files import bundle, bundle_import
from dcq.store import Store, runs, samples
from tests.support.bundle_edits import Tables, made, members, pack, with_column, with_tables

__all__ = ["made"]  # a fixture

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made_file(made: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "made.zip"
    path.write_bytes(made)
    return path


def with_manifest(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    contents = members(data)
    document = json.loads(contents["manifest.json"])
    change(document)
    return pack(contents | {"manifest.json": json.dumps(document).encode()})


def refuse(store: Store, folder: Path, data: bytes, match: str) -> None:
    path = folder / "strange.zip"
    path.write_bytes(data)
    with pytest.raises(InputError, match=match) as caught:
        bundle_import.load(store, path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    assert samples.listing(store) == []
    assert runs.listing(store) == []


def set_key(key: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda document: document.__setitem__(key, value)


def first_file(**facts: object) -> Callable[[dict[str, Any]], None]:
    return lambda document: document["files"]["tables/run.parquet"].update(facts)


@pytest.mark.usefixtures("forked_readers")
@pytest.mark.parametrize(
    ("change", "match"),
    [
        (set_key("format", "dcq bundle 2"), "later release"),
        (set_key("format", "dcq sample 1"), "is not a bundle"),
        (set_key("format", None), "is not a bundle"),
        (lambda document: document["steps"].append("m999_unknown"), "later release"),
        (lambda document: document["steps"].append({"a": 1}), "later release"),
        (set_key("more", 1), "damaged at more"),
        (set_key("outcomes", []), "damaged at outcomes"),
        (set_key("text", "some"), "damaged at text"),
        (set_key("text", "withheld"), "no results"),  # without the baselines that it would carry
        (set_key("sentences", ["\x1b[31m"]), "damaged at sentences"),
        (set_key("sentences", ["a" * 501]), "damaged at sentences"),
        (set_key("study", "Unknown"), "no results"),
        (first_file(rows=1_000_000), "has 2 rows, not 1,000,000"),
        (first_file(rows=-1), "damaged at files"),
        (first_file(sha256="0" * 64), "not the file that was put"),
        (first_file(bytes=1), "larger than its manifest says"),
        (first_file(bytes=10**12), "not the file that was put"),
        (lambda document: document["files"].pop("tables/run.parquet"), "differ"),
        (
            lambda document: document["files"].update(
                {"tables/../../evil.parquet": document["files"]["tables/run.parquet"]}
            ),
            "damaged at files",
        ),
    ],
)
def test_a_manifest_that_lies_is_refused(
    made: bytes, fresh_store: Store, tmp_path: Path, change: Any, match: str
) -> None:
    refuse(fresh_store, tmp_path, with_manifest(made, change), match)


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("../../evil.parquet", "differ"),
        ("/etc/passwd", "differ"),
        ("tables/none.parquet", "differ"),
        ("C:\\evil.csv", "differ"),
    ],
)
def test_a_file_that_the_manifest_does_not_list_is_never_opened(
    made: bytes, fresh_store: Store, tmp_path: Path, name: str, match: str
) -> None:
    refuse(fresh_store, tmp_path, pack(members(made) | {name: b"evil"}), match)
    assert [path.name for path in tmp_path.rglob("evil*")] == []


def test_a_bundle_without_one_of_its_files_is_refused(
    made: bytes, fresh_store: Store, tmp_path: Path
) -> None:
    contents = members(made)
    without = {name: data for name, data in contents.items() if name != "tables/run.parquet"}
    refuse(fresh_store, tmp_path, pack(without), "differ")
    refuse(fresh_store, tmp_path, pack({"tables/run.parquet": b""}), "has no manifest.json")
    refuse(fresh_store, tmp_path, pack({}), "has no manifest.json")


def test_two_files_of_one_name_are_refused(made: bytes, fresh_store: Store, tmp_path: Path) -> None:
    file = io.BytesIO(made)
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(file, "a") as archive:
        archive.writestr("tables/run.parquet", b"another")
    refuse(fresh_store, tmp_path, file.getvalue(), "two files of one name")


def test_what_unpacks_to_too_much_is_refused_unread(
    made: bytes, fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = members(made)
    monkeypatch.setattr(bundle_import, "MOST_UNPACKED", 1_000_000)
    monkeypatch.setattr(bundle_import, "MOST_MANIFEST", 100_000)
    bomb = pack(contents | {"tables/run.parquet": bytes(50_000_000)})
    assert len(bomb) < 200_000
    refuse(fresh_store, tmp_path, bomb, "too large for a bundle")
    refuse(fresh_store, tmp_path, pack({"manifest.json": bytes(500_000)}), "too large")
    monkeypatch.setattr(bundle_import, "MOST_PACKED", 1_000)
    refuse(fresh_store, tmp_path, made, "too large")


def test_an_archive_of_very_many_files_is_refused_before_they_are_listed(
    made: bytes, fresh_store: Store, tmp_path: Path
) -> None:
    many = pack(members(made) | {f"tables/{number}": b"" for number in range(2_000)})
    refuse(fresh_store, tmp_path, many, "too many files")
    hidden = io.BytesIO(many)
    with zipfile.ZipFile(hidden, "a") as archive:
        archive.comment = b"PK\x05\x06" + bytes(30)  # which looks like a shorter list
    refuse(fresh_store, tmp_path, hidden.getvalue(), "too many files|no manifest|not a zip")


def test_a_size_that_the_archive_lies_about_ends_the_reading(
    made: bytes, fresh_store: Store, tmp_path: Path
) -> None:
    """The directory of the archive says 10 bytes of what unpacks to a megabyte."""
    data = bytearray(pack(members(made) | {"tables/run.parquet": bytes(1_000_000)}))
    real = (1_000_000).to_bytes(4, "little")
    for _ in range(data.count(real)):
        place = data.index(real)
        data[place : place + 4] = (10).to_bytes(4, "little")
    refuse(fresh_store, tmp_path, bytes(data), "can be read|cannot be trusted")


@pytest.mark.parametrize("data", [b"", b"PK", b"not a zip", b"PK\x03\x04" + bytes(100)])
def test_what_is_no_zip_is_refused(fresh_store: Store, tmp_path: Path, data: bytes) -> None:
    refuse(fresh_store, tmp_path, data, "not a zip file")


@pytest.mark.parametrize(
    "text",
    [b"[]", b"{", b"\xff", b'{"format": 1}', b'{"format": NaN}', b"[" * 100_000, b'{"a":1,"a":2}'],
)
def test_a_manifest_that_is_none_is_refused(
    fresh_store: Store, tmp_path: Path, text: bytes
) -> None:
    refuse(fresh_store, tmp_path, pack({"manifest.json": text}), "not a bundle|not valid JSON")


def drop(table: str) -> Callable[[Tables], Tables]:
    return lambda tables: {name: rows for name, rows in tables.items() if name != table}


def twice(table: str) -> Callable[[Tables], Tables]:
    return lambda tables: (
        tables | {table: pa.concat_tables([tables[table], tables[table].slice(0, 1)])}
    )


def cast(table: str, column: str, kind: pa.DataType) -> Callable[[Tables], Tables]:
    def change(tables: Tables) -> Tables:
        rows = tables[table]
        place = rows.schema.get_field_index(column)
        return tables | {table: rows.set_column(place, column, pc.cast(rows[column], kind))}

    return change


NOT_HERE = "does not have it"
STRANGE = "that no store has"


@pytest.mark.usefixtures("forked_readers")
@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda t: t | {"run": t["run"].drop_columns(["model"])}, "other columns"),
        (lambda t: t | {"run": t["run"].append_column("x", t["run"]["id"])}, "other columns"),
        (cast("answer", "position", pa.int64()), "other columns"),
        (cast("item", "correct", pa.string()), "other columns"),
        (lambda t: t | {"draft": t["run"]}, "unknown table"),
        (lambda t: t | {"migration": t["run"]}, "unknown table"),
        (drop("partition"), "lacks its partitions"),
        (lambda t: {}, "no tables"),
        (drop("run"), NOT_HERE),
        (drop("quiz"), NOT_HERE),
        (twice("run"), "twice"),
        (twice("answer"), "twice"),
        (twice("variant"), "twice"),
        (twice("instance"), "twice"),
        (with_column("run", "sample_id", lambda c: ["nowhere"] * len(c)), NOT_HERE),
        (with_column("run", "task", lambda c: ["poem"] * len(c)), STRANGE),
        (with_column("run", "dataset", lambda c: ["a" * 131_073] * len(c)), STRANGE),
        (with_column("run", "language", lambda c: [None] * len(c)), STRANGE),
        (with_column("partition", "role", lambda c: ["hidden"] * len(c)), STRANGE),
        (with_column("partition", "title", lambda c: ["a" * 131_073] * len(c)), STRANGE),
        (with_column("partition", "title", lambda c: [None] * len(c)), STRANGE),
        (with_column("partition", "key", lambda c: ["other"] * len(c)), "under another name"),
        (with_column("sample", "notes", lambda c: ["{}"] * len(c)), STRANGE),
        (with_column("instance", "fields", lambda c: ["nope"] * len(c)), STRANGE),
        (with_column("instance", "text", lambda c: ["another"] * len(c)), "another text"),
        (with_column("instance", "text", lambda c: [None] * len(c)), STRANGE),
        (with_column("variant", "seq", lambda c: [None] * len(c)), "twice"),
        (with_column("variant", "findings", lambda c: ['[["a"]]'] * len(c)), STRANGE),
        (with_column("variant", "findings", lambda c: ['[["a","b","c"]]'] * len(c)), STRANGE),
        (with_column("quiz", "kind", lambda c: ["trick"] * len(c)), STRANGE),
        (with_column("quiz", "slot", lambda c: [0] * len(c)), "other questions"),
        (with_column("item", "correct", lambda c: [7] * len(c)), STRANGE),
        (with_column("item", "options", lambda c: [["a"]] * len(c)), STRANGE),
        (with_column("item", "options", lambda c: [["a", "b", "c", None]] * len(c)), STRANGE),
        (with_column("item", "options", lambda c: [list("abcd")] * len(c)), "other questions"),
        (with_column("answer", "outcome", lambda c: ["won"] * len(c)), STRANGE),
        (with_column("run_event", "event", lambda c: ["exploded"] * len(c)), STRANGE),
    ],
)
def test_rows_that_no_store_has_are_refused(
    made: bytes, fresh_store: Store, tmp_path: Path, change: Any, match: str
) -> None:
    refuse(fresh_store, tmp_path, with_tables(made, change), match)


def test_a_table_that_is_no_parquet_is_refused(
    made: bytes, fresh_store: Store, tmp_path: Path
) -> None:
    rubbish = b"PAR1" + bytes(1000) + b"PAR1"
    facts = first_file(sha256=hashlib.sha256(rubbish).hexdigest(), bytes=len(rubbish))
    data = with_manifest(pack(members(made) | {"tables/run.parquet": rubbish}), facts)
    refuse(fresh_store, tmp_path, data, "a table cannot be read")


def test_rows_that_take_too_much_memory_are_refused(
    made: bytes, fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column of one text is small in a file, however many rows it has."""
    monkeypatch.setattr(bundle_import, "MOST_MEMORY", 100_000_000)

    def change(tables: Tables) -> Tables:
        rows = tables["run_event"]
        many = pa.table(
            {
                name: pa.array([rows[name][0].as_py()] * 300_000, rows.schema.field(name).type)
                for name in rows.schema.names
            }
        )
        return tables | {"run_event": many}

    data = with_tables(made, change)
    assert len(data) < 1_000_000
    refuse(fresh_store, tmp_path, data, "take more than 100 MB")


@pytest.mark.usefixtures("forked_readers")
def test_other_answers_under_the_same_ids_are_named_and_refused_where_the_true_ones_are(
    made: bytes, fresh_store: Store, tmp_path: Path
) -> None:
    swap = with_column("answer", "value", lambda c: ["D"] * len(c))
    path = tmp_path / "swapped.zip"
    path.write_bytes(with_tables(made, swap))
    done = bundle_import.load(fresh_store, path)  # sound rows, which say something else
    *results, answered = done.differences
    assert len(results) == 2
    assert all("score is 1" in sentence for sentence in results)
    assert answered.startswith("The answer on tester@http://127.0.0.1:9/v1 and ")
    assert "methods differ" in answered
    path.write_bytes(made)
    with pytest.raises(InputError, match="has another answer"):
        bundle_import.load(fresh_store, path)


@pytest.mark.usefixtures("forked_readers")
def test_claims_that_rows_do_not_bear_out_are_named_one_by_one(
    made: bytes, fresh_store: Store, tmp_path: Path
) -> None:
    def change(document: dict[str, Any]) -> None:
        document["outcomes"]["results"][0]["kappa_fixed"] = 0.99
        document["outcomes"]["results"][1]["run"] = "\x1b[31m\nmade up"

    path = tmp_path / "claims.zip"
    path.write_bytes(with_manifest(made, change))
    found = bundle_import.load(fresh_store, path).differences
    assert len(found) == 3
    assert "not 0.99" in found[0]
    assert all(sentence.isprintable() for sentence in found)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_manifest_with_any_part_replaced_is_read_or_refused(
    made_file: Path, data: st.DataObject
) -> None:
    document = json.loads(members(made_file.read_bytes())["manifest.json"])
    key = data.draw(st.sampled_from(sorted(document)))
    document[key] = data.draw(_JSON)
    with contextlib.suppress(InputError):
        bundle.parse(json.dumps(document).encode(), "b.zip")


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 10**6), byte=st.integers(0, 255), cut=st.booleans())
def test_a_damaged_file_is_read_as_it_was_or_refused(
    made_file: Path, tmp_path: Path, place: int, byte: int, cut: bool
) -> None:
    data = made_file.read_bytes()
    place %= len(data)
    path = tmp_path / "damaged.zip"
    path.write_bytes(data[:place] if cut else data[:place] + bytes([byte]) + data[place + 1 :])
    try:
        found = bundle_import.read(path)
    except InputError:
        return
    assert found == bundle_import.read(made_file)


@pytest.mark.usefixtures("forked_readers")
def test_a_bundle_of_an_older_release_lacks_columns_that_are_younger(
    made: bytes, made_file: Path, fresh_store: Store, tmp_path: Path
) -> None:
    whole = Store(tmp_path / "whole.duckdb")
    bundle_import.load(whole, made_file)
    older = tmp_path / "older.zip"
    older.write_bytes(
        with_tables(made, lambda t: t | {"answer": t["answer"].drop_columns(["usage_reported"])})
    )
    bundle_import.load(fresh_store, older)
    with whole.read() as db, fresh_store.read() as other:
        rows = "SELECT * FROM answer ORDER BY ALL"
        assert other.execute(rows).fetchall() == db.execute(rows).fetchall()
