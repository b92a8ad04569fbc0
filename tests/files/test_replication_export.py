"""A replication in its authors' columns: what is read back is what the store says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dcq.audit.replication import audit_replication
from dcq.commands.report import ExportForm
from dcq.commands.report import export as export_command
from dcq.errors import InputError
from dcq.files import export, replication_export
from dcq.records import DatasetTask, Instance, Sample
from dcq.replication.evidence import ReplicationRun
from dcq.replication.judge import MatchLevel
from dcq.replication.prompts import Instruction
from dcq.replication.replicate import Design, replicate
from dcq.store import Store, replications, samples
from tests.support.behaviours import MODELS, says
from tests.support.provider import FakeProvider
from tests.support.replications import run_of, sample, save


def same(result: ReplicationRun, path: Path) -> None:
    """The audit of the file has the numbers of the store."""
    found = audit_replication(path).document()
    guidance, matches = result.measured.guidance, result.measured.matches
    assert found["n"] == result.n
    assert found["rouge_l"] == {
        "general": pytest.approx(guidance.general),
        "guided": pytest.approx(guidance.guided),
        "p_value": guidance.p_value,
    }
    assert found["algorithm1"]["rouge_l"] == guidance.contaminated
    assert found["exact"] == matches.exact
    assert found["near_exact"] == (matches.near_exact if result.judge else None)
    assert not audit_replication(path).mismatches


@pytest.mark.parametrize("model", ["recites", "partly"])
async def test_the_audit_reads_the_numbers_of_the_run(
    fresh_store: Store,
    provider: FakeProvider,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    model: str,
) -> None:
    monkeypatch.setitem(MODELS, "partly", says("Winter 3 of brooks froze it, or so I hear."))
    sample_id, texts = save(fresh_store, 12)
    provider.seen = tuple(texts[:3])
    done = await replicate(
        fresh_store, sample_id, model, Design(judge="judges", instructions=tuple(Instruction))
    )
    for place, (one, other) in enumerate(
        [(MatchLevel.EXACT, MatchLevel.NEAR_EXACT), (MatchLevel.INEXACT,) * 2]
    ):
        replications.add(fresh_store, done.run, place, "Ada", one)
        replications.add(fresh_store, done.run, place, "Bob", other)
    data = replication_export.release_frame(fresh_store, done.run)
    assert list(data.columns) == [
        *("text", "label", "first_piece", "second_piece"),
        *("generated_guided_completion", "generated_general_completion"),
        *("rouge_score_for_general_completion", "rouge_score_for_guided_completion"),
        *("gpt4_icl_evaluation", "annotator1_evaluation", "annotator2_evaluation"),
    ]
    result = run_of(fresh_store, done.run)
    for suffix in (".jsonl", ".parquet", ".csv"):
        path = tmp_path / f"brooks{suffix}"
        export.write(data, path)
        same(result, path)
    people = result.people
    assert people.matches is not None
    assert people.agreement is not None
    assert audit_replication(path).document()["human"] == {
        "exact": people.matches.exact,
        "near_exact": people.matches.near_exact,
        "agreement": people.agreement.share,
    }
    assert (people.matches.near_exact, people.agreement.share) == (1, 0.5)


def pairs(n: int) -> Sample:
    made = sample(0)
    instances = tuple(
        Instance(
            f"Sentence 1: =SUM(A1) brook {number} rose.\nSentence 2: It rose, {number}.\nLabel: 1",
            {"a": f"=SUM(A1) brook {number} rose.", "b": f"It rose, {number}.", "label": "1"},
            "1",
            ("Label: 1",),
        )
        for number in range(n)
    )
    partition = replace(made.partition, task=DatasetTask.NLI)
    return replace(made, partition=partition, instances=instances, requested=n, available=n)


async def test_pairs_a_missing_completion_and_no_judge(
    fresh_store: Store, provider: FakeProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(MODELS, "says", says("It rose, 1."))
    sample_id = samples.save(fresh_store, pairs(3))
    done = await replicate(fresh_store, sample_id, "says")
    path = tmp_path / "pairs.csv"
    export.write(replication_export.release_frame(fresh_store, done.run), path)
    columns = path.read_text("utf-8-sig").splitlines()[0].split(",")
    assert {"sentence1", "sentence2"} <= set(columns)
    assert "gpt4_icl_evaluation" not in columns
    assert audit_replication(path).rows[1].pieces.first == "=SUM(A1) brook 1 rose."
    assert "'=SUM" in path.read_text("utf-8")
    same(run_of(fresh_store, done.run), path)
    monkeypatch.setitem(MODELS, "silent", says("   "))
    silent = await replicate(fresh_store, sample_id, "silent")
    export.write(replication_export.release_frame(fresh_store, silent.run), path)
    found = audit_replication(path)
    assert (found.n, found.rouge.n, found.document()["rouge_l"]["guided"]) == (3, 0, None)


async def test_only_bleurt_is_called_bleurt(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample_id, _ = save(fresh_store, 2)
    done = await replicate(fresh_store, sample_id, "recites")
    column = "bleurt_score_for_guided_completion"
    assert column not in replication_export.release_frame(fresh_store, done.run)
    meaning = run_of(fresh_store, done.run).meaning
    named = replace(meaning, called="BLEURT (BLEURT-20)") if meaning else None
    monkeypatch.setattr(ReplicationRun, "meaning", property(lambda run: named))
    assert (column in replication_export.release_frame(fresh_store, done.run)) == (
        meaning is not None
    )


async def test_on_the_command_line(
    fresh_store: Store,
    provider: FakeProvider,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    sample_id, _ = save(fresh_store, 2)
    done = await replicate(fresh_store, sample_id, "recites")
    path = tmp_path / "published.csv"
    export_command("replication", done.run, path, ExportForm.RELEASE, as_json=True)
    assert json.loads(capsys.readouterr().out) == {"file": str(path), "rows": 2}
    same(run_of(fresh_store, done.run), path)
    with pytest.raises(InputError, match="leave --format out"):
        export_command("results", None, path, ExportForm.RELEASE)
    with pytest.raises(InputError, match="Give an id"):
        export_command("replication", None, path, ExportForm.RELEASE)
