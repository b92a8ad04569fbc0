"""A field of a dataclass whose value is computed when it is first read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Later(Generic[T]):
    """A field that is given as a value, or as a function without arguments that returns it. The
    function is called at most once."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._value, self._make = f"_{name}", f"_make_{name}"

    def __get__(self, instance: object | None, owner: type) -> T:
        if instance is None:
            raise AttributeError(self._value)  # so the field has no default
        attributes: dict[str, Any] = instance.__dict__
        if self._value not in attributes:
            attributes[self._value] = attributes[self._make]()
        value: T = attributes[self._value]
        return value

    def __set__(self, instance: object, value: T | Callable[[], T]) -> None:
        instance.__dict__[self._make if callable(value) else self._value] = value
