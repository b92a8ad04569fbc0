"""An investigation from the command line: from samples to the verdict."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from dcq.jobs.state import RunState
from dcq.records import DatasetTask, PartitionRole, QuizKind
from dcq.store import Store, runs, samples
from tests.conftest import small_sample
from tests.support.investigated import save_target
from tests.support.provider import FakeProvider
from tests.support.reworded import save_reworded_target
from tests.support.runs import wait_until_ended
from tests.support.shell import Shell

pytestmark = pytest.mark.slow

N = 40
QUIZ = ("--methods", "quiz")  # and no other


@pytest.fixture
def shell(store_path: Path, provider: FakeProvider) -> Shell:
    return Shell(store_path, provider.base_url)


@pytest.fixture
def target(fresh_store: Store, provider: FakeProvider) -> str:
    return save_target(fresh_store, provider, N)


def test_one_command_ends_on_the_verdict_of_each_model(
    shell: Shell, fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    for key in ("lakes", "ponds"):
        samples.save(fresh_store, small_sample(N, key=key, role=PartitionRole.CONTROL))
    words = ("investigate", target[:8], *QUIZ, "--model", "knows-original", "--model", "guess")
    recalls, guesses = shell.json(*words)
    assert list(recalls) == [
        *("sample", "model", "kind", "slot", "verdict", "finding", "reasons", "others", "ended"),
        *("steps", "answer"),
    ]
    assert (recalls["sample"], recalls["model"]) == (target, "knows-original")
    assert recalls["verdict"] == "contaminated"
    assert recalls["finding"].startswith("knows-original picked the original in 40")
    assert "compared with unseen text (2 controls)" in recalls["finding"]
    assert guesses["verdict"] != "contaminated"
    assert [step["kind"] for step in recalls["steps"]] == ["modified"] + ["standard"] * 3
    assert {step["slot"] for step in recalls["steps"][1:]} == {recalls["slot"]}
    assert provider.counts == {"knows-original": 4 * N, "guess": 4 * N}

    again = shell.run(*words)
    assert again.returncode == 0
    assert again.stdout.startswith("Contaminated. knows-original has probably seen Rivers")
    assert "Standard on Rivers test has its answers already" in again.stderr
    assert provider.counts == {"knows-original": 4 * N, "guess": 4 * N}

    rotated = shell.json(
        "investigate", target, *QUIZ, "--model", "always-a", "--kind", "rotated", "--limit", "5"
    )
    assert provider.counts["always-a"] == 5 + 3 * 20
    assert (rotated[0]["slot"], rotated[0]["ended"]) == (None, "finished")


def test_named_controls_a_budget_and_a_resumption(
    shell: Shell, fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    lakes, _ = (
        samples.save(fresh_store, small_sample(N, key=key, role=PartitionRole.CONTROL))
        for key in ("lakes", "ponds")
    )
    words = ("investigate", target, "--model", "gpt-4o-mini")
    code, said = shell.fails(*words, *QUIZ, "--control", lakes, "--budget", "0.0002")
    assert code == 1
    assert "budget" in said
    assert provider.counts["gpt-4o-mini"] < 3 * N
    [done] = shell.json(*words, "--resume", "--budget", "1")
    assert [step["sample"] for step in done["steps"]] == [target, target, lakes]
    assert provider.counts["gpt-4o-mini"] == 3 * N
    assert runs.newest_run(fresh_store, "quiz", "gpt-4o-mini", sample_id=target) is not None


def in_french(store: Store) -> str:
    """A target with rewordings, of a language without bundled controls."""
    drawn = small_sample(N, key="fleuves")
    return samples.save(store, replace(drawn, partition=replace(drawn.partition, language="fr")))


def test_what_cannot_be_investigated_is_one_sentence(
    shell: Shell, fresh_store: Store, target: str
) -> None:
    words = ("investigate", target, *QUIZ, "--model", "guess")
    foreign = in_french(fresh_store)
    code, said = shell.fails("investigate", foreign, *QUIZ, "--model", "guess")
    assert code == 2
    assert "There is no control of the same task and language (classification, fr)" in said
    assert f"make a placebo of the sample (python -m dcq perturb {foreign} --placebo)" in said
    lakes = samples.save(fresh_store, small_sample(N, key="lakes", role=PartitionRole.CONTROL))
    for mistake, sentence in (
        (("investigate", "nosuch", "--model", "guess"), "neither a file here nor a name"),
        (("investigate", lakes, "--model", "guess"), "is a control"),
        ((*words, "--control", target), "is no control"),
        ((*words, "--kind", "bdq"), "standard or rotated"),
        ((*words, "--resume", "--control", lakes), "leave them out"),
        ((*words, "--budget", "1"), "price"),
        ((*words, "--limit", "0"), "at least 1"),
    ):
        code, said = shell.fails(*mistake)
        assert (code, sentence in said) == (2, True), said
    code, said = shell.fails("investigate", target, *QUIZ, "--model", "refuses")
    assert code == 1
    assert "no usable answer" in said
    standard = QuizKind.STANDARD
    assert runs.newest_run(fresh_store, "quiz", "refuses", sample_id=target, kind=standard) is None


def test_a_plan_is_printed_and_nothing_is_asked_or_stored(
    shell: Shell, fresh_store: Store, target: str, provider: FakeProvider, store_path: Path
) -> None:
    words = ("investigate", target[:8], "--plan", "--model", "gpt-4o-mini", "--model", "guess")
    foreign = in_french(fresh_store)
    bare = shell.run("investigate", foreign, "--plan", "--model", "guess", *QUIZ)
    assert bare.returncode == 0
    first, second, change, *_ = bare.stdout.splitlines()
    assert first.startswith("This plan cannot find anything")
    assert second == "The cheapest change that helps:"
    assert change.startswith("- Ask 3 more controls of 10 instances each (adds ")
    assert "There is no control, a text of the same task and language" in bare.stdout
    for key in ("lakes", "ponds", "seas"):
        samples.save(fresh_store, small_sample(N, key=key, role=PartitionRole.CONTROL))
    before = store_path.read_bytes()
    plan = shell.json(*words, *QUIZ)
    assert list(plan) == ["study", "calls", "cost_usd", "pairs", "changes"]
    assert (plan["study"], plan["calls"], plan["cost_usd"]) == (None, 2 * 5 * N, None)
    assert [(pair["model"], pair["partition"]) for pair in plan["pairs"]] == [
        ("gpt-4o-mini", "rivers/test"),
        ("guess", "rivers/test"),
    ]
    for pair in plan["pairs"]:
        assert set(pair["power"]) >= {"fifth", "half", "whole", "error"}
        assert set(pair["possible"]) <= {"contaminated", "no evidence", "inconclusive"}
        assert pair["problems"] == []
    shown = shell.run(*words)  # by all methods that each allows
    assert shown.stdout.startswith("If a model has seen half of a partition, this would find it in")
    assert "Nothing was asked." in shown.stdout
    assert "gpt-4o-mini  Rivers test" in shown.stdout
    assert store_path.read_bytes() == before
    assert not provider.counts
    assert shell.fails(*words, "--resume") == (
        2,
        "A plan says what would be asked anew; leave --resume out.",
    )


def test_two_at_once_share_the_answers_of_their_controls(
    store_path: Path, fresh_store: Store, target: str, provider: FakeProvider
) -> None:
    for key in ("lakes", "ponds"):
        samples.save(fresh_store, small_sample(N, key=key, role=PartitionRole.CONTROL))
    other = samples.save(fresh_store, small_sample(N, key="seas"))
    provider.latency = 0.1
    shell = Shell(store_path, provider.base_url)
    with ThreadPoolExecutor() as both:
        done = list(
            both.map(
                lambda one: shell.json("investigate", one, *QUIZ, "--model", "guess"),
                (target, other),
            )
        )
    assert [one["ended"] for [one] in done] == ["finished", "finished"]
    first, second = ({step["run"] for step in one["steps"][2:]} for [one] in done)
    assert first == second
    assert provider.counts["guess"] == 6 * N


def test_a_corpus_that_is_set_is_looked_through_beside(
    shell: Shell, fresh_store: Store, target: str, tmp_path: Path
) -> None:
    samples.save(fresh_store, small_sample(N, key="lakes", role=PartitionRole.CONTROL))
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    text = samples.load(fresh_store, target).instances[0].text
    (corpus / "pages.jsonl").write_text(json.dumps({"text": f"Read this: {text} And so on."}))
    shell.environment["DCQ_CORPUS"] = str(tmp_path / "absent")
    words = ("investigate", target, *QUIZ, "--model", "guess", "--limit", "4")
    done = shell.run(*words)
    assert done.returncode == 0
    assert "not searched for in DCQ_CORPUS" in done.stderr.replace("\n", " ")
    assert runs.newest_run(fresh_store, "scan", "corpus", sample_id=target) is None
    shell.environment["DCQ_CORPUS"] = str(corpus)
    done = shell.run(*words)
    assert "overlap is shown beside the answer" in done.stderr.replace("\n", " ")
    run = runs.newest_run(fresh_store, "scan", "corpus", sample_id=target)
    assert run is not None
    assert wait_until_ended(fresh_store, [run]) == {RunState.FINISHED}
    [answered] = [one["answer"] for one in shell.json(*words)]
    [aside] = [one for one in answered["methods"] if one["method"] == "overlap"]
    assert (aside["run"], aside["votes"]) == (run, False)
    assert runs.newest_run(fresh_store, "scan", "corpus", sample_id=target) == run  # not once more


def test_where_no_control_fits_small_ones_are_drawn_and_priced_before_anything_is_asked(
    shell: Shell, fresh_store: Store, provider: FakeProvider
) -> None:
    target = save_reworded_target(fresh_store, "reword")
    before = provider.counts["reword"]
    other = small_sample(6, key="pairs", role=PartitionRole.CONTROL)
    task = replace(other.partition, task=DatasetTask.NLI)
    samples.save(fresh_store, replace(other, partition=task))
    words = ("investigate", target, *QUIZ, "--model", "guess", "--budget", "1")
    code, said = shell.fails(*words)  # nobody knows the price
    said = " ".join(said.split())
    assert code == 2
    assert "Controls that are left out: Rivers test (the task is nli, not classification)" in said
    assert "10 controls are reworded first, by reword like the target (240 calls" in said
    assert provider.counts["reword"] == before
    assert not provider.counts["guess"]
