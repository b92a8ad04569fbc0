"""The mean scores of a replication under each instruction, and how much the guided instruction
adds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dcq.evidence.replication.guidance import Guidance, compare_instructions
from dcq.replication.prompts import Instruction
from dcq.replication.results import InstanceScores, Scores, meaning_name


@dataclass(frozen=True)
class Addition:
    """Guided minus another instruction in the mean score of ``n`` instances that have both.

    Minus the general one, it is what naming dataset and split adds; minus the name-swapped one,
    what the dataset's real name adds; minus the wrong-label one, what the right label adds.
    Negative where the guided completions are further from the reference. ``low`` and ``high`` are
    percentile limits at 95 %, None below ten instances; ``p_value`` is one-sided, None below two.
    """

    n: int
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None


@dataclass(frozen=True)
class MeaningScore:
    """A score of closeness in meaning: its name ``called``, its mean under each instruction, guided
    against general, and guided minus each other instruction."""

    called: str
    means: Mapping[Instruction, float | None]
    guidance: Guidance
    additions: Mapping[Instruction, Addition]


def means(
    rows: Sequence[InstanceScores], instructions: Sequence[Instruction], *, meaning: bool = False
) -> dict[Instruction, float | None]:
    """The mean score of each instruction over the instances that have one."""
    mean_scores: dict[Instruction, float | None] = {}
    for instruction in instructions:
        scores = _scores(rows, instruction, meaning=meaning)
        finite_scores = scores[~np.isnan(scores)]
        mean_scores[instruction] = float(finite_scores.mean()) if len(finite_scores) else None
    return mean_scores


def additions(
    rows: Sequence[InstanceScores],
    instructions: Sequence[Instruction],
    guidance: Guidance,
    *,
    meaning: bool = False,
) -> dict[Instruction, Addition]:
    """Guided minus each other instruction that was asked, by the paired bootstrap of Algorithm 1.

    ``guidance`` is that of the general one, the only one that the paper compares with; the other
    comparisons are ours."""
    compared = {Instruction.GENERAL: guidance} | {
        instruction: _compare(rows, instruction, meaning=meaning)
        for instruction in instructions
        if instruction not in {Instruction.GUIDED, Instruction.GENERAL}
    }
    return {
        other: Addition(
            comparison.n, comparison.difference, comparison.low, comparison.high, comparison.p_value
        )
        for other, comparison in compared.items()
    }


def meaning_of(
    rows: Sequence[InstanceScores], instructions: Sequence[Instruction], language: str
) -> MeaningScore | None:
    """The scores of closeness in meaning; None where there is no such score."""
    called = meaning_name(language)
    if called is None:
        return None
    guidance = _compare(rows, Instruction.GENERAL, meaning=True)
    return MeaningScore(
        called,
        means(rows, instructions, meaning=True),
        guidance,
        additions(rows, instructions, guidance, meaning=True),
    )


def _compare(
    rows: Sequence[InstanceScores], other_instruction: Instruction, *, meaning: bool
) -> Guidance:
    """With the ``other_instruction`` instruction's scores in the general one's place."""
    return compare_instructions(
        _scores(rows, other_instruction, meaning=meaning),
        _scores(rows, Instruction.GUIDED, meaning=meaning),
    )


def _scores(rows: Sequence[InstanceScores], instruction: Instruction, *, meaning: bool) -> Scores:
    return np.array([row.score(instruction, meaning=meaning) for row in rows], dtype=np.float64)
