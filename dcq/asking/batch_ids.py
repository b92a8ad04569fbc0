"""The names of requests in a batch: by them a reply finds its question."""

from __future__ import annotations

import re


def write_id(run_id: str, position: int, attempt: int) -> str:
    """The name of an attempt at a question."""
    return f"{run_id}:{position}:{attempt}"


def read_id(run_id: str, request_id: str, size: int) -> tuple[int, int] | None:
    """Which of ``size`` questions of a run, and which attempt, a request was for; None for one that
    is not of this run."""
    found = re.fullmatch(rf"{re.escape(run_id)}:(\d{{1,9}}):(\d{{1,4}})", request_id)
    if found is None or int(found[1]) >= size:
        return None
    return int(found[1]), int(found[2])
