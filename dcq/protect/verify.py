"""Checks that a secret, a commitment and a published file belong together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dcq.errors import InputError
from dcq.incoming.strict_json import read_strictly
from dcq.protect import commitment, published
from dcq.protect.secret import Secret

_NAMED = 3  # problems that are told one by one
_SAYS = {
    "key_sha256": "The commitment is to another key.",
    "root": "The commitment is to other wordings.",
    "items": "The commitment is to another number of items.",
    "wordings": "The commitment is to another number of wordings.",
    "beacon": "The commitment names another round of a beacon.",
    "title": "The commitment has another title.",
    "made": "The commitment has another date.",
}


def read_commitment(content: bytes, name: str) -> dict[str, Any]:
    """The commitment in a file. Raises InputError if it is none, or of another version."""
    try:
        document = read_strictly(content.decode(), name)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.get("format") != commitment.FORMAT:
        raise InputError(f"{name} is no commitment; name a commitment.json.")
    if document.get("version") != commitment.VERSION:
        raise InputError(
            f"{name} is a commitment of another version; this release reads version "
            f"{commitment.VERSION}."
        )
    return document


def problems(
    secret: Secret, committed: dict[str, Any], rows: list[dict[str, str]], limit: int = _NAMED
) -> list[str]:
    """What does not belong together, a sentence each; empty if all does. After ``limit`` problems
    of the published file the rest is only counted."""
    secret_commitment = commitment.commit(secret)
    mismatches = [
        _SAYS.get(name, f"The commitment has another {name!r}.")
        for name in sorted({*secret_commitment, *committed})
        if secret_commitment.get(name) != committed.get(name)
    ]
    wrong = list(_rows(secret, rows))
    if len(wrong) > limit:
        wrong = [*wrong[:limit], f"{len(wrong) - limit:,} more rows do not belong."]
    return mismatches + wrong


def _rows(secret: Secret, rows: list[dict[str, str]]) -> Iterator[str]:
    """What is wrong with the rows of a published file."""
    expected_rows = {row["id"]: row for row in published.rows(secret)}
    wordings = {item.id: item.wordings for item in secret.items}
    seen: set[str] = set()
    for row in rows:
        name = row["id"]
        if name in seen:
            yield f"Item {name[:40]!r} is in the published file twice."
            continue
        seen.add(name)
        if name not in expected_rows:
            yield f"Item {name[:40]!r} of the published file is not in the secret."
        elif row.get("text") != expected_rows[name]["text"]:
            other = row.get("text") in wordings[name]
            yield f"Item {name!r} is published in " + (
                "another of its wordings than its lot names."
                if other
                else "a wording that was never committed to."
            )
        elif row.get("label", "") != expected_rows[name].get("label", ""):
            yield f"Item {name!r} is published with another label."
        elif row.get("canary") != secret.canary:
            yield f"Item {name!r} is published without its canary."
    for name in expected_rows:
        if name not in seen:
            yield f"Item {name!r} is missing from the published file."
