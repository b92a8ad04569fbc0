"""Files of instances as people have them. Each case names the thread that it was rebuilt from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from dcq.errors import PartitionError
from dcq.partitions import draw_sample, open_partition, read_file
from dcq.records import DatasetTask, Sample
from dcq.store import Store, samples

BOATS = "The harbour master counted seventeen boats before the fog closed."
MAPS = "A retired cartographer keeps unfinished maps of the river delta."
PEARS = "Nobody in the valley remembers who planted the row of pears."


def sample(path: Path, content: str | bytes | Any = None, **opening: Any) -> Sample:
    if isinstance(content, pa.Table):
        parquet.write_table(content, path)
    elif content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    opening = {"text": "text", "label": "label"} | opening
    return draw_sample(open_partition("Mine", "test", file=path, **opening))


def labels(drawn: Sample) -> list[str]:
    return sorted(str(instance.label) for instance in drawn.instances)


def lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


ROWS: list[dict[str, Any]] = [
    {"text": BOATS, "label": "a"},
    {"text": MAPS, "label": "b"},
    {"text": PEARS, "label": "a"},
]


@pytest.mark.parametrize("missing", [float("nan"), None, "", "nan", "NaN", "<NA>", "NaT"])
@pytest.mark.parametrize("column", ["text", "label"])
def test_a_missing_value_is_left_out_and_counted(
    tmp_path: Path, missing: object, column: str
) -> None:
    """openfold-3#167, stucco#7, asreview#1636."""
    rows: list[dict[str, Any]] = [ROWS[0], ROWS[1], {**ROWS[2], column: missing}]
    drawn = sample(tmp_path / "a.jsonl", lines(*rows))
    assert labels(drawn) == ["a", "b"]
    assert "1 row was left out because a text or label is missing." in drawn.notes


@pytest.mark.parametrize(
    ("thread", "others", "word", "kept"),
    [
        ("datasets/country-codes#38", ("DE", "FR"), "NA", True),
        ("OasisLMF#307", ("NC", "NE"), "NA", True),
        ("pandas#10647: R writes NA", ("good", "bad"), "NA", False),
        ("pandas#24681", ("good", "bad"), "N/A", False),
        ("pandas#32084", ("1", "2"), "null", False),
        ("pandas#16078", ("yes", "no"), "n/a", False),
        ("a symptom that nobody has", ("Mild", "Severe"), "None", True),
        ("Python's None in a column of numbers", ("1", "2"), "None", False),
    ],
)
def test_words_for_missing_labels_in_csv(
    tmp_path: Path, thread: str, others: tuple[str, str], word: str, *, kept: bool
) -> None:
    csv = f"text,label\n{BOATS},{others[0]}\n{MAPS},{others[1]}\n{PEARS},{word}\n"
    drawn = sample(tmp_path / "a.csv", csv)
    assert labels(drawn) == sorted([*others, *([word] if kept else [])])
    said = "is kept as a class" if kept else "counts as missing"
    assert any(f'"{word}", which {said}' in note for note in drawn.notes)


def test_a_text_that_has_such_a_word_is_a_text(tmp_path: Path) -> None:
    csv = "text,label\nNone of the nan NA null values counts.,a\nNA,b\n"
    (instance,) = sample(tmp_path / "a.csv", csv).instances
    assert instance.text == "Text: None of the nan NA null values counts.\nLabel: a"


@pytest.mark.parametrize(
    ("values", "right"),
    [
        ([1.0, 0.0, 2.0], ["0", "1", "2"]),
        ([1.0, None, 2.0], ["1", "2"]),
        ([1, 0.0, 2], ["0", "1", "2"]),
        ([0.5, 1.0, 1.5], ["0.5", "1.0", "1.5"]),
        (["1.0", "0.0", "2.0"], ["0", "1", "2"]),
        (["1.0", "1.5", "2.0"], ["1.0", "1.5", "2.0"]),
        (["007", "008", "009"], ["007", "008", "009"]),
    ],
)
def test_whole_floats_are_classes(tmp_path: Path, values: list[Any], right: list[str]) -> None:
    """tensorflow/tfx#819: one missing value makes all whole numbers floats."""
    rows = [{**row, "label": value} for row, value in zip(ROWS, values, strict=True)]
    assert labels(sample(tmp_path / "a.jsonl", lines(*rows))) == right


def test_repeats_of_a_list_stay(tmp_path: Path) -> None:
    """hendrycks/test#29, medmcqa#5."""
    rows = [{"text": ["the", "call", "to", "the", "lamb"], "label": "a"}]
    (instance,) = sample(tmp_path / "a.jsonl", lines(*rows)).instances
    assert instance.fields["text"] == "the, call, to, the, lamb"


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()])
def test_bytes_are_decoded_or_refused(tmp_path: Path, kind: pa.DataType) -> None:
    """apache/arrow#1830, apache/druid#3381."""
    table = pa.table({"text": pa.array([BOATS.encode()], kind), "label": ["a"]})
    (instance,) = sample(tmp_path / "a.parquet", table).instances
    assert instance.fields["text"] == BOATS
    table = pa.table({"text": ["x"], "image": pa.array([b"\xff\xd8"], kind), "label": ["a"]})
    assert sample(tmp_path / "b.parquet", table).n == 1
    with pytest.raises(PartitionError, match='column "image" holds bytes that are not UTF-8'):
        sample(tmp_path / "b.parquet", text="image")


@pytest.mark.parametrize(
    ("thread", "value"),
    [
        ("mindshub#8042", {"text": {"0": BOATS, "1": MAPS}, "label": {"0": "a", "1": "b"}}),
        ("huggingface/datasets to_dict", {"text": [BOATS, MAPS], "label": ["a", "b"]}),
        ("Fair-Code#405: by row", {"0": ROWS[0], "1": ROWS[1]}),
        ("pandas#17220", {"columns": ["text", "label"], "data": [[BOATS, "a"], [MAPS, "b"]]}),
        ("DataProfiler#105", {"version": "1", "data": ROWS[:2]}),
        ("pandas#18912", {"schema": {"fields": [{"name": "text"}]}, "data": ROWS[:2]}),
        (
            "the Hub's viewer",
            {
                "features": [{"name": "text"}],
                "rows": [{"row_idx": n, "row": row} for n, row in enumerate(ROWS[:2])],
            },
        ),
        ("a list", ROWS[:2]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("indent", [None, 2])
def test_json_of_every_orientation(
    tmp_path: Path, thread: str, value: Any, indent: int | None
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(value, indent=indent))
    assert read_file(tmp_path / "a.json").rows == ROWS[:2]


def test_json_that_could_be_read_in_two_ways_is_refused(tmp_path: Path) -> None:
    for value, message in (
        ({"a": {"sex": "M"}, "b": {"sex": "F"}}, "by row or by column; give one list"),
        ({"train": ROWS, "test": ROWS}, "several lists of objects.*train, test"),
        ({"text": ["a"], "label": ["a", "b"]}, "columns of unlike length"),
    ):
        (tmp_path / "a.json").write_text(json.dumps(value))
        with pytest.raises(PartitionError, match=message):
            read_file(tmp_path / "a.json")
    pretty = "\n".join(json.dumps(row, indent=1) for row in ROWS)
    (tmp_path / "a.jsonl").write_text(pretty)
    assert read_file(tmp_path / "a.jsonl").rows == ROWS


@pytest.mark.parametrize(
    ("thread", "content"),
    [
        ("csvtk#13", f"sep=;\ntext;label\n{BOATS};a\n{MAPS};b\n"),
        ("rainbow_csv#108", f'"sep=;"\r\ntext;label\r\n{BOATS};a\r\n{MAPS};b\r\n'),
        ("metabase#76028", f"\ufefftext;label\r\n{BOATS};a\r\n{MAPS};b\r\n"),
        ("data-manager-app#588", f"text\tlabel\r\n{BOATS}\ta\r\n{MAPS}\tb\r\n".encode("utf-16")),
        ("separators at the end", f"text,label,,\n{BOATS},a,,\n{MAPS},b,,\n"),
        ("separators at the end of rows", f"text;label\n{BOATS};a;;\n{MAPS};b;\n"),
        ("signs in a quoted name", f'text,"label"\n"{BOATS}","a"\n{MAPS},b\n'),
        ("pipes", f"text|label\n{BOATS}|a\n{MAPS}|b\n"),
    ],
)
def test_csv_of_spreadsheets(tmp_path: Path, thread: str, content: str | bytes) -> None:
    drawn = sample(tmp_path / "a.csv", content)
    assert labels(drawn) == ["a", "b"]
    assert {instance.fields["text"] for instance in drawn.instances} == {BOATS, MAPS}


def test_separators_within_a_quoted_name_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f'text,"a;b;c"\n{BOATS},1\n')
    assert read_file(tmp_path / "a.csv").columns == ("text", "a;b;c")


def test_a_label_is_another_column_and_an_id_tells_rows_apart(tmp_path: Path) -> None:
    rows = [{"id": 1, **ROWS[0]}, {"id": 1, **ROWS[1]}, {"id": 2, **ROWS[2]}]
    with pytest.raises(PartitionError, match="both the text and the label"):
        sample(tmp_path / "a.jsonl", lines(*rows), label="text")
    assert any('column "id" repeats 1' in note for note in sample(tmp_path / "a.jsonl").notes)


def test_a_question_with_an_answer_is_question_answering(tmp_path: Path) -> None:
    """EleutherAI/lm-evaluation-harness: GSM8K and the like are no classifications."""
    answers = [{"text": f"{BOATS} {n}", "label": str(17 * n)} for n in range(12)]
    drawn = sample(tmp_path / "a.jsonl", lines(*answers))
    assert drawn.partition.task is DatasetTask.QUESTION_ANSWERING
    assert drawn.instances[0].text.startswith("Question: ")
    assert "12 of 12 labels are different" in " ".join(drawn.notes)
    as_classes = sample(tmp_path / "a.jsonl", task=DatasetTask.CLASSIFICATION)
    assert as_classes.partition.task is DatasetTask.CLASSIFICATION
    named = lines({"question": BOATS, "answer": "17"}, {"question": MAPS, "answer": "no"})
    drawn = sample(tmp_path / "b.jsonl", named, text="question", label="answer")
    assert drawn.partition.task is DatasetTask.QUESTION_ANSWERING
    assert sample(tmp_path / "c.jsonl", lines(*ROWS)).partition.task is DatasetTask.CLASSIFICATION
    with pytest.raises(PartitionError, match="give a template"):
        sample(tmp_path / "c.jsonl", task=DatasetTask.NLI)


def test_rows_and_the_revision_are_kept(tmp_path: Path, fresh_store: Store) -> None:
    """lm-evaluation-harness and OpenCompass name an instance by its row."""
    rows: list[dict[str, Any]] = [{"text": None, "label": "a"}, *ROWS]
    drawn = sample(tmp_path / "a.jsonl", lines(*rows))
    stored = samples.load(fresh_store, samples.save(fresh_store, drawn))
    assert {rows[item.row or 0]["text"] for item in stored.instances} == {BOATS, MAPS, PEARS}
    assert all(rows[item.row or 0]["text"] == item.fields["text"] for item in stored.instances)
    assert stored.revision.startswith("sha256:")


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize(
    "word",
    ["#VALUE!", "#DIV/0!", "#REF!", "#NAME?", "#NUM!", "#NV", "1.#IND", "NA_character_", "nan"],
)
def test_what_spreadsheets_and_programs_write_for_a_failed_value(
    tmp_path: Path, kind: str, word: str
) -> None:
    """Excel's errors, in German too; C's NaN on Windows; R's typed NA."""
    content = (
        f"text,label\n{BOATS},a\n{MAPS},b\n{PEARS},{word}\n"
        if kind == "csv"
        else lines(*ROWS[:2], {**ROWS[2], "label": word})
    )
    assert labels(sample(tmp_path / f"a.{kind}", content)) == ["a", "b"]


@pytest.mark.parametrize(
    ("source", "others", "word", "kept"),
    [
        ("Stata and SAS", ("1", "2"), ".", False),
        ("Stata", ("1", "2"), ".a", False),
        ("UCI repository", ("good", "bad"), "?", False),
        ("people", ("good", "bad"), "-", False),
        ("SQL Server", ("good", "bad"), "(null)", False),
        ("pgAdmin", ("good", "bad"), "[null]", False),
        ("Null of a spreadsheet", ("good", "bad"), "Null", False),
        ("signs that are classes", ("+", "-"), "-", True),
        ("sodium", ("Fe", "Cl"), "Na", True),
        ("a name", ("Anna", "Ben"), "Nan", True),
        ("an emotion", ("joy", "anger"), "none", True),
    ],
)
def test_more_words_for_missing_labels_in_csv(
    tmp_path: Path, source: str, others: tuple[str, str], word: str, *, kept: bool
) -> None:
    csv = f"text,label\n{BOATS},{others[0]}\n{MAPS},{others[1]}\n{PEARS},{word}\n"
    found = labels(sample(tmp_path / "a.csv", csv))
    assert found == sorted([*others, *([word] if kept else [])])


def test_a_sign_in_place_of_a_text_is_missing_and_signs_among_signs_are_not(tmp_path: Path) -> None:
    drawn = sample(tmp_path / "a.csv", f"text,label\n{BOATS},a\n-,b\n", label=None)
    assert [instance.text for instance in drawn.instances] == [BOATS]
    drawn = sample(tmp_path / "b.csv", "text,label\n+,a\n-,b\n", label=None)
    assert sorted(instance.text for instance in drawn.instances) == ["+", "-"]


def test_a_word_that_json_need_not_write_is_kept_and_said(tmp_path: Path) -> None:
    """Python's ``str(None)`` in JSON, which has null."""
    drawn = sample(tmp_path / "a.jsonl", lines(*ROWS[:2], {**ROWS[2], "label": "None"}))
    assert labels(drawn) == ["None", "a", "b"]
    assert any('label "None", which is kept as a class' in note for note in drawn.notes)


@pytest.mark.parametrize(
    ("values", "right"),
    [
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], ["0", "1", "2"]),
        ([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], ["0", "0", "1"]),
        ([[True, False], None, [False, True]], ["0", "1"]),
        ([[1, 1, 0], [0, 1, 0], [0, 0, 0]], ["0, 0, 0", "0, 1, 0", "1, 1, 0"]),
        ([["x", "y"], ["y"], ["y", "y"]], ["x, y", "y", "y"]),
    ],
)
def test_labels_that_are_lists(tmp_path: Path, values: list[Any], right: list[str]) -> None:
    """keras.utils.to_categorical: `[0, 1, 0]` and `[0, 0, 1]` were one class "0, 1"."""
    rows = [{**row, "label": value} for row, value in zip(ROWS, values, strict=True)]
    drawn = sample(tmp_path / "a.jsonl", lines(*rows))
    assert labels(drawn) == right
    one_hot = right[0] in {"0", "1"}
    assert any("the place of the 1" in note for note in drawn.notes) == one_hot


@pytest.mark.parametrize("value", [{"name": "x"}, [{"role": "user", "content": BOATS}]])
@pytest.mark.parametrize("column", ["text", "label"])
def test_an_object_is_no_text(tmp_path: Path, value: Any, column: str) -> None:
    """open-r1#416: chats. The text of an instance was the JSON of the chat."""
    rows = [{**row, column: value} for row in ROWS]
    with pytest.raises(PartitionError, match=rf'no text in the column "{column}"; choose one of'):
        sample(tmp_path / "a.jsonl", lines(*rows))


BY_COLUMN = {"text": [BOATS, MAPS], "label": ["a", "b"]}


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("rows within data", {"data": {"rows": ROWS[:2]}}),
        ("a split within a data set", {"dataset": {"train": ROWS[:2]}}),
        ("columns within data", {"status": "ok", "data": BY_COLUMN}),
        ("numbered rows within data", {"data": {"0": ROWS[0], "1": ROWS[1]}}),
        ("a split alone", {"train": ROWS[:2]}),
        ("BIG-bench", {"canary": "x", "examples": ROWS[:2], "metrics": ["a"]}),
    ],
)
def test_json_that_is_wrapped_twice(tmp_path: Path, source: str, value: Any) -> None:
    (tmp_path / "a.json").write_text(json.dumps(value))
    assert read_file(tmp_path / "a.json").rows == ROWS[:2]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.ndjson"])
@pytest.mark.parametrize(
    ("source", "content"),
    [
        ("concatenated", "".join(map(json.dumps, ROWS))),
        ("lists one after another", json.dumps(ROWS[:2]) + "\n" + json.dumps(ROWS[2:])),
        ("a mark", "\ufeff" + lines(*ROWS)),
        ("rows of the Hub's viewer", lines(*({"row_idx": 0, "row": row} for row in ROWS))),
    ],
)
def test_json_one_after_another(tmp_path: Path, name: str, source: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    assert read_file(tmp_path / name).rows == ROWS


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"version": 1, **BY_COLUMN}, "by row or by column"),
        ({"name": "x", "text": [BOATS] * 12}, "by row or by column"),
        ({"error": "The dataset does not exist, or is not accessible."}, "error message of a serv"),
        (
            {"rows": [{"row_idx": 0, "row": ROWS[0], "truncated_cells": ["text"]}]},
            "1 row whose texts the Hub's viewer cut; download",
        ),
    ],
)
def test_json_that_is_not_the_rows_is_refused(tmp_path: Path, value: Any, message: str) -> None:
    """huggingface/dataset-viewer: long cells are cut. Beside a version, columns were one row."""
    (tmp_path / "a.json").write_text(json.dumps(value))
    with pytest.raises(PartitionError, match=message):
        read_file(tmp_path / "a.json")


@pytest.mark.parametrize("coding", ["utf-16-le", "utf-16-be", "utf-32"])
def test_csv_in_utf16_without_a_mark(tmp_path: Path, coding: str) -> None:
    drawn = sample(tmp_path / "a.csv", f"text;label\r\n{BOATS};a\r\n{MAPS};b\r\n".encode(coding))
    assert labels(drawn) == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"version https://git-lfs.github.com/spec/v1\noid", "Git LFS.*git lfs pull"),
        ("a.parquet", b"version https://git-lfs.github.com/spec/v1\n", "Git LFS.*git lfs pull"),
        ("a.jsonl", b"/annex/objects/SHA256E-s1--a.jsonl\n", "git-annex.*git annex get"),
        ("a.csv", b"PK\3\4\0\0", 'Excel workbook; .*save it as "CSV UTF-8"'),
        ("a.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 'old Excel .*save it as "CSV UTF-8"'),
        ("a.xlsx", b"PK\3\4", 'save it as "CSV UTF-8"'),
        ("a.jsonl.gz", b"\x1f\x8b", "unpack it first"),
        ("a.jsonl", b"\x1f\x8b\x08", "packed with gzip; unpack"),
        ("a.csv", b"PAR1\0", r"a parquet file; .*\.parquet"),
        ("a.parquet", b"PARE\0PARE", "encrypted parquet file"),
        ("a.json", b"<!DOCTYPE html><html>Sign in</html>", "web page, not the data; download"),
        ("a.jsonl", b'<?xml version="1.0"?><Error>', "XML document.*download"),
        ("a.csv", f"text,label\n{BOATS}\0,a\n".encode(), "null byte in line 2"),
    ],
)
def test_another_thing_under_the_name_of_data_is_named(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    """Clones without Git LFS, pages that ask to log in, workbooks renamed to csv."""
    with pytest.raises(PartitionError, match=message):
        sample(tmp_path / name, content)
