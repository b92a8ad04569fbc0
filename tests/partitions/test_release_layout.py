"""The layouts of the authors' release, as their published files show them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dcq.errors import PartitionError
from dcq.partitions import draw_sample, find, open_partition
from dcq.partitions.format import Layout, format_row, release_layout
from dcq.records import DatasetTask, TextLayout


def laid_out(key: str, row: dict[str, Any]) -> str | None:
    entry = find(key)
    assert entry is not None
    instance = format_row(row, entry.release or release_layout(entry.layout))
    return instance.text if instance else None


@pytest.mark.parametrize(
    ("key", "row", "text"),
    [
        ("imdb", {"text": "Dull.", "label": 0}, "text: Dull.\nlabel: 0 (negative)"),
        ("ag_news", {"text": "Oil", "label": 2}, "text: Oil\nlabel: 2 (Business)"),
        ("yelp", {"text": "Nice", "label": 4}, "text: Nice\nlabel: 4 (5 stars)"),
        (
            "wnli",
            {"sentence1": "One.", "sentence2": "Two.", "label": 0},
            "sentence1: One.\nsentence2: Two.\nlabel: 0 (not entailment)",
        ),
        (
            "rte",
            {"sentence1": "One.", "sentence2": "Two.", "label": 0},
            "sentence1: One.\nsentence2: Two.\nlabel: 0 (entailment)",  # as GLUE has it
        ),
        ("samsum", {"dialogue": "A: hi", "summary": "Hi."}, "summary: Hi."),
        ("xsum", {"document": "Long", "summary": "Short."}, "summary: Short."),
        ("gsm8k", {"question": "How many?", "answer": "#### 8"}, "Question: How many?"),
        ("drop", {"question": "Who?", "passage": "…"}, "question: Who?"),
        ("kjv", {"reference": "Gen 1:1", "verse": "In the"}, "reference: Gen 1:1\nverse: In the"),
        (
            "arc_challenge",
            {"question": "Q?", "choices": {"text": ["x", "y"], "label": ["A", "B"]}}
            | {"answerKey": "B"},
            "question: Q?\nA. x\nB. y\nanswerKey: B",
        ),
    ],
)
def test_a_line_is_named_by_its_column(key: str, row: dict[str, Any], text: str) -> None:
    assert laid_out(key, row) == text


def test_human_eval_is_the_prompt_alone() -> None:
    opened = open_partition("humaneval", "test", layout=TextLayout.RELEASE)
    rows = {row["task_id"]: row for row in opened.table.rows}
    texts = [instance.text for instance in opened.preview(200)]
    assert len(texts) == 164
    for number in (0, 2):  # the second one's prompt begins with empty lines
        row = rows[f"HumanEval/{number}"]
        assert texts[number] == "prompt: \n" + row["prompt"].strip()
        assert row["canonical_solution"] not in texts[number]
    for instance in opened.preview(200):
        assert all(part in instance.text for part in instance.protected)


def test_any_columns_of_a_file_can_be_laid_out_so(tmp_path: Path) -> None:
    path = tmp_path / "news.csv"
    path.write_text("body,topic\nRain {body},wet\n", encoding="utf-8")
    opened = open_partition("n", "t", file=path, text="body", layout=TextLayout.RELEASE)
    assert opened.preview(1)[0].text == "body: Rain {body}"
    labelled = open_partition(
        "n", "t", file=path, text="body", label="topic", layout=TextLayout.RELEASE
    )
    assert labelled.preview(1)[0].text == "body: Rain {body}\ntopic: wet"
    assert labelled.preview(1)[0].protected == ("topic: wet",)
    with pytest.raises(PartitionError, match="template is itself a layout"):
        open_partition("n", "t", file=path, template="{body}", layout=TextLayout.RELEASE)


def test_the_layout_goes_with_the_sample_and_changes_its_texts(tmp_path: Path) -> None:
    drawn = {
        layout: draw_sample(open_partition("control-nli", "test", layout=layout), 5)
        for layout in TextLayout
    }
    paper, release = drawn[TextLayout.PAPER], drawn[TextLayout.RELEASE]
    assert (paper.layout, release.layout) == (TextLayout.PAPER, TextLayout.RELEASE)
    assert not {i.id for i in paper.instances} & {i.id for i in release.instances}
    for instance in release.instances:  # the variants that came with the data too
        assert instance.text.startswith("premise: ")
        assert all(text.startswith("premise: ") for text in release.variants[instance.id])
        assert len(release.variants[instance.id]) == 4
    path = tmp_path / "a.csv"
    path.write_text("t\nx\n", encoding="utf-8")
    assert draw_sample(open_partition("a", "b", file=path, template="{t}!"), 1).layout is None


def test_what_is_protected_and_the_task_stay() -> None:
    layout = Layout(task=DatasetTask.TEMPLATE, template="{a}: {b}", protect=("a",), label="b")
    released = release_layout(layout)
    assert (released.task, released.protect, released.template) == (
        DatasetTask.TEMPLATE,
        ("a",),
        None,
    )
    instance = format_row({"a": "x", "b": "y"}, released)
    assert instance is not None
    assert (instance.text, instance.protected) == ("a: x\nb: y", ("b: y", "x"))
