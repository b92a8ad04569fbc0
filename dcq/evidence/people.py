"""How often people find the originals of a sample, as a control for what models find."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from dcq.evidence.arguments import check_chance, check_confidence
from dcq.evidence.chance import binomial_tail
from dcq.evidence.interval import effective_answers, score_interval
from dcq.evidence.kappa import Kappa, from_parts


@dataclass(frozen=True)
class Pooled:
    """The answers of ``people`` about ``instances`` together: ``kappa.n`` answers, one for each
    instance that a person was asked about. κ and its interval are None without an answer."""

    people: int
    instances: int
    kappa: Kappa

    @property
    def above_chance(self) -> bool:
        """Whether the whole interval is above guessing."""
        return self.kappa.kappa_low is not None and self.kappa.kappa_low > 0


def pool(
    answers: Sequence[tuple[Hashable, Hashable, bool]],
    chance: float = 0.25,
    *,
    confidence: float = 0.95,
) -> Pooled:
    """κ with fixed chance of all ``answers`` (person, instance, right) together.

    1 means that people always find the original, 0 as often as guessing does, negative less often;
    no answer gives no value. The score is the share of the answers that are right. Several people
    may have been asked about one instance, and an instance that one recognises another may too, so
    interval (Wilson's) and one-sided p-value are at the effective size over instances. With one
    answer an instance, that is their number, and all is as in ``kappa_fixed``. The people are taken
    as they are: others may do better or worse.
    """
    check_chance(chance)
    check_confidence(confidence)
    people = len({person for person, _, _ in answers})
    rank: dict[Hashable, int] = {}
    for _, instance, _ in answers:
        rank.setdefault(instance, len(rank))
    asked, right = np.zeros(len(rank)), np.zeros(len(rank))
    for _, instance, is_right in answers:
        asked[rank[instance]] += 1
        right[rank[instance]] += is_right
    n, correct = len(answers), int(right.sum())
    if not n:
        return Pooled(0, 0, from_parts(0, 0, None, None, None, chance))
    size = effective_answers(right, asked, confidence)
    score = correct / n
    limits = score_interval(score, size, confidence)
    p_value = binomial_tail(score * size, size, chance)
    return Pooled(people, len(rank), from_parts(n, correct, score, limits, p_value, chance))
