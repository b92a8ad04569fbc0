"""What is given away has no path of the machine that it was made on."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from dcq.cli import app
from dcq.store import Store
from tests.support.judged import SEEN, UNSEEN, put, put_controls

pytestmark = pytest.mark.slow

FOLDER = "/home/ada-secret"
MODELS = (f"likelihood:{FOLDER}/runs/one/final", f"likelihood:{FOLDER}/runs/two/final")


@pytest.fixture
def store(fresh_store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Two models of this machine that are called alike, beside one that is served."""
    monkeypatch.setenv("DCQ_STORE", str(fresh_store.path))
    put_controls(fresh_store, 3)
    runs = {put(fresh_store, "rivers", SEEN, model="one@http://127.0.0.1:9/v1"): MODELS[0]}
    runs[put(fresh_store, "rivers", UNSEEN, model="two@http://127.0.0.1:9/v1")] = MODELS[1]
    put(fresh_store, "rivers", SEEN)
    with fresh_store.write() as db:
        for run, model in runs.items():
            db.execute("UPDATE run SET model = ? WHERE id = ?", [model, run])
            db.execute(
                "UPDATE answer SET served_model = ? WHERE run_id = ?", [f"{FOLDER}/served", run]
            )
    return fresh_store


def write(*words: str) -> bytes:
    path = Path(words[-1])
    done = CliRunner().invoke(app, ["export", *words[:-1], "--to", str(path)])
    assert done.exit_code == 0, done.exception
    return path.read_bytes()


@pytest.mark.parametrize("suffix", ["html", "md", "tex", "yaml", "pptx"])
def test_a_report_has_names_without_folders(store: Store, tmp_path: Path, suffix: str) -> None:
    content = write("report", str(tmp_path / f"report.{suffix}"))
    if suffix == "pptx":
        with zipfile.ZipFile(BytesIO(content)) as slides:
            content = b"".join(slides.read(name) for name in slides.namelist())
    assert b"ada-secret" not in content
    if suffix in {"html", "yaml"}:
        assert b"likelihood:one/final" in content
        assert b"likelihood:two/final" in content


@pytest.mark.parametrize("what", ["results", "pairs"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_a_table_has_names_without_folders(
    store: Store, tmp_path: Path, what: str, suffix: str
) -> None:
    path = tmp_path / f"{what}.{suffix}"
    assert b"ada-secret" not in write(what, str(path))
    if suffix == "csv":
        assert {"likelihood:one/final", "likelihood:two/final"} < set(pd.read_csv(path)["model"])


def test_answers_have_what_was_served_without_its_folder(store: Store, tmp_path: Path) -> None:
    with store.read() as db:
        run = db.execute("SELECT id FROM run WHERE model = ?", [MODELS[0]]).fetchone()
    assert run is not None
    path = tmp_path / "answers.csv"
    assert b"ada-secret" not in write("answers", run[0], str(path))
    assert set(pd.read_csv(path)["served_model"]) == {"served"}
