"""A cap on the calls of a run, retries included."""

from __future__ import annotations

from dcq.errors import CallsUsedUpError


class CallMeter:
    """Counts calls before they are made and refuses the one past ``most`` (None: no cap); ``made``
    is how many the run has made before."""

    def __init__(self, most: int | None, made: int = 0) -> None:
        self._most = most
        self.made = made

    def take(self) -> None:
        """Count one call, or raise CallsUsedUpError."""
        if self._most is not None and self.made >= self._most:
            raise CallsUsedUpError(
                f"The {self._most:,} calls that the run may make are made; allow more and resume."
            )
        self.made += 1
