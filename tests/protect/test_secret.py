"""The file that an author keeps: what it holds, and that strange ones are refused in a sentence."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dcq import writer
from dcq.errors import InputError
from dcq.protect import secret as private
from dcq.protect.secret import PrivateItem, check_items, from_bytes, is_sealed, to_bytes
from tests.support.protected import a_secret, with_beacon


def test_a_secret_comes_back_as_it_was(tmp_path: Path) -> None:
    for one in (a_secret(), with_beacon(a_secret(), "abc")):
        assert from_bytes(to_bytes(one), "s") == one
    path = tmp_path / "private.dcqsecret"
    writer.write(path, to_bytes(a_secret()), private=True, new=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(InputError, match="never overwritten"):
        writer.write(path, b"other", private=True, new=True)
    assert private.read(path) == a_secret()


def test_a_passphrase_hides_all_of_it() -> None:
    sealed = to_bytes(a_secret(), "correct horse")
    assert is_sealed(sealed, "s")
    assert not is_sealed(to_bytes(a_secret()), "s")
    assert b"mill" not in sealed
    assert a_secret().key.hex().encode() not in sealed
    assert from_bytes(sealed, "s", "correct horse") == a_secret()
    for wrong in ("", "correct house"):
        with pytest.raises(InputError):
            from_bytes(sealed, "s", wrong)
    document = json.loads(sealed)
    document["sealed"] = document["sealed"][:-8] + "AAAAAAA="
    with pytest.raises(InputError, match="does not open"):
        from_bytes(json.dumps(document).encode(), "s", "correct horse")


def test_keys_are_not_shown() -> None:
    shown = repr(a_secret())
    assert repr(a_secret().key) not in shown
    assert a_secret().key.hex() not in shown


def changed(**parts: Any) -> bytes:
    return json.dumps(json.loads(to_bytes(a_secret(2))) | parts).encode()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no secret"),
        (b"\xff\xfe", "no secret"),
        (b"[" * 100_000, "no secret"),
        (b'{"format": "other"}', "no secret"),
        (changed(version=3), "version"),
        (changed(version=2.0), "version"),
        (changed(version=True), "version"),
        (changed(version="2"), "version"),
        (changed(version=1), "belongs to no secret"),
        (changed(extra=1), "belongs to no secret"),
        (changed(draws=0), "damaged"),
        (changed(draws="1"), "damaged"),
        (changed(columns=["year"]), "damaged"),
        (changed(columns="ab"), "damaged"),
        (changed(beacon={"source": "x", "round": "1"}), "'value' is missing"),
        (changed(items=[{"id": "1", "label": None, "wordings": "ab", "cells": []}]), "damaged"),
        (changed(version="<script>" * 1000), "version"),
        (changed(key="zz"), "damaged"),
        (changed(key="00"), "damaged"),
        (changed(items=None), "damaged"),
        (changed(items=[{"id": 1}]), "damaged"),
        (changed(items=[]), "parts of the secret are missing"),
        (changed(beacon={"source": "x", "surprise": "y"}), "damaged"),
        (changed(title="\ud800"), "damaged"),
    ],
)
def test_a_strange_file_is_one_sentence(content: bytes, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        from_bytes(content, "strange")
    assert len(str(caught.value)) < 200
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("items", "says"),
    [
        ([("1", "a", "b"), ("1", "c", "d")], "twice"),
        ([("1", "a")], "1 wording"),
        ([("1", "a", "b"), ("2", "a", "b", "c")], "as many"),
        ([("1", "caf\u00e9", "cafe\u0301 ")], "the same text"),
        ([("1", *map(str, range(17)))], "17 wording"),
    ],
)
def test_what_no_lot_can_be_drawn_of(items: list[tuple[str, ...]], says: str) -> None:
    with pytest.raises(InputError, match=says):
        check_items(tuple(PrivateItem(name, tuple(texts)) for name, *texts in items))


def test_a_secret_that_was_edited_draws_no_other_lots() -> None:
    """One letter more, and half of the items would have another published wording."""
    document = json.loads(to_bytes(a_secret(2)))
    document["items"][0]["wordings"][0] += "!"
    with pytest.raises(InputError, match="changed after it was made"):
        from_bytes(json.dumps(document).encode(), "s")
    with pytest.raises(InputError, match="changed after it was made"):
        from_bytes(changed(key="00" * 32), "s")


@pytest.mark.parametrize("member", sorted(json.loads(to_bytes(a_secret(2)))))
@pytest.mark.parametrize("version", [1, 2])
def test_no_member_can_be_left_out(member: str, version: int) -> None:
    document = json.loads(to_bytes(replace(a_secret(2), version=version)))
    if document.pop(member, None) is None and member != "beacon":
        return  # one that version 1 did not have
    with pytest.raises(InputError, match=f"{member}' is missing|no secret|version"):
        from_bytes(json.dumps(document).encode(), "s")


def test_a_sealed_secret_has_one_version_and_no_other_member() -> None:
    sealed = json.loads(to_bytes(a_secret(2), "pass"))
    for edit in ({"version": 1}, {"extra": 1}):
        with pytest.raises(InputError, match="damaged"):
            from_bytes(json.dumps(sealed | edit).encode(), "s", "pass")


def test_all_items_are_checked_when_a_secret_is_read() -> None:
    twice = replace(a_secret(2), items=a_secret(1).items * 2)
    with pytest.raises(InputError, match="twice"):
        from_bytes(to_bytes(twice), "s")
