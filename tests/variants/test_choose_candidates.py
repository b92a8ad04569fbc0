"""Choosing among the candidates of a stored sample: what moves, what stays, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from dcq.errors import ChangedError, InputError
from dcq.quiz import freeze
from dcq.records import (
    QuizKind,
    Sample,
    Severity,
    VariantFinding,
)
from dcq.store import Store, balancings, quizzes, reviews, samples, variants
from dcq.store.variants import Decision, NewVariant
from dcq.variants import placebo
from dcq.variants.balance import balance
from dcq.variants.choose_candidates import choose, ranks, undo
from dcq.variants.leakage import text_only
from dcq.variants.method import EXCLUSIVE
from tests.support.leaky_sample import N, leaky

__all__ = ["leaky"]  # a fixture

ERROR = (VariantFinding("number-changed", Severity.ERROR, "A number was changed."),)


def every_text(store: Store, sample_id: str) -> dict[str, list[tuple[str, str, str | None]]]:
    """Text, writer and prompt of all that is in the slots of each instance."""
    return {
        instance: sorted((one.text, one.origin, one.prompt) for one in slots.values())
        for instance, slots in variants.current(store, sample_id, candidates=True).items()
    }


def test_the_quiz_is_no_longer_leaky_and_no_text_is_lost(fresh_store: Store, leaky: str) -> None:
    before = every_text(fresh_store, leaky)
    found = choose(fresh_store, leaky, author="Bob")
    assert every_text(fresh_store, leaky) == before
    assert (found.instances, found.without_choice) == (N, 0)
    assert found.changed > 0
    for slot, letter in enumerate("ABCD"):
        quiz = freeze.freeze(fresh_store, leaky, QuizKind.STANDARD, slot=letter).quiz
        for strategy in text_only(quizzes.load(fresh_store, quiz).items, "xx"):
            share = found.after.strategies()[strategy.name][slot]
            assert strategy.kappa.score == pytest.approx(share)
            assert share <= 0.34
    assert ranks(fresh_store, leaky).strategies() == found.after.strategies()


def test_the_newest_choice_can_be_taken_back(fresh_store: Store, leaky: str) -> None:
    def texts() -> dict[tuple[str, int], str]:
        now = variants.current(fresh_store, leaky, candidates=True)
        return {(i, s): one.text for i, slots in now.items() for s, one in slots.items()}

    with pytest.raises(InputError, match="taken back"):
        undo(fresh_store, leaky)
    before = texts()
    changed = choose(fresh_store, leaky, author="Bob").changed
    kept = balancings.newest(fresh_store, leaky)
    assert kept is not None
    assert kept.author == "Bob"
    # What somebody has decided on or written since stays.
    first, second, *_ = sorted({one.instance_id for one in kept.replaced})
    now = variants.current(fresh_store, leaky)
    moved = {(one.instance_id, one.slot) for one in kept.replaced}
    seen = next(one for slot, one in now[first].items() if (first, slot) in moved)
    reviews.decide(fresh_store, leaky, [seen], Decision.ACCEPTED, "Eve")
    slot = next(slot for slot in now[second] if (second, slot) in moved)
    variants.add(fresh_store, leaky, [NewVariant(second, slot, "mine", "person", "Eve")])
    later = texts()
    assert undo(fresh_store, leaky) == changed - 2
    for key, text in texts().items():
        assert text == (later if key[0] in {first, second} else before)[key]
    with pytest.raises(InputError, match="taken back"):
        undo(fresh_store, leaky)


def test_people_have_the_last_word(fresh_store: Store, leaky: str) -> None:
    now = variants.current(fresh_store, leaky, candidates=True)
    accepted, written, rejected, wrong = list(now)[:4]
    reviews.decide(fresh_store, leaky, [now[accepted][2]], Decision.ACCEPTED, "Eve")
    mine = NewVariant(written, 1, "by a person", "person", "Eve")
    bad = now[wrong][5]
    checked = NewVariant(wrong, 5, bad.text, bad.origin, findings=ERROR)
    variants.add(fresh_store, leaky, [mine, checked])
    reviews.decide(fresh_store, leaky, [now[rejected][0]], Decision.REJECTED, "Eve")
    # The same text again as a candidate: what was rejected once is not chosen.
    again = NewVariant(rejected, 6, now[rejected][0].text, "model:m")
    variants.add(fresh_store, leaky, [again])
    choose(fresh_store, leaky)
    after = variants.current(fresh_store, leaky)
    assert after[accepted][2] == variants.current(fresh_store, leaky)[accepted][2]
    assert after[accepted][2].decision is Decision.ACCEPTED
    assert after[written][1].text == "by a person"
    assert now[rejected][0].text not in {one.text for one in after[rejected].values()}
    assert bad.text not in {one.text for one in after[wrong].values()}


def test_accepted_variants_may_be_moved_if_one_says_so(fresh_store: Store, leaky: str) -> None:
    now = variants.current(fresh_store, leaky)
    every = [one for slots in now.values() for one in slots.values()]
    reviews.decide(fresh_store, leaky, every, Decision.ACCEPTED, "Eve")
    assert choose(fresh_store, leaky).changed == 0
    assert choose(fresh_store, leaky, keep_accepted=False).changed > 0
    decisions = {
        one.decision
        for slots in variants.current(fresh_store, leaky).values()
        for one in slots.values()
    }
    assert decisions == {Decision.ACCEPTED, Decision.OPEN}


def test_a_change_in_between_is_kept_and_nothing_moves(
    fresh_store: Store, leaky: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dcq.variants import choose_candidates as module

    genuine = balance

    def slow(*args: Any, **more: Any) -> Any:
        found = genuine(*args, **more)
        ids = variants.current(fresh_store, leaky)
        new = [
            NewVariant(one, slot, f"mine {slot}", "person", "Eve")
            for one in ids
            for slot in range(4)
        ]
        variants.add(fresh_store, leaky, new)
        return found

    monkeypatch.setattr(module, "balance", slow)
    with pytest.raises(ChangedError, match="nothing was moved"):
        choose(fresh_store, leaky)
    after = variants.current(fresh_store, leaky)
    assert all(one.text.startswith("mine") for slots in after.values() for one in slots.values())
    assert balancings.newest(fresh_store, leaky) is None


def test_not_while_variants_are_written(fresh_store: Store, leaky: str) -> None:
    with (
        EXCLUSIVE.hold(fresh_store, leaky),
        pytest.raises(InputError, match="being written"),
    ):
        choose(fresh_store, leaky)


def test_without_variants_there_is_nothing_to_choose(fresh_store: Store, leaky: str) -> None:
    sample = samples.load(fresh_store, leaky)
    bare = samples.save(
        fresh_store,
        Sample(sample.partition, sample.instances[:3], 3, 3, 0, stratified=False),
    )
    with pytest.raises(InputError, match="--candidates 8"):
        choose(fresh_store, bare)
    assert ranks(fresh_store, bare).n == 0


def test_of_four_variants_only_the_order_can_change(fresh_store: Store, sample_id: str) -> None:
    found = choose(fresh_store, sample_id)
    assert found.without_choice == found.instances == 6


def test_the_true_original_of_a_placebo_is_not_chosen(fresh_store: Store, leaky: str) -> None:
    made = placebo.make(fresh_store, leaky).sample
    sample = samples.load(fresh_store, made)
    variants.add(
        fresh_store,
        made,
        [
            NewVariant(one.id, slot, text, "offline")
            for one in sample.instances
            for slot, text in enumerate(["a b", "a c", "a d", "a e", one.fields["original"]])
        ],
    )
    choose(fresh_store, made)
    now = variants.current(fresh_store, made)
    assert all(
        one.fields["original"] not in {v.text for v in now[one.id].values()}
        for one in sample.instances
    )


def test_candidates_are_no_variants(fresh_store: Store, leaky: str) -> None:
    assert all(
        sorted(slots) == [0, 1, 2, 3] for slots in variants.current(fresh_store, leaky).values()
    )
    now = variants.current(fresh_store, leaky)
    every = [one for slots in now.values() for one in slots.values()]
    reviews.decide(fresh_store, leaky, every, Decision.ACCEPTED, "Eve")
    [listed] = [one for one in samples.listing(fresh_store) if one.id == leaky]
    assert listed.reviewed == N  # the candidates need no decision
    one = samples.load(fresh_store, leaky).instances[0].id
    assert set(variants.history(fresh_store, leaky, one)["slot"]) == {0, 1, 2, 3}
