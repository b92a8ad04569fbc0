"""A sample with its variants as one JSON file, to share a curated quiz.

Reading the file gives the same sample: same id, same texts byte for byte, same writers. People's
names are left out. Variants of a sample that is in the store already are offered, and added when
the user agrees.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any, NoReturn

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked

from dcq.errors import InputError
from dcq.incoming.plain_file import read_text
from dcq.incoming.strict_json import read_strictly
from dcq.partitions import bundled_texts
from dcq.partitions.files import MAX_BYTES
from dcq.records import (
    IMPORTED,
    DatasetTask,
    Instance,
    Partition,
    PartitionRole,
    Sample,
    TextLayout,
    Writer,
    imported,
)
from dcq.store import Store, samples, variants
from dcq.store.private_wordings import refuse_private
from dcq.store.sets import LONGEST_NAME
from dcq.store.variants import Decision, NewVariant, StoredVariant
from dcq.variants import offline_writer
from dcq.variants.curation import inspect
from dcq.variants.freeze import SLOTS

FORMAT = "dcq sample 1"
_MOST_INSTANCES = 100_000
_STRICT = ConfigDict(strict=True, extra="forbid")

# A name goes into prompts, addresses and tables: one line of printable characters.
_PRINTED = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]*"
_Fact = Annotated[str, Field(max_length=500, pattern=f"^{_PRINTED}$")]
_Name = Annotated[str, Field(max_length=200, pattern=rf"^{_PRINTED}\S{_PRINTED}$")]
_SetName = Annotated[str, Field(max_length=LONGEST_NAME, pattern=rf"^\S{_PRINTED}$")]
_Text = Annotated[str, Field(pattern=r"\S")]
_Variant = Annotated[str, Field(pattern=r"\A\z|\S")]  # empty: the slot has none
_NAMED = rf"(model:|{IMPORTED}){_PRINTED}\S{_PRINTED}"
_OFFLINE = "|".join(offline_writer.ENDPOINTS)
_Origin = Annotated[str, Field(max_length=500, pattern=f"^(bundled|{_OFFLINE}|person|{_NAMED})$")]


@checked(frozen=True, config=_STRICT)
class _Partition:
    key: _Name
    split: _Name
    title: _Name
    split_title: _Name
    role: PartitionRole
    task: DatasetTask
    language: _Name = "en"
    licence: _Fact = "unknown"
    published: date | None = None
    source: _Fact = ""
    placebo_of: _Fact | None = None


@checked(frozen=True, config=_STRICT)
class _InstanceDocument:
    text: _Text
    fields: dict[str, str] = Field(default_factory=dict)
    label: str | None = None
    protected: tuple[str, ...] = ()
    row: Annotated[int, Field(ge=0, lt=2**63)] | None = None  # absent where it is not known


@checked(frozen=True, config=_STRICT)
class _Writer:
    origin: _Origin
    prompt: _Name | None = None


@checked(frozen=True, config=_STRICT)
class _SampleDocument:
    format: str
    partition: _Partition
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    instances: Annotated[list[_InstanceDocument], Field(min_length=1, max_length=_MOST_INSTANCES)]
    # By slot, from A on.
    variants: dict[str, Annotated[list[_Variant], Field(min_length=1, max_length=SLOTS)]]
    layout: TextLayout | None = None
    # In the order of the variants; None if a slot has none or it is unknown. Absent in older files.
    writers: dict[str, list[_Writer | None]] = Field(default_factory=dict)
    set_name: _SetName | None = None  # of a further set of variants
    revision: _Fact = ""  # of the data; absent where it is not known


_DOCUMENT = TypeAdapter(_SampleDocument)
_NAMES = tuple(field.name for field in fields(Partition))


def dump(store: Store, sample_id: str) -> str:
    """The sample and the variants that may be used, as JSON text."""
    sample = samples.load(store, sample_id)
    current = variants.current(store, sample.id)
    usable = {
        instance.id: {s: v for s, v in current.get(instance.id, {}).items() if v.usable}
        for instance in sample.instances
    }
    document: dict[str, Any] = {
        "format": FORMAT,
        "partition": asdict(sample.partition),
        "seed": sample.seed,
        "layout": sample.layout,
        "instances": [_dump_instance(instance) for instance in sample.instances],
        "variants": {
            instance: [slots[s].text if s in slots else "" for s in range(max(slots) + 1)]
            for instance, slots in usable.items()
            if slots
        },
        "writers": {
            instance: [_dump_writer(slots.get(slot)) for slot in range(max(slots) + 1)]
            for instance, slots in usable.items()
            if slots
        },
        **({"set_name": sample.set_name} if sample.set_name else {}),
        **({"revision": sample.revision} if sample.revision else {}),
    }
    refuse_private(
        store,
        lambda: (text for texts in document["variants"].values() for text in texts),
        "Rewordings of this sample",
    )
    return json.dumps(document, ensure_ascii=False, indent=1, default=date.isoformat)


def _dump_instance(instance: Instance) -> dict[str, Any]:
    """An instance without a row that is not known, as earlier versions read it."""
    values = asdict(instance)
    return values if instance.row is not None else {k: v for k, v in values.items() if k != "row"}


def _dump_writer(variant: StoredVariant | None) -> dict[str, str] | None:
    if variant is None:
        return None
    asked = {} if variant.prompt is None else {"prompt": variant.prompt}
    return {"origin": variant.origin, **asked}


def read(path: Path) -> Sample:
    """The sample in such a file, validated as a whole. Raises InputError if something is wrong."""
    document = _parse(path)
    try:
        # From JSON, so that strict validation accepts a list for a tuple and a string for a role.
        sample_document = _DOCUMENT.validate_json(json.dumps(document))
    except (ValidationError, RecursionError) as error:
        where = "a value"
        if isinstance(error, ValidationError):
            first = error.errors(include_input=False)[0]
            # Names from the file are cut: they may be of any length.
            where = ".".join(str(part)[:40] for part in first["loc"]) or where
        _refuse(path, f"is damaged at {where}")
    instances = tuple(
        Instance(
            instance_document.text,
            instance_document.fields,
            instance_document.label,
            instance_document.protected,
            instance_document.row,
        )
        for instance_document in sample_document.instances
    )
    _check_whole(path, instances, sample_document)
    partition = Partition(**{name: getattr(sample_document.partition, name) for name in _NAMES})
    return Sample(
        partition=partition,
        instances=instances,
        requested=len(instances),
        available=len(instances),
        seed=sample_document.seed,
        stratified=False,
        layout=sample_document.layout,
        variants={instance: tuple(texts) for instance, texts in sample_document.variants.items()},
        notes=(f"Imported from {path.name}.",),
        writers=_find_writers(partition, sample_document),
        set_name=sample_document.set_name or "",
        revision=sample_document.revision,
    )


def _find_writers(partition: Partition, document: _SampleDocument) -> dict[str, tuple[Writer, ...]]:
    """Who wrote each variant, according to the file. "bundled" is believed only for texts that
    dcq comes with."""
    unknown = Writer(imported(partition.id))
    bundled = bundled_texts(partition.source)

    def find(text: str, claimed: _Writer | None) -> Writer:
        if claimed is None or (claimed.origin == "bundled" and text not in bundled):
            return unknown
        return Writer(claimed.origin, claimed.prompt)

    return {
        instance: tuple(
            find(text, claimed)
            for text, claimed in zip(
                texts, document.writers.get(instance, [None] * len(texts)), strict=True
            )
        )
        for instance, texts in document.variants.items()
    }


def _parse(path: Path) -> Any:
    """The JSON in ``path``. Raises InputError if it is not a sample file, or is too large."""
    try:
        text = read_text(path, MAX_BYTES)
        document = read_strictly(text, path.name)
        json.dumps(document, ensure_ascii=False).encode("utf-8")  # fails on a lone surrogate
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"{path} is not a JSON file in UTF-8; export it again.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the name.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path} is not a valid sample file (it has half a character, an infinite number, a "
            "duplicate name, or too much nesting); export it again."
        ) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        _refuse(path, f"is not a sample file of dcq (format {FORMAT!r})", "export one")
    return document


def _check_whole(path: Path, instances: Sequence[Instance], document: _SampleDocument) -> None:
    """Raise InputError if the parts do not fit together."""
    written = document.variants
    times = Counter(instance.id for instance in instances)
    if len(times) < len(instances):
        _refuse(path, f"has an instance twice ({times.most_common(1)[0][0]})")
    if foreign := [name for name in written if name not in times]:
        _refuse(path, f"has variants of an instance that is not in it ({foreign[0][:40]})")
    for name, texts in written.items():
        if max(Counter(filter(None, texts)).values(), default=1) > 1:
            _refuse(path, f"has a variant twice for one instance ({name})")
    for name, by in document.writers.items():
        if len(by) != len(written.get(name, ())):
            _refuse(path, f"does not have one writer for each variant ({name[:40]})")


def _refuse(path: Path, wrong: str, fix: str = "export it again") -> NoReturn:
    raise InputError(f"{path} {wrong}; {fix}.")


@dataclass(frozen=True)
class Offer:
    """Variants of a file that the store's sample of the same id does not have. ``new`` may be
    added, each with the stored variant that it replaces (None: the slot was empty); ``decided``
    counts those that would replace one that a person wrote, accepted or rejected, and are left
    out."""

    new: tuple[tuple[NewVariant, StoredVariant | None], ...]
    decided: int


def offer(store: Store, sample_id: str, sample: Sample, author: str = "") -> Offer:
    """What ``sample``, as read, would add to the variants of the stored sample of this id. A text
    that a current variant of its instance already has is not new."""
    stored = samples.load(store, sample_id)
    present = variants.current(store, sample_id)
    instances = {instance.id: instance for instance in stored.instances}
    new: list[tuple[NewVariant, StoredVariant | None]] = []
    decided = 0
    for variant in variants.of_sample(sample, author):
        slots = present.get(variant.instance_id, {})
        if variant.text in {other_variant.text for other_variant in slots.values()}:
            continue
        seen_variant = slots.get(variant.slot)
        if seen_variant is not None and _is_a_persons(seen_variant):
            decided += 1
            continue
        others = [other.text for slot, other in slots.items() if slot != variant.slot]
        instance = instances[variant.instance_id]
        findings = inspect(instance, variant.text, others, stored.partition.language)
        new.append((replace(variant, findings=findings), seen_variant))
    return Offer(tuple(new), decided)


def _is_a_persons(variant: StoredVariant) -> bool:
    return variant.origin == "person" or variant.decision is not Decision.OPEN


def add(store: Store, sample_id: str, offered: Offer) -> Offer:
    """Add what is offered; returns what was added. A slot that has changed since the offer was made
    is left as it is, and counts among ``decided``."""
    changed = {(v.instance_id, v.slot) for v in variants.replace(store, sample_id, offered.new)}
    added = tuple(
        (new, seen_variant)
        for new, seen_variant in offered.new
        if (new.instance_id, new.slot) not in changed
    )
    return Offer(added, offered.decided + len(changed))


def describe(offered: Offer, *, added: bool) -> list[str]:
    """What happened to the variants that differ, in sentences; none if none differs."""
    sentences = []
    if offered.new:
        count = _count(len(offered.new))
        sentences.append(
            f"{count} added; each is now current, and the older ones stay in the history."
            if added
            else f"{count} of the file {_verb(offered.new)} from those in the store; add "
            f"{'it' if len(offered.new) == 1 else 'them'} with --add-variants."
        )
    if offered.decided:
        sentences.append(
            f"{_count(offered.decided)} of the file left out, because a person wrote, accepted or "
            "rejected the stored one."
        )
    return sentences


def _count(number: int) -> str:
    return "1 variant" if number == 1 else f"{number:,} variants"


def _verb(several: Sequence[object]) -> str:
    return "differs" if len(several) == 1 else "differ"
