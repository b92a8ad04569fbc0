"""``python -m dcq score`` as a person types it."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dcq.cli import app
from dcq.effect import matter, stored
from dcq.effect.questions import freeze
from dcq.errors import DcqError, InputError
from dcq.evidence.constat import constat
from dcq.quiz import freeze as quiz_freeze
from dcq.records import QuizKind
from dcq.store import Store, method_runs, runs
from tests.support.accepted_sample import accept, saved
from tests.support.behaviours import MODELS, says
from tests.support.provider import FakeProvider
from tests.support.runs import take
from tests.support.scoring import accepted, answers, ask

N = 40
CLEAN = ("clean-a", "clean-b", "clean-c")


@pytest.fixture(autouse=True)
def _own_store(fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    monkeypatch.setattr(matter, "constat", partial(constat, samples=20))
    monkeypatch.setitem(MODELS, "learned", answers(originals=0.95, rewordings=0.5))
    for place, name in enumerate(CLEAN):
        share = 0.7 + 0.05 * place
        monkeypatch.setitem(MODELS, name, answers(originals=share, rewordings=share))


def run(*words: str, code: int = 0) -> Any:
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == code, done.stderr
    return done


def run_json(*words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run(*words, "--json").stdout)
    return found


def references(*names: str) -> list[str]:
    return [word for name in names for word in ("--reference", name)]


def test_a_model_and_its_references_are_asked_and_judged(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample_id = accepted(fresh_store, N)
    found = run_json("score", sample_id[:10], "--model", "learned", *references(*CLEAN))
    assert {row["model"]: row["role"] for row in found} == {
        "learned": "target",
        **dict.fromkeys(CLEAN, "reference"),
    }
    [target] = [row for row in found if row["role"] == "target"]
    assert (target["n"], target["original"], target["reworded"]) == (N, 0.95, 0.5)
    assert target["verdict"] == "inflated"
    assert len(target["references"]) == 3
    [effect] = stored.all_stored(fresh_store)
    kept = {finding.model: finding.inflation for finding in effect.findings}["learned"]
    assert kept is not None
    assert kept.inflation == target["inflation"]
    asked = dict(provider.counts)
    words = ["score", sample_id, "--model", "learned", *references(*CLEAN)]
    assert run_json(*words, "--resume") == found
    assert dict(provider.counts) == asked
    said = run(*words, "--reuse").stdout
    assert "inflation" in said
    assert "Inflated." in said
    assert dict(provider.counts) == asked


def test_references_can_be_asked_alone_and_later(fresh_store: Store) -> None:
    sample_id = accepted(fresh_store, N)
    [target] = run_json("score", sample_id, "--model", "learned")
    assert target["verdict"] == "not enough"
    first, *others = run_json("score", sample_id, *references(*CLEAN))
    assert (first["model"], first["verdict"]) == ("learned", "inflated")
    assert [row["role"] for row in others] == ["reference"] * 3


def test_a_limit_and_a_cap_are_kept_and_the_rest_is_asked_later(
    fresh_store: Store, provider: FakeProvider
) -> None:
    sample_id = accepted(fresh_store)
    words = ("score", sample_id, "--model", "learned")
    [few] = run_json(*words, "--limit", "2")
    assert (few["n"], provider.counts["learned"]) == (2, 4)
    done = run(*words, "--resume", "--max-calls", "7", "--json", code=1)
    assert json.loads(done.stdout)[0]["n"] == 3
    assert "calls" in done.stderr
    [newest] = method_runs.runs_of(fresh_store, ["score"])
    [whole] = run_json("score", "--run", newest.run, "--max-calls", "99")
    assert (whole["n"], provider.counts["learned"]) == (6, 12)


def test_without_both_wordings_there_is_nothing_to_say(fresh_store: Store) -> None:
    words = ("score", accepted(fresh_store), "--model", "learned", "--max-calls", "1")
    assert "No instance is answered in both wordings yet" in run(*words, code=1).stdout
    assert json.loads(run(*words, "--json", code=1).stdout) == []


def test_scores_that_are_brought_are_judged_with_references_that_were_asked(
    fresh_store: Store, tmp_path: Path
) -> None:
    sample_id = accepted(fresh_store, N)
    run("score", sample_id, *references(*CLEAN))
    [effect] = stored.all_stored(fresh_store)
    ids = list(effect.scores.models[0].original)
    rows = [
        f"brought,target,{instance},{version},{int(version == 'original' or place % 2)}"
        for place, instance in enumerate(ids)
        for version in ("original", "reworded")
    ]
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(["model,role,instance_id,version,correct", *rows]))
    found = run_json("matter", str(file), "--keep", "--partition", "rivers/test")
    assert found[0]["model"] == "brought"
    assert {row["model"] for row in found[1:]} == set(CLEAN)
    [effect] = stored.all_stored(fresh_store)
    assert found[0]["verdict"] == effect.findings[0].ruling == "inflated"
    assert len(run_json("matter", str(file))) == 1  # without --keep it is the file alone


def test_what_does_not_fit_together_is_said(fresh_store: Store) -> None:
    sample_id = accepted(fresh_store)
    done = run("score", sample_id, "--model", "learned", "--max-calls", "5", code=1)
    assert "learned: 1 instance without its other version, left out" in done.stderr


def test_what_counts_as_wrong_is_said(fresh_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MODELS, "mute", says("Both"))
    done = run("score", accepted(fresh_store), "--model", "mute", code=1)
    assert "0 refused and 12 unusable replies count as wrong" in done.stderr.replace("\n", " ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Name a sample and a model"),
        (["SAMPLE"], "Name a sample and a model"),
        (["SAMPLE", "--model", "x", "--reference", "x"], "give it one role"),
        (["SAMPLE", "--model", "x", "--reference", "x@URL"], "give it one role"),
        (["SAMPLE", "--reference", "x", "--reference", "x@URL/"], "are one model; name it once"),
        (["SAMPLE", "OTHER", "--model", "x"], "one sample at a time"),
        (["SAMPLE", "--model", "likelihood:x"], "without likelihood:"),
        (["SAMPLE", "--model", "x", "--run", "r"], "give --run alone"),
        (["--run", "r", "--reference", "x"], "give --run alone"),
        (["--run", "none"], "none"),
        (["SAMPLE", "--model", "x", "--budget", "1"], "price of x is not known"),
        (["SAMPLE", "--model", "x", "--limit", "0"], "limit of 0"),
        (["SAMPLE", "--model", "azure:x"], "AZURE_OPENAI_ENDPOINT"),
    ],
)
def test_mistakes_are_one_sentence(
    fresh_store: Store, provider: FakeProvider, words: list[str], said: str
) -> None:
    values = {"SAMPLE": accepted(fresh_store), "OTHER": accepted(fresh_store, key="lakes")}
    given = [values.get(word, word).replace("URL", provider.base_url) for word in words]
    failed = CliRunner().invoke(app, ["score", *given])
    assert isinstance(failed.exception, DcqError), failed.exception
    assert said in str(failed.exception)
    assert runs.listing(fresh_store) == []


def test_a_sample_without_accepted_rewordings_says_so(fresh_store: Store) -> None:
    failed = CliRunner().invoke(app, ["score", saved(fresh_store), "--model", "learned"])
    assert isinstance(failed.exception, InputError)
    assert "6 without an accepted rewording" in str(failed.exception)


def test_a_run_keeps_the_role_in_which_it_began(fresh_store: Store) -> None:
    sample_id = accepted(fresh_store)
    run_json("score", sample_id, "--model", "learned", "--limit", "2")
    words = ["score", sample_id, *references("learned"), "--resume"]
    failed = CliRunner().invoke(app, words)
    assert isinstance(failed.exception, InputError)
    assert "asked learned as a target" in str(failed.exception)
    both = [*words, *references("clean-a"), "--max-calls", "77"]
    assert isinstance(CliRunner().invoke(app, both).exception, InputError)
    [only] = method_runs.runs_of(fresh_store, ["score"])
    assert runs.load(fresh_store, only.run).plan.max_calls is None  # nothing was changed before


def test_a_store_with_such_runs_is_shown_bundled_and_copied(
    fresh_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are no evidence: verdicts and bundles are those without them."""
    sample_id = saved(fresh_store, words=("lengthy", "lasting", "wide", "broad"))
    accept(fresh_store, sample_id)
    quiz_id = quiz_freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD).quiz
    run_id, _ = ask(fresh_store, freeze(fresh_store, sample_id), "always-b")
    refused = CliRunner().invoke(app, ["export", "bundle", "--to", str(tmp_path / "none.zip")])
    assert "nothing to bundle" in str(refused.exception)
    ask(fresh_store, freeze(fresh_store, sample_id), "always-c")
    asyncio.run(take(fresh_store, quiz_id, "always-a"))
    assert [row["method"] for row in run_json("results")] == ["quiz"]
    assert [row["model"] for row in run_json("answer")] == ["always-a"]
    status: Any = run_json("status")
    assert [row["method"] for row in status["runs"]] == ["quiz", "score", "score"]
    for name, more in (("whole", []), ("bare", ["--without-text"])):
        made = str(tmp_path / f"{name}.zip")
        run("export", "bundle", "--to", made, *more)
        monkeypatch.setenv("DCQ_STORE", str(tmp_path / name / "dcq.duckdb"))
        assert "agree with the bundle" in run("import", made).stdout
        other = Store(tmp_path / name / "dcq.duckdb")
        assert method_runs.runs_of(other, ["score"]) == []
        monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    run("backup", str(tmp_path / "copy.zip"))
    monkeypatch.setenv("DCQ_STORE", str(tmp_path / "back" / "dcq.duckdb"))
    run("restore", str(tmp_path / "copy.zip"), "--mine")
    back = Store(tmp_path / "back" / "dcq.duckdb")
    assert len(method_runs.runs_of(back, ["score"])) == 2
    shown = run("score", "--run", run_id, "--json", code=1)  # no reply of it is a choice
    assert {row["model"] for row in json.loads(shown.stdout)} == {"always-b", "always-c"}
