"""Asking for candidates and choosing among them, as a script does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dcq.store import Store, samples, variants
from dcq.store.variants import NewVariant
from tests.conftest import small_sample
from tests.support.provider import FakeProvider
from tests.support.shell import Shell

pytestmark = pytest.mark.slow


@pytest.fixture
def shell(store_path: Path, provider: FakeProvider) -> Shell:
    return Shell(store_path, provider.base_url)


def test_write_candidates_choose_and_take_it_back(shell: Shell, fresh_store: Store) -> None:
    sample = shell.json("sample", "control-nli", "test", "--n", "8")["sample"]
    written = shell.json("perturb", sample, "--candidates", "8")
    assert written["variants"] > 0
    before = variants.current(fresh_store, sample)
    found = shell.json("balance", sample)
    assert found["sample"] == sample
    assert found["instances"] == 8
    assert set(found["before"]) == {"shortest", "longest", "medoid", "frequent"}
    assert set(found["after"]["medoid"]) == set("ABCD")
    assert sum(found["ranks"]["after"]["length"]) == pytest.approx(1, abs=1e-5)
    assert max(share for found in found["after"].values() for share in found.values()) <= 0.5
    assert shell.json("balance", sample, "--undo") == {"restored": found["chosen"]}
    after = variants.current(fresh_store, sample)
    assert {i: {s: v.text for s, v in slots.items()} for i, slots in before.items()} == {
        i: {s: v.text for s, v in slots.items()} for i, slots in after.items()
    }
    shown = shell.run("balance", sample)
    assert "always the most central" in shown.stdout
    assert "now no strategy finds more than" in shown.stdout


def test_mistakes(shell: Shell, fresh_store: Store) -> None:
    full = samples.save(fresh_store, small_sample(3))
    one = samples.load(fresh_store, full).instances[0].id
    variants.add(fresh_store, full, [NewVariant(one, 4, "[bold]=1+1[/bold]", "offline")])
    done = shell.run("balance", full)
    assert "2 of 3 instances have no more than four usable texts" in done.stderr
    for words, said in (
        (("balance", "nothing"), "nothing"),
        (("balance",), "Usage"),
        (("perturb", full, "--candidates", "17"), "--candidates 8"),
        (("perturb", full, "--candidates", "8", "--variants", "3"), "--candidates 8"),
    ):
        failed = shell.run(*words)
        assert failed.returncode == 2
        assert said in failed.stderr
    assert json.loads(shell.run("balance", full, "--json").stdout)["chosen"] == 0
