"""The sample of a target: one that is in the store, or drawn as ``python -m dcq sample`` does."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from dcq.effect.dates import date_window
from dcq.errors import InputError
from dcq.languages import Guess
from dcq.models.cutoffs import cutoff_of
from dcq.partitions import (
    DateWindow,
    OpenPartition,
    draw_sample,
    find,
    open_partition,
    read_days,
)
from dcq.partitions.dates import DatedRows
from dcq.partitions.files import SUFFIXES
from dcq.partitions.format import Row, value_at
from dcq.records import PartitionRole, Sample
from dcq.store import Store, samples
from dcq.study.spec import StudySpec, TargetSpec

_SAMPLE_ID = re.compile("[0-9a-f]+")


def read_target(store: Store, word: str, name: str | None = None) -> TargetSpec:
    """What a person who types ``word`` means: the id of a sample in the store or its beginning, the
    path of a file, a key of the catalog, or a name on the Hub. A file bears its own name where
    nobody gives another ``name``.

    Raises InputError where it is none of these.
    """
    if _SAMPLE_ID.fullmatch(word) and (known := _known(store, word)):
        return TargetSpec("", sample=known)
    path = Path(word).expanduser()
    if path.suffix.lower() in SUFFIXES or path.is_file():
        return TargetSpec(name or path.stem or word, file=path)
    if find(word) is not None or "/" in word:
        return TargetSpec(word)
    if not _SAMPLE_ID.fullmatch(word):
        raise InputError(
            f"{word!r} is neither a file here nor a name in the catalog (python -m dcq datasets). "
            "Name a file with its ending, such as my.csv, or OWNER/NAME on the Hub."
        )
    return TargetSpec("", sample=samples.find(store, word)[0])


def _known(store: Store, word: str) -> str:
    try:
        return samples.find(store, word)[0]
    except InputError:
        return ""


def draw(target: TargetSpec) -> tuple[Sample, Guess | None]:
    """The sample of a target that is not in the store, and what its language was guessed by.

    Raises PartitionError where it cannot be opened, InputError where nothing can be drawn.
    """
    opened = _open(target, target.role)
    return draw_sample(opened, target.n, seed=target.seed), opened.guessed


def draw_later(target: TargetSpec, drawn: Sample, spec: StudySpec) -> Sample:
    """A control for a target: rows of its own whose date is after the cut-offs of all models, and
    that are not among those ``drawn``.

    Raises PartitionError where they have no such column, InputError where a cut-off is not known
    or no row is later.
    """
    last = _last_to_end(spec)
    window, cautions = date_window(spec.controls.date_column, last, "")
    opened = _open(target, PartitionRole.CONTROL)
    n = spec.controls.count * spec.controls.n
    DatedRows(window).check(opened.columns, drawn.partition.id)
    if not any(_is_within(window, row) for row in opened.rows((window.column,))):
        raise InputError(
            f"No row of {drawn.partition.id} has a date in {window.column} that is later than the "
            f"cut-off of {last} ({cutoff_of(last)}); choose other controls, such as "
            'from = "bundled".'
        )
    later = draw_sample(opened, n + drawn.n, seed=target.seed, window=window)
    own = {instance.id for instance in drawn.instances}
    others = tuple(each for each in later.instances if each.id not in own)[:n]
    kept = {each.id for each in others}
    return replace(
        later,
        instances=others,
        requested=n,
        available=later.available - len(later.instances) + len(others),
        notes=(*later.notes, *cautions),
        variants={key: texts for key, texts in later.variants.items() if key in kept},
    )


def _open(target: TargetSpec, role: PartitionRole | None) -> OpenPartition:
    return open_partition(
        target.dataset,
        target.split,
        file=target.file,
        text=target.text,
        label=target.label,
        template=target.template,
        role=role,
        language=target.language,
        revision=target.revision,
        task=target.task,
        find_columns=True,
    )


def _last_to_end(spec: StudySpec) -> str:
    """The model of a study whose training data end last."""
    ends = {model.name: cutoff_of(model.name) for model in spec.models}
    for name, cutoff in ends.items():
        if cutoff is None:
            raise InputError(
                f"The cut-off of {name} is not known, so nobody knows which rows are later; write "
                'it below its name, as in cutoff = "2025-06".'
            )
    return max(ends, key=lambda name: ends[name].last_day)  # type: ignore[union-attr]  # none is None


def _is_within(window: DateWindow, row: Row) -> bool:
    days = read_days(value_at(row, window.column))
    return days is not None and window.has(days)
