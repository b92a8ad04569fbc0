"""What takes long to make and is only read or copied: made once, for all workers."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

import filelock
import pytest

from dcq.store import Store
from tests.conftest import KEY
from tests.support import kept_open
from tests.support.provider import FakeProvider

Made = TypeVar("Made")


def made(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Made]) -> Made:
    """What ``make`` returns, given an empty folder that stays until the end of the tests; whoever
    comes first calls it, and the others wait. ``name`` is that of the folder."""
    base = factory.getbasetemp()
    folder = (base if "popen-" not in base.name else base.parent) / name
    result = folder.with_suffix(".pickle")
    with filelock.FileLock(folder.with_suffix(".lock")):
        if not result.exists():
            shutil.rmtree(folder, ignore_errors=True)  # what failed on another worker
            folder.mkdir()
            outcome = make(folder)
            kept_open.close()
            result.write_bytes(pickle.dumps(outcome))
    return cast("Made", pickle.loads(result.read_bytes()))  # noqa: S301 - our own, of this run


def store(factory: pytest.TempPathFactory, name: str, fill: Callable[[Store], object]) -> Path:
    """The file of a store that ``fill`` filled, with a provider set as the endpoint for plain
    model names; copy it before you write to it."""

    def make(folder: Path) -> Path:
        with pytest.MonkeyPatch.context() as patch, FakeProvider(key=KEY) as running:
            patch.setenv("OPENAI_BASE_URL", running.base_url)
            patch.setenv("OPENAI_API_KEY", KEY)
            kept = Store(folder / "dcq.duckdb")
            fill(kept)
        return kept.path

    return made(factory, name, make)
