"""``python -m dcq likelihood`` as a person types it."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from typer.testing import CliRunner

from dcq.asking.options import NO_TERMS
from dcq.cli import app as cli
from dcq.errors import InputError, ModelChoiceError
from dcq.investigation.price import needs
from dcq.models import scorable
from dcq.quiz import choice as choosing
from dcq.records import PartitionRole
from dcq.store import Store, runs, samples
from tests.support import commands
from tests.support.behaviours import MODELS
from tests.support.likelihoods import CONTROLS, save, score, score_all
from tests.support.provider import FakeProvider

N = 20
KEYS = [
    *("run", "model", "sample", "measure", "n", "score", "expected", "low", "high"),
    *("p_value", "p_control", "q_control", "verdict", "reasons"),
]


@pytest.fixture(autouse=True)
def own_store(fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    assert provider.base_url
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))


def run_json(*words: str) -> list[dict[str, Any]]:
    done = CliRunner().invoke(cli, [*words, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_it_scores_resumes_and_prints_an_entry_a_measure(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target = save(fresh_store, provider, N, CONTROLS)
    part = run_json("likelihood", target[:10], "--model", "likelihood:words", "--limit", "5")
    assert [list(row) for row in part] == [KEYS] * 3
    assert [(row["measure"], row["n"]) for row in part] == [("mean", 5), ("zlib", 5), ("mink", 5)]
    assert part[0]["verdict"] == "inconclusive"
    whole = run_json("likelihood", target, "--model", "words", "--resume")
    assert whole[0]["run"] == part[0]["run"]
    assert len(provider.bodies) == N * 4
    assert (whole[0]["n"], whole[0]["score"], whole[0]["model"]) == (N, 1.0, "words")
    assert whole[0]["sample"] == target
    assert whole[0]["p_control"] is None  # no control was scored yet
    score_controls(fresh_store)
    again = run_json("likelihood", "--run", whole[0]["run"])
    assert len(provider.bodies) == N * 4 * 4
    first, *others = again
    assert first["verdict"] == "contaminated"
    assert first["p_control"] <= first["q_control"] <= 0.05
    assert first["expected"] < 0.6
    assert first["low"] < first["score"] <= first["high"] == 1.0
    for row in others:
        assert (row["q_control"], row["verdict"]) == (None, None)
        assert 0 <= row["p_control"] <= 1
        assert "the mean log-probability alone decides" in row["reasons"][0]


def score_controls(store: Store) -> None:
    for one in samples.listing(store):
        if one.role is PartitionRole.CONTROL:
            score(store, one.id)


def test_it_says_what_it_found(fresh_store: Store, provider: FakeProvider) -> None:
    target = save(fresh_store, provider, N, CONTROLS)
    score_all(fresh_store)
    said = CliRunner().invoke(cli, ["likelihood", target, "--model", "words", "--resume"])
    assert "Contaminated. words on Rivers test: On average the original is likelier" in said.stdout
    assert "minkpp" not in said.stdout
    shown = CliRunner().invoke(cli, ["results"], catch_exceptions=False).stdout
    assert "rivers/test, likelihood: Contaminated." in shown


def test_measures_can_be_chosen(fresh_store: Store, provider: FakeProvider) -> None:
    target = save(fresh_store, provider, 3, ("lakes",))
    rows = run_json("likelihood", target, "--model", "words", "--measures", "codec, recall")
    assert [row["measure"] for row in rows] == ["mean", "recall", "codec"]
    assert len(provider.bodies) == 3 * 4 * 3


def test_mistakes_are_one_sentence(fresh_store: Store, provider: FakeProvider) -> None:
    target = save(fresh_store, provider, 3)
    for words, why in (
        ([], "Name a sample and a model"),
        ([target], "Name a sample and a model"),
        ([target, "--model", "words", "--run", "r"], "give --run alone"),
        ([target, "--model", "words", "--measures", "guess"], "no measure 'guess'"),
        ([target, "--model", "words", "--measures", "mink", "--resume"], "leave out --measures"),
        ([target, "--model", "words", "--measures", "recall"], "leave recall out"),
    ):
        failed = CliRunner().invoke(cli, ["likelihood", *words])
        assert isinstance(failed.exception, InputError), words
        assert why in str(failed.exception)
    failed = CliRunner().invoke(cli, ["ask", "likelihood", target, "--model", "words"])
    assert "python -m dcq likelihood" in str(failed.exception)


def test_a_model_without_log_probabilities_ends_with_a_sentence(
    fresh_store: Store, provider: FakeProvider
) -> None:
    target = save(fresh_store, provider, 3)
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    done = commands.run(
        "likelihood", target, "--model", "ignores-echo", "--json", environment=environment
    )
    assert (done.returncode, json.loads(done.stdout)) == (1, [])
    assert "does not return the log-probabilities of the prompt" in done.stderr.replace("\n", " ")


def test_a_model_that_cannot_be_scored_is_refused_before_anything_is_asked(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise ModelChoiceError("Likelihood mode on this machine needs more.")

    monkeypatch.setattr(scorable, "check_embedded", refuse)
    target = save(fresh_store, provider, 3, CONTROLS)
    chosen = choosing.choose(fresh_store, target, methods=["likelihood"])
    told = needs(fresh_store, chosen, ["embedded"], NO_TERMS)
    assert [one.calls for one in told if one.kind == "likelihood"] == [3] * 4
    words = ("investigate", target, "--model", "embedded", "--methods", "likelihood")
    failed = CliRunner().invoke(cli, words)
    assert "needs more" in str(failed.exception) + failed.output
    assert runs.listing(fresh_store) == []


def test_an_investigation_can_ask_it(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The quizzes by letters and the likelihoods are of one model, under one name."""
    monkeypatch.setitem(MODELS, "words", MODELS["always-a"])  # else letters are enough
    target = save(fresh_store, provider, 12, CONTROLS)
    [done] = run_json("investigate", target, "--model", "words", "--methods", "likelihood")
    [other] = done["others"]
    assert (other["method"], other["verdict"]) == ("likelihood", "contaminated")
    asked = len(provider.bodies)
    assert {runs.load(fresh_store, run).plan.model for run in runs.listing(fresh_store)} == {
        "words"
    }
    run_json("investigate", target, "--model", "words", "--resume")
    assert len(provider.bodies) == asked
