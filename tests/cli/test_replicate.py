"""``python -m dcq replicate`` as a person types it."""

import json
import os
import re

import pytest

from dcq.records import PartitionRole
from dcq.store import Store, replications, runs
from tests.support import commands
from tests.support.behaviours import MODELS, says
from tests.support.provider import FakeProvider
from tests.support.replications import save

KEYS = [
    *("run", "judge_run", "sample", "partition", "model", "n", "left_out", "cuts", "outcomes"),
    *(
        "rouge_l",
        "meaning",
        "exact",
        "near_exact",
        "algorithm1",
        "algorithm2",
        "verdict",
        "reasons",
    ),
    *("tokens_in", "tokens_out", "cost_usd"),
]
FIRST_KEYS = [
    *("run", "judge_run", "sample", "partition", "model", "first_instances"),
    *("tokens_in", "tokens_out", "cost_usd"),
]


@pytest.fixture
def environment(fresh_store: Store, provider: FakeProvider) -> dict[str, str]:
    assert provider.base_url
    return os.environ | {"DCQ_STORE": str(fresh_store.path)}


def test_it_completes_judges_resumes_and_exports(
    fresh_store: Store, provider: FakeProvider, environment: dict[str, str]
) -> None:
    sample_id, texts = save(fresh_store, 4)
    provider.seen = (texts[0],)
    words = ["replicate", sample_id[:10], "--model", "recites", "--judge", "judges"]
    done = commands.run(*words, "--limit", "2", environment=environment)
    assert done.returncode == 0, done.stderr
    assert "recites on Brooks test: 50.0 %" in done.stdout
    assert done.stdout.startswith("Undecided. ")
    resumed = commands.run(*words, "--resume", "--json", environment=environment)
    found = json.loads(resumed.stdout)
    assert list(found) == KEYS
    assert (found["n"], found["exact"], found["near_exact"]) == (4, 1, 0)
    assert found["outcomes"] == {"completion": 8}
    assert found["tokens_in"] > 0
    assert provider.counts == {"recites": 8, "judges": 3}
    again = commands.run(
        *("replicate", "--run", found["run"], "--run", found["judge_run"], "--json"),
        environment=environment,
    )
    both = json.loads(again.stdout)
    assert [one["judge_run"] for one in both] == [found["judge_run"]] * 2
    assert provider.counts == {"recites": 8, "judges": 3}
    file = fresh_store.path.with_name("rows.csv")
    exported = commands.run(
        *("export", "replication", found["run"], "--to", str(file)), environment=environment
    )
    assert exported.returncode == 0, exported.stderr
    assert file.read_text("utf-8").count("\n") == 5


def test_the_controls_and_the_cuts_of_the_page(
    fresh_store: Store, provider: FakeProvider, environment: dict[str, str]
) -> None:
    sample_id, _ = save(fresh_store, 4)
    words = ["replicate", sample_id, "--model", "recites", "--json"]
    plain = json.loads(commands.run(*words, environment=environment).stdout)
    assert list(plain["rouge_l"]["guided_minus"]) == ["general"]
    assert plain["cuts"] == {"seed": 4}
    done = commands.run(
        *(*words, "--name-swapped", "--wrong-label", "--cut-share", "0.1:0.2"),
        environment=environment,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert list(found["rouge_l"]["guided_minus"]) == ["general", "name-swapped", "wrong-label"]
    assert found["outcomes"] == {"completion": 16}
    assert any("Ostrevel" in json.dumps(body) for body in provider.bodies)
    subjects = [runs.load(fresh_store, one["run"]).plan.subject for one in (plain, found)]
    before, after = (replications.load(fresh_store, subject) for subject in subjects)
    assert (before.earliest, before.latest, before.instructions) == (
        0.4,
        0.7,
        ("guided", "general"),
    )
    assert (after.earliest, after.latest) == (0.1, 0.2)
    assert all(piece.wrong_label not in {None, piece.label} for piece in after.pieces)


def test_a_control_has_no_verdict_and_without_a_judge_it_says_so(
    fresh_store: Store, environment: dict[str, str]
) -> None:
    sample_id, _ = save(fresh_store, 2, role=PartitionRole.CONTROL)
    done = commands.run("replicate", sample_id, "--model", "recites", environment=environment)
    assert done.returncode == 0, done.stderr
    assert "No judge was asked, so only exact matches count." in done.stdout
    assert not re.search("contaminated|undecided|no evidence", done.stdout, re.IGNORECASE)


def test_first_instances_are_asked_for_in_one_call(
    fresh_store: Store,
    provider: FakeProvider,
    environment: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sample_id, texts = save(fresh_store, 3)
    monkeypatch.setitem(MODELS, "says", says(f"1. {texts[0]}"))
    words = ["replicate", sample_id[:10], "--model", "says", "--first-instances"]
    done = commands.run(*words, "--json", environment=environment)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert list(found) == FIRST_KEYS
    assert (found["first_instances"], found["sample"], found["judge_run"]) == (
        "contaminated",
        sample_id,
        None,
    )
    assert provider.counts == {"says": 1}
    resumed = commands.run(*words, "--resume", environment=environment)
    assert "says, asked for the first instances: contaminated." in resumed.stdout
    assert provider.counts == {"says": 1}
    assert runs.listing(fresh_store) == [found["run"]]
    commands.run(*words, environment=environment)
    assert provider.counts == {"says": 2}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "Name a sample and a model"),
        (["SAMPLE"], "Name a sample and a model"),
        (["nosuch", "--model", "recites"], "No sample"),
        (["SAMPLE", "--model", "likelihood:vllm:m"], "scores texts and writes none"),
        (["SAMPLE", "--model", "recites", "--judge", "likelihood:vllm:m"], "scores texts"),
        (["SAMPLE", "--model", "recites", "--budget", "1"], "price of recites is not known"),
        (["SAMPLE", "--model", "recites", "--limit", "0"], "asks nothing"),
        (["SAMPLE", "--run", "x"], "already"),
        (["--run", "nosuch"], "No run"),
        (["SAMPLE", "--first-instances"], "Name a sample and a model"),
        (["SAMPLE", "--model", "recites", "--first-instances", "--judge", "j"], "nobody judges"),
        (["SAMPLE", "--model", "recites", "--first-instances", "--limit", "2"], "nobody judges"),
        (["SAMPLE", "--model", "likelihood:vllm:m", "--first-instances"], "writes none"),
        (["SAMPLE", "--model", "recites", "--first-instances", "--budget", "1"], "not known"),
        (["--run", "x", "--first-instances"], "already"),
        (["SAMPLE", "--model", "recites", "--against", "x.csv"], "add --audit"),
        (["SAMPLE", "--audit", "x.csv"], "analysed alone"),
        (["--audit", "x.csv", "--wrong-label"], "analysed alone"),
        (["--run", "x", "--cut-share", "0.3:0.5"], "already"),
        (["SAMPLE", "--model", "recites", "--resume", "--name-swapped"], "goes on with"),
        (["SAMPLE", "--model", "recites", "--first-instances", "--wrong-label"], "nobody judges"),
        (["SAMPLE", "--model", "recites", "--cut-share", "0:1"], "above 0 and below 1"),
        (["SAMPLE", "--model", "recites", "--cut-share", "0.7:0.4"], "the smaller one first"),
        (["SAMPLE", "--model", "recites", "--cut-share", "half"], "two numbers, such as 0.4:0.7"),
        (["SAMPLE", "--model", "recites", "--cut-share", ":"], "two numbers"),
    ],
)
def test_mistakes_are_explained_and_nothing_is_kept(
    fresh_store: Store,
    environment: dict[str, str],
    provider: FakeProvider,
    words: list[str],
    sentence: str,
) -> None:
    sample_id, _ = save(fresh_store, 2)
    given = [sample_id if word == "SAMPLE" else word for word in words]
    done = commands.run("replicate", *given, environment=environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in " ".join(done.stderr.split())
    assert provider.counts == {}
    assert runs.listing(fresh_store) == []


def test_an_endpoint_that_refuses_ends_it_with_1(
    fresh_store: Store, environment: dict[str, str]
) -> None:
    sample_id, _ = save(fresh_store, 2)
    done = commands.run(
        "replicate", sample_id, "--model", "quota", "--json", environment=environment
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["n"] is None
    assert done.stderr
