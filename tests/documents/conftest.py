"""A study that several documents are made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from dcq.documents.deck import Deck, build
from dcq.store import Store
from tests.support import once
from tests.support.judged import SEEN, put, put_controls


def _fill(store: Store) -> None:
    put(store, "seen", SEEN)
    put_controls(store)


@pytest.fixture(scope="session")
def seen_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once.store(tmp_path_factory, "seen", _fill)


@pytest.fixture(scope="session")
def seen(seen_path: Path) -> Store:
    """A target that was seen, beside its controls; to be read alone."""
    return Store(seen_path)


@pytest.fixture(scope="session")
def seen_deck(seen: Store) -> Deck:
    return build(seen)
