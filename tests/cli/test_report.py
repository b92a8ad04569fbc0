"""``export report`` in a process of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dcq.store import Store, samples, studies
from dcq.store.studies import Study
from tests.conftest import small_sample
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


@pytest.mark.parametrize(("what", "rows"), [("sample", 6), ("label-studio", 24)])
def test_rows_are_counted_and_no_words(
    store_path: Path, fresh_store: Store, tmp_path: Path, what: str, rows: int
) -> None:
    """They were counted by looking for a key in the text, which an instance may have too."""
    drawn = small_sample()
    labelled = replace(
        drawn,
        instances=tuple(replace(each, label="protected") for each in drawn.instances),
        variants={},
    )
    written = {
        each.id: drawn.variants[first.id]
        for first, each in zip(drawn.instances, labelled.instances, strict=True)
    }
    sample = samples.save(fresh_store, replace(labelled, variants=written))
    words = ("export", what, sample, "--to", str(tmp_path / "out.json"), "--json")
    done = commands.run(*words, environment={"DCQ_STORE": str(store_path)})
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == rows


@pytest.mark.parametrize("name", ["t.xml", "t.XML", "tasks", "link.json"])
def test_tasks_and_their_interface_are_two_files(
    store_path: Path, fresh_store: Store, tmp_path: Path, name: str
) -> None:
    """The interface goes beside the tasks, and must not replace them."""
    (tmp_path / "link.xml").write_text("mine", "utf-8")
    (tmp_path / "link.json").symlink_to(tmp_path / "link.xml")
    sample = samples.save(fresh_store, small_sample())
    words = ("export", "label-studio", sample, "--to", str(tmp_path / name))
    done = commands.run(*words, environment={"DCQ_STORE": str(store_path)})
    assert done.returncode == 2
    assert "end in .json" in done.stderr
    assert (tmp_path / "link.xml").read_text("utf-8") == "mine"
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [
        "link.json",
        "link.xml",
    ]


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
