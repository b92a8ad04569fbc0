"""docs/python.md: its code runs, on fewer instances, and it says all that the functions take."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

import dcq
from dcq import api
from tests.support.provider import FakeProvider
from tests.support.python_page import BLOCKS, INSTANCES, PAGE

_SAID_ONCE = {"on_progress"}
_OBVIOUS = {"store", "sample", "quiz", "run", "split", "results"}  # the docstring names their kind
FUNCTIONS = [name for name in dcq.__all__ if inspect.isfunction(getattr(dcq, name))]


@pytest.mark.slow
def test_the_code_of_the_page_runs(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    provider: FakeProvider,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    known: dict[str, Any] = {}
    for block in BLOCKS:
        exec(compile(block, "docs/python.md", "exec"), known)  # noqa: S102  (our own page)
    assert known["run"]["n"] == INSTANCES
    assert set(known["table"]["partition"]) == {"humaneval/test", "control-news/test"}
    assert isinstance(known["figure"], go.Figure)
    assert (tmp_path / "results.html").exists()
    printed = capsys.readouterr().out
    assert "6 written, 0 could not be" in printed
    assert "calls" in printed  # the cap of three, said in a sentence


def test_the_first_block_is_ten_lines_and_comes_first() -> None:
    assert len([line for line in BLOCKS[0].splitlines() if line]) == 10
    assert PAGE.index("```python") < PAGE.index("\n## ")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_and_parameter_is_described(name: str) -> None:
    found = re.search(rf"^## `{name}`\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"docs/python.md has no section on {name}"
    doc = inspect.getdoc(getattr(dcq, name)) or ""
    for parameter in inspect.signature(getattr(dcq, name)).parameters:
        assert f"`{parameter}`" in found[1] or parameter in _SAID_ONCE, parameter
        assert f"``{parameter}``" in doc or parameter in _OBVIOUS, parameter


def test_no_section_describes_a_function_that_is_gone() -> None:
    assert set(re.findall(r"^## `(\w+)`$", PAGE, re.MULTILINE)) == set(FUNCTIONS)
    assert dcq.__all__ == api.__all__
