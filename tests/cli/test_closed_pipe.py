"""``python -m dcq … | head`` is no error: the command ends as it would have, and says nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dcq.settings import ROOT
from dcq.store import Store
from tests.support.judged import SEEN, put, put_controls

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="pipes are POSIX's"),
]

# What is called, and the exit code that it has in any case.
CALLS = {
    "--help": 0,
    "--version": 0,
    "study --help": 0,
    "datasets": 0,
    "datasets --json": 0,
    "results": 0,
    "answer --json": 0,
    "study list": 0,
    "study check study.toml --markdown /dev/stdout": 5,
    "study check study.toml": 5,
    "nonsense": 2,
    "kappa --correct 9 --n 3": 2,
}


@pytest.mark.parametrize("both", [False, True], ids=["stdout", "stdout and stderr"])
@pytest.mark.parametrize("call", CALLS)
def test_a_reader_that_has_had_enough_is_no_error(
    fresh_store: Store, tmp_path: Path, call: str, both: bool
) -> None:
    put_controls(fresh_store)
    put(fresh_store, "rivers", SEEN)
    study = '[study]\nname = "s"\n[[target]]\ndataset = "humaneval"\n[[model]]\nname = "gpt-4o"\n'
    (tmp_path / "study.toml").write_text(study)
    reading, writing = os.pipe()
    os.close(reading)  # so that each write fails, however fast the reader would have been
    done = subprocess.run(
        [sys.executable, "-m", "dcq", *call.split()],
        cwd=tmp_path,
        env={**os.environ, "DCQ_STORE": str(fresh_store.path), "PYTHONPATH": str(ROOT)},
        stdout=writing,
        stderr=writing if both else subprocess.PIPE,
        text=True,
    )
    os.close(writing)
    assert done.returncode == CALLS[call], done.stderr
    assert "pipe" not in (done.stderr or "").lower()
    assert "Traceback" not in (done.stderr or "")


def test_a_disk_without_room_is_still_an_error(fresh_store: Store) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dcq", "datasets"],
            cwd=ROOT,
            env={**os.environ, "DCQ_STORE": str(fresh_store.path)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 1
    assert "No space left" in done.stderr
