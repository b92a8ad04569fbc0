"""When to give up on an endpoint that gives no replies."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping

from dcq.errors import EndpointError
from dcq.models.pacing.rate_limit import LONGEST_WAIT
from dcq.records import Answer, Outcome

FIRST_TRIES = 3  # questions, of a run that never had a reply
# An outage passes, and takes the questions of its time with it; one that lasts would take all.
LOST_IN_A_ROW = 10  # questions, if
SILENT_SECONDS = 60.0  # so long has passed since the last reply


class GiveUp:
    """Counts the answers of a run to decide when its endpoint is given up. ``replied``: whether any
    question ever got a reply."""

    def __init__(self, replied: bool) -> None:
        self.replied = replied
        self._lost = 0
        self._why = ""
        self._heard_at = time.monotonic()

    def heed(self, answer: Answer) -> str:
        """Why to give up after this answer, as a sentence; empty while it is worth going on."""
        if answer.outcome is not Outcome.ERROR:
            self.replied, self._lost, self._heard_at = True, 0, time.monotonic()
            return ""
        self._lost += 1
        self._why = answer.reason
        if not self.replied:
            return self.sum_up() if self._lost >= FIRST_TRIES else ""
        silent = time.monotonic() - self._heard_at
        if self._lost < LOST_IN_A_ROW or silent < SILENT_SECONDS:
            return ""
        return f"The last {self._lost} questions brought no reply. {self._why}"

    def sum_up(self) -> str:
        """What to say at the end of a run that never got a reply; empty for any other."""
        return "" if self.replied or not self._lost else f"No question brought a reply. {self._why}"


def asks_to_come_back(error: EndpointError) -> str:
    """The sentence for an endpoint that asks for a longer pause than a call waits."""
    seconds = getattr(error, "retry_after", None) or 0.0
    return str(error) if seconds > LONGEST_WAIT else ""


def explain_unusable(lost: Mapping[tuple[Outcome, str], int]) -> str:
    """Why no reply of a run can be used, as sentences; empty where nothing is ``lost``. The counts
    are by outcome and reason, the commonest first."""
    if not lost:
        return ""
    outcomes: Counter[str] = Counter()
    for (outcome, _), count in lost.items():
        outcomes[outcome.value] += count
    counts = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.most_common())
    _, reason = next(iter(lost))
    often = f"; most often: {reason}" if reason and reason not in outcomes else ""
    return (
        f"No reply can be used ({counts}){often.rstrip('.')}. Look at the replies on the Results"
        " page, then choose another model or other settings."
    )
