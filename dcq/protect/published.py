"""The published side of a protected benchmark: its public files, written and read again.

Nothing in them reveals the unpublished wordings.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from dcq.errors import InputError
from dcq.incoming.strict_json import read_strictly
from dcq.protect import commitment, lot
from dcq.protect.secret import FIELDS, Secret

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")  # of a formula, in a spreadsheet


# The JSON-LD context that the specification prescribes, whether a term is used or not.
_TERMS = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject"),
    *("fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField"),
    *("path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate"),
    *("separator", "source", "subField", "transform"),
)
_CONTEXT: dict[str, Any] = {
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _TERMS},
}


def published_indices(secret: Secret) -> tuple[int, ...]:
    """For each item the index of its published wording, drawn by lot. Raises InputError until the
    beacon's named round is known."""
    beacon = secret.beacon
    if beacon is not None and not beacon.value:
        raise InputError(
            f"The lots wait for round {beacon.round} of {beacon.source}; give it with --value once "
            "it is out."
        )
    seed, value = commitment.lot_seed(secret), beacon.value if beacon else ""
    return tuple(
        lot.draw(secret.key, seed, value, item.id, len(item.wordings)) for item in secret.items
    )


def rows(secret: Secret) -> list[dict[str, str]]:
    """The published benchmark, one row for each item."""
    return [
        {
            "id": item.id,
            "text": item.wordings[index],
            **({"label": item.label} if item.label is not None else {}),
            **dict(zip(secret.columns, item.cells, strict=True)),
            "canary": secret.canary,
        }
        for item, index in zip(secret.items, published_indices(secret), strict=True)
    ]


def to_jsonl(published: list[dict[str, str]]) -> bytes:
    """The published rows as JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in published).encode()


def to_csv(published: list[dict[str, str]], columns: Sequence[str] = FIELDS) -> bytes:
    """The published rows as csv with these ``columns``; a value that a spreadsheet would take for a
    formula gets an apostrophe before it."""
    out = io.StringIO()
    # With the line ends of RFC 4180, because a lone "\r" in a text is quoted with no other.
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\r\n")
    writer.writeheader()
    for row in published:
        writer.writerow({k: f"'{v}" if _looks_like_formula(v) else v for k, v in row.items()})
    return out.getvalue().encode()


def _looks_like_formula(text: str) -> bool:
    """Whether a spreadsheet would take a text, without apostrophes before it, for a formula."""
    return text.lstrip("'").startswith(FORMULA_STARTS)


def read(content: bytes, name: str) -> list[dict[str, Any]]:
    """The rows of a published file, csv if its ``name`` ends so, else jsonl, with all that is in
    them. Each has an ``id`` and a ``text``. Raises InputError for another file."""
    try:
        text = content.decode("utf-8-sig")
        records = _parse_csv(text) if name.lower().endswith(".csv") else _parse_jsonl(text, name)
    except (ValueError, RecursionError, csv.Error):
        records = []
    if not records or not all(
        isinstance(record, Mapping)
        and all(isinstance(record.get(key), str) for key in ("id", "text"))
        for record in records
    ):
        raise InputError(
            f"{name} is no published benchmark: each row needs an id and a text, in jsonl or csv."
        )
    return records


def croissant(secret: Secret, digest: str) -> dict[str, Any]:
    """A description of the published files in the Croissant format (MLCommons, version 1.0), for
    the benchmark's page. ``digest`` is the SHA-256 of ``published.jsonl``."""
    commitment_text = commitment.to_bytes(commitment.commit(secret)).decode()
    columns = commitment.columns(secret)
    return {
        "@context": {"@language": secret.language, **_CONTEXT},
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": secret.title,
        "description": (
            f"{len(secret.items)} items. The published wording of each was drawn by lot among "
            f"{secret.wordings}; this commits to all of them: {commitment_text} {secret.canary}"
        ),
        "datePublished": secret.made,
        "inLanguage": secret.language,
        "version": "1.0.0",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": "published.jsonl",
                "name": "published.jsonl",
                "contentUrl": "published.jsonl",
                "encodingFormat": "application/jsonlines",
                "sha256": digest,
            }
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "items",
                "name": "items",
                "field": [
                    {
                        "@type": "cr:Field",
                        "@id": f"items/{name}",
                        "name": name,
                        "dataType": "sc:Text",
                        "source": {
                            "fileObject": {"@id": "published.jsonl"},
                            "extract": {"column": name},
                        },
                    }
                    for name in columns
                ],
            }
        ],
    }


def _parse_jsonl(text: str, name: str) -> list[Any]:
    # Not by splitlines(), which would cut a text at a line separator of Unicode.
    return [read_strictly(line, name) for line in text.split("\n") if line.strip()]


def _parse_csv(text: str) -> list[Any]:
    csv.field_size_limit(2**31 - 1)  # a C long everywhere; the default refuses above 128 KiB
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    names = reader.fieldnames or ()
    if len(set(names)) < len(names):
        raise ValueError("a column is there twice, and nobody can say which counts")
    rows = list(reader)
    if any(None in row or None in row.values() for row in rows):
        raise ValueError("a row has not as many cells as there are columns")
    return [
        {k: v[1:] if v.startswith("'") and _looks_like_formula(v) else v for k, v in row.items()}
        for row in rows
    ]
