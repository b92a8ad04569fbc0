"""Choosing among candidates: what is promised of any texts, and what it comes to."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dcq.quiz.build import build
from dcq.records import Instance, QuizKind
from dcq.variants.balance import SLOTS, Balanced, Pool, Ranks, balance
from dcq.variants.leakage import text_only
from tests.support.star_options import star


@st.composite
def pools(draw: st.DrawFn) -> Pool:
    """Any pool: some of its candidates are in slots already, some of these fixed."""
    original, *candidates = draw(
        st.lists(st.text(max_size=20), min_size=1, max_size=9, unique=True)
    )
    slots = draw(st.permutations(range(SLOTS)))
    order = draw(st.permutations(range(len(candidates))))
    present = dict(zip(slots[: draw(st.integers(0, SLOTS))], order, strict=False))
    fixed = draw(st.sets(st.sampled_from(sorted(present)))) if present else set()
    return Pool(original, tuple(candidates), present, frozenset(fixed))


def scores(pools: list[Pool], chosen: list[dict[int, int]], slot: int) -> dict[str, float | None]:
    """What the strategies score on the standard quiz that ``dcq.quiz`` builds."""
    # The number makes an instance of its own of each, where originals are the same text.
    items = []
    for at, (pool, here) in enumerate(zip(pools, chosen, strict=True)):
        instance = Instance(pool.original)
        variants = {instance.id: {slot: pool.candidates[pick] for slot, pick in here.items()}}
        if len(here) >= SLOTS - 1:
            [item] = build(QuizKind.STANDARD, [instance], variants, slot=slot).items
            items.append(replace(item, instance_id=str(at)))
    return {found.name: found.kappa.score for found in text_only(items)}


def placed(found: Balanced) -> list[dict[int, int]]:
    return [{s: at for s, at in enumerate(one) if at is not None} for one in found.chosen]


@given(st.lists(pools(), max_size=6), st.integers(0, 3))
@settings(max_examples=40)
def test_any_pools(given_pools: list[Pool], seed: int) -> None:
    found = balance(given_pools, seed=seed)
    assert found.chosen == balance(given_pools, seed=seed).chosen
    for pool, here in zip(given_pools, placed(found), strict=True):
        assert len(set(here.values())) == len(here)  # no candidate twice
        assert all(here[slot] == pool.present[slot] for slot in pool.fixed)
        assert len(here) == min(SLOTS, len(pool.candidates))
        if len(pool.candidates) <= SLOTS - 1:
            assert all(here[slot] == at for slot, at in pool.present.items())
    ready = [len(pool.candidates) >= SLOTS - 1 for pool in given_pools]
    assert found.after.n == sum(ready)
    for shares in found.after.shares.values():
        assert shares.sum(axis=1) == pytest.approx([1] * SLOTS)
    if any(ready):
        for slot in range(SLOTS):
            told = {name: shares[slot] for name, shares in found.after.strategies().items()}
            assert told == pytest.approx(scores(given_pools, placed(found), slot))


def worst(ranks: Ranks) -> float:
    return max(share for shares in ranks.strategies().values() for share in shares)


def test_a_quiz_that_length_and_likeness_solve_no_longer_is() -> None:
    found = balance([star(number) for number in range(60)], "xx")
    before = found.before.strategies()
    assert min(before["shortest"]) > 0.6
    assert min(before["medoid"]) > 0.6
    assert worst(found.after) < 0.33
    assert all(share > 0.17 for shares in found.after.strategies().values() for share in shares)


def test_rewordings_of_the_original_alone_leave_it_the_most_central() -> None:
    own = [star(number) for number in range(60)]
    found = balance([Pool(p.original, p.candidates[:4], p.present) for p in own], "xx")
    assert min(found.after.strategies()["medoid"]) > 0.6


def test_what_is_balanced_stays_as_it_is() -> None:
    """Candidates that are all alike in length and likeness: there is no reason to move any."""
    even = [Pool("aa bb", ("cc dd", "ee ff", "gg hh", "ii jj", "kk ll"), {0: 0, 1: 1, 2: 2, 3: 3})]
    assert balance(even * 5, "xx").chosen == ((0, 1, 2, 3),) * 5


def test_nothing_and_too_little() -> None:
    assert balance([]) == Balanced((), Ranks(0, {}), Ranks(0, {}))
    [alone, three] = balance(
        [Pool("a", ("b", "c"), {1: 0}), Pool("a", ("b", "c", "d"), {2: 1})], "xx"
    ).chosen
    assert alone == (1, 0, None, None)
    assert three == (0, 2, 1, None)


def test_a_thousand_instances_take_seconds() -> None:
    many = [star(number) for number in range(1000)]
    began = time.process_time()
    found = balance(many, "xx")
    assert time.process_time() - began < 60  # seconds of the processor; takes six
    assert worst(found.after) < 0.27
