"""A store opens under any name that a file can have, and only if it is a plain file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dcq.errors import StoreError
from dcq.jobs.restore import restore
from dcq.settings import ROOT
from dcq.store import Store, copies, samples
from tests.conftest import small_sample
from tests.support.no_plain_files import NO_PLAIN_FILES, make

pytestmark = pytest.mark.skipif(os.name != "posix", reason="names and pipes are POSIX's")


@pytest.mark.parametrize(
    "name",
    ["back\\slash.duckdb", "fold\\er/a.duckdb", "fold\\er/b\\c.duckdb", "\\.duckdb", "a b'c"],
)
def test_a_store_of_any_name_is_made_opened_and_copied(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    for key in ("rivers", "hills"):  # made, then opened
        samples.save(Store(path), small_sample(key=key))
    copy = tmp_path / "co\\py.duckdb"
    copies.take(Store(path), copy)
    assert restore(Store(path), copy) is not None
    assert len(samples.listing(Store(path))) == 2
    made = {file.name for file in tmp_path.rglob("*") if file.is_file()}
    assert {copy.name, path.name} <= made
    assert not [file for file in made if file.endswith(".wal")]


def test_what_a_dead_process_left_in_the_log_is_read(tmp_path: Path) -> None:
    path = tmp_path / "back\\slash.duckdb"
    with Store(path).write():
        pass
    code = """
import os, sys
from dcq.store import Store
with Store(sys.argv[1]).write() as db:
    db.execute("INSERT INTO review VALUES (7, 1, 's', 'accepted', 'me', now()::TIMESTAMP, '')")
    db.commit()
    os._exit(0)
"""
    subprocess.run([sys.executable, "-c", code, str(path)], cwd=ROOT, check=True)
    assert path.with_name(f"{path.name}.wal").stat().st_size
    with Store(path).read() as db:
        assert db.execute("SELECT seq FROM review").fetchall() == [(7,)]


@pytest.mark.parametrize("kind", NO_PLAIN_FILES)
@pytest.mark.timeout(20)
def test_a_store_that_is_no_plain_file_is_one_sentence(kind: str, tmp_path: Path) -> None:
    store = Store(make(kind, tmp_path / "given.duckdb"), timeout=0.5)
    sentence = r"^The store .* cannot be read: it is not a file but a"
    for use in (store.read, store.write):
        with pytest.raises(StoreError, match=sentence), use():
            pass
