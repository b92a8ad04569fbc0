"""The estimated cost of asking the questions of a quiz."""

from __future__ import annotations

from collections.abc import Sequence

from dcq.asking.estimate import Estimate, estimate
from dcq.asking.prompt import Prompt
from dcq.models.endpoints import split_mode
from dcq.quiz import likelihood
from dcq.quiz.prompts import quiz_prompt
from dcq.records import Item


def estimate_questions(
    model: str, prompt: Prompt, dataset: str, split: str, items: Sequence[Item]
) -> Estimate:
    """Estimate asking ``items`` of ``model``, or scoring their options in likelihood mode."""
    if split_mode(model)[1]:
        texts = ["".join(item.options) for item in items]
        return estimate(model, texts, likelihood.PROMPT.max_tokens)
    texts = [quiz_prompt(prompt, dataset, split, item.options) for item in items]
    return estimate(model, texts, prompt.max_tokens)
