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
from itertools import islice
from string import ascii_lowercase
from typing import Any

from dcq.columns import ROW
from dcq.errors import PartitionError
from dcq.partitions.format import Layout, Row, value_at
from dcq.partitions.table import PartitionTable
from dcq.records import DatasetTask

# What pandas, R, Windows and spreadsheets write for a missing or failed value, in small letters;
# nobody means a text or class by it.
_NEVER = frozenset(
    {"nan", "-nan", "nat", "<na>", "na_character_", "na_integer_", "na_real_"}
    | {"1.#qnan", "-1.#qnan", "1.#ind", "-1.#ind", "#n/a", "#na", "#n/a n/a", "#nv"}
    | {"#value!", "#ref!", "#name?", "#div/0!", "#null!", "#num!", "#wert!", "#bezug!", "#spill!"}
)
_OFTEN = frozenset(
    {"na", "n/a", "n.a.", "none", "null", "nil", "(null)", "[null]", "<null>", "<none>", "\\n"}
)
# What stands for nothing in a column of words or numbers, and is a value in one of signs. Stata and
# SAS write the point, the UCI repository the question mark.
_SIGNS = frozenset({"-", "--", "–", "—", ".", "..", "...", "?", "*"})
_STATA = re.compile(r"\.[a-z]")  # its further kinds of missing numbers
_NAMES = frozenset({"Na", "Nan", "Nat", "Nil"})  # sodium, places and people
_CODE = re.compile(r"[A-Z]{2,3}")
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?")
_WHOLE = re.compile(r"-?\d+(\.0+)?")
_ROWS_LOOKED_AT, _PARTS_NAMED = 200, 6
_NAMED = 3  # sentences on labels
_LEAST_ROWS, _SHARE = 10, 0.5  # of fewer rows nothing is guessed; the share of different labels
_MOST_CLASSES = 150  # the largest classification of intents in use has that many
_LONG = 60  # characters
_QUESTION, _ANSWER = re.compile("question|problem|query"), re.compile("answer|solution")


@dataclass(frozen=True)
class Values:
    """How the columns of a layout are read: ``missing`` are words that stand for nothing, by
    column, in small letters; ``whole`` says that all labels are whole numbers written as floats,
    ``one_hot`` that each is a list with a 1 at the place of its class."""

    layout: Layout
    missing: dict[str, frozenset[str]]
    whole: bool = False
    one_hot: bool = False
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
            if isinstance(values.get(name), str) and _folded(values[name]) in words:
                values[name] = None
        label = self.layout.label
        if label in values and self.whole:
            values[label] = _as_whole(values[label])
        if label in values and self.one_hot and values[label] is not None:
            values[label] = values[label].index(1)
        return {**values, ROW: number}


def read_values(table: PartitionTable, layout: Layout) -> Values:
    """How the columns of ``layout`` are read in ``table``, by all its labels."""
    label = layout.label
    texts = [name for name in layout.columns if name != label and name in table.columns]
    missing = {name: _missing_texts(table, name) for name in texts}
    if label is None or label not in table.columns:
        return Values(layout, missing)
    counts: Counter[str] = Counter()
    lists: list[list[Any]] = []
    is_class = layout.task in {DatasetTask.CLASSIFICATION, DatasetTask.NLI}
    whole, floats = True, False
    for row in table.read([label]):
        value = decoded(value_at(row, label), label)
        if isinstance(value, list):
            lists.append(value)
        if value is None or isinstance(value, list | dict):
            continue
        text = str(value).strip()
        if text and _folded(text) not in _NEVER:
            counts[text] += 1
            may_be_whole = is_class or not isinstance(value, str)  # an answer in words is verbatim
            floats = floats or "." in text
            known = table.words_for_missing and _folded(text) in _OFTEN
            whole = whole and (known or (may_be_whole and bool(_WHOLE.fullmatch(text))))
    stand_for_nothing, notes = _missing_labels(counts, layout, certain=table.words_for_missing)
    one_hot = is_class and not counts and _are_one_hot(lists)
    return Values(
        layout,
        {**missing, label: stand_for_nothing},
        whole=whole and floats,
        one_hot=one_hot,
        notes=(*notes, *((_ONE_HOT,) if one_hot else ())),
    )


_ONE_HOT = "Each label is a list with a single 1; the place of the 1, from 0, is the class."


def _are_one_hot(lists: list[list[Any]]) -> bool:
    """Whether all labels are lists of one length, at least two, with one 1 and else 0."""
    return (
        len({len(values) for values in lists}) == 1
        and len(lists[0]) > 1
        and all(
            all(isinstance(value, int | float) and value in (0, 1) for value in values)
            and sum(values) == 1
            for values in lists
        )
    )


def _missing_texts(table: PartitionTable, name: str) -> frozenset[str]:
    """The words that stand for a missing text in a column: in csv also those that other formats
    need not write."""
    if not table.words_for_missing:
        return _NEVER
    values = (str(value_at(row, name)).strip() for row in table.read([name]))
    return _NEVER | _OFTEN | _empty_signs(value for value in values if value)


def _empty_signs(values: Iterable[str]) -> frozenset[str]:
    """Signs that stand for nothing among these values of a column: one sign where all other values
    have a letter or a digit, and none where signs are values, as "+" and "-" are."""
    signs: set[str] = set()
    words = numbers = False
    for value in values:
        if value in _SIGNS:
            signs.add(value)
        elif not any(map(str.isalnum, value)):
            return frozenset()
        elif not _STATA.fullmatch(value):
            numbers = True
            words = words or not _NUMBER.fullmatch(value)
    if not numbers or len(signs) > 1:
        return frozenset()
    return frozenset(signs if words else signs | {f".{letter}" for letter in ascii_lowercase})


def _missing_labels(
    counts: Counter[str], layout: Layout, *, certain: bool
) -> tuple[frozenset[str], tuple[str, ...]]:
    """The words that stand for a missing label, and sentences on those that may be classes.
    ``certain``: the format has no sign of its own for a missing value."""
    signs = _empty_signs(counts) if certain else frozenset()
    classes = [text for text in counts if _folded(text) not in _OFTEN | signs]
    missing, notes = set(_NEVER), []
    for word in sorted(text for text in counts if _folded(text) in _OFTEN | signs):
        rows = "1 row has" if counts[word] == 1 else f"{counts[word]:,} rows have"
        if word in layout.label_names:
            continue
        if certain and not _is_class(word, classes):
            missing.add(_folded(word))
            notes.append(f'{rows} the label "{word}", which counts as missing.')
        else:
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
    return word.lower() == "none" and not any(_NUMBER.fullmatch(name) for name in classes)


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


def _folded(text: str) -> str:
    """A value as it stands in the sets of words for a missing one."""
    bare = text.strip()
    return bare if bare in _NAMES else bare.lower()


def check_texts(table: PartitionTable, columns: Iterable[str], where: str) -> None:
    """Raise PartitionError, naming the parts, for the first of ``columns`` that has objects in
    place of texts in the first rows."""
    names = tuple(name for name in columns if "." not in name and name in table.columns)
    for row in islice(table.read(names), _ROWS_LOOKED_AT):
        for name in names:
            value = row.get(name)
            first = value[0] if isinstance(value, list) and value else value
            if isinstance(first, dict):
                parts = ", ".join(f"{name}.{part}" for part in list(first)[:_PARTS_NAMED])
                raise PartitionError(
                    f'{where} has objects and no text in the column "{name}"; choose one of its '
                    f"parts: {parts or 'it has none'}."
                )


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
