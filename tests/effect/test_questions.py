"""What is asked is what the exported tasks send, and each reply has one outcome."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dcq.effect import task
from dcq.effect.method import METHOD
from dcq.effect.questions import CHOICE, SHORT, freeze, role_of, task_of
from dcq.errors import InputError
from dcq.records import Mode, Outcome, Reply
from dcq.store import Store, frozen, variants
from dcq.store.method_runs import ReadAnswer
from tests.support.accepted_sample import LABELS, accept, saved
from tests.support.hostile import TEXTS
from tests.support.scoring import accepted

KILOMETRES = tuple(f"{k} km" for k in range(14))


def _inspect_samples(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The prompts of the exported task of inspect_ai, by id, made by the exported file itself."""
    names: dict[str, dict[str, Any]] = {
        "inspect_ai": {"Task": dict, "task": lambda function: function},
        "inspect_ai.dataset": {"MemoryDataset": list, "Sample": dict},
        "inspect_ai.scorer": {"match": lambda location: location},
        "inspect_ai.solver": {"generate": None},
    }
    for name, things in names.items():
        module = ModuleType(name)
        vars(module).update(things)
        monkeypatch.setitem(sys.modules, name, module)
    exported: dict[str, Any] = runpy.run_path(str(folder / "inspect_task.py"))
    rows = [*exported["read"]("original"), *exported["read"]("reworded")]
    return {row["id"]: row["input"] for row in rows}


@pytest.mark.parametrize("labels", [LABELS, KILOMETRES])
def test_the_prompts_are_those_of_the_exported_task(
    fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, labels: tuple[str, ...]
) -> None:
    sample_id = accepted(fresh_store, len(labels), labels)
    made = task.make(fresh_store, sample_id)
    task.write(made, tmp_path / "task")
    known = frozen.load(fresh_store, freeze(fresh_store, sample_id))
    proposed = METHOD.propose(fresh_store, known.id, Mode.LETTER)
    assert proposed.sample_id == sample_id
    assert proposed.prompt is (CHOICE if labels is LABELS else SHORT)
    sent = _inspect_samples(tmp_path / "task", monkeypatch)
    asked = proposed.task
    assert asked.size == 2 * len(labels)
    for position, request in enumerate(known.requests):
        assert asked.text(position) == sent[request.facts["id"]] == task_of(made).text(position)
        assert request.facts["id"].startswith(f"{request.instance_id}@{request.facts['version']}")


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1e", "\r"])
def test_an_exported_task_reads_its_own_data_whatever_ends_a_line(
    fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    sample_id = saved(fresh_store, words=(f"long{mark}er",))
    accept(fresh_store, sample_id)
    made = task.make(fresh_store, sample_id)
    task.write(made, tmp_path / "task")
    sent = _inspect_samples(tmp_path / "task", monkeypatch)
    asked = task_of(made)
    texts = [asked.text(position) for position in range(asked.size)]
    assert sorted(texts) == sorted(sent.values())
    assert sum(mark in text for text in sent.values()) == len(made.items)


def test_instances_are_asked_whole_and_what_changes_later_changes_nothing(
    fresh_store: Store,
) -> None:
    sample_id = accepted(fresh_store)
    subject = freeze(fresh_store, sample_id, ["clean"], "ann")
    known = frozen.load(fresh_store, subject)
    asked = METHOD.propose(fresh_store, subject, Mode.LETTER).task
    assert [asked.count_first(limit) for limit in (1, 3, 6, 99)] == [2, 6, 12, 12]
    assert [r.facts["version"] for r in known.requests[:2]] == ["original", "reworded"]
    assert known.requests[0].instance_id == known.requests[1].instance_id
    before = [asked.text(position) for position in range(asked.size)]
    first = known.requests[0].instance_id
    edited = variants.NewVariant(first, 0, "Text: other\nLabel: 0 (Dry)", "person")
    variants.add(fresh_store, sample_id, [edited])
    again = METHOD.propose(fresh_store, subject, Mode.LETTER).task
    assert [again.text(position) for position in range(again.size)] == before
    assert [role_of(known.design, name) for name in ("clean", "other")] == ["reference", "target"]


@pytest.mark.parametrize(
    ("reply", "outcome", "value"),
    [
        (Reply("0 (Dry)"), Outcome.ANSWERED, "0 (Dry)"),
        (Reply("wet."), Outcome.ANSWERED, "1 (Wet)"),
        (Reply("A river, surely"), Outcome.INVALID, None),
        (Reply("0 (Dry)", finish_reason="length"), Outcome.INVALID, None),
        (Reply("I'm sorry, I can't say."), Outcome.REFUSED, None),
        (Reply(None, refusal="No."), Outcome.REFUSED, None),
        (Reply("", finish_reason="content_filter"), Outcome.REFUSED, None),
        (Reply(None), Outcome.INVALID, None),
    ],
)
def test_each_reply_about_choices_has_one_outcome(
    fresh_store: Store, reply: Reply, outcome: Outcome, value: str | None
) -> None:
    asked = task_of(task.make(fresh_store, accepted(fresh_store)))
    reading = asked.read(0, reply)
    assert (reading.outcome, reading.value) == (outcome, value)
    stored = ReadAnswer(0, reading.outcome, reading.value, reading.reason, None)
    assert asked.is_right(0, stored) is (value == "0 (Dry)")


@pytest.mark.parametrize(
    ("text", "outcome", "right"),
    [
        ("0 KM.\nBecause it is short.", Outcome.ANSWERED, True),
        ("1 km", Outcome.ANSWERED, False),
        ("I cannot know that.", Outcome.REFUSED, False),
        ("The river is so long that " + "on " * 80, Outcome.INVALID, False),
        ("!" * 500 + "0 km", Outcome.INVALID, False),
    ],
)
def test_each_short_answer_has_one_outcome(
    fresh_store: Store, text: str, outcome: Outcome, right: bool
) -> None:
    asked = task_of(task.make(fresh_store, accepted(fresh_store, 14, KILOMETRES)))
    reading = asked.read(0, Reply(text))
    assert (reading.outcome, reading.reason == "right") == (outcome, right)
    stored = ReadAnswer(0, reading.outcome, reading.value, reading.reason, text)
    assert asked.is_right(0, stored) is right


def test_a_short_answer_ends_with_its_line(fresh_store: Store) -> None:
    asked = task_of(task.make(fresh_store, accepted(fresh_store, 14, KILOMETRES)))
    whole = Reply("0 km\nThe river is very", finish_reason="length")
    assert asked.read(0, whole).reason == "right"
    assert asked.read(0, Reply("0 km", finish_reason="length")).reason == "cut off"


@pytest.mark.parametrize("text", TEXTS)
def test_hostile_replies_are_read(fresh_store: Store, text: str) -> None:
    for labels in (LABELS, KILOMETRES):
        asked = task_of(task.make(fresh_store, accepted(fresh_store, 14, labels)))
        reading = asked.read(0, Reply(text))
        assert reading.reason != "right"
        assert len(reading.value or "") < 200
        json.dumps(reading.value)


def test_what_cannot_be_asked_says_why(fresh_store: Store) -> None:
    with pytest.raises(InputError, match="6 without an accepted rewording"):
        freeze(fresh_store, saved(fresh_store))
    subject = freeze(fresh_store, accepted(fresh_store))
    with pytest.raises(InputError, match="without likelihood:"):
        METHOD.propose(fresh_store, subject, Mode.LIKELIHOOD)
    with pytest.raises(InputError, match="Nothing frozen"):
        METHOD.propose(fresh_store, "nothing", Mode.LETTER)
