from __future__ import annotations

import pytest

from dcq.documents import deck
from dcq.documents.deck.slides import MOST_COLUMNS, MOST_ROWS, slides
from dcq.store import Store
from tests.support.judged import SEEN, put, put_controls

pytestmark = pytest.mark.slow


def test_a_store_without_answers_has_a_title_and_a_sentence(fresh_store: Store) -> None:
    first, *_ = slides(deck.build(fresh_store))
    assert first.title.endswith("?")
    assert "No model has answered yet" in " ".join(first.sentences)


def test_the_options_come_before_the_original_and_reasons_after_the_verdict(
    fresh_store: Store,
) -> None:
    put(fresh_store, "rivers", SEEN)
    put_controls(fresh_store)
    made = slides(deck.build(fresh_store))
    asked = next(place for place, one in enumerate(made) if one.example is not None)
    assert not made[asked].revealed
    assert made[asked + 1].revealed
    assert made[asked + 1].example is made[asked].example
    ruled = next(place for place, one in enumerate(made) if one.title.startswith("The verdict"))
    assert "contaminated" in made[ruled].title
    assert any("Unseen-0 test" in reason for _, reason in made[ruled + 1].reasons)
    for one in made:
        if one.exhibit is not None and one.exhibit.chart is None:
            assert one.exhibit.table.shape[0] <= MOST_ROWS
            assert one.exhibit.table.shape[1] <= MOST_COLUMNS
