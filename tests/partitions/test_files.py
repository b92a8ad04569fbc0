"""Local files arrive letter for letter, and each bad one ends in a sentence that names the fix."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import datasets  # type: ignore[import-untyped]  # it ships no types
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dcq.errors import PartitionError
from dcq.partitions import read_file
from dcq.partitions.files import MAX_BYTES


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def test_csv_values_are_not_guessed_at(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'text,label\n007,NA\n"1,5\n{x}",2.0\n\n')
    table = read_file(path)
    assert table.columns == ("text", "label")
    assert list(table.rows) == [
        {"text": "007", "label": "NA"},
        {"text": "1,5\n{x}", "label": "2.0"},
    ]
    assert table.source == "file:a.csv"


@pytest.mark.parametrize(
    ("name", "separator"), [("a.csv", ";"), ("a.csv", "\t"), ("a.tsv", "\t"), ("A.CSV", ",")]
)
def test_other_separators_are_understood(tmp_path: Path, name: str, separator: str) -> None:
    path = write(
        tmp_path / name, f"text{separator}label\none, two{separator}1\n".replace("e,", "e")
    )
    assert read_file(path).rows[0] == {"text": "one two", "label": "1"}


def test_a_byte_order_mark_is_not_part_of_the_first_column(tmp_path: Path) -> None:
    assert read_file(write(tmp_path / "a.csv", "\ufefftext\nx\n")).columns == ("text",)


# csv knows no difference between the ends of lines inside a text, so only \n is tried there
cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\x00"), max_size=40)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=5))
def test_what_is_written_is_read(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    expected = [{"text": first, "label": second} for first, second in rows]
    with (tmp_path / "a.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows])
    lines = "\n".join(json.dumps(row) for row in expected)
    for path in (
        tmp_path / "a.csv",
        write(tmp_path / "a.jsonl", lines),
        write(tmp_path / "a.json", json.dumps(expected, indent=1)),
    ):
        assert list(read_file(path).rows) == expected


def test_json_keeps_nested_values_and_gathers_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"a": 1}\n\n{"b": {"c": [true]}}\n')
    table = read_file(path)
    assert table.columns == ("a", "b")
    assert list(table.rows) == [{"a": 1}, {"b": {"c": [True]}}]


def test_parquet_keeps_its_class_names(tmp_path: Path) -> None:
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["no", "yes"])}
    )
    data = datasets.Dataset.from_dict({"text": ["a", "b"], "label": [1, 0]}, features=features)
    data.to_parquet(str(tmp_path / "a.parquet"))
    table = read_file(tmp_path / "a.parquet")
    assert table.label_names == {"label": ("no", "yes")}
    assert table.head(1) == [{"text": "a", "label": 1}]


def test_a_text_of_any_length_is_read(tmp_path: Path) -> None:
    text = "word " * 60_000
    assert read_file(write(tmp_path / "a.csv", f"text\n{text}\n")).rows[0]["text"] == text


def test_columns_without_name_or_value_are_left_out(tmp_path: Path) -> None:
    """As the file of Time Travel's release on IMDB, test, has them."""
    table = read_file(write(tmp_path / "a.csv", "text,label,,\nx,1,,\ny,2, ,\n"))
    assert table.columns == ("text", "label")
    assert table.rows == [{"text": "x", "label": "1"}, {"text": "y", "label": "2"}]
    assert read_file(write(tmp_path / "b.csv", ",text\n0,x\n")).columns == ("", "text")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "no rows"),
        ("a.csv", "text,label\n", "no rows"),
        ("a.jsonl", "\n", "no rows"),
        ("a.json", "[]", "no rows"),
        ("a.csv", "text\ncaf\u00e9\n".encode("latin-1"), "not UTF-8; save it again"),
        ("a.jsonl", '{"t": "caf\u00e9"}\n'.encode("latin-1"), "not UTF-8; save it again"),
        ("a.csv", "a,b\n1,2\nx, y,3\n", "3 values in row 2 and 2 in its header; put quotes"),
        ("a.csv", 'a,b\n"x"y,2\n', "line 2 .*correct the quotes"),
        ("a.csv", 'a,b\n"x,2\n', "correct the quotes"),
        ("a.csv", "a,a\n1,2\n", "two columns of the same name; rename"),
        ("a.csv", "a,,\n1,,\n1,,x\n", "columns without a name and a value .* in row 2; name"),
        ("a.jsonl", '{"a": 1}\n{"a": \n', "not valid JSON at line 2"),
        ("a.jsonl", "[1]x", "not valid JSON"),
        ("a.jsonl", '"text"\n', "no object at line 1"),
        ("a.json", '["text"]', "one object per row"),
        ("a.json", "[" * 100_000, "not valid JSON"),
        ("a.jsonl", '{"t": "\\ud83d"}\n', "half a surrogate pair.*remove it"),
        ("a.parquet", b"PAR1 not really", "not a parquet file"),
        ("a.xlsx", b"PK", 'save it as "CSV UTF-8"'),
        ("a.txt", b"x", r"give a \.csv"),
    ],
)
def test_the_error_for_a_bad_file_names_the_fix(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    with pytest.raises(PartitionError, match=message) as caught:
        read_file(write(tmp_path / name, content))
    assert name in str(caught.value)


def test_a_whole_surrogate_pair_is_a_character(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"t": "\\ud83d\\ude00"}\n')
    assert read_file(path).rows[0] == {"t": "\U0001f600"}


def test_a_very_large_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES)  # sparse: takes no room
    with pytest.raises(PartitionError, match=r"200 MB.*keep some thousand rows"):
        read_file(path)


def test_a_missing_file_and_a_folder_are_errors(tmp_path: Path) -> None:
    with pytest.raises(PartitionError, match=r"no file .*nothing\.csv; check the path"):
        read_file(tmp_path / "nothing.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(PartitionError, match="is not a file"):
        read_file(str(tmp_path / "folder.csv"))
