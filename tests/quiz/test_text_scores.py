"""Text-only baselines are kept with a quiz, and computed again only where they are not."""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from dcq.errors import StoreReadOnlyError
from dcq.jobs.restore import restore
from dcq.quiz import freeze, text_scores
from dcq.records import QuizKind
from dcq.store import Store, copies, quizzes, samples
from dcq.variants.leakage import TextOnly, text_only
from tests.conftest import small_sample

COUNT = "SELECT count(*) FROM derived"


def count(store: Store) -> int:
    with store.read() as db:
        [(found,)] = db.execute(COUNT).fetchall()
    return int(found)


def forget(store: Store, *, kept: bool = False) -> None:
    """As in another process; ``kept``: as in a store of an older release."""
    text_scores._known.cache_clear()
    if kept:
        with store.write() as db:
            db.execute("DELETE FROM derived")


def expected(store: Store, quiz: str) -> tuple[TextOnly, ...]:
    found = text_only(quizzes.load(store, quiz).items, "en")
    assert [one.name for one in found] == ["shortest", "longest", "medoid", "frequent"]
    return tuple(replace(one, credit={}) for one in found)


@pytest.fixture
def two(fresh_store: Store) -> list[str]:
    sample = samples.save(fresh_store, small_sample(7))
    made = (freeze.freeze(fresh_store, sample, QuizKind.STANDARD, slot=slot) for slot in "BD")
    return [one.quiz for one in made]


def test_a_quiz_is_frozen_with_its_baselines(
    fresh_store: Store, two: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert count(fresh_store) == 2
    forget(fresh_store)
    monkeypatch.delattr(text_scores, "text_only")
    found = text_scores.text_scores(fresh_store, two)
    assert found == {quiz: expected(fresh_store, quiz) for quiz in two}


def test_those_of_an_older_store_are_computed_once(
    fresh_store: Store, two: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    forget(fresh_store, kept=True)
    true = {quiz: expected(fresh_store, quiz) for quiz in two}
    assert text_scores.text_scores(fresh_store, two[:1]) == {two[0]: true[two[0]]}
    assert text_scores.text_scores(fresh_store, two) == true
    assert count(fresh_store) == 2
    forget(fresh_store)
    monkeypatch.delattr(text_scores, "text_only")
    assert text_scores.text_scores(fresh_store, two) == true


def test_a_store_that_cannot_be_written_gives_them_too(
    fresh_store: Store, two: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    forget(fresh_store, kept=True)

    def refuse(_: Store) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        raise StoreReadOnlyError("no")

    monkeypatch.setattr(Store, "write", refuse)
    assert text_scores.text_scores(fresh_store, two) == {
        quiz: expected(fresh_store, quiz) for quiz in two
    }
    assert count(fresh_store) == 0


def test_a_copy_is_not_believed_what_its_texts_score(
    fresh_store: Store, two: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "copy.duckdb"
    copies.take(fresh_store, file)
    with duckdb.connect(str(file)) as db:
        db.execute("UPDATE derived SET value = '[[\"shortest\", 7, 0, 0.0, 0.0, 0.0, 0.0, 1.0]]'")
        assert db.execute(COUNT).fetchone() == (2,)
    there = Store(shutil.copy(fresh_store.path, tmp_path / "there.duckdb"))
    restore(there, file)
    assert count(there) == 0
    assert text_scores.text_scores(there, two) == {quiz: expected(there, quiz) for quiz in two}
