from __future__ import annotations

from collections.abc import Callable

import pytest

from dcq.quiz import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, partitions, results, reviews, runs, variants
from dcq.store.runs import Event
from dcq.store.variants import Decision, NewVariant
from tests.conftest import small_sample
from tests.support.runs import answer


def _another_run(store: Store, sample: str, run: str) -> None:
    answer(store, freeze.freeze(store, sample, QuizKind.STANDARD, slot="A").quiz, {"A": 1})


def _event(store: Store, sample: str, run: str) -> None:
    runs.note(store, run, Event.FINISHED)


def _role(store: Store, sample: str, run: str) -> None:
    partitions.set_role(store, "rivers/test", PartitionRole.CONTROL, "Ada")


def _variant(store: Store, sample: str, run: str) -> None:
    instance = small_sample().instances[0].id
    variants.add(store, sample, [NewVariant(instance, 0, "other words", "person")])


def _review(store: Store, sample: str, run: str) -> None:
    first = next(iter(variants.current(store, sample).values()))[0]
    reviews.decide(store, sample, [first], Decision.REJECTED, "Ada")


@pytest.mark.parametrize("change", [_another_run, _event, _role, _variant, _review])
def test_the_state_changes_with_all_that_a_verdict_rests_on(
    fresh_store: Store, sample_id: str, change: Callable[[Store, str, str], None]
) -> None:
    quiz = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    run = answer(fresh_store, quiz, {"D": 3})
    before = results.state(fresh_store)
    assert results.state(fresh_store) == before
    change(fresh_store, sample_id, run)
    assert results.state(fresh_store) != before


def test_an_empty_store_has_a_state(fresh_store: Store) -> None:
    assert results.state(fresh_store) == results.state(fresh_store)
