"""What a stranger's run names is neither offered nor asked on an app that several people share."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest
from streamlit.testing.v1 import AppTest

from dcq.errors import InputError
from dcq.files import bundle_import, bundle_write
from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store, run_progress, runs, samples
from dcq.store.runs import Event
from dcq.ui import model_picker
from tests.conftest import letters, small_sample
from tests.support import once
from tests.support.runs import answer

pytestmark = pytest.mark.slow

FOLDER = "likelihood:/etc"


@pytest.fixture
def shared(app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The app as a runner sees it."""
    (tmp_path / "roles.toml").write_text('everyone = "runner"')
    monkeypatch.setenv("DCQ_ROLES", str(tmp_path / "roles.toml"))
    app.user = {"is_logged_in": True, "email": "rita@example.org"}
    return app


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The file of a store with a stranger's stopped run, which names a folder; and the run."""

    def make(folder: Path) -> tuple[Path, str]:
        (folder / "theirs").mkdir()
        theirs = Store(folder / "theirs" / "dcq.duckdb")
        sample = samples.save(theirs, small_sample(4))
        quiz = freeze.freeze(theirs, sample, QuizKind.STANDARD, slot="D").quiz
        made = answer(theirs, quiz, {"D": 4})
        runs.note(theirs, made, Event.STOPPED, "no more")
        with duckdb.connect(str(theirs.path)) as db:
            db.execute("UPDATE run SET model = ?, mode = 'likelihood'", [FOLDER])
        (folder / "b.zip").write_bytes(bundle_write.to_bytes(theirs)[0])
        ours = Store(folder / "dcq.duckdb")
        bundle_import.load(ours, folder / "b.zip")
        return ours.path, made

    return once.made(tmp_path_factory, "imported-run", make)


@pytest.fixture
def run(fresh_store: Store, imported: tuple[Path, str]) -> str:
    """This run, in our store."""
    shutil.copy(imported[0], fresh_store.path)
    return imported[1]


def test_its_model_is_not_on_the_list(shared: AppTest, fresh_store: Store, run: str) -> None:
    at = shared.switch_page("pages/quiz.py").run()
    assert not at.exception
    chosen = at.multiselect(key="quiz_models")
    assert FOLDER not in chosen.options
    assert FOLDER not in chosen.value
    chosen.set_value([FOLDER]).run()
    assert "Nobody names a folder" in letters(at.warning[0].value)
    assert FOLDER not in model_picker.offered(fresh_store)


def test_a_link_does_not_select_it(app: AppTest, fresh_store: Store, run: str) -> None:
    """Not even alone on a machine of one's own."""
    app.query_params["quiz_models"] = [FOLDER]
    at = app.switch_page("pages/quiz.py").run()
    assert not at.exception
    assert FOLDER not in at.multiselect(key="quiz_models").value


def test_nobody_resumes_it_there(shared: AppTest, fresh_store: Store, run: str) -> None:
    at = shared.switch_page("pages/quiz.py").run()
    at.button(key=f"runs_resume_{run}").click().run()
    assert not at.exception
    said = letters(" ".join(error.value for error in at.error))
    assert f"Run {run} came from elsewhere and reads files of the server" in said
    assert runs.load(fresh_store, run).event is Event.STOPPED


def test_a_scan_from_elsewhere_is_not_resumed_there(
    fresh_store: Store, run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with duckdb.connect(str(fresh_store.path)) as db:
        db.execute("UPDATE run SET method = 'scan', model = 'corpus', mode = 'letter'")
    [found] = run_progress.progress(fresh_store, [run])
    model_picker.check_resumed(fresh_store, found)  # alone on a machine of one's own
    monkeypatch.setenv("DCQ_ROLES", str(tmp_path / "roles.toml"))
    with pytest.raises(InputError, match="reads files of the server"):
        model_picker.check_resumed(fresh_store, found)
    with duckdb.connect(str(fresh_store.path)) as db:
        db.execute("DELETE FROM imported_run")  # one that was begun here
    model_picker.check_resumed(fresh_store, found)
