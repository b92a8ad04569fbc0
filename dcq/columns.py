"""The parts of an instance, read back from its text: each column as a line shows it, without label
and words such as ``Article:``."""

from __future__ import annotations

import re

from dcq.records import Instance

PIECES = ("first_piece", "second_piece")  # columns of data that comes cut in two
ROW = "dcq_row"  # in a row that is read, its number in the split or file, from 0
DATE = "dcq_date"  # the field of an instance that has its date, where a column of dates was named

WORD_BEFORE = re.compile(r"[^\n:]{1,40}:\s*")  # "Article: " and the like open a line


def pieces_of(instance: Instance) -> tuple[str, str] | None:
    """The two pieces of an instance as its file gives them; None where the file has no such
    columns."""
    first, second = (instance.fields.get(name) for name in PIECES)
    return None if first is None and second is None else (first or "", second or "")


def body_of(instance: Instance) -> str:
    """The text without the line of its label."""
    if not instance.label or not instance.protected:
        return instance.text
    lines = [line for line in instance.text.split("\n") if line != instance.protected[0]]
    return "\n".join(lines)


def shown_columns(instance: Instance) -> list[str]:
    """The columns that the text shows besides the label, in its order: each begins a line, after
    its word, and ends one. Empty for a text that came without columns, or follows a template."""
    body = body_of(instance)
    places: dict[int, str] = {}
    full_values = [value for name, value in instance.fields.items() if name not in PIECES]
    for name, value in instance.fields.items():
        text = value.strip()
        if not text or (name in PIECES and any(text in other for other in full_values)):
            continue
        start = body.find(text)
        while start >= 0:
            line = body[body.rfind("\n", 0, start) + 1 : start]
            end = start + len(text)
            opens = not line or WORD_BEFORE.fullmatch(line)
            if opens and (end == len(body) or body[end] == "\n"):
                if len(text) > len(places.get(start, "")):
                    places[start] = text
                break
            start = body.find(text, start + 1)
    return [places[start] for start in sorted(places)]
