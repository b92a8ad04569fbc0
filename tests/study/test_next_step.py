"""What commands say to type next, and what an undecided answer says."""

from __future__ import annotations

from pathlib import Path

import pytest

from dcq.judging.answers import answers
from dcq.records import PartitionRole
from dcq.settings import DATA
from dcq.store import Store, samples
from dcq.study.next_step import repair_command
from tests.conftest import small_sample
from tests.support.judged import SEEN, put, put_controls
from tests.support.provider import FakeProvider
from tests.support.runs import NOBODY
from tests.support.shell import Shell

pytestmark = pytest.mark.slow


def commands_of(store: Store) -> dict[str, str]:
    return {
        one.partition: repair_command(store, one)
        for one in answers(store)
        if one.role == PartitionRole.TARGET
    }


def test_an_undecided_answer_names_one_command_and_a_decided_one_none(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    [alone] = commands_of(fresh_store).values()
    sample = next(one.id for one in samples.listing(fresh_store))
    assert alone == f"python -m dcq investigate {sample} --model {NOBODY} --yes"
    put_controls(fresh_store, 12)
    assert commands_of(fresh_store) == {"rivers/test": ""}


def test_each_step_leads_to_a_conclusion(
    store_path: Path, provider: FakeProvider, fresh_store: Store
) -> None:
    shell = Shell(store_path, provider.base_url)
    done = shell.run("sample", "control-docks", "test", "--n", "6", "--role", "target")
    target = done.stdout.split()[1].rstrip(":")
    leads = f"Next: python -m dcq investigate {target} --model"
    assert f"{leads} MODEL" in done.stdout
    assert f"{leads} MODEL" in shell.run("perturb", target).stdout
    assert f"{leads} MODEL" in shell.run("perturb", target, "--placebo").stdout
    assert f"{leads} MODEL" in shell.run("balance", target).stdout
    assert f"{leads} MODEL" in shell.run("quiz", target).stdout
    quiz = shell.json("quiz", target, "--kind", "rotated")["quiz"]
    assert f"{leads} guess" in shell.run("run", quiz, "--model", "guess").stdout
    control = samples.save(fresh_store, small_sample(3, key="lakes", role=PartitionRole.CONTROL))
    assert "Next: python -m dcq investigate TARGET --model MODEL" in shell.run(
        "balance", control
    ).stdout  # fmt: skip


def test_what_others_sent_has_no_next_command(store_path: Path) -> None:
    shell = Shell(store_path)
    shell.run("import", str(DATA / "example.zip"))
    done = shell.run("answer")
    assert done.returncode == 0, done.stderr
    assert "Undecided. SmolLM2-135M picked" in done.stdout
    assert "Next:" not in done.stdout


def test_a_text_that_no_bundled_control_is_like_gets_a_placebo(store_path: Path) -> None:
    words = ("kjv", "--split", "verses", "--n", "12", "--model", "guess", "--plan")
    [pair] = Shell(store_path).json("investigate", *words)["pairs"]
    assert [control["partition"] for control in pair["controls"]] == ["kjv-placebo/verses"]
