"""A store that an earlier release wrote opens, and says the same.

``tests/fixtures/store_m016`` is such a store as DuckDB exports one, written by the commands of the
release before methods, batches and placebos had columns: a modified, a standard and a rotated
quiz, protocol v2, a run by batch, and a placebo. ``results.json`` is what ``results --json``
printed then.
"""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

from dcq.judging import every_method, study
from dcq.quiz import protocol2
from dcq.store import Store, batches, migrations, runs, samples
from dcq.store.batches import StoredBatch
from tests.support.older_store import FOLDER


@pytest.fixture
def older(store_path: Path) -> Store:
    """The store as the release before left it."""
    store_path.parent.mkdir()
    with duckdb.connect(str(store_path)) as db:
        db.execute((FOLDER / "schema.sql").read_text())
        for line in (FOLDER / "load.sql").read_text().splitlines():
            db.execute(line.replace("FROM '", f"FROM '{FOLDER}/"))
        assert len(migrations.applied(db) or ()) == 16
    return Store(store_path)


def test_its_results_are_the_same_to_the_last_digit(older: Store) -> None:
    ranges = protocol2.by_run(protocol2.estimates(older))
    found = [
        every_method.document(one, ranges.get(one.evidence.run)) for one in study.findings(older)
    ]
    assert json.loads(json.dumps(found)) == json.loads((FOLDER / "results.json").read_text())


def test_its_runs_have_a_method_and_its_batch_a_row(older: Store) -> None:
    every = [runs.load(older, run_id) for run_id in runs.listing(older)]
    assert {run.plan.method for run in every} == {"quiz"}
    (by_batch,) = (run for run in every if run.plan.by_batch)
    assert by_batch.plan.model == "gpt-4o-mini"
    assert batches.of_run(older, by_batch.id) == [
        StoredBatch("file-0", "batch_0", 11, 5, 0.001257675, True)
    ]


def test_its_placebo_is_known_without_its_name(older: Store) -> None:
    listed = {sample.partition: sample.placebo_of for sample in samples.listing(older)}
    assert listed["control-news-placebo/test"] == "06bbc7e31fc39540"
    assert samples.load(older, "06bb").partition.placebo_of is None


def test_batches_that_were_under_way_are_collected_later(older: Store) -> None:
    """Notes of an earlier release: a file with an odd name whose batch was sent, one whose process
    died before that, and a batch that was only found at the endpoint."""
    run = "261122-f5bca64e"
    with duckdb.connect(str(older.path)) as db:
        for detail in (
            "batch file my%20file: 3 questions, replies of 5 tokens, 0.000000100 USD set aside",
            "batch b-1 sent: 3 questions, at half the list price, from file my%20file",
            "batch file lost: 2 questions, replies of 1 tokens, 0.5 USD set aside",
            "batch b-2 sent: found at the endpoint, from file other",
            "batch b-2 done: completed, 4 answers kept",
        ):
            db.execute(
                "INSERT INTO run_event (run_id, event, detail, made_at) "
                "VALUES (?, 'started', ?, now()::TIMESTAMP)",
                [run, detail],
            )
    assert set(batches.of_run(older, run)) == {
        StoredBatch("my file", "b-1", 3, 5, 1e-7, False),
        StoredBatch("other", "b-2", None, None, None, True),
        StoredBatch("lost", None, 2, 1, 0.5, False),
    }
