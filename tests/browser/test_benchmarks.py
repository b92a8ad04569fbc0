"""The benchmarks that visit an app with a browser run in their shortest form."""

from __future__ import annotations

import pytest

from benchmarks import curation, first_content
from dcq.places import ROOT

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("benchmark", [curation, first_content])
def test_it_runs(
    benchmark: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setattr("sys.argv", ["benchmark", "--quick"])
    benchmark.main()  # type: ignore[attr-defined]  # each of the two has one
    assert " ms" in capsys.readouterr().out
