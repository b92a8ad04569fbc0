from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _forked(forked: None) -> None:
    """Runs that a page starts are at work at once."""
