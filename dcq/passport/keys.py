"""Ed25519 keys that a person makes and keeps: two files in PEM, never a row of the store.

The private one is readable by its owner alone (mode 600) and is refused where others may read it.
Where ``DCQ_PASSPHRASE`` is set, it is encrypted with that.
"""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from dcq import writer
from dcq.environment import read_variable
from dcq.errors import InputError
from dcq.incoming.plain_file import read_bytes

PASSPHRASE = "DCQ_PASSPHRASE"  # noqa: S105  (the name of a variable)
PUBLIC_SUFFIX = ".pub"
_MOST_BYTES = 10_000
_LONGEST = 1023  # bytes of a passphrase, by OpenSSL
_MAKE = "make a pair with: python -m dcq passport key --out FILE"


def make(path: Path) -> str:
    """Write a new pair, the private key to ``path`` and the public one beside it; returns the key's
    id. Raises InputError where a file exists already, or cannot be written."""
    public_path = path.with_name(path.name + PUBLIC_SUFFIX)
    key = Ed25519PrivateKey.generate()
    passphrase = read_variable(PASSPHRASE).encode()
    if len(passphrase) > _LONGEST:
        raise InputError(f"{PASSPHRASE} has more than {_LONGEST:,} bytes; set a shorter one.")
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(passphrase)
        if passphrase
        else serialization.NoEncryption(),
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    writer.write_all({path: private, public_path: public}, private=path, new=True)
    return key_id(key.public_key())


def key_id(key: Ed25519PublicKey) -> str:
    """The SHA-256 of a public key's 32 bytes."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()


def private_key(path: Path) -> Ed25519PrivateKey:
    """The private key in a file. Raises InputError if the file has none, if others may read it, and
    if the passphrase is wrong."""
    content = _read(path)
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise InputError(f"Others may read the key {path}; close it with: chmod 600 {path}")
    passphrase = read_variable(PASSPHRASE).encode()
    key: object = None
    with suppress(ValueError, UnsupportedAlgorithm):
        try:
            key = serialization.load_pem_private_key(content, None)
        except TypeError:  # it is encrypted
            if not passphrase:
                raise InputError(
                    f"{path} is encrypted; set its passphrase in {PASSPHRASE}."
                ) from None
            key = serialization.load_pem_private_key(content, passphrase)
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError(
            f"{path} is no private Ed25519 key, or does not open with {PASSPHRASE}; {_MAKE}"
        )
    return key


def public_key(path: Path) -> Ed25519PublicKey:
    """The public key in a file. Raises InputError if the file has none."""
    content = _read(path)
    if b"PRIVATE KEY" in content:
        raise InputError(f"{path} is a private key; give the public one, {path}{PUBLIC_SUFFIX}.")
    key: object = None
    with suppress(ValueError, UnsupportedAlgorithm):
        key = serialization.load_pem_public_key(content)
    if not isinstance(key, Ed25519PublicKey):
        raise InputError(f"{path} is no public Ed25519 key; ask its owner for the file.")
    return key


def _read(path: Path) -> bytes:
    try:
        return read_bytes(path, _MOST_BYTES, "a key")
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); name a key.") from None
