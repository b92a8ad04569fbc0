from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import InputError
from dcq.store import Store, opinions, pairs, reviews, samples, undo, variants
from dcq.store.pairs import AnnotatorPair, draw, person
from dcq.store.variants import Decision
from tests.conftest import small_sample
from tests.support.annotating import assign


def test_a_share_is_drawn_and_kept_with_who_assigned(fresh_store: Store, sample_id: str) -> None:
    assert pairs.of(fresh_store, sample_id) is None
    made = assign(fresh_store, sample_id)
    assert made == pairs.of(fresh_store, sample_id)
    assert (made.names, made.share, made.seed, made.author) == (("Ada", "Ben"), 0.5, 0, "Cy")
    ids = [one.id for one in samples.load(fresh_store, sample_id).instances]
    assert made.instances == set(draw(ids, 3, 0))


def test_at_least_one_instance_is_drawn_and_at_most_all(fresh_store: Store) -> None:
    sample = samples.save(fresh_store, small_sample(3))
    assert len(assign(fresh_store, sample, 0.01).instances) == 1
    pairs.end(fresh_store, sample, "Cy")
    assert len(assign(fresh_store, sample, 1.0).instances) == 3


@given(st.sets(st.text(min_size=1), max_size=30), st.integers(0, 30), st.integers(0, 2**31 - 1))
def test_a_draw_is_reproducible_and_a_larger_one_holds_the_smaller(
    pool: set[str], count: int, seed: int
) -> None:
    drawn = draw(pool, count, seed)
    assert drawn == draw(sorted(pool, reverse=True), count, seed)
    assert set(drawn) <= pool
    assert len(drawn) == min(count, len(pool))
    assert draw(pool, count + 1, seed)[:count] == drawn


def test_every_instance_is_drawn_as_often() -> None:
    pool = [str(at) for at in range(10)]
    times = Counter(one for seed in range(2_000) for one in draw(pool, 3, seed))
    assert all(520 <= times[one] <= 680 for one in pool)  # 600 ± 4 standard deviations


def test_only_what_no_one_has_decided_about_is_drawn(fresh_store: Store, sample_id: str) -> None:
    first, second, *_ = samples.load(fresh_store, sample_id).instances
    now = variants.current(fresh_store, sample_id)
    reviews.decide(fresh_store, sample_id, [now[first.id][0]], Decision.ACCEPTED, "Ada")
    reviews.decide(fresh_store, sample_id, [now[second.id][0]], Decision.REJECTED, "Ada")
    undo.undo(fresh_store, sample_id, "Ada", 20)  # a decision taken back was seen too
    made = assign(fresh_store, sample_id, 1.0)
    assert len(made.instances) == 4
    assert not made.instances & {first.id, second.id}


def test_nothing_is_left_to_draw(fresh_store: Store, sample_id: str) -> None:
    now = variants.current(fresh_store, sample_id)
    seen = [slots[0] for slots in now.values()]
    reviews.decide(fresh_store, sample_id, seen, Decision.ACCEPTED, "Ada")
    with pytest.raises(InputError, match="has a decision already"):
        assign(fresh_store, sample_id)


def test_one_assignment_at_a_time(fresh_store: Store, sample_id: str) -> None:
    assign(fresh_store, sample_id)
    with pytest.raises(InputError, match="Ada and Ben are assigned to this sample; end"):
        assign(fresh_store, sample_id, names=("Cy", "Dan"))
    pairs.end(fresh_store, sample_id, "Cy")
    ended = pairs.of(fresh_store, sample_id)
    assert ended is not None
    assert (ended.names, ended.instances, ended.author) == (("Ada", "Ben"), frozenset(), "Cy")
    pairs.end(fresh_store, sample_id, "Dan")
    assert pairs.of(fresh_store, sample_id) == ended
    assert assign(fresh_store, sample_id, names=("Cy", "Dan")).names == ("Cy", "Dan")


def test_what_two_have_decided_about_is_not_drawn_again(fresh_store: Store, sample_id: str) -> None:
    made = assign(fresh_store, sample_id, 0.2)
    [instance] = made.instances
    seen = variants.current(fresh_store, sample_id)[instance][0]
    opinions.decide(fresh_store, sample_id, [seen], Decision.ACCEPTED, "Ada")
    opinions.decide(fresh_store, sample_id, [seen], Decision.REJECTED, "Ben")
    pairs.end(fresh_store, sample_id, "Cy")
    assert instance not in assign(fresh_store, sample_id, 1.0).instances


@pytest.mark.parametrize(
    "names",
    [
        ("Ada", "Ada"), ("Ada", " ada "), ("Ada Lovelace", "ADA  LOVELACE"), ("Ada", "\uff21da"),
        ("Ada <a@x.org>", "a@x.org"), ("Ada <a@x.org>", "Lovelace <A@X.ORG>"),
    ],
)  # fmt: skip
def test_one_person_is_not_two(fresh_store: Store, sample_id: str, names: tuple[str, str]) -> None:
    with pytest.raises(InputError, match="are one person"):
        assign(fresh_store, sample_id, names=names)


@pytest.mark.parametrize("name", ["", "   ", "x" * 300, "Be\u202en", "Be\x00n"])
def test_names_that_are_none(fresh_store: Store, sample_id: str, name: str) -> None:
    with pytest.raises(InputError, match=r"Name two annotators|cannot be used"):
        assign(fresh_store, sample_id, names=("Ada", name))


@pytest.mark.parametrize("share", [0.0, -0.1, 1.01, float("nan"), float("inf")])
def test_impossible_shares(fresh_store: Store, sample_id: str, share: float) -> None:
    with pytest.raises(InputError, match="share"):
        assign(fresh_store, sample_id, share)


def test_who_a_name_is() -> None:
    pair = AnnotatorPair(1, ("Ada", "Ben <ben@x.org>"), 1.0, 0, frozenset(), "Cy", None)  # type: ignore[arg-type]
    assert pair.member(" ada") == "Ada"
    assert pair.member("BEN@x.org") == "Ben <ben@x.org>"
    assert pair.member("Benjamin <ben@X.org>") == "Ben <ben@x.org>"
    assert pair.member("Ben") is None  # a name is not an address
    assert pair.member("Ada <ada@x.org>") is None
    assert pair.member("") is None
    assert person("<>") == "<>"
