"""Decorators for reads: several at one moment, with the store opened once, and reads that are
repeated only after a write."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from dcq.store.connect import Store

Rest = ParamSpec("Rest")
Read = TypeVar("Read")

_KEPT_VALUES = 16_384
_kept: dict[tuple[Store, Hashable], tuple[Hashable, Any]] = {}


def at_one_moment(
    read: Callable[Concatenate[Store, Rest], Read],
) -> Callable[Concatenate[Store, Rest], Read]:
    """Make ``read``, whose first argument is a store, run with the store held open: all that it
    reads is of one moment, and the file is opened once. For functions that write nothing, return a
    value (no generator) and compute nothing that takes long, because writers wait."""

    @wraps(read)
    def held(store: Store, /, *args: Rest.args, **kwargs: Rest.kwargs) -> Read:
        with store.hold():
            return read(store, *args, **kwargs)

    return held


def until_changed(
    state: Callable[Concatenate[Store, Rest], Hashable], kept: int
) -> Callable[[Callable[Concatenate[Store, Rest], Read]], Callable[Concatenate[Store, Rest], Read]]:
    """Cache the results of a read while their ``state`` is the same, so many at most. For values
    that nobody changes and that take much longer to read than their state."""

    def decorate(
        read: Callable[Concatenate[Store, Rest], Read],
    ) -> Callable[Concatenate[Store, Rest], Read]:
        values: dict[Hashable, tuple[Hashable, Read]] = {}

        @wraps(read)
        def read_once(store: Store, /, *args: Rest.args, **kwargs: Rest.kwargs) -> Read:
            # A value that was written in between is newer than its state, and is read again.
            now, key = state(store, *args, **kwargs), (store, args, *kwargs.items())
            entry = values.get(key)
            if entry is None or entry[0] != now:
                entry = now, read(store, *args, **kwargs)
                values.pop(key, None)
                while len(values) >= kept:
                    values.pop(next(iter(values)), None)
                values[key] = entry
            return entry[1]

        return read_once

    return decorate


RUNS = "runs"  # which there are
INVESTIGATIONS = "investigations"
ANSWER_PLANS = "answer plans"
_RUN_ID = 15  # characters; fewer are the beginning of an id, which any run may have


def until_written(
    read: Callable[Concatenate[Store, Rest], Read],
) -> Callable[Concatenate[Store, Rest], Read]:
    """Cache the result of ``read`` until somebody writes to the store. For short values that nobody
    changes, which pages and commands read again and again."""
    return _until(read, lambda args: None)


def until_written_to(
    *of: str,
) -> Callable[[Callable[Concatenate[Store, Rest], Read]], Callable[Concatenate[Store, Rest], Read]]:
    """As ``until_written``, for a read that rests on nothing but this of all that is written while
    models are asked: runs, their events and answers, investigations, and plans of answers."""
    return lambda read: _until(read, lambda args: of)


def until_run_written(
    read: Callable[Concatenate[Store, str, Rest], Read],
) -> Callable[Concatenate[Store, str, Rest], Read]:
    """As ``until_written_to``, for a read that rests on the run whose id comes first."""
    return _until(read, lambda args: args[:1] if len(args[0]) == _RUN_ID else None)


def _until(
    read: Callable[Concatenate[Store, Rest], Read],
    rests_on: Callable[[tuple[Any, ...]], Collection[str] | None],
) -> Callable[Concatenate[Store, Rest], Read]:
    @wraps(read)
    def read_once(store: Store, /, *args: Rest.args, **kwargs: Rest.kwargs) -> Read:
        of = rests_on(args)
        before = store.version(of)
        key = (store, (read.__module__, read.__qualname__, args, *kwargs.items()))
        cache_entry = _kept.get(key)
        if before is not None and cache_entry is not None and cache_entry[0] == before:
            value: Read = cache_entry[1]
            return value
        value = read(store, *args, **kwargs)
        if before is not None and before == store.version(of):
            while len(_kept) >= _KEPT_VALUES:
                _kept.pop(next(iter(_kept)), None)
            _kept[key] = before, value
        return value

    return read_once
