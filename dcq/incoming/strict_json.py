"""JSON from strangers, read at once and strictly."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NoReturn

from dcq.incoming.memory import Budget


class DoubledNameError(ValueError):
    """A name that stands twice in one object."""


def read_strictly(text: str, name: str) -> Any:
    """The JSON in the ``text`` of a file called ``name``. Raises ValueError if it is not JSON, has
    a name twice in one object, or has NaN or an infinity, which JSON does not have; RecursionError
    for too much nesting, InputError where it would take too much memory."""
    Budget(name).spend_json(text)
    return json.loads(text, parse_constant=_reject, object_pairs_hook=without_doubles)


def _reject(name: str) -> NoReturn:
    raise ValueError(name)


def without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object, for ``object_pairs_hook``. Raises DoubledNameError where a name
    stands twice: ``json`` would take the last and say nothing."""
    members = dict(pairs)
    if len(members) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise DoubledNameError(counts.most_common(1)[0][0])
    return members
