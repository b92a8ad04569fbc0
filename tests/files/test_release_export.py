"""What protocol v2 came to, in the files that its authors publish."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from dcq.audit import release, release_sample
from dcq.cli import app
from dcq.errors import InputError
from dcq.files import export, release_export
from dcq.quiz import freeze, protocol2
from dcq.records import Instance, QuizKind
from dcq.store import Store, samples
from tests.conftest import small_sample
from tests.support.runs import NOBODY, answer

pytestmark = pytest.mark.slow

REPORT = """\
BDQ results (positional biases):
Option A: 66.67%
Option B: 0.00%
Option C: 8.33%
Option D: 0.00%
Option E: 25.00%
Non-preferred Options: B, C, D
==================================================
BCQ results with correct answers in position B:
Option A: 41.67%
Option B: 50.00%
Option C: 0.00%
Option D: 0.00%
Option E: 8.33%
==================================================
BCQ results with correct answers in position C:
Option A: 16.67%
Option B: 8.33%
Option C: 58.33%
Option D: 0.00%
Option E: 16.67%
==================================================
BCQ results with correct answers in position D:
Option A: 33.33%
Option B: 0.00%
Option C: 0.00%
Option D: 50.00%
Option E: 16.67%
==================================================
Detected Contamination Level: [54.55%, 58.33%]"""


def took(store: Store, sample_id: str, bdq: dict[str, int], **bcqs: dict[str, int]) -> str:
    quiz = freeze.freeze(store, sample_id, QuizKind.BDQ).quiz
    answer(store, quiz, bdq)
    for slot, tally in bcqs.items():
        answer(store, freeze.freeze_bcq(store, quiz, slot).quiz, tally)
    return sample_id


@pytest.fixture
def published(fresh_store: Store) -> str:
    """A sample that one model has taken the whole protocol of."""
    return took(
        fresh_store,
        samples.save(fresh_store, small_sample(12)),
        {"A": 8, "C": 1, "E": 3},
        B={"A": 5, "B": 6, "E": 1},
        C={"A": 2, "B": 1, "C": 7, "E": 2},
        D={"A": 4, "D": 6, "E": 2},
    )


def call(store: Store, monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    monkeypatch.setenv("DCQ_STORE", str(store.path))
    done = CliRunner().invoke(app, [*words, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_the_report_has_the_form_of_the_authors_to_the_last_byte(
    fresh_store: Store, published: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = tmp_path / "report.txt"
    words = ("export", "release", published, "--model", NOBODY, "--to", str(to))
    assert json.loads(call(fresh_store, monkeypatch, *words))["rows"] == 12
    assert to.read_bytes() == REPORT.encode()


def test_what_is_exported_is_audited_to_the_same_range(
    fresh_store: Store, published: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to = tmp_path / "release.csv"
    call(fresh_store, monkeypatch, "export", "release", published, "--to", str(to))
    assert list(pd.read_csv(to)) == [
        "instance", "option_a", "option_b", "option_c", "option_d", "bdq_results",
        "bcq_results_for_position_b", "bcq_results_for_position_c", "bcq_results_for_position_d",
    ]  # fmt: skip
    audited = json.loads(call(fresh_store, monkeypatch, "audit", str(to), "--format", "dcq"))
    [found] = protocol2.estimates(fresh_store)
    assert (audited["min"], audited["max"]) == (found.low, found.high)
    assert audited["non_preferred"] == list(found.non_preferred)
    assert audited["n"] == 12
    assert not any(audited["defects"].values())


def test_a_text_that_a_spreadsheet_would_run_is_not_run_and_comes_back_whole(
    fresh_store: Store, tmp_path: Path
) -> None:
    sample = small_sample(5)
    evil = Instance("=HYPERLINK(1) the brook\nLabel: 0", label="Wet")
    sample = replace(
        sample,
        instances=(*sample.instances[:4], evil),
        variants={
            **sample.variants,
            evil.id: tuple(
                evil.text.replace("brook", word) for word in ("beck", "rill", "run", "burn")
            ),
        },
    )
    sample_id = took(
        fresh_store,
        samples.save(fresh_store, sample),
        {"A": 2, "B": 2, "E": 1},
        C={"C": 4, "A": 1},
        D={"D": 3, "A": 2},
    )
    found = release_export.find(fresh_store, sample_id, None)
    data = export.to_bytes(release_export.tabulate(fresh_store, found), ".csv").decode()
    assert "\"'=HYPERLINK(1) the brook" in data
    assert '"=HYPERLINK' not in data
    path = tmp_path / "release.csv"
    release_export.write(fresh_store, found, path)
    imported = release_sample.read(path, release_sample.About()).sample.instances
    assert [one.text for one in imported] == [one.text for one in sample.instances]
    table = release_export.tabulate(fresh_store, found)
    read = release.analyse(export.escape_formulas(table).astype(str), "release.csv")
    assert read.rows[-1].instance == "=HYPERLINK(1) the brook Label: 0"
    assert (read.all_rows.range.low, read.all_rows.range.high) == (found.low, found.high)


def test_an_instance_without_a_reply_everywhere_is_no_row(fresh_store: Store) -> None:
    sample_id = took(
        fresh_store,
        samples.save(fresh_store, small_sample(10)),
        {"A": 3, "B": 3, "C": 1, "D": 3},
        C={"C": 4, "A": 2, "error": 4},
    )
    found = release_export.find(fresh_store, sample_id, NOBODY)
    assert len(release_export.tabulate(fresh_store, found)) == found.n == 6


def test_a_range_below_zero_keeps_its_sign(fresh_store: Store) -> None:
    sample_id = took(
        fresh_store,
        samples.save(fresh_store, small_sample(10)),
        {"A": 3, "B": 3, "C": 1, "D": 3},
        C={"A": 10},
    )
    text = release_export.report(fresh_store, release_export.find(fresh_store, sample_id, None))
    assert text.endswith("[-11.11%, 0.00%]")


def test_what_is_not_there_yet_says_what_to_do(fresh_store: Store, sample_id: str) -> None:
    with pytest.raises(InputError, match="python -m dcq v2"):
        release_export.find(fresh_store, sample_id, None)
    took(fresh_store, sample_id, {"A": 6}, B={"B": 6})
    with pytest.raises(InputError, match=r"at C and D.*--resume"):
        release_export.find(fresh_store, sample_id, NOBODY)


def test_of_several_models_one_is_named(fresh_store: Store, published: str) -> None:
    other = "other@http://127.0.0.1:9/v1"
    quiz = freeze.freeze(fresh_store, published, QuizKind.BDQ).quiz
    answer(fresh_store, quiz, {"A": 4, "B": 4, "C": 4}, other)
    answer(fresh_store, freeze.freeze_bcq(fresh_store, quiz, "D").quiz, {"D": 12}, other)
    with pytest.raises(InputError, match="--model: "):
        release_export.find(fresh_store, published, None)
    assert release_export.find(fresh_store, published, other).high == 1.0


def test_a_place_that_cannot_be_written_is_said(
    fresh_store: Store, published: str, tmp_path: Path
) -> None:
    found = release_export.find(fresh_store, published, None)
    for name in ("no/such/folder.txt", "no/such/folder.csv"):
        with pytest.raises(InputError, match="cannot be written"):
            release_export.write(fresh_store, found, tmp_path / name)
