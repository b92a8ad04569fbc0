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
# The field and the constant of edwards25519, and y of its eight points of small order.
_P = 2**255 - 19
_D = -121665 * pow(121666, -1, _P) % _P
_ORDER_8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL_ORDER = frozenset({0, 1, _P - 1, _ORDER_8, _P - _ORDER_8})
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
    if not isinstance(key, Ed25519PublicKey) or content.count(b"-----BEGIN ") > 1:
        raise InputError(f"{path} is no public Ed25519 key; ask its owner for the file.")
    if not is_sound(key.public_bytes_raw()):
        raise InputError(
            f"Nobody can sign with the key in {path}, and anybody can forge under it; ask its "
            "owner for another."
        )
    return key


def is_sound(raw: bytes) -> bool:
    """Whether the 32 bytes of a public key are the one encoding of a point on the curve that has
    no small order. Under a point of small order a signature fits any message.

    RFC 8032, 5.1.3; Chalkias, Garillot, Nikolaenko: Taming the many EdDSAs (2020), table 1."""
    y = int.from_bytes(raw, "little") & ((1 << 255) - 1)  # the highest bit is the sign of x
    if y >= _P or y in _SMALL_ORDER:
        return False
    # x² = (y² − 1) / (d y² + 1). x is not 0: that is so at 1 and −1 only, which have small order.
    # So where there is a square root, its negative is another point, and either sign is right.
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P)
    return pow(square, (_P - 1) // 2, _P) == 1


def _read(path: Path) -> bytes:
    try:
        return read_bytes(path, _MOST_BYTES, "a key")
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); name a key.") from None
