from __future__ import annotations

import random

import pytest

from dcq.records import Severity, VariantFinding
from dcq.store import Store, balancings, reviews, samples, undo, variants
from dcq.store.variants import Decision, NewVariant, StoredVariant

_State = dict[tuple[str, int], tuple[str, str, str, str | None, Decision, str]]
WORDS = (Decision.ACCEPTED, Decision.REJECTED, Decision.OPEN)


def _all(store: Store, sample_id: str) -> list[StoredVariant]:
    found = variants.current(store, sample_id)
    return [variant for slots in found.values() for variant in slots.values()]


def _state(store: Store, sample_id: str) -> _State:
    return {
        (v.instance_id, v.slot): (v.text, v.origin, v.author, v.prompt, v.decision, v.reviewer)
        for v in _all(store, sample_id)
    }


def _edit(store: Store, sample_id: str, seen: StoredVariant, text: str, author: str) -> None:
    new = NewVariant(seen.instance_id, seen.slot, text, "person", author)
    assert variants.replace(store, sample_id, [(new, seen)]) == ()


def test_an_edit_is_undone_with_all_that_held_before(fresh_store: Store, sample_id: str) -> None:
    first = samples.load(fresh_store, sample_id).instances[0].id
    odd = (VariantFinding("length", Severity.WARNING, "odd"),)
    new = NewVariant(first, 0, "by a model", "model:m", "Ben", odd, "perturb/v1")
    variants.add(fresh_store, sample_id, [new])
    seen = variants.current(fresh_store, sample_id)[first][0]
    reviews.decide(fresh_store, sample_id, [seen], Decision.ACCEPTED, "Ben")
    seen = variants.current(fresh_store, sample_id)[first][0]
    _edit(fresh_store, sample_id, seen, "mine", "Ada")
    action = undo.undo(fresh_store, sample_id, "Ada", 20)
    assert action is not None
    assert action.instance_ids == (first,)
    now = variants.current(fresh_store, sample_id)[first][0]
    assert (now.text, now.origin, now.author, now.findings) == ("by a model", "model:m", "Ben", odd)
    assert (now.prompt, now.decision, now.reviewer) == ("perturb/v1", Decision.ACCEPTED, "Ben")
    history = variants.history(fresh_store, sample_id, first)
    brought = history[history["undone_by"] == "Ada"]
    assert set(brought["what"]) == {"written", "accepted"}
    assert undo.undo(fresh_store, sample_id, "Ada", 20) is None


@pytest.mark.parametrize("seed", range(3))
def test_edits_and_decisions_are_undone_one_after_the_other(
    fresh_store: Store, sample_id: str, seed: int
) -> None:
    """Whatever was done in between, undoing each leads back through the same states."""
    chance = random.Random(seed)
    first, second = (one.id for one in samples.load(fresh_store, sample_id).instances[:2])
    states = [_state(fresh_store, sample_id)]
    while len(states) < 24:
        there = [v for v in _all(fresh_store, sample_id) if v.instance_id in (first, second)]
        seen = chance.sample(there, chance.randint(1, 3))
        if chance.random() < 0.4:
            pairs = [
                (NewVariant(v.instance_id, v.slot, f"{v.text} {len(states)}", "person", "Ada"), v)
                for v in seen
            ]
            variants.replace(fresh_store, sample_id, pairs)
        else:
            reviews.decide(fresh_store, sample_id, seen, chance.choice(WORDS), "Ada")
        states.append(_state(fresh_store, sample_id))
    for before in reversed(states[3:-1]):
        assert undo.undo(fresh_store, sample_id, "Ada", 20) is not None
        assert _state(fresh_store, sample_id) == before
    assert undo.undo(fresh_store, sample_id, "Ada", 20) is None
    assert undo.undo(fresh_store, sample_id, "Ben", 20) is None


def test_after_an_undo_one_goes_on_and_undoes_again(fresh_store: Store, sample_id: str) -> None:
    seen = _all(fresh_store, sample_id)[0]
    states = [_state(fresh_store, sample_id)]
    for text in ("one", "two"):
        now = _all(fresh_store, sample_id)[0]
        _edit(fresh_store, sample_id, now, text, "Ada")
        states.append(_state(fresh_store, sample_id))
    undo.undo(fresh_store, sample_id, "Ada", 20)
    now = _all(fresh_store, sample_id)[0]
    reviews.decide(fresh_store, sample_id, [now], Decision.ACCEPTED, "Ada")
    for before in (states[1], states[0]):
        assert undo.undo(fresh_store, sample_id, "Ada", 20) is not None
        assert _state(fresh_store, sample_id) == before
    assert seen.text == _all(fresh_store, sample_id)[0].text


def test_what_another_edited_or_decided_since_is_theirs(fresh_store: Store, sample_id: str) -> None:
    for interfere in ("edit", "decide"):
        now = _all(fresh_store, sample_id)[0]
        _edit(fresh_store, sample_id, now, f"mine {interfere}", "Ada")
        now = _all(fresh_store, sample_id)[0]
        if interfere == "edit":
            _edit(fresh_store, sample_id, now, "theirs", "Ben")
        else:
            reviews.decide(fresh_store, sample_id, [now], Decision.ACCEPTED, "Ben")
        assert undo.last_action(fresh_store, sample_id, "Ada", 20) is None


def test_a_first_text_written_by_hand_stays(fresh_store: Store, sample_id: str) -> None:
    first = samples.load(fresh_store, sample_id).instances[0].id
    new = NewVariant(first, 5, "a candidate", "person", "Ada")
    variants.add(fresh_store, sample_id, [new])
    assert undo.undo(fresh_store, sample_id, "Ada", 20) is None


def test_what_a_choice_among_candidates_moved_is_no_edit(
    fresh_store: Store, sample_id: str
) -> None:
    seen = _all(fresh_store, sample_id)[0]
    new = NewVariant(seen.instance_id, seen.slot, "moved here", "person", "Ada")
    assert balancings.save(fresh_store, sample_id, [(new, seen)], "Ben") == ()
    assert undo.undo(fresh_store, sample_id, "Ada", 20) is None
