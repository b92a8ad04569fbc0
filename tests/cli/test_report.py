"""``export report`` in a process of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dcq.store import Store, studies
from dcq.store.studies import Study
from tests.support import commands
from tests.support.html_page import HtmlPage
from tests.support.judged import SEEN, put, put_controls

pytestmark = pytest.mark.slow


def test_a_study_is_written_in_each_format(
    store_path: Path, fresh_store: Store, tmp_path: Path
) -> None:
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "lakes", SEEN)
    put_controls(fresh_store)
    studies.save(fresh_store, Study("Rivers only", partitions=("rivers/test",)))
    here = {"DCQ_STORE": str(store_path)}
    for suffix in ("html", "md", "tex"):
        file = tmp_path / f"report.{suffix}"
        words = ("--study", "Rivers only", "--without-text", "--to", str(file), "--json")
        done = commands.run("export", "report", *words, environment=here)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == {"file": str(file), "rows": 4}
        written = file.read_text("utf-8")
        assert "Rivers" in written
        assert "Lakes" not in written
        assert "brook number" not in written
    page = HtmlPage((tmp_path / "report.html").read_text("utf-8"))
    assert {one["partition"] for one in page.data["results"]} == {
        "rivers/test",
        *(f"unseen-{number}/test" for number in range(3)),
    }


def test_the_whole_store_with_its_texts(
    store_path: Path, fresh_store: Store, tmp_path: Path
) -> None:
    put(fresh_store, "rivers", SEEN)
    file = tmp_path / "report.html"
    done = commands.run(
        *("export", "report", "--to", str(file)), environment={"DCQ_STORE": str(store_path)}
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"{file}: 1 rows."
    assert "brook number" in file.read_text("utf-8")
