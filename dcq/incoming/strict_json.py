"""JSON from strangers, read at once and strictly."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from dcq.incoming.memory import Budget


def read_strictly(text: str, name: str) -> Any:
    """The JSON in the ``text`` of a file called ``name``. Raises ValueError if it is not JSON, has
    a name twice in one object, or has NaN or an infinity, which JSON does not have; RecursionError
    for too much nesting, InputError where it would take too much memory."""
    Budget(name).spend_json(text)
    return json.loads(text, parse_constant=_reject, object_pairs_hook=_without_doubles)


def _reject(name: str) -> NoReturn:
    raise ValueError(name)


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("duplicate name")
    return members
