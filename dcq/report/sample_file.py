"""A sample with its variants as one JSON file, to hand a curated quiz to someone else.

The same file read back gives the same sample: same id, same texts, byte for byte, by the same
writers. The persons' names are left out.
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
from dcq.partitions import bundled_texts
from dcq.partitions.files import MAX_BYTES
from dcq.partitions.memory import Budget
from dcq.records import (
    IMPORTED,
    Instance,
    Partition,
    Role,
    Sample,
    Task,
    TextLayout,
    Writer,
    imported,
)
from dcq.store import Store, samples, variants
from dcq.store.variants import Decision, NewVariant, StoredVariant
from dcq.variants import reword

FORMAT = "dcq sample 1"
_MOST_INSTANCES = 100_000
_STRICT = ConfigDict(strict=True, extra="forbid")

# A name goes into prompts, addresses and tables: one line of printable characters.
_PRINTED = r"[^\x00-\x1f\x7f-\x9f\u2028\u2029]*"
_Fact = Annotated[str, Field(max_length=500, pattern=f"^{_PRINTED}$")]
_Name = Annotated[str, Field(max_length=200, pattern=rf"^{_PRINTED}\S{_PRINTED}$")]
_Text = Annotated[str, Field(pattern=r"\S")]
_Variant = Annotated[str, Field(pattern=r"\A\z|\S")]  # empty: the slot has none
_NAMED = rf"(model:|{IMPORTED}){_PRINTED}\S{_PRINTED}"
_Origin = Annotated[str, Field(max_length=500, pattern=f"^(bundled|offline|person|{_NAMED})$")]


@checked(frozen=True, config=_STRICT)
class _Partition:
    key: _Name
    split: _Name
    title: _Name
    split_title: _Name
    role: Role
    task: Task
    language: _Name = "en"
    licence: _Fact = "unknown"
    published: date | None = None
    source: _Fact = ""
    placebo_of: _Fact | None = None


@checked(frozen=True, config=_STRICT)
class _Instance:
    text: _Text
    fields: dict[str, str] = Field(default_factory=dict)
    label: str | None = None
    protected: tuple[str, ...] = ()


@checked(frozen=True, config=_STRICT)
class _Writer:
    origin: _Origin
    prompt: _Name | None = None


@checked(frozen=True, config=_STRICT)
class _Document:
    format: str
    partition: _Partition
    seed: Annotated[int, Field(ge=0, lt=2**63)]
    instances: Annotated[list[_Instance], Field(min_length=1, max_length=_MOST_INSTANCES)]
    # By slot, from A on.
    variants: dict[str, Annotated[list[_Variant], Field(min_length=1, max_length=reword.SLOTS)]]
    layout: TextLayout | None = None
    # As the variants, None where a slot has none or it is not known; older files lack them.
    writers: dict[str, list[_Writer | None]] = Field(default_factory=dict)


_DOCUMENT = TypeAdapter(_Document)
_NAMES = tuple(field.name for field in fields(Partition))


@dataclass(frozen=True)
class Offer:
    """Variants of a file that the store's sample of the same id does not have. ``new`` may be
    added, each in place of the one that was seen beside it (None: of nothing); ``decided`` would
    take the place of ones that a person wrote, accepted or rejected, and are left out."""

    new: tuple[tuple[NewVariant, StoredVariant | None], ...]
    decided: int


def dump(store: Store, sample_id: str) -> str:
    """The sample and the variants that may be used, as JSON text."""
    sample = samples.load(store, sample_id)
    current = variants.current(store, sample.id)
    usable = {
        instance.id: {s: v for s, v in current.get(instance.id, {}).items() if v.usable}
        for instance in sample.instances
    }
    document = {
        "format": FORMAT,
        "partition": asdict(sample.partition),
        "seed": sample.seed,
        "layout": sample.layout,
        "instances": [asdict(instance) for instance in sample.instances],
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
    }
    return json.dumps(document, ensure_ascii=False, indent=1, default=date.isoformat)


def _dump_writer(variant: StoredVariant | None) -> dict[str, str] | None:
    if variant is None:
        return None
    asked = {} if variant.prompt is None else {"prompt": variant.prompt}
    return {"origin": variant.origin, **asked}


def read(path: Path) -> Sample:
    """The sample in such a file, checked as a whole. Raises InputError that says what is wrong."""
    document = _parse(path)
    try:
        # Through text, so that a strict reading takes a list for a tuple and a word for a role.
        found = _DOCUMENT.validate_json(json.dumps(document))
    except (ValidationError, RecursionError) as error:
        where = "a value"
        if isinstance(error, ValidationError):
            first = error.errors(include_input=False)[0]
            # What the file itself names is cut: it may be of any length.
            where = ".".join(str(part)[:40] for part in first["loc"]) or where
        _refuse(path, f"is damaged at {where}")
    instances = tuple(
        Instance(one.text, one.fields, one.label, one.protected) for one in found.instances
    )
    _check_whole(path, instances, found)
    partition = Partition(**{name: getattr(found.partition, name) for name in _NAMES})
    return Sample(
        partition=partition,
        instances=instances,
        requested=len(instances),
        available=len(instances),
        seed=found.seed,
        stratified=False,
        layout=found.layout,
        variants={instance: tuple(texts) for instance, texts in found.variants.items()},
        notes=(f"Imported from {path.name}.",),
        writers=_find_writers(partition, found),
    )


def _find_writers(partition: Partition, found: _Document) -> dict[str, tuple[Writer, ...]]:
    """Who wrote each variant, as the file says. Only dcq's own texts are taken for dcq's."""
    unknown = Writer(imported(partition.id))
    bundled = bundled_texts(partition.source)

    def find(text: str, said: _Writer | None) -> Writer:
        if said is None or (said.origin == "bundled" and text not in bundled):
            return unknown
        return Writer(said.origin, said.prompt)

    return {
        instance: tuple(
            find(text, said)
            for text, said in zip(
                texts, found.writers.get(instance, [None] * len(texts)), strict=True
            )
        )
        for instance, texts in found.variants.items()
    }


def offer(store: Store, sample_id: str, sample: Sample, author: str = "") -> Offer:
    """What ``sample``, as read, would add to the variants of the sample that the store has under
    this id. A text that one of the present variants of its instance has is not new."""
    stored = samples.load(store, sample_id)
    present = variants.current(store, sample_id)
    known = {instance.id: instance for instance in stored.instances}
    new: list[tuple[NewVariant, StoredVariant | None]] = []
    decided = 0
    for variant in variants.of_sample(sample, author):
        slots = present.get(variant.instance_id, {})
        if variant.text in {other.text for other in slots.values()}:
            continue
        seen = slots.get(variant.slot)
        if seen is not None and _is_a_persons(seen):
            decided += 1
            continue
        others = [other.text for slot, other in slots.items() if slot != variant.slot]
        instance = known[variant.instance_id]
        findings = reword.inspect(instance, variant.text, others, stored.partition.language)
        new.append((replace(variant, findings=findings), seen))
    return Offer(tuple(new), decided)


def _is_a_persons(variant: StoredVariant) -> bool:
    return variant.origin == "person" or variant.decision is not Decision.OPEN


def add(store: Store, sample_id: str, offered: Offer) -> Offer:
    """Add what is offered; returns what was added. A slot that somebody changed since the offer was
    made is left as it is, and counts among ``decided``."""
    changed = {(v.instance_id, v.slot) for v in variants.replace(store, sample_id, offered.new)}
    added = tuple(
        (new, seen) for new, seen in offered.new if (new.instance_id, new.slot) not in changed
    )
    return Offer(added, offered.decided + len(changed))


def describe(offered: Offer, *, added: bool) -> list[str]:
    """What became of the variants that differ, in sentences; none where none differs."""
    said = []
    if offered.new:
        count = _count(len(offered.new))
        said.append(
            f"{count} added; each is the newest of its slot, and the older ones are its history."
            if added
            else f"{count} of the file {_verb(offered.new)} from those in the store; add "
            f"{'it' if len(offered.new) == 1 else 'them'} with --add-variants."
        )
    if offered.decided:
        said.append(
            f"{_count(offered.decided)} of the file left out, because a person wrote, accepted or "
            "rejected what is in the store."
        )
    return said


def _count(number: int) -> str:
    return "1 variant" if number == 1 else f"{number:,} variants"


def _verb(several: Sequence[object]) -> str:
    return "differs" if len(several) == 1 else "differ"


def _parse(path: Path) -> Any:
    """The JSON in ``path``, if it is a sample file of a size that can be read."""
    try:
        if path.exists() and not path.is_file():
            _refuse(path, "is not a file", "give the path of a sample file")
        if path.stat().st_size >= MAX_BYTES:
            _refuse(path, f"has more than {MAX_BYTES / 1e6:.0f} MB", "export a smaller sample")
        text = path.read_text("utf-8")
        Budget(path.name).spend_json(text)
        document = json.loads(
            text, parse_constant=_reject_constant, object_pairs_hook=_without_doubles
        )
        json.dumps(document, ensure_ascii=False).encode("utf-8")  # half a character is none
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"{path} is not a JSON file in UTF-8; export it again.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the name.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path} holds what no sample file does (half a character, a number without end, a "
            "name twice, or too much nesting); export it again."
        ) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        _refuse(path, f"is not a sample file of dcq (format {FORMAT!r})", "export one")
    return document


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(name)  # NaN and the infinities, which JSON does not have


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name twice")
    return found


def _check_whole(path: Path, instances: Sequence[Instance], found: _Document) -> None:
    """Raise InputError where the parts do not fit together."""
    written = found.variants
    times = Counter(instance.id for instance in instances)
    if len(times) < len(instances):
        _refuse(path, f"has an instance twice ({times.most_common(1)[0][0]})")
    if foreign := [name for name in written if name not in times]:
        _refuse(path, f"has variants of an instance that is not in it ({foreign[0][:40]})")
    for name, texts in written.items():
        if max(Counter(filter(None, texts)).values(), default=1) > 1:
            _refuse(path, f"has a variant twice for one instance ({name})")
    for name, by in found.writers.items():
        if len(by) != len(written.get(name, ())):
            _refuse(path, f"does not have one writer for each variant ({name[:40]})")


def _refuse(path: Path, wrong: str, fix: str = "export it again") -> NoReturn:
    raise InputError(f"{path} {wrong}; {fix}.")
