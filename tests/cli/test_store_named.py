"""A DCQ_STORE that can be no store is a mistake of the call."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import commands


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("folder", "not a file but a folder"),
        ("text.txt", "not a readable store"),
        ("text.txt/dcq.duckdb", "cannot be written"),
        ("n" * 300, "set it to another file"),
        ("/dev/null", "not a file but a device"),
        ("/proc/none/dcq.duckdb", "cannot be written"),
    ],
)
@pytest.mark.parametrize(
    "words", [("status",), ("answer", "--json"), ("study", "s", "--everything")]
)
def test_what_can_be_no_store_is_refused(
    tmp_path: Path, named: str, said: str, words: tuple[str, ...]
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.txt").write_text("Rain fell.\n", "utf-8")
    done = commands.run(*words, environment={"DCQ_STORE": str(tmp_path / named)})
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
