"""One instance as a model of one dose answered it, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Membership(StrEnum):
    """What is known of an instance."""

    MEMBER = "member"  # trained on
    OTHER = "non-member"  # of the same partition, held out
    CONTROL = "control"  # of another partition, held out


@dataclass(frozen=True)
class StudyRow:
    """``per_token`` is the log-likelihood of each of the four options, the original's at ``slot``.

    ``letter`` is None where the reply named none (``outcome`` says why); ``chance_of_original`` is
    the probability of its letter among the four, by the first token. ``general``, ``guided`` and
    ``opening`` are ROUGE-L of the completion with the second piece, 0 where the reply is no
    completion; ``opening`` is None for controls. ``exact`` is of the guided completion.
    """

    instance: str
    group: Membership
    slot: int
    per_token: tuple[float, ...]
    outcome: str
    letter: str | None
    chance_of_original: float
    general: float
    guided: float
    exact: bool
    opening: float | None
    opening_exact: bool | None

    @property
    def margin(self) -> float:
        """Log-likelihood per token of the original less that of the likeliest variant."""
        others = [score for slot, score in enumerate(self.per_token) if slot != self.slot]
        return self.per_token[self.slot] - max(others)

    @property
    def likeliest(self) -> float:
        """1 where the original is the choice in likelihood mode, 0 where not, NaN for a tie."""
        return math.nan if self.margin == 0 else float(self.margin > 0)

    @property
    def named(self) -> float:
        """1 where the letter is the original's, 0 where it is another, NaN without a letter."""
        return math.nan if self.letter is None else float(self.letter == "ABCD"[self.slot])


def read_row(fields: Mapping[str, Any]) -> StudyRow:
    """A row as it was before ``dataclasses.asdict`` and JSON."""
    return StudyRow(
        **{
            **fields,
            "group": Membership(fields["group"]),
            "per_token": tuple(fields["per_token"]),
        }
    )


# What an instance scores, by method. The first is no method of dcq's but the usual yardstick: the
# likelihood of the text alone (Yeom et al. 2018), which knows no rewordings.
SCORES: dict[str, Callable[[StudyRow], float]] = {
    "likelihood of the text": lambda row: row.per_token[row.slot],
    "quiz, likelihood: margin": lambda row: row.margin,
    "quiz, likelihood: right": lambda row: row.likeliest,
    "quiz, letter: probability": lambda row: row.chance_of_original,
    "quiz, letter: right": lambda row: row.named,
    "replication: guided ROUGE-L": lambda row: row.guided,
    "replication: guided − general": lambda row: row.guided - row.general,
    "replication: exact": lambda row: float(row.exact),
    "opening of the training text: ROUGE-L": lambda row: (
        math.nan if row.opening is None else row.opening
    ),
}


def values(rows: Sequence[StudyRow], score: Callable[[StudyRow], float]) -> NDArray[np.float64]:
    """One score of each row, shape (n,)."""
    return np.array([score(row) for row in rows], dtype=np.float64)
