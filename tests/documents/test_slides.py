from __future__ import annotations

import json

import pytest

from dcq.documents import deck
from dcq.documents.deck.slides import MOST_LINES, documents, slides
from dcq.judging import study
from dcq.store import Store
from tests.support.judged import SEEN, UNSEEN, put, put_controls

pytestmark = pytest.mark.slow


def test_a_store_without_answers_has_a_title_and_a_sentence(fresh_store: Store) -> None:
    first, *_ = slides(deck.build(fresh_store))
    assert first.title.endswith("?")
    assert "No model has answered yet" in " ".join(first.sentences)


def test_each_slide_has_one_idea_and_what_is_checked_is_in_the_notes(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "lakes", UNSEEN)
    put(fresh_store, "rivers", UNSEEN, model="other@http://127.0.0.1:9/v1")
    put(fresh_store, "lakes", UNSEEN, model="other@http://127.0.0.1:9/v1")
    put_controls(fresh_store)
    made = slides(deck.build(fresh_store))
    found = study.by_strength(study.findings(fresh_store))
    kinds = [one.picture.kind for one in made if one.picture]
    assert {"steps", "item", "rulers", "checks", "matrix", "bars", "slope", "list"} <= set(kinds)
    asked, told = (one for one in made if one.kind == "item")
    assert asked.picture is not None
    assert told.picture is not None
    assert (asked.picture.data["revealed"], told.picture.data["revealed"]) == (False, True)
    assert told.title == "It chose D, the original"
    assert told.sentences == ("tester recognised 80 of 100.",)
    [verdict] = [one for one in made if one.ruling]
    assert verdict.ruling == "contaminated"
    assert len(verdict.sentences) == 1
    assert any("Unseen-0 test" in line for line in verdict.notes)
    run = found[0].evidence.run
    assert verdict.link == f"results?results_answer={run}"
    for one in made:
        assert len(one.sentences) <= 1
        if one.picture is not None and one.picture.kind == "list":
            assert len(one.picture.data["lines"]) <= MOST_LINES
    json.dumps(documents(made), allow_nan=False)


def test_how_many_answers_there_are_is_said_where_not_all_fit(fresh_store: Store) -> None:
    def told() -> list[str]:
        made = slides(deck.build(fresh_store))
        return [one.source for one in made if one.picture and one.picture.kind == "answers"]

    for number in range(4):
        put(fresh_store, f"lakes-{number}", UNSEEN, n=10)
    assert told() == [""]
    put(fresh_store, "rivers", UNSEEN, n=10)
    assert told() == ["The first 4 of 5 answers"]


def test_a_verdict_on_controls_alone_is_words(fresh_store: Store) -> None:
    put_controls(fresh_store)
    made = slides(deck.build(fresh_store))
    assert not [one for one in made if one.ruling]
    assert made[-1].title == "What this does not show"
