"""Tables as files."""

from __future__ import annotations

import io

import pandas as pd

from dcq.files import export
from dcq.store import Store, samples
from tests.support.likelihoods import save, score_all
from tests.support.provider import FakeProvider


def test_no_cell_and_no_head_of_a_table_runs_as_a_formula() -> None:
    """Models name columns of the explorer's list, and a stranger's bundle names models."""
    table = pd.DataFrame({"=cmd|' /c calc'!A1": ["=1+1", "plain"], "-1": [-1.0, 2.0]})
    written = export.to_bytes(table, ".csv").decode("utf-8-sig").splitlines()
    assert written == ["'=cmd|' /c calc'!A1,'-1", "'=1+1,-1.0", "plain,2.0"]


def test_a_csv_has_the_mark_by_which_excel_knows_its_letters() -> None:
    """github.com/metabase/metabase/issues/76028: without it, é is shown as Ã©."""
    written = export.to_bytes(pd.DataFrame({"text": ["é 中"]}), ".csv")
    assert written == b"\xef\xbb\xbf" + "text\né 中\n".encode()
    assert list(pd.read_csv(io.BytesIO(written))["text"]) == ["é 中"]


def test_the_answers_of_a_run_that_is_no_quiz(fresh_store: Store, provider: FakeProvider) -> None:
    save(fresh_store, provider, 3)
    [run_id] = score_all(fresh_store).values()
    rows = export.frame(fresh_store, export.ExportTable.ANSWERS, run_id)
    [sample] = samples.listing(fresh_store)
    asked = samples.load(fresh_store, sample.id).instances
    assert list(rows["instance"]) == [instance.id for instance in asked]
    assert set(rows["outcome"]) == {"answered"}
    assert rows["value"].astype(float).between(0, 1).all()
