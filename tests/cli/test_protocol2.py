"""The five-option protocol, placebo and soft scores as a script would use them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store, samples
from tests.conftest import small_sample
from tests.support.provider import FakeProvider
from tests.support.runs import answer
from tests.support.shell import Shell

pytestmark = pytest.mark.slow


@pytest.fixture
def shell(store_path: Path, provider: FakeProvider) -> Shell:
    return Shell(store_path, provider.base_url)


def test_bdq_bcq_and_the_range(shell: Shell, fresh_store: Store) -> None:
    sample = samples.save(fresh_store, small_sample(5))
    bdq = shell.json("quiz", sample, "--kind", "bdq")
    assert bdq == {"quiz": bdq["quiz"], "kind": "bdq", "items": 5, "slot": None}
    answer(fresh_store, bdq["quiz"], {"A": 2, "C": 1, "D": 1, "E": 1})

    made = shell.run("quiz", sample, "--kind", "bcq", "--json")
    bcq = json.loads(made.stdout)
    assert bcq == {"quiz": bcq["quiz"], "kind": "bcq", "items": 5, "slot": "B"}
    assert "the first slot that tester does" in made.stderr
    answer(fresh_store, bcq["quiz"], {"B": 4, "A": 1})

    shown = shell.run("results").stdout
    assert "bcq, original at B" in shown
    assert "contamination from 80.0 % to 80.0 % (n = 5, original at B)" in shown
    rows = shell.json("results")
    assert {(row["kind"], row["score"]) for row in rows} == {("bcq", 0.8), ("bdq", None)}


def test_a_placebo_goes_the_same_way(shell: Shell, fresh_store: Store) -> None:
    sample = samples.save(fresh_store, small_sample(5))
    done = shell.run("perturb", sample, "--placebo", "--model", "reword", "--json")
    written = json.loads(done.stdout)
    assert written["sample"] != sample
    assert (written["instances"], written["variants"], written["failed"]) == (5, 20, 0)
    assert f"Placebo of sample {sample}" in done.stderr
    quiz = freeze.freeze(fresh_store, written["sample"], QuizKind.ROTATED).quiz
    shell.json("run", quiz, "--model", "always-d", "--logprobs")
    header, cells = shell.run("results").stdout.splitlines()[:2]
    assert "soft  debiased" in header
    assert "rivers-placebo/test" in cells
    assert cells.count("25.0 %") == 3  # score, soft and debiased: a letter lover remembers nothing
