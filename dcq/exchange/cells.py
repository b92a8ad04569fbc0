"""One cell of a result file read as an answer."""

from __future__ import annotations

from dcq.quiz.parse import read_reply
from dcq.records import LETTERS, Outcome, Reading, Reply

SLOTS = tuple(LETTERS[:4])


def read_answer(cell: str) -> Reading:
    """What a cell answers, "none of these" being option E; an empty one is a missing reply."""
    if not cell.strip():
        return Reading(Outcome.ERROR, None, "empty cell")
    return read_reply(Reply(cell), len(LETTERS))
