"""A published quiz as a sample with its variants, so that any model can take it.

It is the csv of the quiz's authors (``instance``, ``option_a`` to ``option_d``; see
``dcq.audit.release_rows`` for its answers), or a file of the same shape with other column names.
The texts are used verbatim, but compared with runs of white space collapsed, since the published
options are stripped and the instances are not. An option that is empty, the original itself or a
repetition leaves its slot empty; an instance needs three usable options.

The authors' generator keeps each whole reply of the model that wrote the options
(``generated_options``). Options that a row lacks are taken from it, read as a live reply is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dcq.audit.release_rows import OPTIONS, SLOTS, unescape_formula
from dcq.errors import InputError
from dcq.languages import Guess, read_code
from dcq.naming import read_name
from dcq.partitions import PartitionTable, find, guess_language, read_file
from dcq.partitions.format import as_text
from dcq.records import DatasetTask, Instance, Partition, PartitionRole, Sample, Writer, imported
from dcq.store import Store, samples, variants
from dcq.variants.reply import read_variants
from dcq.words import choices, counted, ranges

INSTANCE = "instance"
REPLY = "generated_options"
NAMES = (INSTANCE, *OPTIONS, REPLY)
NEEDED = 3  # options in a file, and variants per instance
DEFAULT_SPLIT = "test"
SUFFIXES = frozenset({".csv", ".tsv", ".jsonl", ".parquet"})  # a .json file is a sample of dcq's
_FEW = "too_few"
_DEFECTS = {
    "unread_replies": f"The reply in {REPLY} does not give the options that are lacking",
    "missing_options": "Option {slot} is empty",
    "duplicate_options": "Option {slot} repeats another option",
    "option_equals_original": "Option {slot} is the original itself",
    "missing_instances": "The instance is missing",
    "repeated_instances": "The instance is that of an earlier row",
}
_READ = "from_replies"
_SENTENCES = {
    _READ: f"Options are read from the reply in {REPLY}",
    **_DEFECTS,
    _FEW: "Fewer than three options are usable",
}


@dataclass(frozen=True)
class About:
    """What the user says about a file. ``columns`` maps ``instance``, ``option_a`` to ``option_d``
    and ``generated_options`` to the file's own names. ``dataset`` and ``split`` are the names in
    the prompt, by default the file's name and "test". The rest defaults to the catalog's if it has
    the dataset; the language to what the script of the instances suggests."""

    dataset: str | None = None
    split: str | None = None
    role: PartitionRole | None = None
    task: DatasetTask | None = None
    language: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PublishedQuiz:
    """The usable part as a sample, how many rows are left out, the numbers of the rows with each
    defect (from 1, without the header) and of those whose options were read from a reply, and all
    that in sentences. ``guessed`` is what the language was guessed by, None where it was known."""

    sample: Sample
    left_out: int
    from_replies: tuple[int, ...]
    defects: Mapping[str, tuple[int, ...]]
    sentences: tuple[str, ...]
    guessed: Guess | None

    def counts(self) -> dict[str, int]:
        """How many rows have each defect."""
        return {name: len(numbers) for name, numbers in self.defects.items()}


_Found = dict[tuple[str, str], list[int]]  # row numbers by defect and slot ("" for the whole row)


def read(path: Path, about: About | None = None) -> PublishedQuiz:
    """The published quiz in a csv, tsv, jsonl, json or parquet file.

    Raises InputError if the file cannot be read, a column is missing, a name cannot be used in a
    prompt, the language is no code of one, or no row is usable.
    """
    about = about or About()
    table = read_file(path)
    partition = _partition(path, table, about)
    columns = find_columns(path.name, table.columns, about.columns)
    guessed = None
    if about.language is None:
        guessed = guess_language(table, [columns[INSTANCE]], partition.language)
        partition = replace(partition, language=guessed.code if guessed else partition.language)
    quiz_columns = {column for name, column in columns.items() if name != REPLY}
    others = [name for name in table.columns if name not in quiz_columns]
    rows_by_defect: _Found = defaultdict(list)
    instances: dict[str, Instance] = {}
    written: dict[str, tuple[str, ...]] = {}
    for number, row in enumerate(table.read(table.columns), start=1):
        text = unescape_formula(as_text(row.get(columns[INSTANCE])))
        plain = _squeeze(text)
        if not plain or plain in instances:
            rows_by_defect["repeated_instances" if plain else "missing_instances", ""].append(
                number
            )
            continue
        cells = {name: unescape_formula(as_text(row.get(columns[name]))) for name in columns}
        options = _options(number, text, cells, rows_by_defect)
        usable = _take_usable(number, plain, options, rows_by_defect)
        if len(usable) < NEEDED:
            rows_by_defect[_FEW, ""].append(number)
            continue
        instance = _instance(text, {name: as_text(row.get(name)) for name in others})
        instances[plain] = instance
        written[instance.id] = tuple(usable.get(slot, "") for slot in SLOTS)
    by = Writer(imported(partition.id))
    left_out = len(table) - len(instances)
    sentences = (
        *_say_defects(rows_by_defect),
        *_say_left_out(rows_by_defect, left_out, len(table)),
    )
    if not instances:
        raise InputError(
            f"{path.name} has no row that can be asked, with an instance and three different "
            f"rewordings of it. {' '.join(sentences)}"
        )
    sentences = (*sentences, *_say_kinds(written.values()))
    return PublishedQuiz(
        sample=Sample(
            partition=partition,
            instances=tuple(instances.values()),
            requested=len(table),
            available=len(instances),
            seed=0,
            stratified=False,
            variants=written,
            writers={name: (by,) * len(texts) for name, texts in written.items()},
            notes=(f"Imported from {path.name}.", *sentences),
        ),
        left_out=left_out,
        from_replies=_rows_with(rows_by_defect, _READ),
        defects={name: _rows_with(rows_by_defect, name) for name in _DEFECTS},
        sentences=sentences,
        guessed=guessed,
    )


def save(store: Store, quiz: PublishedQuiz, *, author: str = "") -> str:
    """Save the sample with its variants; returns its id. A sample that is already in the store
    keeps the variants that it has (see ``dcq.files.sample_file.offer``)."""
    sample_id = samples.save(store, quiz.sample, author=author)
    if not variants.current(store, sample_id):
        variants.add(store, sample_id, variants.of_sample(quiz.sample, author))
    return sample_id


def find_columns(name: str, columns: Sequence[str], mapped: Mapping[str, str]) -> dict[str, str]:
    """Which column of a file is ``instance`` and each ``option_``, ignoring case and spaces around
    a name. Raises InputError if the instance is not found, or neither three options nor the
    replies that they were read from."""
    for quiz_column, column in mapped.items():
        if quiz_column not in NAMES:
            raise InputError(f"There is no {quiz_column!r} to map; choose from {', '.join(NAMES)}.")
        if column not in columns:
            raise InputError(f'{name} has no column "{column}"; there are: {choices(columns)}.')
    chosen = dict(mapped)
    for column in columns:
        plain = column.strip().lower()
        if plain in NAMES and plain not in mapped and column not in mapped.values():
            if plain in chosen:
                raise InputError(f"{name} has a column {plain} twice; rename one.")
            chosen[plain] = column
    twice = [column for column in chosen.values() if list(chosen.values()).count(column) > 1]
    if twice:
        raise InputError(f"The map uses the column {twice[0]} twice; give each its own.")
    reasons = [quiz_column for quiz_column in NAMES if quiz_column not in chosen]
    if REPLY in chosen or len(OPTIONS) - len(set(reasons) & set(OPTIONS)) >= NEEDED:
        reasons = [quiz_column for quiz_column in reasons if quiz_column == INSTANCE]
    if reasons:
        raise InputError(
            f"{name} has no column {', '.join(reasons)}; name the right one, such as "
            f"--map {reasons[0]}=COLUMN."
        )
    return chosen


def _partition(path: Path, table: PartitionTable, about: About) -> Partition:
    dataset = read_name(path.stem if about.dataset is None else about.dataset, "dataset")
    split = read_name(DEFAULT_SPLIT if about.split is None else about.split, "split")
    entry = find(dataset)
    partition = (
        entry.partition(split, table.source)
        if entry
        else Partition(
            dataset,
            split,
            dataset,
            split,
            PartitionRole.TARGET,
            DatasetTask.TEMPLATE,
            source=table.source,
        )
    )
    return replace(
        partition,
        role=about.role or partition.role,
        task=about.task or partition.task,
        language=partition.language if about.language is None else read_code(about.language),
    )


def _options(
    number: int, original: str, cells: Mapping[str, str], rows_by_defect: _Found
) -> dict[str, str]:
    """The options of a row by slot; those that are empty are taken from the reply that all were
    read from, if it has all four, or three where the row has none."""
    options = {
        slot: cells.get(name, "")
        for slot, name in zip(SLOTS, OPTIONS, strict=True)
        if name in cells or REPLY in cells
    }
    empty = [slot for slot, text in options.items() if not text.strip()]
    reply = cells.get(REPLY, "")
    if not empty or not reply.strip():
        return options
    read = read_variants(reply, len(SLOTS), original)
    if len(read) < (NEEDED if len(empty) == len(SLOTS) else len(SLOTS)):
        rows_by_defect["unread_replies", ""].append(number)
        return options
    rows_by_defect[_READ, ""].append(number)
    by_slot = dict(zip(SLOTS, read, strict=False))
    return options | {slot: by_slot.get(slot, "") for slot in empty}


def _take_usable(
    number: int, original: str, options: Mapping[str, str], rows_by_defect: _Found
) -> dict[str, str]:
    """The options that differ from the original and from each other, by slot."""
    usable: dict[str, str] = {}
    seen: set[str] = set()
    for slot, text in options.items():
        plain = _squeeze(text)
        if not plain:
            rows_by_defect["missing_options", slot].append(number)
        elif plain == original:
            rows_by_defect["option_equals_original", slot].append(number)
        elif plain in seen:
            rows_by_defect["duplicate_options", slot].append(number)
        else:
            usable[slot] = text
            seen.add(plain)
    return usable


def _instance(text: str, fields: Mapping[str, str]) -> Instance:
    """The instance. If the last line ends with the value of a column ``label``, no rewording may
    change it."""
    label = fields.get("label", "").strip()
    last = text.rstrip().rpartition("\n")[2]
    if not label or not last.endswith(label):
        return Instance(text, fields)
    return Instance(text, fields, label, (last,))


def _squeeze(text: str) -> str:
    return " ".join(text.split())


def _rows_with(rows_by_defect: _Found, defect: str) -> tuple[int, ...]:
    return tuple(
        sorted({n for (name, _), rows in rows_by_defect.items() if name == defect for n in rows})
    )


def _say_defects(rows_by_defect: _Found) -> list[str]:
    return [
        f"{words.format(slot=slot)} in {counted(len(rows), 'row')} ({ranges(rows)})."
        for name, words in _SENTENCES.items()
        for slot in ("", *SLOTS)
        if (rows := rows_by_defect.get((name, slot)))
    ]


def _say_left_out(rows_by_defect: _Found, left_out: int, row_count: int) -> list[str]:
    if not left_out:
        return []
    rows = [
        number
        for name in ("missing_instances", "repeated_instances", _FEW)
        for number in _rows_with(rows_by_defect, name)
    ]
    verb = "is" if left_out == 1 else "are"
    return [
        f"{left_out:,} of {counted(row_count, 'row')} {verb} left out ({ranges(sorted(rows))})."
    ]


def _say_kinds(written: Iterable[Sequence[str]]) -> list[str]:
    """What can be built if no instance has four variants."""
    gaps = [{slot for slot, text in zip(SLOTS, v, strict=True) if not text} for v in written]
    if not all(gaps):
        return []
    common = sorted(set.intersection(*gaps))
    which = f"with the original at {common[0]}" if common else "of those that lack the same slot"
    return [
        "No instance has four variants, so there is no bdq and no modified quiz: a standard or "
        f"rotated quiz can be built, and a bcq {which}."
    ]
