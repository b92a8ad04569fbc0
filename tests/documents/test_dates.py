"""Controls that are older than a model's cut-off are named, and so is a target that is newer."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from dcq.evidence.check import Topic
from dcq.judging.judged import JudgedResult
from dcq.judging.replication import results
from dcq.judging.study import findings
from dcq.records import PartitionRole
from dcq.replication.replicate import Design, replicate
from dcq.store import Store, partitions, samples
from tests.conftest import small_sample
from tests.support import replications
from tests.support.judged import SEEN, of, put, put_controls, ruling, words
from tests.support.provider import FakeProvider

IN_NOVEMBER = date(2026, 11, 21)


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "own_cutoffs.toml"
    path.write_text('[models]\n"tester" = "2027-01"\n"older" = "2026-10"\n"same" = "2026-11"\n')
    monkeypatch.setenv("DCQ_CUTOFFS", str(path))
    return path


def test_the_store_knows_the_dates_of_its_partitions(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN, published=IN_NOVEMBER)
    samples.save(fresh_store, small_sample(key="lakes"))
    assert partitions.published(fresh_store) == {"rivers/test": IN_NOVEMBER}


@pytest.mark.slow
def test_a_verdict_says_so_and_stands(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    put_controls(fresh_store, published=IN_NOVEMBER)
    found = of(fresh_store, "rivers")
    assert ruling(found) == "contaminated"
    assert "were published before the model's cut-off (2027-01)" in words(found)
    assert found.verdict is not None
    topics = [check.topic for check in found.verdict.checks]
    assert set(topics[: topics.index(Topic.DATES)]) == {Topic.REPLIES, Topic.CONTROLS, Topic.MARGIN}


async def test_a_replication_says_so_too(
    fresh_store: Store, provider: FakeProvider, own: Path
) -> None:
    target = replications.sample()
    control = replications.sample(key="lakes", role=PartitionRole.CONTROL)
    for made in (target, control):
        dated = replace(made, partition=replace(made.partition, published=IN_NOVEMBER))
        await replicate(
            fresh_store, samples.save(fresh_store, dated), "recites", Design(judge="judges")
        )
    assert [line for one in results(fresh_store) for line in of_dates(one)] == []
    own.write_text('[models]\n"recites" = "2027-01"\n')
    [line] = [line for one in results(fresh_store) for line in of_dates(one)]
    assert line.startswith("Lakes test was published before the model's cut-off (2027-01)")


def of_dates(one: JudgedResult) -> list[str]:
    checks = one.verdict.checks if one.verdict else ()
    return [check.sentence for check in checks if check.topic is Topic.DATES]


@pytest.mark.slow
def test_controls_without_a_date_get_no_line(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    put_controls(fresh_store)
    for found in findings(fresh_store):
        if found.verdict is not None:
            assert Topic.DATES not in {check.topic for check in found.verdict.checks}
