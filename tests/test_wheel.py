"""The wheel: what is in it, and that an installed copy works wherever one stands."""

from __future__ import annotations

import json
import re
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import dcq
from dcq.places import DATA, ROOT
from tests.support.provider import FakeProvider
from tests.support.python_page import BLOCKS, INSTANCES
from tests.support.wheel import PRIVATE, Installed, build, copy_checkout, install

pytestmark = [pytest.mark.slow, pytest.mark.ci]

NOT_PACKED = {
    ".gitignore",
    "data/draw_controls.py",
    "data/draw_seen.py",
    "data/extract_synsets.py",
    "data/extract_wordnet.py",
    *(f"data/control/written/{path.name}" for path in (DATA / "control" / "written").iterdir()),
    *(f"data/seen/written/{path.name}" for path in (DATA / "seen" / "written").iterdir()),
}
MOVED = {"app.py": "_app/app.py", "pages/": "_app/pages/", "data/": "_data/", "docs/": "_docs/"}
SECRET = b"nobody else may see this"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A checkout in use, and the names of its sources."""
    folder = tmp_path_factory.mktemp("checkout")
    sources = copy_checkout(folder)
    for name in PRIVATE:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(SECRET)
    return folder, sources


@pytest.fixture(scope="module")
def wheel(checkout: tuple[Path, list[str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(checkout[0], tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return install(wheel, tmp_path_factory.mktemp("installed"))


def _place(source: str) -> str:
    """Where a file of the checkout lies in the wheel."""
    if source.startswith(".streamlit/"):
        return f"dcq/_app/{source}"
    for start, moved in MOVED.items():
        if source.startswith(start):
            return f"dcq/{moved}{source.removeprefix(start)}"
    return source


def test_all_of_the_app_is_in_it_and_nothing_that_a_person_made(
    wheel: Path, checkout: tuple[Path, list[str]]
) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = [name for name in packed.namelist() if ".dist-info/" not in name]
        assert all(SECRET not in packed.read(name) for name in names)
    assert sorted(names) == sorted(_place(name) for name in checkout[1] if name not in NOT_PACKED)
    assert {"dcq/py.typed", "dcq/_app/.streamlit/config.toml", "dcq/_data/icon.svg"} <= set(names)


def test_it_says_what_it_is_and_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        [about] = [name for name in packed.namelist() if name.endswith("/METADATA")]
        said = Parser().parsestr(packed.read(about).decode())
        commands = packed.read(about.replace("METADATA", "entry_points.txt")).decode()
    assert said["Version"] == dcq.__version__
    assert "dcq = dcq.cli:main" in commands
    needed = [Requirement(text) for text in said.get_all("Requires-Dist") or []]
    assert {r.name for r in needed if not r.marker} == _names("requirements.txt")
    extras = _names("requirements-likelihood.txt") | _names("requirements-ray.txt")
    assert {r.name for r in needed if r.marker} == extras


def _names(file: str) -> set[str]:
    text = re.sub(r"#.*", "", (ROOT / file).read_text("utf-8"))
    return {Requirement(line).name for line in text.splitlines() if line.strip()}


def test_the_command_works_from_elsewhere(installed: Installed) -> None:
    before = installed.files()
    done = installed.run(installed.dcq, "kappa", "--correct", "60", "--n", "100", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["kappa_fixed"] == pytest.approx(0.35 / 0.75)
    drawn = installed.run(installed.dcq, "sample", "control-nli", "test", "--n", "3", "--json")
    assert json.loads(drawn.stdout)["n"] == 3
    kept = {path.name for path in (installed.home / ".local/share/dcq").iterdir()}
    assert kept == {"dcq.duckdb", "dcq.runs"}
    assert installed.files() == before


def test_the_notebooks_ten_lines_work_from_elsewhere(
    installed: Installed, provider: FakeProvider
) -> None:
    code = BLOCKS[0].replace(f"n={INSTANCES}", "n=2")
    done = installed.run(installed.python, "-c", code)
    assert done.returncode == 0, done.stderr
    assert provider.counts == {"gpt-4o-mini": 2 * 2}
    assert (installed.elsewhere / "study.duckdb").exists()


_STARTED_BY_THE_APP = """
import sys, time
import dcq
from dcq.asking import launch
from dcq.jobs import process
from dcq.quiz.method import QUIZ
store = dcq.open_store()
sample = dcq.draw_sample(store, "control-nli", "test", 4)
quiz = dcq.freeze_quiz(store, sample, slot="D").quiz
[run] = launch.begin(store, QUIZ, [quiz], ["gpt-4o-mini"])
deadline = time.monotonic() + 100
while not len(dcq.read_answers(store, run)) == 4:
    assert time.monotonic() < deadline, process.log_tail(store, run)
    time.sleep(0.2)
"""


def test_a_run_that_the_app_starts_works_from_elsewhere(
    installed: Installed, provider: FakeProvider
) -> None:
    """Prices are in a file named from there: the run's process finds it too."""
    (installed.elsewhere / "ours.toml").write_text('[models]\n"gpt-4o-mini" = [7, 7]\n')
    done = installed.run(installed.python, "-c", _STARTED_BY_THE_APP, DCQ_PRICES="ours.toml")
    assert done.returncode == 0, done.stderr
    assert provider.counts == {"gpt-4o-mini": 4}


@pytest.mark.parametrize("variable", ["XDG_DATA_HOME", "DCQ_STORE"])
def test_a_place_that_cannot_be_written_is_an_error_of_one_sentence(
    installed: Installed, variable: str
) -> None:
    place = installed.elsewhere / "app.py" / "beyond a file"
    done = installed.run(installed.dcq, "status", **{variable: str(place)})
    assert done.returncode == 2
    assert done.stdout == ""
    [sentence] = done.stderr.splitlines()
    assert str(place) in sentence
    assert "cannot be written" in sentence
