from __future__ import annotations

import pytest

from dcq.overlap.search import client
from tests.support.search_rules import KEY


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_SEARCH_API_KEY", KEY)
    monkeypatch.setenv("SERPAPI_API_KEY", KEY)
    monkeypatch.setattr(client, "FIRST_WAIT", 0.01)
