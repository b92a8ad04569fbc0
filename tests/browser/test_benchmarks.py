"""The benchmarks that visit an app with a browser run in their shortest form."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dcq.places import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.ci]


@pytest.mark.parametrize("benchmark", ["curation", "explorer", "first_content", "matrix"])
def test_it_runs(benchmark: str) -> None:
    # In a process of its own: the browser of the other tests has an event loop in this one.
    found = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{benchmark}", "--quick"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    assert " ms" in found.stdout
