"""The commitment that an author can publish before anything else: a document that fixes wordings
and key without revealing them.

It is canonical JSON (RFC 8785), so the same secret always gives the same bytes and hash. A date on
it by a third party (a git tag that others hold, a public log) proves that neither the wordings nor
the key were chosen afterwards.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from typing import Any

import rfc8785

from dcq.protect.secret import Secret

FORMAT, VERSION = "dcq-commitment", 1
_LEAF, _NODE = b"\x00", b"\x01"  # as in RFC 6962, so that no node can pass for a leaf


def commit(secret: Secret) -> dict[str, Any]:
    """The commitment to a secret."""
    beacon = secret.beacon
    return {
        "format": FORMAT,
        "version": VERSION,
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


def to_bytes(commitment: dict[str, Any]) -> bytes:
    """A commitment in canonical form."""
    return rfc8785.dumps(commitment)


def hash_key(key: bytes) -> str:
    """The hash of a key, which cannot be the hash of anything else in a commitment."""
    return hashlib.sha256(b"dcq-key\x00" + key).hexdigest()


def merkle_root(secret: Secret) -> str:
    """The Merkle root over all wordings in their order. Each leaf has its own salt, because
    rewordings by a program can be guessed; so a leaf that is revealed later reveals none of the
    others."""
    leaves = [
        _leaf(secret.salt, item.id, place, text)
        for item in secret.items
        for place, text in enumerate(item.wordings)
    ]
    return _root(leaves).hex()


def _leaf(salt: bytes, item: str, place: int, text: str) -> bytes:
    leaf_salt = hmac.digest(salt, rfc8785.dumps([item, place]), "sha256")
    return hashlib.sha256(_LEAF + leaf_salt + rfc8785.dumps([item, place, text])).digest()


def _root(level: Sequence[bytes]) -> bytes:
    while len(level) > 1:
        level = [
            hashlib.sha256(_NODE + level[at] + level[at + 1]).digest()
            if at + 1 < len(level)
            else level[at]
            for at in range(0, len(level), 2)
        ]
    return level[0]
