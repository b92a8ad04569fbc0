from __future__ import annotations

import io

import pandas as pd
import pytest

from dcq.errors import InputError
from dcq.files import export, sample_file
from dcq.store import Store, opinions, pairs, samples, variants
from dcq.store.variants import NewVariant
from dcq.variants import annotators
from tests.support.annotating import assign, say


def test_only_what_both_have_decided_about_is_told(fresh_store: Store, sample_id: str) -> None:
    assign(fresh_store, sample_id, 1.0)
    say(fresh_store, sample_id, "Ada", "arar")
    say(fresh_store, sample_id, "Ben", "aa--")
    say(fresh_store, sample_id, "Ben", "r", instance=1)
    found = annotators.load(fresh_store, sample_id).document()
    assert (found["annotators"], found["assigned"]) == (["Ada", "Ben"], 6)
    assert (found["instances"], found["n"], found["agree"]) == (1, 2, 1)
    assert (found["disagreements"], found["adjudicated"]) == (1, 0)
    table = annotators.frame(fresh_store, sample_id)
    assert table["slot"].tolist() == ["A", "B"]
    assert table["opinion_1"].tolist() == ["accepted", "rejected"]
    assert table["opinion_2"].tolist() == ["accepted", "accepted"]
    assert table["decision"].tolist() == ["accepted", "open"]
    assert table["reviewer"].tolist() == ["Ada and Ben", ""]
    listed = export.frame(fresh_store, export.ExportTable.VARIANTS, sample_id)
    assert listed["annotator_1"].notna().sum() == 2
    assert listed["opinion_2"].dropna().tolist() == ["accepted", "accepted"]


def test_who_adjudicated_is_exported(fresh_store: Store, sample_id: str) -> None:
    assign(fresh_store, sample_id, 1.0)
    say(fresh_store, sample_id, "Ada", "a")
    say(fresh_store, sample_id, "Ben", "r")
    first = samples.load(fresh_store, sample_id).instances[0].id
    seen = variants.current(fresh_store, sample_id)[first][0]
    opinions.explain(fresh_store, sample_id, seen.seq, "Ben", "=1+1")
    say(fresh_store, sample_id, "Cy", "r")
    found = annotators.load(fresh_store, sample_id)
    assert found.adjudicated == 1
    content = export.to_bytes(annotators.frame(fresh_store, sample_id), ".csv")
    [row] = pd.read_csv(io.BytesIO(content)).to_dict("records")
    assert (row["decision"], row["reviewer"], row["agree"]) == ("rejected", "Cy", False)
    assert row["reason_2"] == "'=1+1"
    assert "Ada" not in sample_file.dump(fresh_store, sample_id)  # which names no one


def test_a_better_text_does_not_hide_a_disagreement(fresh_store: Store, sample_id: str) -> None:
    assign(fresh_store, sample_id, 1.0)
    say(fresh_store, sample_id, "Ada", "a")
    say(fresh_store, sample_id, "Ben", "r")
    before = annotators.load(fresh_store, sample_id).document()
    first = samples.load(fresh_store, sample_id).instances[0].id
    old = variants.current(fresh_store, sample_id)[first][0].text
    variants.add(fresh_store, sample_id, [NewVariant(first, 0, "better", "person", "Cy")])
    say(fresh_store, sample_id, "Cy", "a")
    after = annotators.load(fresh_store, sample_id).document()
    assert after == before | {"adjudicated": 1}
    [row] = annotators.frame(fresh_store, sample_id).to_dict("records")
    assert (row["variant"], row["text_changed"], row["decision"]) == (old, True, "accepted")
    listed = export.frame(fresh_store, export.ExportTable.VARIANTS, sample_id)
    assert listed["annotator_1"].isna().all()  # they are about the text before


def test_figures_stay_when_the_assignment_has_ended(fresh_store: Store, sample_id: str) -> None:
    assign(fresh_store, sample_id, 1.0)
    say(fresh_store, sample_id, "Ada", "a")
    say(fresh_store, sample_id, "Ben", "a")
    pairs.end(fresh_store, sample_id, "Cy")
    found = annotators.load(fresh_store, sample_id).document()
    assert (found["n"], found["assigned"], found["kappa"]) == (1, 0, None)


def test_without_annotators(fresh_store: Store, sample_id: str) -> None:
    with pytest.raises(InputError, match="No two annotators were ever assigned"):
        annotators.load(fresh_store, sample_id)
    empty = annotators.frame(fresh_store, sample_id)
    assert empty.empty
    assert tuple(empty.columns) == annotators.COLUMNS
    assign(fresh_store, sample_id)
    assert annotators.load(fresh_store, sample_id).document()["share"] is None
