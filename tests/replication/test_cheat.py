from __future__ import annotations

import pytest

from dcq.records import Instance, Reply
from dcq.replication.cheat import (
    CheatFinding,
    first_instances_text,
    lenient,
    marks_of,
    read_finding,
    strict,
)

INSTANCES = ["The cat waited at the top.", "A second one."]
MARKS = ["sentence1", "not_entailment"]


@pytest.mark.parametrize(
    ("reply", "finding"),
    [
        (Reply("1. the cat  waited at the top."), CheatFinding.CONTAMINATED),
        (Reply("idx | sentence1 | sentence2"), CheatFinding.SUSPICIOUS),
        (Reply("I cannot, but its classes include not_entailment."), CheatFinding.SUSPICIOUS),
        (Reply("I cannot reproduce datasets."), CheatFinding.CLEAN),
        (Reply(None, refusal="I cannot"), CheatFinding.CLEAN),
        (Reply(None), CheatFinding.NOTHING),
        (Reply(" \n"), CheatFinding.NOTHING),
    ],
)
def test_findings(reply: Reply, finding: CheatFinding) -> None:
    assert read_finding(reply, INSTANCES, MARKS) is finding


def test_an_empty_instance_or_mark_finds_nothing() -> None:
    assert read_finding(Reply("words"), ["", "  "], ["", " "]) is CheatFinding.CLEAN


def test_the_prompt_names_dataset_and_split() -> None:
    text = first_instances_text("{split_name}", "validation")
    assert "validation split of the {split_name} dataset" in text


def test_strict_and_lenient() -> None:
    people = {"a": True, "b": False, "c": False, "d": True}
    found = {"a": CheatFinding.SUSPICIOUS, "b": CheatFinding.SUSPICIOUS, "c": CheatFinding.CLEAN}
    assert strict(found, people).agreed == 1
    assert lenient(found, people, dict.fromkeys(people, "all")).agreed == 2
    assert lenient(found, people, {"a": "x", "b": "y", "c": "y", "d": "x"}).agreed == 3
    assert strict(found, people).total == 4


def test_marks_are_names_of_classes_and_of_odd_columns() -> None:
    wet = Instance("a", {"text": "a", "gold_label": "0", "sentence1": "a"}, "Wet")
    assert marks_of([wet]) == ["gold_label", "sentence1"]  # one class tells nothing
    assert marks_of([wet, Instance("b", {}, "Dry")]) == ["Dry", "Wet", "gold_label", "sentence1"]
    assert marks_of([Instance("a", {}, "0 (Sci/Tech)"), Instance("b", {}, "1 (Sports)")]) == [
        "Sci Tech",
        "Sports",
    ]
    assert marks_of([Instance("a", {}, "0"), Instance("b", {}, "1")]) == []
    reply = Reply("The classes are Sports, Sci/Tech …")
    assert read_finding(reply, [], ["Sci Tech"]) is CheatFinding.SUSPICIOUS
