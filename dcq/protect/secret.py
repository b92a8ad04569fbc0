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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from dcq.errors import InputError
from dcq.incoming.plain_file import read_bytes
from dcq.incoming.strict_json import read_strictly
from dcq.naming import as_seen

FORMAT, VERSION, EARLIER = "dcq-secret", 2, 1
PASSPHRASE = "DCQ_PASSPHRASE"  # noqa: S105  (the name of a variable)
SUFFIX = ".dcqsecret"
FEWEST_WORDINGS, MOST_WORDINGS, MOST_ITEMS = 2, 16, 100_000
KEY_BYTES = 32
_MOST_DRAWS = 1_000_000_000
MOST_BYTES = 500_000_000
# scrypt: 64 MiB and a quarter of a second for each guess. A file may not ask for other settings,
# which could take all memory.
_SCRYPT = {"n": 2**16, "r": 8, "p": 1}
# The columns of the published file that are not the author's own.
FIELDS = ("id", "text", "label", "canary")


@dataclass(frozen=True)
class Beacon:
    """A public source of randomness, such as drand, and the round of it that was named beforehand;
    ``value`` is the value of that round, empty until it is out."""

    source: str
    round: str
    value: str = ""


@dataclass(frozen=True)
class PrivateItem:
    """An item: its ``wordings`` in the order of the commitment, its ``label``, and its ``cells``,
    the values of the author's own columns."""

    id: str
    wordings: tuple[str, ...]
    label: str | None = None
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Secret:
    """Everything that is needed later. ``key`` draws the lots, ``salt`` hides the leaves of the
    commitment, ``order`` draws everything about asking that must not depend on the lots. ``made``
    is a day, ``made_by`` the release of dcq. ``columns`` are the names of the author's own columns,
    and ``draws`` is how many draws of these wordings the author's store knew of, with this one.
    ``version`` is that of the file and of its commitment."""

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
    columns: tuple[str, ...] = ()
    draws: int = 1
    version: int = VERSION

    @property
    def wordings(self) -> int:
        """How many wordings each item has."""
        return len(self.items[0].wordings)


def check_items(items: tuple[PrivateItem, ...], version: int = VERSION) -> None:
    """Raise InputError for items from which no lots can be drawn in secrets of this version."""
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
        if not all(map(as_seen, item.wordings)):
            raise InputError(f"A wording of item {item.id} is empty; write it.")
        if has_same_wordings(item, as_seen if version > EARLIER else _as_seen_earlier):
            raise InputError(
                f"Two wordings of item {item.id} are the same text, so its lot would prove "
                "nothing; reword one of them."
            )


def has_same_wordings(item: PrivateItem, form: Callable[[str], str] = as_seen) -> bool:
    """Whether two wordings of an item are the same text, compared by their ``form``: by default as
    a reader sees them."""
    return len(set(map(form, item.wordings))) < len(item.wordings)


def _as_seen_earlier(text: str) -> str:
    """As ``as_seen`` for secrets of version 1, which open as they were made."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def to_bytes(secret: Secret, passphrase: str = "") -> bytes:
    """A secret as the content of its file, encrypted where there is a passphrase."""
    later = secret.version > EARLIER
    document = {
        "format": FORMAT,
        "version": secret.version,
        **{name: getattr(secret, name) for name in _TEXTS},
        **{name: getattr(secret, name).hex() for name in _KEYS},
        "beacon": None if secret.beacon is None else vars(secret.beacon),
        **({"columns": list(secret.columns), "draws": secret.draws} if later else {}),
        "items": [
            {"id": item.id, "label": item.label, "wordings": list(item.wordings)}
            | ({"cells": list(item.cells)} if later else {})
            for item in secret.items
        ],
    }
    document["sha256"] = _digest(document)
    plain = json.dumps(document, ensure_ascii=False, indent=1).encode()
    return _encrypt(plain, passphrase, secret.version) if passphrase else plain


_TEXTS = ("title", "split", "language", "task", "made", "made_by", "canary")
_KEYS = ("key", "salt", "order")
_BEACON = ("source", "round", "value")
_SEALED = ("salt", "nonce", "sealed")


def read(path: Path, passphrase: str = "") -> Secret:
    """The secret in a file; raises as ``from_bytes``."""
    return from_bytes(read_bytes(path, MOST_BYTES), path.name, passphrase)


def from_bytes(content: bytes, name: str, passphrase: str = "") -> Secret:
    """The secret in the ``content`` of a file called ``name``. Raises InputError if it is no
    secret, is of another version, lacks a member or has one more, was edited, or does not open with
    the passphrase."""
    document = _document(content, name)
    if "sealed" in document:
        sealed = document
        _check_members(sealed, ("format", "version", *_SEALED), name)
        document = _document(_decrypt(sealed, name, passphrase), name)
        if document["version"] != sealed["version"]:
            raise InputError(f"{name} is damaged: it names two versions; take a copy as it was.")
    try:
        secret = _secret(document, name)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(
            f"{name} is damaged: parts of the secret are missing; take a copy of it as it was."
        ) from None
    check_items(secret.items, secret.version)
    if document["sha256"] != _digest(document):
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
    if not is_version(document.get("version")):
        raise InputError(
            f"{name} is a secret of version {str(document.get('version'))[:20]!r}, and this release"
            f" reads versions {EARLIER} and {VERSION}; use the release that wrote it."
        )
    return document


def is_version(value: Any) -> bool:
    """Whether a ``value`` of JSON is a version of secrets and commitments that is read here; ``1``
    is, ``1.0`` and ``true`` are not."""
    return type(value) is int and EARLIER <= value <= VERSION


def _check_members(found: Any, expected: Sequence[str], name: str) -> None:
    """Raise InputError where an object of a secret lacks a member, or has another."""
    if not isinstance(found, dict):
        raise TypeError("no object")
    for member in expected:
        if member not in found:
            raise InputError(
                f"{name} is damaged: the member {member!r} is missing; take a copy of it as it was."
            )
    for member in found:
        if member not in expected:
            raise InputError(
                f"{name} is damaged: {member[:40]!r} belongs to no secret; take a copy of it as it "
                "was."
            )


def _secret(document: dict[str, Any], name: str) -> Secret:
    later = document["version"] > EARLIER
    added = ("columns", "draws") if later else ()
    members = ("format", "version", *_TEXTS, *_KEYS, "beacon", *added, "items", "sha256")
    _check_members(document, members, name)
    beacon = document["beacon"]
    if beacon is not None:
        _check_members(beacon, _BEACON, name)
    if not document["items"]:
        raise ValueError("no item")
    for item in document["items"]:
        _check_members(item, ("id", "label", "wordings", *(("cells",) if later else ())), name)
    parts: dict[str, Any] = {key: _text(document[key]) for key in _TEXTS}
    parts |= {key: bytes.fromhex(document[key]) for key in _KEYS}
    if any(len(parts[key]) != KEY_BYTES for key in _KEYS):
        raise ValueError("a key of another length")
    columns = _texts(document["columns"]) if later else ()
    draws = document["draws"] if later else 1
    if type(draws) is not int or not 1 <= draws <= _MOST_DRAWS:
        raise ValueError("no number of draws")
    if f"{date.fromisoformat(parts['made'])}" != parts["made"]:
        raise ValueError("no day")
    if beacon is not None and beacon["value"] and not beacon["value"].strip():
        raise ValueError("a round without a value")
    if len({*columns, *FIELDS}) < len(columns) + len(FIELDS):
        raise ValueError("a column twice")
    if any(len(item["cells"]) != len(columns) for item in document["items"] if later):
        raise ValueError("another number of cells than of columns")
    return Secret(
        **parts,
        columns=columns,
        draws=draws,
        version=document["version"],
        beacon=None if beacon is None else Beacon(**{k: _text(v) for k, v in beacon.items()}),
        items=tuple(
            PrivateItem(
                _text(item["id"]),
                _texts(item["wordings"]),
                None if item["label"] is None else _text(item["label"]),
                _texts(item["cells"]) if later else (),
            )
            for item in document["items"]
        ),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    value.encode()  # half of an emoji is no text either
    return value


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list):  # a text would be taken for a list of its letters
        raise TypeError("no list")
    return tuple(map(_text, values))


def _encrypt(plain: bytes, passphrase: str, version: int) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    salt, nonce = os.urandom(16), os.urandom(12)
    sealed = AESGCM(_stretch(passphrase, salt)).encrypt(nonce, plain, FORMAT.encode())
    packed = {
        name: base64.b64encode(part).decode()
        for name, part in zip(_SEALED, (salt, nonce, sealed), strict=True)
    }
    return json.dumps({"format": FORMAT, "version": version, **packed}).encode()


def _decrypt(document: dict[str, Any], name: str, passphrase: str) -> bytes:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if not passphrase:
        raise InputError(f"{name} is encrypted; set its passphrase in {PASSPHRASE}.")
    try:
        salt, nonce, sealed = (base64.b64decode(document[part], validate=True) for part in _SEALED)
        return AESGCM(_stretch(passphrase, salt)).decrypt(nonce, sealed, FORMAT.encode())
    except (InvalidTag, KeyError, TypeError, ValueError, binascii.Error):
        raise InputError(
            f"{name} does not open: the passphrase is another one, or the file was changed."
        ) from None


def _stretch(passphrase: str, salt: bytes) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return Scrypt(salt=salt, length=KEY_BYTES, **_SCRYPT).derive(passphrase.encode())
