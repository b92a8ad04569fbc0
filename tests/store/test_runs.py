"""Runs that came from elsewhere are known as such, and nobody chooses from the models they name."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from dcq.files import bundle_write, others
from dcq.jobs.restore import restore
from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store, copies, run_progress, runs, samples, sources
from dcq.store.runs import Event
from tests.conftest import small_sample
from tests.support.runs import answer

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked_readers")]

FOLDER = "likelihood:/etc"


def asked(store: Store, model: str, key: str = "rivers") -> str:
    sample = samples.save(store, small_sample(4, key=key))
    run = answer(store, freeze.freeze(store, sample, QuizKind.STANDARD, slot="D").quiz, {"D": 4})
    runs.note(store, run, Event.FINISHED)
    with duckdb.connect(str(store.path)) as db:
        db.execute("UPDATE run SET model = ? WHERE id = ?", [model, run])
    return run


@pytest.fixture
def theirs(tmp_path: Path) -> Store:
    """A stranger's store, whose run names a folder."""
    (tmp_path / "theirs").mkdir()
    made = Store(tmp_path / "theirs" / "dcq.duckdb")
    asked(made, FOLDER)
    return made


def brought(store: Store, theirs: Store, how: str) -> None:
    """What the stranger has, in our store."""
    if how == "bundle":
        file = theirs.path.with_name("b.zip")
        file.write_bytes(bundle_write.to_bytes(theirs)[0])
        done = others.keep(store, file)
        assert done.differences == ()
        if done.source is not None and not done.source.taken:
            others.take_in(store, done.source.id)
    else:
        file = theirs.path.with_name("copy.duckdb")
        copies.take(theirs, file, replace=True)
        restore(store, file)


@pytest.mark.parametrize("how", ["bundle", "copy"])
def test_a_folder_that_a_stranger_names_is_on_no_list(
    fresh_store: Store, theirs: Store, how: str
) -> None:
    brought(fresh_store, theirs, how)
    [run] = runs.listing(fresh_store)
    assert sources.is_imported(fresh_store, run)
    assert run_progress.models(fresh_store) == []
    assert run_progress.last_model(fresh_store) is None
    assert run_progress.models(fresh_store, imported=True) == [FOLDER]


@pytest.mark.parametrize("how", ["bundle", "copy"])
def test_what_was_asked_here_stays_on_the_list(
    fresh_store: Store, tmp_path: Path, how: str
) -> None:
    """Their store has our run too, as after its bundle or copy came back."""
    run = asked(fresh_store, "ours")
    copies.take(fresh_store, tmp_path / "out.duckdb")
    theirs = Store(tmp_path / "out.duckdb")
    asked(theirs, FOLDER, "lakes")
    brought(fresh_store, theirs, how)
    assert len(runs.listing(fresh_store)) == 2
    assert not sources.is_imported(fresh_store, run)
    assert run_progress.models(fresh_store) == ["ours"]


def test_a_copy_does_not_say_by_itself_what_was_asked_here(
    fresh_store: Store, tmp_path: Path
) -> None:
    """Our run with another model, and marks that were taken away."""
    run = asked(fresh_store, "ours")
    with duckdb.connect(str(fresh_store.path)) as db:
        assert db.execute("SELECT count(*) FROM imported_run").fetchone() == (0,)
    copies.take(fresh_store, tmp_path / "copy.duckdb")
    with duckdb.connect(str(tmp_path / "copy.duckdb")) as db:
        db.execute("UPDATE run SET model = ?", [FOLDER])
    restore(fresh_store, tmp_path / "copy.duckdb")
    assert sources.is_imported(fresh_store, run)
    assert run_progress.models(fresh_store) == []


def test_what_came_with_a_copy_and_is_brought_again_stays_marked(
    fresh_store: Store, theirs: Store
) -> None:
    brought(fresh_store, theirs, "copy")
    brought(fresh_store, theirs, "bundle")
    brought(fresh_store, theirs, "copy")
    assert run_progress.models(fresh_store) == []
