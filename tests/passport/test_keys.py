"""Keys: made once, opened by their passphrase, and told apart from everything else."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

from dcq.errors import InputError
from dcq.passport import keys


def test_a_passphrase_encrypts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "key"
    monkeypatch.setenv(keys.PASSPHRASE, "river bank")
    made = keys.make(path)
    assert b"ENCRYPTED" in path.read_bytes()
    assert keys.key_id(keys.private_key(path).public_key()) == made
    assert keys.key_id(keys.public_key(tmp_path / "key.pub")) == made
    monkeypatch.setenv(keys.PASSPHRASE, "another")
    with pytest.raises(InputError, match="does not open"):
        keys.private_key(path)
    monkeypatch.delenv(keys.PASSPHRASE)
    with pytest.raises(InputError, match="is encrypted"):
        keys.private_key(path)


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    keys.make(tmp_path / "key")
    before = (tmp_path / "key").read_bytes()
    with pytest.raises(InputError, match="never overwritten"):
        keys.make(tmp_path / "key")
    assert (tmp_path / "key").read_bytes() == before
    with pytest.raises(InputError, match="cannot be written"):
        keys.make(tmp_path / "none" / "key")


def test_what_is_no_key_is_refused_with_one_sentence(tmp_path: Path) -> None:
    keys.make(tmp_path / "key")
    other = generate_private_key(SECP256R1())
    curve = tmp_path / "curve"
    curve.write_bytes(
        other.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    huge, noise = tmp_path / "huge", tmp_path / "noise"
    huge.write_bytes(b"-" * 20_000)
    noise.write_bytes(b"-----BEGIN PUBLIC KEY-----\n\xff\n-----END PUBLIC KEY-----\n")
    for path in (curve, huge, noise):
        path.chmod(0o600)
    with pytest.raises(InputError, match="private key; give the public one"):
        keys.public_key(tmp_path / "key")
    for path in (noise, huge, tmp_path / "absent", tmp_path):
        with pytest.raises(InputError):
            keys.public_key(path)
    for path in (curve, noise, huge, tmp_path / "absent", tmp_path):
        with pytest.raises(InputError):
            keys.private_key(path)
