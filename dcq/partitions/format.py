"""Making an instance from a row: the text that a quiz shows and a model may have memorised.

By task (Data Contamination Quiz, §5): classification is the text with its exact label, natural
language inference both sentences with the label, summarisation the summary alone, question
answering the question, its choices and its answer; a template serves everything else. Each part is
a line that opens with a word, as in Figure 1::

    Article: Oil and Economy Cloud Stocks' Outlook (Reuters) …
    Label: 2 (Business)

The layout of the authors' release: ``column: value``, one a line, in the order of the columns.

Their published files (github.com/shahriargolchin/DCQ, ``data/our_dcq/processed``) show it. Where
they name a line or a class in another way than this rule, the catalog says how."""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, time, timedelta
from numbers import Number
from typing import Any, ClassVar
from uuid import UUID

from pydantic import ConfigDict

from dcq.columns import ROW
from dcq.errors import PartitionError
from dcq.records import DatasetTask, Instance
from dcq.words import choices

_LETTERS = tuple("ABCDEFGHIJ")
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}\n]*)\}")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Layout:
    """Which columns make an instance, in which order, under which words.

    ``fields`` maps the word that opens a line to a column (no word: the bare text); a dot reaches
    into a nested column. ``label_names`` are in class-index order. ``choices`` is one column that
    holds a list, or one column a choice; ``choice_marks`` the marks before them, or the column that
    holds the marks. A ``template`` replaces all lines. ``protect`` lists further columns whose
    values a rewording may not change. ``text_below`` puts a text on the line below its word.
    ``kept`` are columns that the instance keeps as they are, without showing them.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    task: DatasetTask
    fields: Mapping[str, str] = field(default_factory=dict)
    label: str | None = None
    label_word: str = ""
    label_names: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    choice_marks: str | tuple[str, ...] = _LETTERS
    template: str | None = None
    protect: tuple[str, ...] = ()
    text_below: bool = False
    kept: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that formatting reads, each once."""
        marks = (self.choice_marks,) if isinstance(self.choice_marks, str) else ()
        label = (self.label,) if self.label else ()
        placed = placeholders(self.template) if self.template else ()
        visible_columns = (*self.fields.values(), *placed, *self.choices, *marks, *label)
        names = (*visible_columns, *self.protect, *self.kept)
        return tuple(dict.fromkeys(names))


def format_row(row: Row, layout: Layout) -> Instance | None:
    """The instance that a row makes; None if a text or the label it needs is missing."""
    if layout.template is not None:
        return _fill_template(row, layout, layout.template)
    texts = {column: as_text(value_at(row, column)).strip() for column in layout.fields.values()}
    if not all(texts.values()):
        return None
    gap = "\n" if layout.text_below else ""
    lines = [_line(word, gap + texts[column]) for word, column in layout.fields.items()]
    lines += _choice_lines(row, layout)
    fields = _kept(row, layout) | texts
    if layout.label is None:
        return Instance(
            "\n".join(lines), fields=fields, protected=_protected(row, layout), row=row.get(ROW)
        )
    label = read_label(row, layout)
    if label is None:
        return None
    answers = layout.task is DatasetTask.QUESTION_ANSWERING
    label_line = _line(layout.label_word or ("Answer" if answers else "Label"), label)
    is_free = answers and not layout.choices  # such as a worked solution: its last line decides
    protected_line = label_line.splitlines()[-1] if is_free else label_line
    return Instance(
        "\n".join([*lines, label_line]),
        fields=fields | {layout.label: _label_text(row, layout.label)},
        label=None if is_free else label,
        protected=(protected_line, *_protected(row, layout)),
        row=row.get(ROW),
    )


def read_label(row: Row, layout: Layout) -> str | None:
    """The label as an instance shows it: ``2 (Business)`` for a named class, the mark of a choice,
    or the value itself; None if the row has none (hidden labels are often -1)."""
    if layout.label is None:
        return None
    text = _label_text(row, layout.label).strip()
    if not text or not layout.label_names:
        return text or None
    names = layout.label_names
    if re.fullmatch(r"-?\d{1,9}", text):
        index = int(text)
        if not 0 <= index < len(names):
            return None
    else:
        folded = [name.casefold() for name in names]
        if text.casefold() not in folded:
            return text
        index = folded.index(text.casefold())
    if layout.task is DatasetTask.QUESTION_ANSWERING:
        return names[index]
    return f"{index} ({names[index]})"


def _label_text(row: Row, column: str) -> str:
    """The label as text. Of the answers that several people gave, equal ones are one."""
    value = value_at(row, column)
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return ", ".join(dict.fromkeys(as_text(item) for item in value))
    return as_text(value)


def placeholders(template: str) -> tuple[str, ...]:
    """The columns that a template names, each once; ``{{`` and ``}}`` are literal braces."""
    names = (match[1] for match in _PLACEHOLDER.finditer(template) if match[1] is not None)
    return tuple(dict.fromkeys(name.strip() for name in names))


def check_columns(layout: Layout, columns: Iterable[str], where: str) -> None:
    """Raise PartitionError, listing the existing columns, if the layout names another one."""
    column_names = tuple(columns)
    if layout.template is not None and not placeholders(layout.template):
        raise PartitionError(
            "The template names no column; write at least one as {column}, "
            f"from: {choices(column_names)}."
        )
    for name in layout.columns:
        if name not in column_names and name.split(".")[0] not in column_names:
            raise PartitionError(
                f'{where} has no column "{name}"; choose from: {choices(column_names)}.'
            )


def value_at(row: Row, column: str) -> Any:
    """A row's value; ``a.b`` is the value ``b`` inside column ``a`` unless a column is so named."""
    if column in row or "." not in column:
        return row.get(column)
    outer, inner = column.split(".", 1)
    value = row.get(outer)
    if isinstance(value, Mapping):
        return value_at(value, inner)
    if isinstance(value, list):  # a list of records, as some files keep what the Hub turns around
        return [value_at(item, inner) for item in value if isinstance(item, Mapping)]
    return None


def as_text(value: Any) -> str:
    """A value as text: nothing for None and NaN, the items of a list joined by commas. Raises
    PartitionError for bytes that are no UTF-8, and for what is neither text nor number nor date."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, default=as_text)
    if isinstance(value, list | tuple):
        return ", ".join(as_text(item) for item in value)
    if isinstance(value, bytes):
        with contextlib.suppress(UnicodeDecodeError):
            return value.decode()
    elif isinstance(value, Number | date | time | timedelta | UUID):
        return str(value)
    raise PartitionError(
        f"A column holds values of the kind {type(value).__name__}, which have no text; choose "
        "another column."
    )


def _line(word: str, text: str) -> str:
    return f"{word}: {text}" if word else text


def _choice_lines(row: Row, layout: Layout) -> list[str]:
    values = [value_at(row, column) for column in layout.choices]
    if len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    marks = layout.choice_marks
    if isinstance(marks, str):
        marks = tuple(as_text(mark) for mark in value_at(row, marks) or ())
    return [f"{mark}. {as_text(value)}" for mark, value in zip(marks, values, strict=False)]


def _protected(row: Row, layout: Layout) -> tuple[str, ...]:
    texts: list[str] = []
    for column in layout.protect:
        value = value_at(row, column)
        texts += [as_text(item) for item in (value if isinstance(value, list) else [value])]
    return tuple(text.strip("\n") for text in texts if text.strip())


def _kept(row: Row, layout: Layout) -> dict[str, str]:
    return {column: as_text(value_at(row, column)) for column in layout.kept}


def _fill_template(row: Row, layout: Layout, template: str) -> Instance | None:
    names = placeholders(template)
    texts = {name: as_text(value_at(row, name)) for name in names}
    label = read_label(row, layout)
    if layout.label in texts:  # a class is shown with its name here too
        texts[layout.label] = label or ""
    if not all(text.strip() for text in texts.values()):
        return None
    own_lines = [line for line in template.splitlines() if placeholders(line) == (layout.label,)]
    protected_lines = [_substitute(line, texts) for line in own_lines]
    if label and not protected_lines and layout.label in texts:
        protected_lines = [label]
    return Instance(
        _substitute(template, texts).strip("\n"),
        fields=_kept(row, layout) | texts,
        label=label,
        protected=(*protected_lines, *_protected(row, layout)),
        row=row.get(ROW),
    )


def _substitute(template: str, texts: Mapping[str, str]) -> str:
    """Fill placeholders in one pass, so that braces inside a value are literal."""
    return _PLACEHOLDER.sub(
        lambda match: match[0][0] if match[1] is None else texts[match[1].strip()], template
    )


def release_layout(layout: Layout) -> Layout:
    """The same columns as ``layout`` shows, each line named by its column. Choices keep their
    marks, since the release has no multiple-choice data set to go by."""
    visible_columns = placeholders(layout.template) if layout.template else layout.fields.values()
    return replace(
        layout,
        fields={column: column for column in visible_columns if column != layout.label},
        label_word=layout.label or "",
        template=None,
    )
