"""A signed envelope: DSSE v1 around an in-toto statement in canonical JSON.

The signature is over the type and the bytes of the content (DSSE's pre-authentication encoding), so
nothing is parsed before the signature is checked. The content is canonical (RFC 8785): the same
statement always has the same bytes.
https://github.com/secure-systems-lab/dsse/blob/master/protocol.md, RFC 8032 for Ed25519.
"""

from __future__ import annotations

import base64
import binascii
import re
from pathlib import Path
from typing import Any, NamedTuple

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from dcq.errors import InputError
from dcq.incoming.plain_file import read_bytes
from dcq.incoming.strict_json import read_strictly
from dcq.passport.keys import key_id

PAYLOAD_TYPE = "application/vnd.in-toto+json"
MOST_BYTES = 10_000_000
_KEY_ID = re.compile(r"[0-9a-f]{64}")
_CHANGED = "it was changed after it was signed, or another key signed it"


class Opened(NamedTuple):
    """The ``statement`` of an envelope, None where the signature is not by the key, and a sentence
    for each problem."""

    statement: dict[str, Any] | None
    problems: tuple[str, ...]


def seal(statement: dict[str, Any], key: Ed25519PrivateKey) -> bytes:
    """The signed statement as the content of a file."""
    payload = rfc8785.dumps(statement)
    signature = key.sign(_encoded(PAYLOAD_TYPE, payload))
    return rfc8785.dumps(
        {
            "payload": base64.b64encode(payload).decode(),
            "payloadType": PAYLOAD_TYPE,
            "signatures": [
                {
                    "keyid": key_id(key.public_key()),
                    "sig": base64.b64encode(signature).decode(),
                }
            ],
        }
    )


def read(path: Path) -> dict[str, Any]:
    """The envelope in a file, unchecked. Raises InputError for any other file."""
    try:
        content = read_bytes(path, MOST_BYTES, "a passport")
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); name a passport.") from None
    try:
        document = read_strictly(content.decode(), path.name)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or "payload" not in document:
        raise InputError(f"{path.name} is no passport; `passport make` writes one.")
    return document


def open_(envelope: dict[str, Any], key: Ed25519PublicKey) -> Opened:
    """The statement that ``key`` signed. Nothing of it is parsed before the signature is right."""
    try:
        payload = _decoded(envelope["payload"])
        kind = envelope["payloadType"]
        [signature] = envelope["signatures"]
        signer, sig = signature["keyid"], _decoded(signature["sig"])
        is_well_formed = (set(envelope), set(signature)) == (
            {"payload", "payloadType", "signatures"},
            {"keyid", "sig"},
        )
    except (KeyError, TypeError, ValueError, binascii.Error):
        return Opened(None, ("The envelope is damaged: parts of it are missing or unreadable.",))
    if not is_well_formed:
        return Opened(None, ("The envelope has parts that nobody signed.",))
    if signer != key_id(key):
        named = _KEY_ID.fullmatch(signer) if isinstance(signer, str) else None
        return Opened(
            None,
            (
                f"It names {f'the key {signer[:16]}…' if named else 'another key'} as its signer, "
                f"and the given one is {key_id(key)[:16]}…; ask for the signer's public key.",
            ),
        )
    try:
        key.verify(sig, _encoded(str(kind), payload))
    except InvalidSignature:
        return Opened(None, (f"The signature does not fit: {_CHANGED}.",))
    if kind != PAYLOAD_TYPE:
        return Opened(None, ("It is signed, but is no in-toto statement.",))
    return _parsed(payload)


def _parsed(payload: bytes) -> Opened:
    try:
        statement = read_strictly(payload.decode(), "The statement")
        canonical = rfc8785.dumps(statement) == payload
    except (ValueError, RecursionError, rfc8785.CanonicalizationError):
        canonical = False
    if not canonical or not isinstance(statement, dict):
        return Opened(None, ("It is signed, but its statement is not canonical JSON.",))
    return Opened(statement, ())


def _decoded(text: Any) -> bytes:
    """Base64 in its one standard form: another spelling of the same bytes is refused."""
    content = base64.b64decode(text, validate=True)
    if base64.b64encode(content).decode() != text:
        raise ValueError("not the standard form")
    return content


def _encoded(kind: str, payload: bytes) -> bytes:
    """What is signed, by DSSE."""
    name = kind.encode("utf-8", "surrogatepass")  # half of an emoji is no reason to fail
    return b"DSSEv1 %d %b %d %b" % (len(name), name, len(payload), payload)
