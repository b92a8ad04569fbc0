"""What a stranger's run names is neither offered nor asked on an app that several people share."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest
from streamlit.testing.v1 import AppTest

from dcq.files import bundle_write, others
from dcq.judging.answers import answers
from dcq.quiz import freeze
from dcq.records import QuizKind
from dcq.store import Store, runs, samples, sources
from dcq.store.runs import Event
from dcq.ui import model_picker
from tests.conftest import letters, small_sample
from tests.support import once
from tests.support.judged import SEEN, put
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
        source = others.keep(ours, folder / "b.zip", sender="Mallory").source
        assert source is not None
        others.take_in(ours, source.id)
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


def test_nobody_resumes_it_and_it_is_asked_again_in_one_press(
    shared: AppTest, fresh_store: Store, run: str
) -> None:
    at = shared.switch_page("pages/quiz.py").run()
    assert f"runs_resume_{run}" not in {button.key for button in at.button}
    at.button(key=f"runs_again_{run}").click().run()
    assert not at.exception
    assert not at.error
    assert at.selectbox(key="quiz_sample").value == runs.load(fresh_store, run).plan.sample_id
    assert runs.listing(fresh_store) == [run]  # nothing is asked before a model is chosen
    assert runs.load(fresh_store, run).event is Event.STOPPED


@pytest.mark.parametrize("name", ["overview", "results", "explorer"])
def test_what_others_sent_stands_on_the_page_with_its_sender(
    app: AppTest, fresh_store: Store, tmp_path: Path, name: str
) -> None:
    theirs = Store(tmp_path / "theirs" / "dcq.duckdb")
    put(theirs, "lakes", SEEN)
    (tmp_path / "b.zip").write_bytes(bundle_write.to_bytes(theirs)[0])
    source = others.keep(fresh_store, tmp_path / "b.zip", sender="Ada", author="Bob").source
    assert source is not None
    put(fresh_store, "rivers", SEEN)
    at = app.switch_page(f"pages/{name}.py").run()
    assert not at.exception
    assert "From others: Ada" in {letters(each.label) for each in at.expander}
    at.button(key=f"{name}_others_in_{source.id[:12]}").click().run()
    assert not at.exception
    assert sources.load(fresh_store, source.id).taken
    assert len(answers(fresh_store)) == 2
    at.button(key=f"{name}_others_back_{source.id[:12]}").click().run()
    assert len(answers(fresh_store)) == 1
    at.button(key=f"{name}_others_again_{source.id[:12]}_0").click().run()
    assert not at.exception
    assert len(samples.listing(fresh_store)) == 2


@pytest.mark.parametrize("name", ["variants", "quiz"])
def test_the_pages_say_whose_the_rewordings_of_a_sample_are(
    app: AppTest, fresh_store: Store, imported: tuple[Path, str], name: str
) -> None:
    shutil.copy(imported[0], fresh_store.path)
    [source] = sources.listing(fresh_store)
    others.take_back(fresh_store, source.id)
    at = app.switch_page(f"pages/{name}.py").run()
    assert not at.exception
    said = " ".join(one.value for one in at.caption)
    assert "16 of 16 rewordings of this sample were sent by Mallory" in said
