"""The file that the author of a protected benchmark keeps: all wordings, and the keys of the lots.

Only its owner may read it (mode 600); it is encrypted if a passphrase is given. It is read back
like a stranger's file: it may have been edited, cut or swapped.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dcq.errors import InputError
from dcq.incoming.plain_file import read_bytes
from dcq.incoming.strict_json import read_strictly

FORMAT, VERSION = "dcq-secret", 1
PASSPHRASE = "DCQ_PASSPHRASE"  # noqa: S105  (the name of a variable)
SUFFIX = ".dcqsecret"
FEWEST_WORDINGS, MOST_WORDINGS, MOST_ITEMS = 2, 16, 100_000
KEY_BYTES = 32
MOST_BYTES = 500_000_000
# scrypt: 64 MiB and a quarter of a second for each guess. A file may not ask for other settings,
# which could take all memory.
_SCRYPT = {"n": 2**16, "r": 8, "p": 1}


@dataclass(frozen=True)
class Beacon:
    """A public source of randomness, such as drand, and the round of it that was named beforehand;
    ``value`` is the value of that round, empty until it is out."""

    source: str
    round: str
    value: str = ""


@dataclass(frozen=True)
class PrivateItem:
    """An item: its ``wordings`` in the order of the commitment, and its ``label``."""

    id: str
    wordings: tuple[str, ...]
    label: str | None = None


@dataclass(frozen=True)
class Secret:
    """Everything that is needed later. ``key`` draws the lots, ``salt`` hides the leaves of the
    commitment, ``order`` draws everything about asking that must not depend on the lots. ``made``
    is a day, ``made_by`` the release of dcq."""

    title: str
    split: str
    language: str
    task: str
    made: str
    made_by: str
    canary: str
    items: tuple[PrivateItem, ...]
    key: bytes = field(repr=False)
    salt: bytes = field(repr=False)
    order: bytes = field(repr=False)
    beacon: Beacon | None = None

    @property
    def wordings(self) -> int:
        """How many wordings each item has."""
        return len(self.items[0].wordings)


def check_items(items: tuple[PrivateItem, ...]) -> None:
    """Raise InputError for items from which no lots can be drawn."""
    if not items:
        raise InputError("There is no item to protect; accept wordings first.")
    if len(items) > MOST_ITEMS:
        raise InputError(f"{len(items):,} items are too many; give {MOST_ITEMS:,} at most.")
    seen: set[str] = set()
    number = len(items[0].wordings)
    for item in items:
        if item.id in seen:
            raise InputError(f"Item {item.id} is there twice; give each item an id of its own.")
        seen.add(item.id)
        if not FEWEST_WORDINGS <= len(item.wordings) <= MOST_WORDINGS:
            raise InputError(
                f"Item {item.id} has {len(item.wordings)} wording(s); a lot takes "
                f"{FEWEST_WORDINGS} to {MOST_WORDINGS}."
            )
        if len(item.wordings) != number:
            raise InputError(
                f"Item {item.id} has {len(item.wordings)} wordings and others have {number}; give "
                "all items as many."
            )
        if len(set(map(alike, item.wordings))) < len(item.wordings):
            raise InputError(
                f"Two wordings of item {item.id} are the same text, so its lot would prove "
                "nothing; reword one of them."
            )


def alike(text: str) -> str:
    """A form of a text that is equal for texts that a reader cannot tell apart."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def to_bytes(secret: Secret, passphrase: str = "") -> bytes:
    """A secret as the content of its file, encrypted where there is a passphrase."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        **{name: getattr(secret, name) for name in _TEXTS},
        **{name: getattr(secret, name).hex() for name in _KEYS},
        "beacon": None if secret.beacon is None else vars(secret.beacon),
        "items": [
            {"id": item.id, "label": item.label, "wordings": list(item.wordings)}
            for item in secret.items
        ],
    }
    document["sha256"] = _digest(document)
    plain = json.dumps(document, ensure_ascii=False, indent=1).encode()
    return _encrypt(plain, passphrase) if passphrase else plain


_TEXTS = ("title", "split", "language", "task", "made", "made_by", "canary")
_KEYS = ("key", "salt", "order")


def read(path: Path, passphrase: str = "") -> Secret:
    """The secret in a file; raises as ``from_bytes``."""
    return from_bytes(read_bytes(path, MOST_BYTES), path.name, passphrase)


def from_bytes(content: bytes, name: str, passphrase: str = "") -> Secret:
    """The secret in the ``content`` of a file called ``name``. Raises InputError if it is no
    secret, is of another version, was edited, or does not open with the passphrase."""
    document = _document(content, name)
    if "sealed" in document:
        document = _document(_decrypt(document, name, passphrase), name)
    try:
        secret = _secret(document)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"{name} is damaged: parts of the secret are missing.") from None
    check_items(secret.items)
    digest = _digest(document)
    if document.get("sha256", digest) != digest:  # files of earlier releases have none
        raise InputError(
            f"{name} was changed after it was made, so its lots would be others; take a copy of it "
            "as it was."
        )
    return secret


def _digest(document: dict[str, Any]) -> str:
    """A fingerprint of everything else in a secret. The lots follow from every word of it, so an
    edit would draw them again, and models would be judged by lots that nobody published."""
    rest = {name: value for name, value in document.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def is_sealed(content: bytes, name: str) -> bool:
    """Whether a secret needs a passphrase. Raises InputError if it is no secret."""
    return "sealed" in _document(content, name)


def _document(content: bytes, name: str) -> dict[str, Any]:
    try:
        document = read_strictly(content.decode(), name)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{name} is no secret of a protected benchmark; name a {SUFFIX} file.")
    if document.get("version") != VERSION:
        raise InputError(
            f"{name} is a secret of version {str(document.get('version'))[:20]!r}, and this release"
            f" reads version {VERSION}; use the release that wrote it."
        )
    return document


def _secret(document: dict[str, Any]) -> Secret:
    beacon = document["beacon"]
    parts: dict[str, Any] = {name: _text(document[name]) for name in _TEXTS}
    parts |= {name: bytes.fromhex(document[name]) for name in _KEYS}
    if any(len(parts[name]) != KEY_BYTES for name in _KEYS):
        raise ValueError("a key of another length")
    return Secret(
        **parts,
        beacon=None if beacon is None else Beacon(**{k: _text(v) for k, v in beacon.items()}),
        items=tuple(
            PrivateItem(
                _text(item["id"]),
                tuple(map(_text, item["wordings"])),
                None if item["label"] is None else _text(item["label"]),
            )
            for item in document["items"]
        ),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    value.encode()  # half of an emoji is no text either
    return value


def _encrypt(plain: bytes, passphrase: str) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    salt, nonce = os.urandom(16), os.urandom(12)
    sealed = AESGCM(_stretch(passphrase, salt)).encrypt(nonce, plain, FORMAT.encode())
    packed = {
        name: base64.b64encode(part).decode()
        for name, part in (("salt", salt), ("nonce", nonce), ("sealed", sealed))
    }
    return json.dumps({"format": FORMAT, "version": VERSION, **packed}).encode()


def _decrypt(document: dict[str, Any], name: str, passphrase: str) -> bytes:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if not passphrase:
        raise InputError(f"{name} is encrypted; set its passphrase in {PASSPHRASE}.")
    try:
        salt, nonce, sealed = (
            base64.b64decode(document[part], validate=True) for part in ("salt", "nonce", "sealed")
        )
        return AESGCM(_stretch(passphrase, salt)).decrypt(nonce, sealed, FORMAT.encode())
    except (InvalidTag, KeyError, TypeError, ValueError, binascii.Error):
        raise InputError(
            f"{name} does not open: the passphrase is another one, or the file was changed."
        ) from None


def _stretch(passphrase: str, salt: bytes) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return Scrypt(salt=salt, length=KEY_BYTES, **_SCRYPT).derive(passphrase.encode())
