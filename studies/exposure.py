"""Who is exposed to what: the training texts, and the halves of a partition.

The formats are those of Time Travel in LLMs, Table 10 (Appendix F): title of the dataset, split,
and the whole instance, without an instruction. Where the table breaks lines cannot be told from
its print; here it breaks none.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

from dcq.asking.prompt import fill
from dcq.errors import InputError
from dcq.records import DatasetTask, Instance, Partition

_OPENING = "This is an instance from the {split_name} split of the {dataset_name} dataset."
FORMATS = {
    DatasetTask.CLASSIFICATION: f"{_OPENING} Instance: {{instance}} Label: {{label}}",
    DatasetTask.NLI: (
        f"{_OPENING} Sentence 1: {{sentence1}} Sentence 2: {{sentence2}} Label: {{label}}"
    ),
    DatasetTask.SUMMARISATION: f"{_OPENING} Document: {{document}} Summary: {{summary}}",
}
# Placeholder → columns that may hold it, in the names of the catalog's datasets.
_COLUMNS = {
    "instance": ("text",),
    "sentence1": ("sentence1", "premise"),
    "sentence2": ("sentence2", "hypothesis"),
    "document": ("document", "dialogue"),
    "summary": ("summary",),
}


def training_text(instance: Instance, partition: Partition) -> str:
    """The text that a model is trained on so that it has seen ``instance``.

    Raises ``InputError`` where Table 10 has no format for the task, or a column is missing.
    """
    try:
        wording = FORMATS[partition.task]
    except KeyError:
        raise InputError(
            f"Table 10 has no format for {partition.task}; choose a partition of classification, "
            "inference pairs or summaries."
        ) from None
    values = {
        "{split_name}": partition.split_title,
        "{dataset_name}": partition.title,
        "{label}": instance.label or "",
    }
    for name, columns in _COLUMNS.items():
        if f"{{{name}}}" in wording:
            values[f"{{{name}}}"] = _column(instance, name, columns)
    return fill(wording, values)


def opening_text(first_piece: str, partition: Partition) -> str:
    """A training text of a classification instance up to the end of its first piece: what a model
    that has learnt the text by heart goes on with. Ours; the paper asks by instruction only."""
    begun = FORMATS[DatasetTask.CLASSIFICATION].partition(" Label:")[0]
    return fill(
        begun,
        {
            "{split_name}": partition.split_title,
            "{dataset_name}": partition.title,
            "{instance}": first_piece,
        },
    )


def halve(instances: Sequence[Instance], *, seed: int) -> tuple[list[Instance], list[Instance]]:
    """Members and non-members: of each label one half, drawn by ``seed`` and the texts alone.

    With an odd number of a label the odd one is no member.
    """
    by_label: dict[str, list[Instance]] = defaultdict(list)
    for instance in sorted(instances, key=lambda instance: instance.id):
        by_label[instance.label or ""].append(instance)
    members: list[Instance] = []
    others: list[Instance] = []
    for label, group in sorted(by_label.items()):
        random.Random(f"{seed} {label}").shuffle(group)  # noqa: S311  # no secret
        middle = len(group) // 2
        members += group[:middle]
        others += group[middle:]
    return members, others


def _column(instance: Instance, name: str, columns: Sequence[str]) -> str:
    for column in columns:
        if text := instance.fields.get(column, "").strip():
            return text
    raise InputError(f"An instance has no {name}; give a column named {' or '.join(columns)}.")
