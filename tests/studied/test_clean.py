"""Which instances no chosen model seems to have seen, in a store whose answers are known."""

from __future__ import annotations

import pytest

from dcq.errors import InputError
from dcq.judging import clean
from dcq.judging.clean import CleanSubset
from dcq.store import Store, samples
from tests.support.judged import SEEN, put
from tests.support.runs import NOBODY

OTHER = "other@http://127.0.0.1:9/v1"


def test_instances_are_seen_kept_or_unknown(fresh_store: Store) -> None:
    put(fresh_store, "rivers", {"D": 3, "A": 5, "refused": 2}, n=10)
    put(fresh_store, "rivers", {"A": 7, "refused": 1, "D": 2}, n=10, model=OTHER)
    [listed] = samples.listing(fresh_store)
    ids = [instance.id for instance in samples.load(fresh_store, listed.id).instances]
    models = clean.models(fresh_store, listed.id)
    assert sorted(models) == sorted([NOBODY, OTHER])
    found = clean.subset(fresh_store, listed.id, models)
    # Of the first model 0 to 2 are seen and 8 and 9 unknown, of the other 8 and 9 are seen and 7
    # is unknown; what one has seen is seen.
    assert found.seen == (*ids[:3], *ids[8:])
    assert found.kept == tuple(ids[3:7])
    assert found.unknown == (ids[7],)
    assert (found.sample, found.models) == (listed.id, tuple(models))
    assert found.sentence.startswith("4 of 10 instances were neither picked nor completed by ")
    assert "; 1 have no usable answer. " in found.sentence
    alone = clean.subset(fresh_store, listed.id, [OTHER])
    assert (alone.seen, alone.unknown) == (tuple(ids[8:]), (ids[7],))


def test_what_gives_no_choice_is_one_sentence(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    [listed] = samples.listing(fresh_store)
    with pytest.raises(InputError, match="Name at least one model"):
        clean.subset(fresh_store, listed.id, [])
    with pytest.raises(InputError, match=r"answered by nobody@x in a quiz or a replication; ask"):
        clean.subset(fresh_store, listed.id, ["nobody@x"])


def test_a_table_says_what_is_not_known() -> None:
    table = clean.frame(CleanSubset("s", ("m",), ("a",), ("b",), ("c",)))
    assert list(table["instance_id"]) == ["a", "b", "c"]
    assert list(table["seems_seen"]) == [False, True, None]
    assert "no usable" not in CleanSubset("s", ("m",), ("a",), (), ()).sentence
