from __future__ import annotations

from pathlib import Path

import pytest

from dcq.errors import InputError
from dcq.store import Store, migrations, samples, sets, steps, variants
from dcq.variants.sets import new_set, writer_line
from tests.conftest import small_sample


def test_a_set_has_the_instances_and_none_of_the_variants(
    fresh_store: Store, sample_id: str
) -> None:
    before = variants.current(fresh_store, sample_id)
    new = new_set(fresh_store, sample_id[:6], "  warm\tprompt ")
    first, made = samples.load(fresh_store, sample_id), samples.load(fresh_store, new)
    assert new != sample_id
    assert (made.set_of, made.set_name) == (sample_id, "warm prompt")
    assert (first.set_of, first.set_name) == (None, "")
    assert made.instances == first.instances
    assert made.partition == first.partition
    assert not variants.current(fresh_store, new)
    assert variants.current(fresh_store, sample_id) == before


def test_a_set_made_of_a_set_is_one_of_the_first_sample(fresh_store: Store, sample_id: str) -> None:
    assert sets.members(fresh_store) == {}
    second = new_set(fresh_store, sample_id, "second")
    third = new_set(fresh_store, second, "third")
    other = samples.save(fresh_store, small_sample(key="lakes"))
    found = sets.members(fresh_store)
    assert other not in found
    assert [one.name for one in sets.siblings(found, third)] == ["first", "second", "third"]
    assert {one.first for one in found.values()} == {sample_id}
    assert sets.siblings(found, other) == []
    listed = [(one.set_of, one.set_name) for one in samples.listing(fresh_store)]
    assert listed == [(None, ""), (None, ""), (sample_id, "second"), (sample_id, "third")]


@pytest.mark.parametrize("name", ["", " ", "x" * 61, "FIRST", "Second", "a\x00b"])
def test_names_that_tell_nothing_apart_are_refused(
    fresh_store: Store, sample_id: str, name: str
) -> None:
    new_set(fresh_store, sample_id, "second")
    with pytest.raises(InputError, match=r"[Nn]ame"):
        new_set(fresh_store, sample_id, name)
    assert len(samples.listing(fresh_store)) == 2


def test_a_set_that_stands_is_remembered_with_its_time(fresh_store: Store, sample_id: str) -> None:
    with pytest.raises(InputError, match="stands anyway"):
        sets.choose_counting_set(fresh_store, sample_id)
    second = new_set(fresh_store, sample_id, "second")
    sets.choose_counting_set(fresh_store, second)
    sets.choose_counting_set(fresh_store, sample_id, author="Ana")
    found = sets.members(fresh_store)
    assert found[second].named is None
    assert found[sample_id].named is not None


def test_the_writers_of_a_set_are_counted(fresh_store: Store, sample_id: str) -> None:
    [written] = sets.written_by(fresh_store, sample_id)
    assert (written.origin, written.temperature, written.variants) == ("bundled", None, 24)
    assert writer_line([written]) == "bundled"
    assert writer_line([]) == "nothing written yet"
    asked = [sets.WrittenBy("model:gpt-4o", "perturb-v1", heat, 9) for heat in (0.5, 1.0)]
    assert writer_line(asked) == (
        "gpt-4o, perturb-v1, temperature 0.5; gpt-4o, perturb-v1, temperature 1"
    )


def test_a_store_without_sets_gets_them(store_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = [step.__name__ for step in steps.STEPS].index("m025_sets_of_variants")
    with monkeypatch.context() as older:
        older.setattr(migrations, "STEPS", steps.STEPS[:at])
        _write_a_sample(Store(store_path))
    store = Store(store_path)
    new = new_set(store, "s", "second")
    assert samples.load(store, new).instances == samples.load(store, "s").instances


def _write_a_sample(store: Store) -> None:
    with store.write() as db:
        db.execute(
            "INSERT INTO partition (id, key, split, title, split_title, role, task, language, "
            "licence, source, made_at) VALUES ('a/b', 'a', 'b', 'A', 'b', 'target', "
            "'classification', 'en', '', '', now()::TIMESTAMP)"
        )
        db.execute(
            "INSERT INTO partition_role (partition_id, role, author, made_at) "
            "VALUES ('a/b', 'target', '', now()::TIMESTAMP)"
        )
        db.execute(
            "INSERT INTO sample (id, partition_id, source, n, requested, available, seed, "
            "stratified, notes, made_at) "
            "VALUES ('s', 'a/b', '', 1, 1, 1, 0, false, '[]', now()::TIMESTAMP)"
        )
        db.execute("INSERT INTO instance VALUES ('s', 0, 'i', 'A text', '{}', NULL, [])")
