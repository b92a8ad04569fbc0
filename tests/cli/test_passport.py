"""Passports on the command line: made where the store is, checked where there is none."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from dcq.store import Store
from tests.support import commands
from tests.support.judged import SEEN, UNSEEN, put, put_controls

pytestmark = pytest.mark.slow


def test_from_a_key_to_a_check_elsewhere(
    fresh_store: Store, store_path: Path, tmp_path: Path
) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "lakes", UNSEEN)
    here = {"DCQ_STORE": str(store_path)}
    key, passport, bundle = tmp_path / "key", tmp_path / "rivers.json", tmp_path / "rivers.zip"
    done = commands.run("passport", "key", "--out", str(key), "--json", environment=here)
    assert done.returncode == 0, done.stderr
    signer = json.loads(done.stdout)["key"]
    asked = ("passport", "make", "--out", str(passport), "--key", str(key), "--json")
    done = commands.run(*asked, environment=here)
    assert done.returncode == 2
    assert "2 answers fit" in done.stderr
    chosen = (*asked, "--partition", "rivers/test", "--bundle", str(bundle))
    done = commands.run(*chosen, environment=here)
    assert done.returncode == 0, done.stderr
    written = json.loads(done.stdout)
    assert (written["ruling"], written["signed_by"]) == ("contaminated", signer)
    signed = tmp_path / "signed.json"
    nowhere = {"DCQ_STORE": str(tmp_path / "none" / "dcq.duckdb")}
    words = ("passport", "make", "--out", str(signed), "--key", str(key), "--json")
    pair = ("--partition", "rivers/test", "--from", str(bundle))
    done = commands.run(*words, *pair, environment=nowhere)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        **written, "file": str(signed), "valid_until": json.loads(done.stdout)["valid_until"]
    }  # fmt: skip
    done = commands.run(*words, *pair, "--without-text", environment=nowhere)
    assert (done.returncode, "goes with none of" in done.stderr) == (2, True)
    # Elsewhere: a store is neither there nor made.
    check = ("passport", "verify", str(passport), "--key", f"{key}.pub", "--json")
    done = commands.run(*check, "--bundle", str(bundle), environment=nowhere)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert list(found) == ["valid", "signed_by", "answer", "recomputed", "problems"]
    assert (found["valid"], found["recomputed"], found["problems"]) == (True, True, [])
    assert found["signed_by"] == signer
    assert not (tmp_path / "none").exists()
    document = json.loads(passport.read_text())
    document["payload"] = document["payload"][:-8] + "AAAA" + document["payload"][-4:]
    passport.write_text(json.dumps(document))
    done = commands.run(*check, environment=nowhere)
    assert done.returncode == 2
    found = json.loads(done.stdout)
    assert (found["valid"], found["answer"]) == (False, None)
    assert found["problems"][0] in done.stderr.replace("\n", " ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("verify", "absent.json", "--key", "absent.pub"), "name a key"),
        (("make", "--out", "x.json", "--key", "absent"), "name a key"),
        (("key", "--out", "none/key"), "cannot be written"),
    ],
)
def test_mistakes_are_one_sentence(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    environment = {"DCQ_STORE": str(tmp_path / "none.duckdb")}
    done = commands.run("passport", *words, environment=environment)
    assert done.returncode == 2
    assert said in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("--out", "key"),
        ("--out", "./key.pub"),
        ("--out", "new.zip", "--bundle", "new.zip"),
        ("--out", "study.zip", "--from", "study.zip"),
    ],
)
def test_a_key_and_a_bundle_are_never_replaced(tmp_path: Path, words: tuple[str, ...]) -> None:
    environment = {"DCQ_STORE": str(tmp_path / "none.duckdb")}
    key, bundle = tmp_path / "key", tmp_path / "study.zip"
    made = commands.run("passport", "key", "--out", str(key), environment=environment)
    assert made.returncode == 0
    bundle.write_bytes(b"a bundle")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    named = [word if word.startswith("--") else str(tmp_path / word) for word in words]
    done = commands.run("passport", "make", "--key", str(key), *named, environment=environment)
    assert done.returncode == 2
    assert "named twice" in done.stderr.replace("\n", " ")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_passphrase_that_is_too_long_is_refused(tmp_path: Path) -> None:
    environment = {"DCQ_PASSPHRASE": "x" * 1024}
    done = commands.run("passport", "key", "--out", str(tmp_path / "key"), environment=environment)
    assert (done.returncode, "set a shorter one" in done.stderr) == (2, True)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="links in a circle")
def test_a_link_that_leads_to_itself_is_one_sentence(fresh_store: Store, tmp_path: Path) -> None:
    environment = {"DCQ_STORE": str(fresh_store.path)}
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    key, loop = tmp_path / "key", tmp_path / "loop.json"
    loop.symlink_to(loop)
    assert commands.run("passport", "key", "--out", str(key), environment=environment)
    words = ("--key", str(key), "--partition", "rivers/test", "--out", str(loop))
    done = commands.run("passport", "make", *words, environment=environment)
    assert done.returncode == 2
    assert "loop.json cannot be written" in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
