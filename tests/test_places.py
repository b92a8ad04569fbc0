"""Where things are, in a checkout and in an installed copy."""

from __future__ import annotations

import runpy
import shutil
import sys
from pathlib import Path

import pytest

from dcq import environment, places


def test_a_checkout_has_everything_in_its_folder() -> None:
    assert not places.INSTALLED
    assert places.APP == places.ROOT / "app.py"
    assert places.DATA == places.OWN == places.ROOT / "data"
    assert places.DEFAULT_STORE == places.ROOT / "data" / "dcq.duckdb"
    assert places.ENV_FILE == places.ROOT / ".env"
    assert ((sys.executable,), places.ROOT) == (places.PYTHON, places.PROCESS_FOLDER)


def test_an_installed_copy_reads_inside_and_writes_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "mine"))
    package = tmp_path / "packages" / "dcq"
    (package / "_app").mkdir(parents=True)
    (tmp_path / "packages" / "data").mkdir()  # some other wheel's
    shutil.copy(places.__file__, package)
    found = runpy.run_path(str(package / "places.py"))
    assert found["APP"] == package / "_app" / "app.py"
    assert found["DATA"] == package / "_data"
    assert found["DEFAULT_STORE"].name == "dcq.duckdb"
    for own in (found["DEFAULT_STORE"], found["ENV_FILE"]):
        assert own.parent == found["OWN"]
        assert not own.is_relative_to(tmp_path / "packages")
    assert found["PROCESS_FOLDER"] is None


def test_a_variable_goes_before_the_usual_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DCQ_STORE", "elsewhere.duckdb")
    assert environment.store_path() == Path("elsewhere.duckdb")
