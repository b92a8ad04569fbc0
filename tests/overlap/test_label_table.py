"""Labels and sentences of scans, made from real ones and from results as they can be."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from dcq.documents.overlap_document import opening, uncrawled
from dcq.files import export
from dcq.jobs.state import RunState
from dcq.overlap import labels as overlap_labels
from dcq.overlap import outcome
from dcq.overlap.labels import read_labels
from dcq.overlap.match import Category
from dcq.overlap.meteor import PAPER
from dcq.overlap.outcome import OverlapHit, OverlapResult, OverlapRow
from dcq.overlap.query import Coverage
from dcq.overlap.search.service import Window
from dcq.store import Store
from tests.support import scanned

HIT = OverlapHit("https://a.org/1", "", "the passage", ((0, 3),), 0.9, math.nan, None)


def row(name: str, category: Category | None, *hits: OverlapHit, label: str = "B") -> OverlapRow:
    skipped = "" if category else "no words"
    return OverlapRow(name, f"=text {name}", name, label, category, 0.5, skipped, hits)


def result(*rows: OverlapRow, method: str = "search") -> OverlapResult:
    searched = sum(one.category is not None for one in rows)
    found = sum(one.category not in {None, Category.CLEAN} for one in rows)
    skipped = (("no words", len(rows) - searched),) if searched < len(rows) else ()
    return OverlapResult(
        "r1", "s1", "p/test", "P", "test", method, "brave",
        Window(date(2017, 1, 1), date(2020, 12, 31)), datetime.now(UTC), RunState.FINISHED,
        PAPER, Coverage(len(rows), searched, found, skipped), rows,
    )  # fmt: skip


def test_labels_have_the_addresses_that_count_and_no_row_for_what_was_not_searched() -> None:
    found = result(
        row("a", Category.INPUT_ONLY, HIT, replace(HIT, source="https://b.org", crawled=False)),
        row("b", None),
        row("c", Category.CLEAN, replace(HIT, crawled=False)),
        row("d", Category.INPUT_ONLY, replace(HIT, source="/c/a.jsonl", document="HTTP://d.org/1")),
        row("e", Category.INPUT_ONLY, replace(HIT, source="/c/a.jsonl", document="7")),
    )
    labels = overlap_labels.labels(found)
    assert {one: label.sources for one, label in labels.items()} == {
        "a": ("https://a.org/1",),
        "c": (),
        "d": ("HTTP://d.org/1",),
        "e": (),
    }
    assert labels["a"].text == "=text a"
    assert overlap_labels.window_name(found) == "2017-01 to 2020-12"
    assert overlap_labels.window_name(replace(found, window=None)) == ""


def test_the_file_is_read_again_and_runs_nothing_in_a_spreadsheet(tmp_path: Path) -> None:
    found = result(row("a", Category.INPUT_ONLY, HIT), row("c", Category.CLEAN))
    table = overlap_labels.frame(found)
    path = tmp_path / "labels.csv"
    path.write_bytes(export.to_bytes(table, ".csv"))
    assert ",'=text a," in path.read_text()
    assert read_labels(path)["a"].sources == ("https://a.org/1",)
    assert list(overlap_labels.frame(result())) == list(table)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (
            [row("a", Category.INPUT_AND_LABEL), row("b", Category.INPUT_ONLY), row("c", None)],
            "1 of 2 instances stands on the web with their answer, 1 more without it; "
            "1 could not be searched for.",
        ),
        (
            [row("a", Category.CLEAN), row("b", Category.CLEAN)],
            "None of 2 instances searched for stand on the web.",
        ),
        (
            [row("a", Category.INPUT_ONLY, label=""), row("b", Category.INPUT_ONLY, label="")],
            "2 of 2 instances stand on the web.",
        ),
        ([row("a", None)], "None of 1 instance could be searched for."),
    ],
)
def test_the_opening_sentence(rows: list[OverlapRow], sentence: str) -> None:
    assert opening(result(*rows)) == sentence


def test_pages_in_no_crawl_are_said_not_to_count() -> None:
    found = result(row("a", Category.CLEAN, replace(HIT, crawled=False)), row("b", Category.CLEAN))
    assert uncrawled(found) == (
        "1 instance more stands on pages that no crawl of that time has, and so do not count."
    )
    assert uncrawled(result(row("b", Category.CLEAN))) == ""


def test_a_real_scan(fresh_store: Store, tmp_path: Path) -> None:
    sample_id = scanned.save(fresh_store, 6)
    run = scanned.scan(fresh_store, sample_id, tmp_path / "corpus", [0, 1], [2])
    found = outcome.of_run(fresh_store, run)
    assert opening(found) == (
        "2 of 6 instances stand in the corpus with their answer, 1 more without it."
    )
    domains = [label.sources for label in overlap_labels.labels(found).values()]
    assert domains[:3] == [
        ("https://quizlet.com/0",),
        ("https://www.a.org/1",),
        ("https://quizlet.com/2",),
    ]
