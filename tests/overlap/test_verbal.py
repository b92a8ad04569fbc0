"""Instances of every layout as queries."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.overlap.query import NO_WORDS, Query, Skipped, query_of
from dcq.partitions import find
from dcq.partitions.format import format_row
from dcq.records import DatasetTask, Instance


def of(key: str, row: dict[str, Any]) -> tuple[str, str, str]:
    entry = find(key)
    assert entry is not None
    instance = format_row(row, entry.layout)
    assert instance is not None
    found = query_of(instance, entry.layout.task)
    assert isinstance(found, Query)
    assert found.id == instance.id
    return found.text, found.input, found.label


FLAW = "The flaw in the theory was that some considered it ____."


@pytest.mark.parametrize(
    ("key", "row", "query"),
    [
        (
            "mmlu",
            {"question": FLAW, "choices": ["a motor", "untestable", "lacking", "c"], "answer": 1},
            (
                "The flaw in the theory was that some considered it untestable.",
                "The flaw in the theory was that some considered it .",
                "untestable",
            ),
        ),
        (
            "mmlu",
            {"question": "Which?\nB. is no choice", "choices": ["x", "y\nz", "", "w"], "answer": 1},
            ("Which? B. is no choice y z", "Which? B. is no choice", "y\nz"),
        ),
        (
            "gsm8k",
            {"question": "Tom has 2 apples.\nHow many?", "answer": "He has 2.\n#### 2"},
            (
                "Tom has 2 apples. How many? He has 2. #### 2",
                "Tom has 2 apples. How many?",
                "He has 2.\n#### 2",
            ),
        ),
        ("gsm8k", {"question": "How many?", "answer": "2"}, ("How many? 2", "How many?", "2")),
        (
            "drop",
            {"question": "Who?", "answers_spans": {"spans": ["Ann", "Bob", "Ann"]}},
            ("Who? Ann, Bob", "Who?", "Ann, Bob"),
        ),
        (
            "arc_challenge",
            {"question": "Which?", "choices": {"text": ["x", "y"], "label": ["1", "2"]},
             "answerKey": "2"},
            ("Which? y", "Which?", "y"),
        ),
        (
            "winogrande",
            {"sentence": "The _ was big", "option1": "dog", "option2": "cat", "answer": "2"},
            ("The cat was big", "The was big", "cat"),
        ),
        (
            "ceval",
            {"question": "下列____", "A": "甲", "B": "乙", "C": "丙", "D": "丁", "answer": "B"},
            ("下列乙", "下列", "乙"),
        ),
        ("ag_news", {"text": "Oil up", "label": 2}, ("Oil up", "Oil up", "Business")),
        (
            "rte",
            {"sentence1": "One is.", "sentence2": "Two is.", "label": 1},
            ("One is. Two is.", "One is. Two is.", "not_entailment"),
        ),
        ("xsum", {"summary": "A man did."}, ("A man did.", "A man did.", "")),
        (
            "kjv",
            {"reference": "Gen 1:1", "verse": "In the beginning"},
            ("Gen 1:1 In the beginning", "Gen 1:1 In the beginning", ""),
        ),
        (
            "humaneval",
            {"prompt": "def f():\n", "canonical_solution": "    return 2\n",
             "signature": "def f():", "examples": []},
            ("def f(): return 2", "def f():", "return 2"),
        ),
    ],
)  # fmt: skip
def test_each_layout_gives_its_query(
    key: str, row: dict[str, Any], query: tuple[str, str, str]
) -> None:
    assert of(key, row) == query


def test_a_text_without_columns_loses_its_first_word() -> None:
    one = Instance("Article: Oil is up\nLabel: 1", {}, "1", ("Label: 1",))
    assert query_of(one, DatasetTask.CLASSIFICATION) == Query(one.id, "Oil is up", "Oil is up", "1")


def test_without_words_nothing_is_searched_for() -> None:
    one = Instance("?!", {})
    assert query_of(one, DatasetTask.TEMPLATE) == Skipped(one.id, NO_WORDS)


@given(
    st.text(max_size=60),
    st.dictionaries(st.sampled_from("abc"), st.text(max_size=20), max_size=3),
    st.none() | st.text(max_size=5),
    st.lists(st.text(max_size=20), max_size=2),
    st.sampled_from(DatasetTask),
)
def test_whatever_an_instance_holds_it_is_searched_for_or_skipped(
    text: str, fields: dict[str, str], label: str | None, protected: list[str], task: DatasetTask
) -> None:
    one = Instance(text, fields, label, tuple(protected))
    found = query_of(one, task)
    assert found.id == one.id
    assert isinstance(found, Skipped) or found.text.strip()
