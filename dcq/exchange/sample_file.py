"""A sample with its variants as one JSON file, to hand a curated quiz to someone else.

The same file read back gives the same sample: same id, same texts, byte for byte.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from dcq.errors import InputError
from dcq.records import Instance, Partition, Sample
from dcq.store import Store, samples, variants

FORMAT = "dcq sample 1"

_PARTITION = TypeAdapter(Partition)
_INSTANCES = TypeAdapter(tuple[Instance, ...])
_VARIANTS = TypeAdapter(dict[str, tuple[str, ...]])


def dump(store: Store, sample_id: str) -> str:
    """The sample and the variants that may be used, as JSON text."""
    sample = samples.load(store, sample_id)
    usable = variants.usable_texts(store, sample.id)
    document = {
        "format": FORMAT,
        "partition": asdict(sample.partition),
        "seed": sample.seed,
        "instances": [asdict(instance) for instance in sample.instances],
        "variants": {
            instance: [text for _, text in sorted(slots.items())]
            for instance, slots in usable.items()
        },
    }
    return json.dumps(document, ensure_ascii=False, indent=1, default=date.isoformat)


def read(path: Path) -> Sample:
    """The sample in such a file. Raises InputError that says what is wrong with it."""
    try:
        document: Any = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the name.") from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"{path} is not a JSON file in UTF-8; export it anew.") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{path} is not a sample file of dcq (format {FORMAT!r}); export one.")
    try:
        instances = _INSTANCES.validate_python(document.get("instances"))
        return Sample(
            partition=_PARTITION.validate_python(document.get("partition")),
            instances=instances,
            requested=len(instances),
            available=len(instances),
            seed=int(document.get("seed", 0)),
            stratified=False,
            variants=_VARIANTS.validate_python(document.get("variants", {})),
            notes=(f"Imported from {path.name}.",),
        )
    except (ValidationError, TypeError, ValueError) as error:
        where = "a value"
        if isinstance(error, ValidationError):
            where = ".".join(str(part) for part in error.errors()[0]["loc"]) or where
        raise InputError(f"{path} is damaged at {where}; export it anew.") from error
