"""What results are called: in full where one is chosen, as short as can be told apart in a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from dcq.quiz.build import slot_letter
from dcq.runs.results import Result
from dcq.runs.summary import place


def quiz_name(result: Result) -> str:
    """``standard, original at D``."""
    letter = slot_letter(result.slot)
    return f"{result.kind}, original at {letter}" if letter else str(result.kind)


def full_name(result: Result) -> str:
    """Names one run among all; the same whenever it is shown, so that links last."""
    return f"{result.model} · {place(result)} · {quiz_name(result)} · {result.run}"


def partition_names(found: Sequence[Result]) -> dict[str, str]:
    """Each partition's title; where two share one, with the id that tells them apart."""
    titles: Mapping[str, str] = {result.partition: place(result) for result in found}
    shared = Counter(titles.values())
    return {
        key: title if shared[title] == 1 else f"{title} ({key})" for key, title in titles.items()
    }


def line_names(found: Sequence[Result]) -> dict[str, str]:
    """Each run's name on a line below its partition: the model, and as much more as is needed."""
    forms = (
        lambda result: result.model,
        lambda result: f"{result.model} · {result.kind}",
        lambda result: f"{result.model} · {quiz_name(result)}",
        lambda result: f"{result.model} · {result.kind} · {result.run}",
    )
    names: dict[str, str] = {}
    for form in forms:
        taken = Counter((result.partition, form(result)) for result in found)
        for result in found:
            if taken[result.partition, form(result)] == 1:
                names.setdefault(result.run, form(result))
    return names
