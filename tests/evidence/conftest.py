"""What all tests of the evidence share."""

from __future__ import annotations

import gc

import pytest


@pytest.fixture(autouse=True)
def _corrections_collect_no_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each correction for many tests by statsmodels looks for garbage, which takes .4 s where so
    much is imported; a property test corrects a hundred times."""
    monkeypatch.setattr(gc, "collect", lambda *_: 0)
