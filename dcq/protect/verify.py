"""Checks that a secret, a commitment and a published file belong together, and says what that
does not prove."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from dcq import naming
from dcq.errors import InputError
from dcq.incoming.strict_json import read_strictly
from dcq.protect import commitment, published
from dcq.protect.secret import EARLIER, FIELDS, VERSION, Secret, has_same_wordings, is_version
from dcq.words import counted

_LONGEST_NAME = 1_000  # characters, for the value of a beacon
_NAMED = 3  # problems that are told one by one
_SAYS = {
    "version": "The commitment is of another version than the secret.",
    "key_sha256": "The commitment is to another key.",
    "order_sha256": "The commitment is to another order of asking.",
    "cells": "The commitment is to other labels, or to other values of the author's columns.",
    "columns": "The commitment is to other columns.",
    "split": "The commitment names another split.",
    "language": "The commitment names another language.",
    "task": "The commitment names another template.",
    "draws": "The commitment counts another number of draws.",
    "canary": "The commitment has another canary.",
    "dcq": "The commitment was made by another release of dcq.",
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
    if not is_version(document.get("version")):
        raise InputError(
            f"{name} is a commitment of another version; this release reads versions {EARLIER} and "
            f"{VERSION}."
        )
    return document


def problems(
    secret: Secret, committed: dict[str, Any], rows: list[dict[str, Any]], limit: int = _NAMED
) -> list[str]:
    """What does not belong together, a sentence each; empty if all does. After ``limit`` problems
    of the published file the rest is only counted."""
    mismatches = [*_names(secret), *_members(commitment.commit(secret), committed)]
    wrong = list(_rows(secret, rows))
    if len(wrong) > limit:
        wrong = [*wrong[:limit], f"{len(wrong) - limit:,} more rows do not belong."]
    return mismatches + list(_columns(secret, rows)) + wrong


def unproved(secret: Secret) -> list[str]:
    """What files that belong together leave to trust, a sentence each."""
    beacon = secret.beacon
    drawn = (
        f"How often the lots were drawn: {_draws(secret)}. Without a beacon, keys could be tried "
        "until models like the published wordings best."
        if beacon is None
        else f"The lots rest on {beacon.value} as round {beacon.round} of {beacon.source}, which "
        "only that source can confirm."
    )
    dated = (
        "When the commitment was made. Ask whoever dated it; the date must be on the file with "
        f"SHA-256 {commitment.sha256(commitment.commit(secret))}."
    )
    same = sum(map(has_same_wordings, secret.items))  # version 1 took them
    alike = (
        [
            f"The lots of {counted(same, 'item')}, because two wordings look the same to a reader "
            "and differ only in signs that cannot be seen."
        ]
        if same
        else []
    )
    return [dated, drawn, *(_EARLIER if secret.version == EARLIER else ()), *alike]


# What a commitment of version 1 leaves open, beside what every commitment does.
_EARLIER = (
    "The order of asking. Another order key shows other wordings beside the published ones, in "
    "other positions, and can be chosen so that a model looks guilty.",
    "The split name, which is part of each question.",
    "The language and the template.",
    "The labels. They could be changed in the secret and the published file alike.",
)


def _names(secret: Secret) -> Iterator[str]:
    """The names in a secret that break the rule of names, by which everything else is named."""
    beacon = vars(secret.beacon).values() if secret.beacon else ()
    named = [
        ("title", secret.title, naming.check_name),
        ("split", secret.split, naming.check_name),
        ("language", secret.language, naming.check_line),
        ("template", secret.task, naming.check_line),
        ("release", secret.made_by, naming.check_line),
        ("canary", secret.canary, naming.check_line),
        *(("beacon", part, naming.check_line) for part in beacon),
        *(("column", column, naming.check_line) for column in secret.columns),
        *(("item", item.id, naming.check_line) for item in secret.items),
    ]
    for what, name, check in named:
        if not name and what in {"split", "beacon"}:  # where there is one split; before the round
            continue
        try:
            check(name, what, _LONGEST_NAME)
        except InputError as error:
            yield f"The secret has a wrong name. {error}"


def _draws(secret: Secret) -> str:
    if secret.version == EARLIER:
        return "this commitment does not count draws"
    return f"the author's store knew of {counted(secret.draws, 'draw')} of these wordings"


def _members(expected: dict[str, Any], committed: dict[str, Any]) -> Iterator[str]:
    """What is wrong with a commitment. Of another version only that is said."""
    names = sorted({*expected, *committed})
    if expected["version"] != committed["version"]:
        names = ["version"]
    for name in names:
        if name not in committed:
            yield f"The commitment lacks {name!r}."
        elif name not in expected:
            yield f"The commitment has {name[:40]!r}, which belongs to no commitment."
        elif not _is_same(expected[name], committed[name]):
            yield _SAYS.get(name, f"The commitment has another {name!r}.")


def _is_same(expected: Any, found: Any) -> bool:
    """Whether two values of JSON are equal to the letter; Python takes ``1.0`` and ``true`` for
    1."""
    return json.dumps(expected, sort_keys=True) == json.dumps(found, sort_keys=True)


def _columns(secret: Secret, rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The columns of a published file that were not committed to."""
    known = {*commitment.columns(secret), *(FIELDS if secret.version == EARLIER else ())}
    for name in sorted({name for row in rows for name in row} - known):
        yield f"The published file has the column {name[:40]!r}, which was not committed to."


def _rows(secret: Secret, rows: list[dict[str, Any]]) -> Iterator[str]:
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
        elif differing := [
            column for column in secret.columns if row.get(column) != expected_rows[name][column]
        ]:
            yield f"Item {name!r} is published with another value of {differing[0][:40]!r}."
    for name in expected_rows:
        if name not in seen:
            yield f"Item {name!r} is missing from the published file."
