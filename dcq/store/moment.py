"""Reads that belong together, from the store opened once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from dcq.store.connect import Store

Rest = ParamSpec("Rest")
Read = TypeVar("Read")


def at_one_moment(
    read: Callable[Concatenate[Store, Rest], Read],
) -> Callable[Concatenate[Store, Rest], Read]:
    """``read``, which takes a store first, with the store held open: all that it reads is of one
    moment, and the file is opened once instead of for each read. For functions that write nothing,
    return a value (no generator) and compute nothing that takes long, because writers wait."""

    @wraps(read)
    def held(store: Store, /, *args: Rest.args, **kwargs: Rest.kwargs) -> Read:
        with store.hold():
            return read(store, *args, **kwargs)

    return held
