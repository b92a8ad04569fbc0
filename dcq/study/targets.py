"""The sample of a target: one that is in the store, or drawn as ``python -m dcq sample`` does."""

from __future__ import annotations

import re
from pathlib import Path

from dcq.errors import InputError
from dcq.languages import Guess
from dcq.partitions import draw_sample, find, open_partition
from dcq.partitions.files import SUFFIXES
from dcq.records import Sample
from dcq.store import Store, samples
from dcq.study.spec import TargetSpec

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
    opened = open_partition(
        target.dataset,
        target.split,
        file=target.file,
        text=target.text,
        label=target.label,
        template=target.template,
        role=target.role,
        language=target.language,
        revision=target.revision,
        task=target.task,
        find_columns=True,
    )
    return draw_sample(opened, target.n, seed=target.seed), opened.guessed
