from __future__ import annotations

from pathlib import Path

import pytest

from dcq.store import Store, balancings, migrations, rewordings, samples, steps, variants
from dcq.store.rewordings import RewordingRequest
from dcq.store.variants import NewVariant
from tests.conftest import small_sample


def test_a_store_of_an_older_release_gets_the_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.duckdb"
    sample_id = samples.save(Store(tmp_path / "new.duckdb"), small_sample(1))
    at = [step.__name__ for step in steps.STEPS].index("m023_candidates")
    with monkeypatch.context() as older:
        older.setattr(migrations, "STEPS", steps.STEPS[:at])
        with Store(path).write() as db:
            db.execute("INSERT INTO rewording VALUES ('w', ?, 'v1', 0, '', now())", [sample_id])
            db.execute("INSERT INTO rewording_request VALUES ('w', 0, 'i', 'perturb/v1', 3)")
    store = Store(path)
    assert samples.save(store, small_sample(1)) == sample_id
    assert rewordings.load(store, "w").requests == (RewordingRequest("i", "perturb/v1", 3, None),)
    [(instance, slots)] = variants.current(store, sample_id).items()
    assert balancings.newest(store, sample_id) is None
    new = NewVariant(instance, 1, "other", "offline")
    assert balancings.save(store, sample_id, [(new, slots[1])], "Ada") == ()
    kept = balancings.newest(store, sample_id)
    assert kept is not None
    assert (kept.author, [one.text for one in kept.replaced]) == ("Ada", [slots[1].text])
    # As it was seen before: nothing is kept of any pair.
    third = NewVariant(instance, 2, "third", "offline")
    [changed] = balancings.save(store, sample_id, [(third, slots[2]), (new, slots[1])], "Eve")
    assert changed.text == "other"
    assert variants.current(store, sample_id)[instance][2] == slots[2]
    assert balancings.save(store, sample_id, [], "Eve") == ()
