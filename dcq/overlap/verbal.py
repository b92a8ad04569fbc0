"""An instance as it is searched for: what its columns and its label are to a query.

Question answering follows the contamination report, section 4: question and right answer, without
the other options. For other tasks, which the report has none of, the choice is ours: the texts are
the input, and the name of the class is a label that is looked for beside them and no part of the
query.
"""

from __future__ import annotations

import re
from dataclasses import replace

from dcq.columns import WORD_BEFORE, body_of, shown_columns
from dcq.overlap.query import Query, Skipped, verbalize
from dcq.records import Instance, Task

_CHOICE = re.compile(r"(?:[A-Z]|\d{1,2})\. ")
_CLASS = re.compile(r"\d+ \((.*)\)", re.DOTALL)  # "2 (Business)": the name of a class by its number


def query_of(instance: Instance, task: Task) -> Query | Skipped:
    """The query of an instance, or why there is none."""
    shown = shown_columns(instance)
    given = _given_answer(instance)
    if given is not None:  # a worked solution, or several words: a column of its own
        asked = [text for text in shown if text != given]
        question = "\n".join(asked) or instance.text.removesuffix(given)
        return verbalize(instance.id, question, given)
    body = body_of(instance)
    if not instance.fields:  # it came as one text, whose first word says what it is
        body = WORD_BEFORE.sub("", body, count=1)
    question = "\n".join(shown) or body
    label = instance.label or ""
    if task is Task.QUESTION_ANSWERING:
        return verbalize(instance.id, question, _chosen(instance, label))
    found = verbalize(instance.id, question)
    if isinstance(found, Skipped) or not label:
        return found
    named = _CLASS.fullmatch(label)
    return replace(found, label=named[1] if named else label)


def _given_answer(instance: Instance) -> str | None:
    """The answer of an instance that keeps none as its label: the column that its text ends with,
    which a rewording may not change."""
    if instance.label or not instance.protected or not instance.fields:
        return None
    last = list(instance.fields.values())[-1].strip()
    ends = instance.text.rstrip().endswith(last)
    texts = [text.strip() for text in instance.protected]
    kept = any(one and (one.endswith(last) or last.endswith(one)) for one in texts)
    return last if last and ends and kept and len(instance.fields) > 1 else None


def _chosen(instance: Instance, label: str) -> str:
    """The text of the choice that the label is the mark of, or the label itself."""
    lines = body_of(instance).split("\n")
    starts = [place for place, line in enumerate(lines) if line.startswith(f"{label}. ")]
    if not label or not starts:
        return label
    first = starts[-1]
    rest = [place for place in range(first + 1, len(lines)) if _CHOICE.match(lines[place])]
    text = "\n".join(lines[first : rest[0] if rest else len(lines)])
    return text.removeprefix(f"{label}. ").strip()
