"""Rows become the texts that the paper shows, and nothing in a row is taken for an instruction."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import PartitionError
from dcq.partitions import find
from dcq.partitions.format import Layout, as_text, check_columns, format_row, placeholders, value_at
from dcq.records import DatasetTask

HOSTILE = [
    "{text} {0} {} {{x}} {label!r}",
    "A) one\nB) two\nC) three\nD) four",
    "<script>alert(1)</script><br /> **bold** [x](javascript:0)",
    "x" * 20_000,
    "%s %(label)s $label \\n \\1",
]


def layout_of(key: str) -> Layout:
    entry = find(key)
    assert entry is not None
    return entry.layout


@pytest.mark.parametrize(
    ("key", "row", "text", "label"),
    [
        (
            "ag_news",
            {"text": "Oil and Economy Cloud Stocks' Outlook", "label": 2},
            "Article: Oil and Economy Cloud Stocks' Outlook\nLabel: 2 (Business)",
            "2 (Business)",
        ),
        ("imdb", {"text": " Dull. ", "label": 0}, "Review: Dull.\nLabel: 0 (negative)", None),
        ("yelp", {"text": "Fine", "label": 4}, "Review: Fine\nLabel: 4 (5 stars)", None),
        (
            "wnli",
            {"sentence1": "It fell.", "sentence2": "The cup fell.", "label": 1, "idx": 3},
            "Sentence 1: It fell.\nSentence 2: The cup fell.\nLabel: 1 (entailment)",
            "1 (entailment)",
        ),
        (
            "rte",
            {"sentence1": "a", "sentence2": "b", "label": 1, "idx": 3},
            "Sentence 1: a\nSentence 2: b\nLabel: 1 (not_entailment)",
            "1 (not_entailment)",
        ),
        ("samsum", {"dialogue": "A: hi", "summary": "A greets."}, "Summary: A greets.", None),
        ("xsum", {"document": "long", "summary": "Short."}, "Summary: Short.", None),
        (
            "gsm8k",
            {"question": "1+1?", "answer": "Add them.\n#### 2"},
            "Question: 1+1?\nAnswer: Add them.\n#### 2",
            None,
        ),
        (
            "drop",
            {"question": "How many?", "answers_spans": {"spans": ["4", "4"], "types": ["n", "n"]}},
            "Question: How many?\nAnswer: 4",
            None,
        ),
        (
            "mmlu",
            {"question": "Which?", "choices": ["w", "x", "y", "z"], "answer": 3},
            "Question: Which?\nA. w\nB. x\nC. y\nD. z\nAnswer: D",
            "D",
        ),
        (
            "hellaswag",
            {"ctx": "He runs", "endings": ["away.", "up."], "label": "1"},
            "Context: He runs\nA. away.\nB. up.\nAnswer: B",
            "B",
        ),
        (
            "arc_challenge",
            {
                "question": "Which?",
                "choices": {"text": ["rock", "air"], "label": ["1", "2"]},
                "answerKey": "2",
            },
            "Question: Which?\n1. rock\n2. air\nAnswer: 2",
            "2",
        ),
        (
            "winogrande",
            {"sentence": "The _ broke.", "option1": "cup", "option2": "table", "answer": "1"},
            "Sentence: The _ broke.\n1. cup\n2. table\nAnswer: 1",
            "1",
        ),
        (
            "commonsense_qa",
            {
                "question": "Where?",
                "choices": {"text": ["here", "there"], "label": ["A", "B"]},
                "answerKey": "A",
            },
            "Question: Where?\nA. here\nB. there\nAnswer: A",
            "A",
        ),
        (
            "ceval",
            {"question": "谁?", "A": "甲", "B": "乙", "C": "丙", "D": "丁", "answer": "C"},
            "Question: 谁?\nA. 甲\nB. 乙\nC. 丙\nD. 丁\nAnswer: C",
            "C",
        ),
    ],
)
def test_each_dataset_has_its_wording(
    key: str, row: dict[str, Any], text: str, label: str | None
) -> None:
    instance = format_row(row, layout_of(key))
    assert instance is not None
    assert instance.text == text
    if label is not None:
        assert instance.label == label


def test_the_label_line_is_protected() -> None:
    article = format_row({"text": "x", "label": 2}, layout_of("ag_news"))
    assert article is not None
    assert article.protected == ("Label: 2 (Business)",)
    assert article.fields == {"text": "x", "label": "2"}


def test_of_a_worked_answer_only_the_result_is_protected() -> None:
    problem = format_row({"question": "q", "answer": "Because.\n#### 2"}, layout_of("gsm8k"))
    assert problem is not None
    assert problem.protected == ("#### 2",)
    assert problem.label is None


@pytest.mark.parametrize("label", ["Business", "business", "2", 2])
def test_a_label_may_be_an_index_or_a_name(label: object) -> None:
    instance = format_row({"text": "x", "label": label}, layout_of("ag_news"))
    assert instance is not None
    assert instance.label == "2 (Business)"


@pytest.mark.parametrize(
    "row",
    [
        {"text": "", "label": 1},
        {"text": "  \n", "label": 1},
        {"text": None, "label": 1},
        {"label": 1},
        {"text": "x", "label": None},
        {"text": "x", "label": -1},
        {"text": "x", "label": 4},
        {"text": "x", "label": ""},
    ],
)
def test_a_row_without_text_or_label_makes_no_instance(row: dict[str, Any]) -> None:
    assert format_row(row, layout_of("ag_news")) is None


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_passes_untouched(text: str) -> None:
    row = {"text": text, "label": 1}
    article = format_row(row, layout_of("ag_news"))
    assert article is not None
    assert article.text == "Article: " + text + "\nLabel: 1 (Sports)"
    layout = Layout(DatasetTask.TEMPLATE, template="T={text}\nL={label}", label="label")
    filled = format_row(row, layout)
    assert filled is not None
    assert filled.text == "T=" + text + "\nL=1"


@given(st.text(), st.text())
def test_a_template_joins_the_values_and_nothing_else(first: str, second: str) -> None:
    layout = Layout(DatasetTask.TEMPLATE, template="<{a}|{ b }|{{a}}>")
    instance = format_row({"a": first, "b": second}, layout)
    if first.strip() and second.strip():
        assert instance is not None
        assert instance.text == "<" + first + "|" + second + "|{a}>"
    else:
        assert instance is None


def test_a_template_protects_the_line_of_its_label() -> None:
    row = {"text": "x", "y": "yes"}
    own_line = Layout(DatasetTask.TEMPLATE, template="{text}\nTruth: {y}", label="y")
    same_line = Layout(DatasetTask.TEMPLATE, template="{text} is {y}", label="y")
    first, second = format_row(row, own_line), format_row(row, same_line)
    assert first is not None
    assert first.protected == ("Truth: yes",)
    assert second is not None
    assert second.protected == ("yes",)


def test_placeholders_are_found_once_and_in_order() -> None:
    assert placeholders("{b} {a} {b} {{c}} {") == ("b", "a")


def test_an_unknown_column_is_named_with_those_there_are() -> None:
    with pytest.raises(PartitionError, match=r'rows\.csv has no column "titel".*: id, title\.'):
        check_columns(Layout(DatasetTask.TEMPLATE, template="{titel}"), ["id", "title"], "rows.csv")


def test_a_template_without_a_column_is_refused() -> None:
    with pytest.raises(PartitionError, match="names no column"):
        check_columns(Layout(DatasetTask.TEMPLATE, template="{{text}}"), ["text"], "rows.csv")


def test_a_dot_reaches_into_a_column_unless_a_column_has_that_name() -> None:
    assert value_at({"a": {"b": {"c": 1}}}, "a.b.c") == 1
    assert value_at({"a.b": 2, "a": {"b": 3}}, "a.b") == 2
    assert value_at({"a": [{"b": 4}, {"b": 5}]}, "a.b") == [4, 5]
    assert value_at({"a": "text"}, "a.b") is None


def test_values_of_other_types_become_text() -> None:
    values = [None, 7, 0.5, ["x", "y", "x"], {"k": "é"}]
    assert [as_text(value) for value in values] == ["", "7", "0.5", "x, y, x", '{"k": "é"}']
