"""The commitment that an author can publish before anything else: a document that fixes all that
decides about a check, without revealing the wordings, their labels or a key.

It is canonical JSON (RFC 8785), so the same secret always gives the same bytes and hash. A date on
it by a third party (a git tag that others hold, a public log) proves that nothing in it was chosen
afterwards. Version 1 fixed the key, the wordings, title, day, canary and beacon; version 2 also the
order of asking, split, language, template, labels and columns, and its lots rest on all of it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from typing import Any

import rfc8785

from dcq.protect.secret import EARLIER, Secret

FORMAT = "dcq-commitment"
_LEAF, _NODE = b"\x00", b"\x01"  # as in RFC 6962, so that no node can pass for a leaf


def commit(secret: Secret) -> dict[str, Any]:
    """The commitment to a secret, in the version of the secret."""
    beacon = secret.beacon
    common = {
        "format": FORMAT,
        "version": secret.version,
        "title": secret.title,
        "items": len(secret.items),
        "wordings": secret.wordings,
        "key_sha256": hash_key(secret.key),
        "root": merkle_root(secret),
        "canary": secret.canary,
        "beacon": None if beacon is None else {"source": beacon.source, "round": beacon.round},
        "made": secret.made,
        "dcq": secret.made_by,
    }
    if secret.version == EARLIER:
        return common
    return common | {
        "split": secret.split,
        "language": secret.language,
        "task": secret.task,
        "order_sha256": _hash("dcq-order", secret.order),
        "columns": list(columns(secret)),
        "cells": _root(
            [
                _leaf(secret.salt, [item.id, "cells"], [item.label, *item.cells])
                for item in secret.items
            ]
        ).hex(),
        "draws": secret.draws,
    }


def columns(secret: Secret) -> tuple[str, ...]:
    """The columns of the published file."""
    labelled = any(item.label is not None for item in secret.items)
    return ("id", "text", *(("label",) if labelled else ()), *secret.columns, "canary")


def lot_seed(secret: Secret) -> str:
    """What the lots rest on beside the key and the beacon: the hash of the whole commitment, so
    that a change of anything in it draws all lots again; in version 1 the root of the wordings."""
    if secret.version == EARLIER:
        return merkle_root(secret)
    return sha256(commit(secret))


def sha256(commitment: dict[str, Any]) -> str:
    """The hash of a commitment, which is that of its file as it was written."""
    return hashlib.sha256(to_bytes(commitment)).hexdigest()


def to_bytes(commitment: dict[str, Any]) -> bytes:
    """A commitment in canonical form."""
    return rfc8785.dumps(commitment)


def hash_key(key: bytes) -> str:
    """The hash of a key, which cannot be the hash of anything else in a commitment."""
    return _hash("dcq-key", key)


def _hash(name: str, key: bytes) -> str:
    return hashlib.sha256(name.encode() + b"\x00" + key).hexdigest()


def merkle_root(secret: Secret) -> str:
    """The Merkle root over all wordings in their order. Each leaf has its own salt, because
    rewordings by a program can be guessed; so a leaf that is revealed later reveals none of the
    others."""
    leaves = [
        _leaf(secret.salt, [item.id, place], [text])
        for item in secret.items
        for place, text in enumerate(item.wordings)
    ]
    return _root(leaves).hex()


def _leaf(salt: bytes, place: list[str | int], content: Sequence[str | None]) -> bytes:
    leaf_salt = hmac.digest(salt, rfc8785.dumps(place), "sha256")
    return hashlib.sha256(_LEAF + leaf_salt + rfc8785.dumps([*place, *content])).digest()


def _root(level: Sequence[bytes]) -> bytes:
    while len(level) > 1:
        level = [
            hashlib.sha256(_NODE + level[at] + level[at + 1]).digest()
            if at + 1 < len(level)
            else level[at]
            for at in range(0, len(level), 2)
        ]
    return level[0]
