"""Values as files have them: missing in any spelling, whole numbers written as floats, bytes.

A format has its own sign for a missing value (null, NaN), and people add words. ``nan`` and the
like are never a text or a class. ``NA`` and ``None`` may be: Namibia's code, the class without a
symptom. They count as missing in a csv file unless the other labels look like them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dcq.columns import ROW
from dcq.errors import PartitionError
from dcq.partitions.format import Layout, Row, value_at
from dcq.partitions.table import PartitionTable
from dcq.records import DatasetTask

# What pandas, R and spreadsheets write for a missing value; nobody means a text or class by it.
_NEVER = frozenset(
    {"nan", "NaN", "NAN", "-nan", "-NaN", "NaT", "<NA>", "#N/A", "#NA", "#N/A N/A", "1.#QNAN"}
)
_OFTEN = frozenset({"NA", "N/A", "n/a", "None", "null", "NULL", "\\N"})
_CODE = re.compile(r"[A-Z]{2,3}")
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?")
_WHOLE = re.compile(r"-?\d+(\.0+)?")
_NAMED = 3  # sentences on labels
_LEAST_ROWS, _SHARE = 10, 0.5  # of fewer rows nothing is guessed; the share of different labels
_MOST_CLASSES = 150  # the largest classification of intents in use has that many
_LONG = 60  # characters
_QUESTION, _ANSWER = re.compile("question|problem|query"), re.compile("answer|solution")


@dataclass(frozen=True)
class Values:
    """How the columns of a layout are read: ``missing`` are words that stand for nothing, by
    column; ``whole`` says that all labels are whole numbers written as floats."""

    layout: Layout
    missing: dict[str, frozenset[str]]
    whole: bool = False
    notes: tuple[str, ...] = ()

    def rows(self, table: PartitionTable, columns: Iterable[str]) -> Iterator[Row]:
        """The rows of ``table`` with these columns, each with its number from 0."""
        for number, row in enumerate(table.read(columns)):
            yield self.read(row, number)

    def read(self, row: Row, number: int) -> Row:
        """A row in which missing values are None, bytes are text and each label is as its class
        is written. Raises PartitionError for bytes that are no text."""
        outer = {name if name in row else name.split(".")[0] for name in self.layout.columns}
        values: dict[str, Any] = dict(row)
        values |= {name: decoded(row[name], name) for name in outer if name in row}
        for name, words in self.missing.items():
            if isinstance(values.get(name), str) and values[name].strip() in words:
                values[name] = None
        if self.whole and self.layout.label in values:
            values[self.layout.label] = _as_whole(values[self.layout.label])
        return {**values, ROW: number}


def read_values(table: PartitionTable, layout: Layout) -> Values:
    """How the columns of ``layout`` are read in ``table``, by all its labels."""
    words = _NEVER | _OFTEN if table.words_for_missing else _NEVER
    label = layout.label
    texts = (name for name in layout.columns if name != label and name in table.columns)
    missing = dict.fromkeys(texts, words)
    if label is None or label not in table.columns:
        return Values(layout, missing)
    counts: Counter[str] = Counter()
    is_class = layout.task in {DatasetTask.CLASSIFICATION, DatasetTask.NLI}
    whole, floats = True, False
    for row in table.read([label]):
        value = decoded(value_at(row, label), label)
        if value is None or isinstance(value, list | dict):
            continue
        text = str(value).strip()
        if text and text not in _NEVER:
            counts[text] += 1
            may_be_whole = is_class or not isinstance(value, str)  # an answer in words is verbatim
            floats = floats or "." in text
            whole = whole and (text in words or (may_be_whole and bool(_WHOLE.fullmatch(text))))
    stand_for_nothing, notes = _missing_labels(counts, words, layout)
    return Values(
        layout,
        {**missing, label: stand_for_nothing},
        whole=whole and floats,
        notes=notes,
    )


def _missing_labels(
    counts: Counter[str], words: frozenset[str], layout: Layout
) -> tuple[frozenset[str], tuple[str, ...]]:
    """The words that stand for a missing label, and sentences on those that may be classes."""
    classes = [text for text in counts if text not in _OFTEN]
    missing, notes = set(_NEVER), []
    for word in sorted(_OFTEN & counts.keys()):
        rows = "1 row has" if counts[word] == 1 else f"{counts[word]:,} rows have"
        if word in words and word not in layout.label_names and not _is_class(word, classes):
            missing.add(word)
            notes.append(f'{rows} the label "{word}", which counts as missing.')
        elif word in words:
            which = "this row" if counts[word] == 1 else "these rows"
            notes.append(
                f'{rows} the label "{word}", which is kept as a class; delete {which} if it means '
                "that the label is missing."
            )
    return frozenset(missing), tuple(notes[:_NAMED])


def _is_class(word: str, classes: list[str]) -> bool:
    """Whether a word that often stands for nothing is a class among these: "NA" among codes such
    as DE, and "None" among words."""
    if not classes:
        return False
    if word == "NA":
        return all(_CODE.fullmatch(name) for name in classes)
    return word == "None" and not any(_NUMBER.fullmatch(name) for name in classes)


def decoded(value: Any, column: str) -> Any:
    """``value`` with None for NaN and text for bytes, however deep. Raises PartitionError, which
    names the ``column``, for bytes that are no UTF-8."""
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, bytes | bytearray | memoryview):
        try:
            return bytes(value).decode()
        except UnicodeDecodeError:
            raise PartitionError(
                f'The column "{column}" holds bytes that are not UTF-8; choose another column, or '
                "write its texts as text."
            ) from None
    if isinstance(value, list | tuple):
        return [decoded(item, column) for item in value]
    if isinstance(value, dict):
        return {name: decoded(item, column) for name, item in value.items()}
    return value


def _as_whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return _WHOLE.sub(lambda m: m[0].partition(".")[0], value) if isinstance(value, str) else value


def looks_like_answers(table: PartitionTable, text_column: str, label: str) -> str:
    """Why the labels of a column look like answers to questions rather than classes; "" if they
    look like classes."""
    texts = [
        str(value).strip()
        for row in table.read([label])
        if (value := decoded(value_at(row, label), label)) is not None
    ]
    texts = [text for text in texts if text]
    if _QUESTION.search(text_column.lower()) and _ANSWER.search(label.lower()):
        return f'the columns are "{text_column}" and "{label}"'
    different = len(set(texts))
    if len(texts) >= _LEAST_ROWS and different > len(texts) * _SHARE:
        return f"{different:,} of {len(texts):,} labels are different"
    if different > _MOST_CLASSES:
        return f"there are {different:,} different labels"
    if texts and sorted(map(len, texts))[len(texts) // 2] > _LONG:
        return "most labels are long texts"
    return ""


def repeated_ids(table: PartitionTable) -> tuple[str, ...]:
    """A sentence where the column ``id`` does not tell rows apart."""
    if "id" not in table.columns:
        return ()
    counts = Counter(str(row.get("id")) for row in table.read(["id"]) if row.get("id") is not None)
    repeated = sum(count - 1 for count in counts.values())
    if not repeated:
        return ()
    return (
        f'The column "id" repeats {repeated:,} of its values; instances are told apart by their '
        "texts, and rows by their numbers.",
    )
