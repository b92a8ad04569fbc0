"""Statistics of HELM by instance: ``per_instance_stats.json`` in the folder of a run.

An entry is one instance in one trial, with a mean for each statistic (``PerInstanceStats`` of its
``benchmark/metrics/metric.py``). The model and what was asked are in other files of the folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dcq.errors import DcqError
from dcq.incoming.json_parts import JsonParts
from dcq.incoming.memory import Budget
from dcq.incoming.plain_file import open_text
from dcq.overlap.harness.graded import GradedRow

# Statistics that say how a question was asked and not how well it was answered.
_NO_GRADE = re.compile(
    "(num|max_num|estimated_num|training|inference|finish_reason|batch_size|prompt_truncated"
    "|max_prob|predicted_index|logprob|perplexity|bits_per_byte)(_.*)?"
)


def is_statistics(entry: Mapping[str, Any]) -> bool:
    """Whether this is HELM's entry for one instance."""
    return "instance_id" in entry and isinstance(entry.get("stats"), list)


def rows(entries: Sequence[Mapping[str, Any]], path: Path, model: str) -> list[GradedRow]:
    """The entries as rows of grades; ``model`` is used where ``run_spec.json`` is not beside."""
    adapter: Any = next(_beside(path, "run_spec.json", "adapter_spec"), {})
    own = adapter.get("model") if isinstance(adapter, dict) else None
    texts = dict(_texts(path))
    return [_row(entry, str(own or model), texts) for entry in entries if is_statistics(entry)]


def _row(entry: Mapping[str, Any], model: str, texts: Mapping[str, str]) -> GradedRow:
    identity = str(entry["instance_id"])
    grades: dict[str, Any] = {}
    for stat in entry["stats"]:
        named = stat.get("name") if isinstance(stat, dict) else None
        name = str(named.get("name")) if isinstance(named, dict) else ""
        if name and not _NO_GRADE.fullmatch(name):
            grades[name] = stat.get("mean")
    return GradedRow(
        model,
        identity,
        grades,
        texts=(texts[identity],) if identity in texts else (),
        problem="whose question was changed for the test" if entry.get("perturbation") else "",
    )


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """What was asked, by id, as ``instances.json`` says, or what HELM makes it from."""
    instances = _beside(path, "instances.json")
    if not path.with_name("instances.json").is_file():
        states = _beside(path, "scenario_state.json", "request_states")
        instances = (state.get("instance") for state in states if isinstance(state, dict))
    for instance in instances:
        asked = instance.get("input") if isinstance(instance, dict) else None
        if isinstance(asked, dict) and asked.get("text") and not instance.get("perturbation"):
            yield str(instance.get("id")), str(asked["text"])


def _beside(path: Path, name: str, part: str = "") -> Iterator[Any]:
    """The entries of the list in the file ``name`` beside, or of what its ``part`` holds; none
    where it cannot be read."""
    try:
        with open_text(path.with_name(name)) as file:
            read = JsonParts(file, name)
            for found in read.names() if part else ("",):
                if found != part:
                    read.value(Budget(name))
                elif read.peek() == "[":
                    yield from read.items()
                else:
                    yield read.value(Budget(name))
    except (OSError, ValueError, DcqError):
        return
