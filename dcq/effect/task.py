"""A benchmark and its rewordings as questions: asked by dcq (``dcq.effect.method``), or exported as
tasks of lm-evaluation-harness and inspect_ai.

Only rewordings that a person accepted are used, one for each instance, with the answer and the
id of the original. The id says which wording it is, so that logs can be read back
(``dcq.effect.scores``). A rewording with a changed label, number or name is left out even if a
person accepted it, since its answer may be another.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dcq import writer
from dcq.effect.scores import ItemVersion, versioned_id
from dcq.errors import InputError
from dcq.records import Instance, fingerprint, slot_letter
from dcq.store import Store, samples, variants
from dcq.store.variants import Decision, StoredVariant

MOST_CHOICES = 12  # different answers of a sample; with more they are short answers
LONGEST_ANSWER = 60  # characters of an answer that a model is to give to the letter
UNSAFE = frozenset({"label-changed", "number-changed", "name-changed", "symbol-changed"})
CAUTION = (
    "The rewordings were written for a quiz: they keep the meaning as far as checks and the person "
    "who accepted them saw to it."
)
REQUEST = "\n\nReply with one of these and nothing else: "  # ours, after a question with choices
_HASH = 6  # letters of a wording's fingerprint


@dataclass(frozen=True)
class TaskItem:
    """An instance with its wordings, each ``(id, question)``, and the answer to both."""

    instance_id: str
    original: tuple[str, str]
    reworded: tuple[str, str]
    answer: str


@dataclass(frozen=True)
class HarnessTask:
    """``choices`` are all answers where there are few, else empty. ``left_out`` counts instances by
    the reason."""

    name: str
    items: tuple[TaskItem, ...]
    choices: tuple[str, ...]
    left_out: Mapping[str, int]


def make(store: Store, sample_id: str) -> HarnessTask:
    """The task of a sample. Raises ``InputError`` where no instance has an accepted rewording and a
    short answer at its end."""
    sample = samples.load(store, sample_id)
    current_variants = variants.current(store, sample.id)
    items: list[TaskItem] = []
    left_out: dict[str, int] = {}
    for instance in sample.instances:
        item = _item(instance, current_variants.get(instance.id, {}))
        if isinstance(item, str):
            left_out[item] = left_out.get(item, 0) + 1
        else:
            items.append(item)
    if not items:
        reasons = "; ".join(f"{count} {reason}" for reason, count in left_out.items())
        raise InputError(f"No instance of {sample.id} can be asked or exported: {reasons}.")
    answers = sorted({item.answer for item in items})
    choices = tuple(answers) if 1 < len(answers) <= MOST_CHOICES else ()
    plain = re.sub(r"[^a-z0-9]+", "_", sample.partition.id.casefold()).strip("_")
    return HarnessTask(f"dcq_{plain}", tuple(items), choices, left_out)


def _item(instance: Instance, slots: Mapping[int, StoredVariant]) -> TaskItem | str:
    """The reason where there is none."""
    answer = instance.label
    if not answer or len(answer) > LONGEST_ANSWER or len(answer.splitlines()) > 1:
        return "without a short answer"
    question = _question(instance.text, answer)
    if question is None:
        return "whose answer is not at its end"
    accepted = [v for _, v in sorted(slots.items()) if v.decision is Decision.ACCEPTED]
    if not accepted:
        return "without an accepted rewording"
    others = [v for v in accepted if v.text.split() != instance.text.split()]
    if not others:
        return "whose rewording asks the same"
    for variant in others:
        asked = _question(variant.text, answer)
        if asked is not None and not UNSAFE & {finding.check for finding in variant.findings}:
            wording = f"{slot_letter(variant.slot)}.{fingerprint(variant.text)[:_HASH]}"
            return TaskItem(
                instance.id,
                (versioned_id(instance.id, ItemVersion.ORIGINAL), question),
                (versioned_id(instance.id, ItemVersion.REWORDED, wording), asked),
                answer,
            )
    return "whose answer may not have survived the rewording"


def _question(text: str, answer: str) -> str | None:
    """The text without the answer that ends it: ``…\\nLabel:``."""
    plain = text.rstrip()
    return plain[: -len(answer)].rstrip() if plain.endswith(answer) and plain != answer else None


def write(task: HarnessTask, folder: Path) -> list[Path]:
    """Two files of data, a task of lm-evaluation-harness for each, and both as tasks of inspect_ai.
    Raises ``InputError`` where the folder holds other files or cannot be written."""
    contents = {f"{version}.jsonl": _lines(task, version) for version in ItemVersion}
    contents |= {f"{task.name}_{version}.yaml": _yaml(task, version) for version in ItemVersion}
    contents["inspect_task.py"] = _INSPECT.replace("NAME", task.name).replace(
        "REQUEST", json.dumps(REQUEST)
    )
    writer.make_folder(folder)
    there = [name for name in os.listdir(folder) if not name.endswith(writer.PART)]
    others = [name for name in there if name not in contents]
    if others:
        raise InputError(f"{folder} holds other files, such as {others[0]}; name a new folder.")
    files = {folder / name: content.encode() for name, content in contents.items()}
    writer.write_all(files)
    return list(files)


def _lines(task: HarnessTask, version: ItemVersion) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in _rows(task, version))


def _rows(task: HarnessTask, version: ItemVersion) -> Iterable[dict[str, Any]]:
    for item in task.items:
        identity, question = item.original if version is ItemVersion.ORIGINAL else item.reworded
        row: dict[str, Any] = {"id": identity, "question": question, "target": item.answer}
        if task.choices:
            row |= {"choices": list(task.choices), "answer": task.choices.index(item.answer)}
        yield row


def _yaml(task: HarnessTask, version: ItemVersion) -> str:
    """Run in its folder: ``lm_eval --include_path . --tasks NAME_original,NAME_reworded``."""
    form = _CHOICES if task.choices else _SHORT
    return f"# {CAUTION}\ntask: {task.name}_{version}\n" + form.replace("VERSION", version)


_CHOICES = """\
dataset_path: json
dataset_kwargs:
  data_files:
    test: VERSION.jsonl
test_split: test
output_type: multiple_choice
doc_to_text: question
doc_to_choice: choices
doc_to_target: answer
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
"""

_SHORT = """\
dataset_path: json
dataset_kwargs:
  data_files:
    test: VERSION.jsonl
test_split: test
output_type: generate_until
doc_to_text: question
doc_to_target: target
generation_kwargs:
  until: ["\\n"]
  max_gen_toks: 64
  do_sample: false
filter_list:
  - name: stripped
    filter:
      - function: remove_whitespace
      - function: take_first
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
    ignore_case: true
    ignore_punctuation: true
metadata:
  version: 1.0
"""

_INSPECT = '''\
"""inspect eval inspect_task.py --model MODEL"""

import json
import os
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate

HERE = Path(__file__).parent


def read(version):
    with (HERE / f"{version}.jsonl").open(encoding="utf-8", newline="\\n") as lines:
        return MemoryDataset([sample(json.loads(line)) for line in lines])


def sample(row):
    asked = row["question"]
    if "choices" in row:
        asked += REQUEST + "; ".join(row["choices"])
    return Sample(id=row["id"], input=asked, target=row["target"])


@task
def NAME_original():
    return Task(dataset=read("original"), solver=generate(), scorer=match(location="exact"))


@task
def NAME_reworded():
    return Task(dataset=read("reworded"), solver=generate(), scorer=match(location="exact"))
'''
