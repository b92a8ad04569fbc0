from __future__ import annotations

import pytest

from dcq.errors import InputError
from dcq.files import export
from dcq.store import Store, reviews, samples, variants
from dcq.store.variants import Decision, Flag, NewVariant, StoredVariant


def _first(store: Store, sample_id: str) -> StoredVariant:
    instance = samples.load(store, sample_id).instances[0].id
    return variants.current(store, sample_id)[instance][0]


def test_a_flag_is_raised_and_lowered_and_decides_nothing(
    fresh_store: Store, sample_id: str
) -> None:
    before = _first(fresh_store, sample_id)
    state = variants.state(fresh_store, sample_id)
    reviews.raise_flag(fresh_store, sample_id, before, " is this\n a name? ", "Ana")
    now = _first(fresh_store, sample_id)
    assert now.flag == Flag("is this a name?", "Ana")
    assert (now.decision, now.usable, now.review) == (before.decision, before.usable, 0)
    after, changed = variants.changed_since(fresh_store, sample_id, state)
    assert changed == {before.instance_id}
    assert after > state
    # Whoever saw it without the flag may decide about it still.
    decided = reviews.decide(fresh_store, sample_id, [before], Decision.ACCEPTED, "Ben")
    assert decided.changed == ()
    assert _first(fresh_store, sample_id).flag == Flag("is this a name?", "Ana")
    reviews.lower_flag(fresh_store, sample_id, now, "Ben")
    assert _first(fresh_store, sample_id).flag is None
    history = variants.history(fresh_store, sample_id, before.instance_id)
    rows = history[["what", "who", "note"]].to_numpy().tolist()
    assert rows[0] == ["unflagged", "Ben", ""]
    assert ["flagged", "Ana", "is this a name?"] in rows


def test_a_new_text_has_no_flag(fresh_store: Store, sample_id: str) -> None:
    before = _first(fresh_store, sample_id)
    reviews.raise_flag(fresh_store, sample_id, before, "", "Ana")
    assert _first(fresh_store, sample_id).flag == Flag("", "Ana")
    new = NewVariant(before.instance_id, 0, "another", "person", "Ben")
    variants.replace(fresh_store, sample_id, [(new, _first(fresh_store, sample_id))])
    assert _first(fresh_store, sample_id).flag is None


def test_a_flag_is_exported_without_formulas(fresh_store: Store, sample_id: str) -> None:
    reviews.raise_flag(fresh_store, sample_id, _first(fresh_store, sample_id), "=1+1", "Ana")
    rows = export.frame(fresh_store, export.ExportTable.VARIANTS, sample_id)
    assert rows[["flagged_by", "flag"]].to_numpy().tolist()[0] == ["Ana", "=1+1"]
    assert b"'=1+1" in export.to_bytes(rows, ".csv")


def test_a_note_is_short(fresh_store: Store, sample_id: str) -> None:
    with pytest.raises(InputError, match="at most 300 characters"):
        reviews.raise_flag(fresh_store, sample_id, _first(fresh_store, sample_id), "x" * 301, "Ana")
