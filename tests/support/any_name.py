"""Names as stores took them in before there was a rule for them (``dcq.naming``)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dcq import naming


@contextmanager
def any_name() -> Iterator[None]:
    """Within the block every name is taken in."""
    with pytest.MonkeyPatch.context() as before:
        before.setattr(naming, "check_line", lambda *_: None)
        before.setattr(naming, "_mixed", lambda _: "")
        yield
