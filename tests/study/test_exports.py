"""The files that a study writes when it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from dcq.errors import InputError
from dcq.store import Store, studies
from dcq.store.studies import Study
from dcq.study.exports import write_exports
from dcq.study.spec import ModelSpec, StudySpec, TargetSpec
from tests.support.judged import SEEN, put, put_controls
from tests.support.runs import NOBODY


@pytest.fixture
def spec(fresh_store: Store) -> StudySpec:
    """A study of one of two partitions that were asked about."""
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "lakes", SEEN)
    put_controls(fresh_store, 12)
    studies.save(fresh_store, Study("nightly", ("rivers/test",), (NOBODY,)))
    return StudySpec("nightly", (TargetSpec("rivers"),), (ModelSpec(NOBODY),))


def test_each_form_has_the_results_of_the_study_alone(
    fresh_store: Store, spec: StudySpec, tmp_path: Path
) -> None:
    names = {
        "results": "out/results.csv",
        "pairs": "pairs.jsonl",
        "report": "report.md",
        "every-eval-ever": "eee.json",
        "contamination-index": "index.json",
    }
    spec.exports.update({name: tmp_path / path for name, path in names.items()})
    assert write_exports(fresh_store, spec) == list(spec.exports.values())
    results = pd.read_csv(spec.exports["results"])
    assert "rivers/test" in set(results["partition"])
    assert "lakes/test" not in set(results["partition"])
    pairs = [json.loads(line) for line in spec.exports["pairs"].read_text().splitlines()]
    assert {(pair["partition"], pair["study"]) for pair in pairs} == {("rivers/test", "nightly")}
    assert json.loads(spec.exports["every-eval-ever"].read_text())
    [row] = json.loads(spec.exports["contamination-index"].read_text())
    assert row
    assert "nightly" in spec.exports["report"].read_text()


def test_a_file_that_cannot_be_written_keeps_no_other_from_it(
    fresh_store: Store, spec: StudySpec, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("")
    spec.exports.update(
        {"report": tmp_path / "taken" / "report.md", "pairs": tmp_path / "pairs.csv"}
    )
    with pytest.raises(InputError, match=r"report\.md was not written") as raised:
        write_exports(fresh_store, spec)
    assert "\n" not in str(raised.value)
    assert (tmp_path / "pairs.csv").exists()
