from __future__ import annotations

import pytest

from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store, results, samples
from tests.conftest import small_sample
from tests.support.runs import answer


@pytest.fixture
def quiz(fresh_store: Store) -> str:
    sample_id = samples.save(fresh_store, small_sample(10))
    return freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz


def shown(store: Store) -> list[tuple[str, bool]]:
    """The run that stands for its model and partition, and whether it finished."""
    counts = results.counts(store)
    return [
        (str(run), bool(finished))
        for run, finished in zip(counts["run"], counts["finished"], strict=True)
    ]


def test_a_pilot_does_not_stand_in_for_the_whole(fresh_store: Store, quiz: str) -> None:
    answer(fresh_store, quiz, {"A": 10})
    whole = answer(fresh_store, quiz, {"A": 7, "error": 3})
    answer(fresh_store, quiz, {"D": 4})
    assert shown(fresh_store) == [(whole, True)]
    assert len(results.counts(fresh_store, every_run=True)) == 3


def test_without_a_finished_run_the_most_replies_count_then_the_newest(
    fresh_store: Store, quiz: str
) -> None:
    answer(fresh_store, quiz, {"A": 4})
    most = answer(fresh_store, quiz, {"A": 4})
    answer(fresh_store, quiz, {"A": 3, "error": 2})
    assert shown(fresh_store) == [(most, False)]


def test_an_endpoint_that_was_down_does_not_displace_a_run(fresh_store: Store, quiz: str) -> None:
    whole = answer(fresh_store, quiz, {"A": 10})
    answer(fresh_store, quiz, {"A": 1, "error": 9})
    assert shown(fresh_store) == [(whole, True)]


def test_a_newer_smaller_sample_does_not_replace_the_whole(fresh_store: Store, quiz: str) -> None:
    whole = answer(fresh_store, quiz, {"A": 10})
    sample_id = samples.save(fresh_store, small_sample(4))
    small = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="D").quiz
    answer(fresh_store, small, {"D": 4})
    assert shown(fresh_store) == [(whole, True)]
    newer = answer(fresh_store, quiz, {"D": 10})
    assert shown(fresh_store) == [(newer, True)]
