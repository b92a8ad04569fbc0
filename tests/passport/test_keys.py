"""Keys: made once, opened by their passphrase, and told apart from everything else."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

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


_P = 2**255 - 19
_ORDER_8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
_SMALL = (0, 1, _P - 1, _ORDER_8, _P - _ORDER_8)
_SIGN = 1 << 255


def _public(path: Path, encoded: int) -> Path:
    """The file of a public key with these 32 bytes: the header of RFC 8410, then the key."""
    der = bytes.fromhex("302a300506032b6570032100") + encoded.to_bytes(32, "little")
    lines = base64.b64encode(der).decode()
    path.write_text(f"-----BEGIN PUBLIC KEY-----\n{lines}\n-----END PUBLIC KEY-----\n")
    return path


@pytest.mark.parametrize(
    "y",
    # The points of small order, their encodings that are not canonical, and others that are not.
    [*_SMALL, _P, _P + 1, _P + 3, _P + 18, 2],
)
def test_a_key_under_which_anybody_can_sign_is_refused(tmp_path: Path, y: int) -> None:
    for encoded in (y, y | _SIGN):
        with pytest.raises(InputError, match="anybody can forge under it"):
            keys.public_key(_public(tmp_path / "weak.pub", encoded))


def test_a_signature_under_a_point_of_small_order_fits_any_message(tmp_path: Path) -> None:
    """What the refusal is for: R = the neutral point, S = 0."""
    weak = Ed25519PublicKey.from_public_bytes((1).to_bytes(32, "little"))
    for message in (b"it has seen it", b"it has not"):
        weak.verify((1).to_bytes(32, "little") + bytes(32), message)  # raises where it does not fit


def test_every_key_that_is_made_is_sound() -> None:
    for _ in range(200):
        raw = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
        assert keys.is_sound(raw)


def test_a_file_with_two_keys_names_none(tmp_path: Path) -> None:
    keys.make(tmp_path / "one")
    keys.make(tmp_path / "two")
    both = tmp_path / "both.pub"
    both.write_bytes((tmp_path / "one.pub").read_bytes() + (tmp_path / "two.pub").read_bytes())
    with pytest.raises(InputError, match="no public Ed25519 key"):
        keys.public_key(both)
