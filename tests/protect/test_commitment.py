"""The document that binds an author."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import rfc8785

from dcq.protect.commitment import commit, hash_key, merkle_root, to_bytes
from dcq.protect.secret import PrivateItem
from tests.support.protected import a_secret, with_beacon


def test_it_is_canonical_and_tells_nothing() -> None:
    secret = a_secret()
    found = to_bytes(commit(secret))
    assert found == rfc8785.dumps(json.loads(found))
    assert b"mill" not in found
    for key in (secret.key, secret.salt, secret.order):
        assert key.hex().encode() not in found


def test_it_binds_to_every_wording_its_place_and_the_key() -> None:
    secret = a_secret(3)
    first, *rest = secret.items
    others = [
        replace(secret, items=(replace(first, wordings=first.wordings[::-1]), *rest)),
        replace(secret, items=(replace(first, id="9"), *rest)),
        replace(secret, items=(*rest, first)),
        replace(secret, items=tuple(rest)),
        replace(secret, salt=bytes(32)),
    ]
    roots = {merkle_root(one) for one in (secret, *others)}
    assert len(roots) == 1 + len(others)
    assert hash_key(secret.key) != hash_key(bytes(32))
    assert commit(with_beacon(secret, "value")) == commit(with_beacon(secret))  # it is dated before


def test_a_guessed_wording_does_not_show_in_the_root() -> None:
    """A root of one leaf is no plain hash of its text, nor of anything without the salt."""
    secret = replace(a_secret(1), items=(PrivateItem("1", ("guess", "other")),))
    guesses = {
        hashlib.sha256(start + rfc8785.dumps(["1", 0, "guess"])).hexdigest()
        for start in (b"", b"\x00")
    }
    assert merkle_root(secret) not in guesses
