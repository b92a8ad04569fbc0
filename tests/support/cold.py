"""A plugin of pytest for mutation testing: each test starts with nothing kept of those before it.

``mutmut`` runs all tests once, then tries each change in a fork of that process, where what
``lru_cache`` kept from before would hide the change.
"""

from __future__ import annotations

import functools
import sys

import pytest

from dcq.store import connect, moment


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] == "dcq":
            for value in [*vars(module).values()]:
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()
    moment._kept.clear()


def pytest_sessionfinish() -> None:
    connect._instance.close()  # a fork of it would crash in DuckDB, which is not to be noticed
