"""The estimated cost of asking the questions of a quiz."""

from __future__ import annotations

from collections.abc import Sequence

from dcq.asking.cost import CostEstimate, estimate
from dcq.asking.prompt import Prompt
from dcq.models.endpoints import split_mode
from dcq.quiz import modes
from dcq.records import Item, Mode


def estimate_questions(
    model: str, prompt: Prompt, dataset: str, split: str, items: Sequence[Item]
) -> CostEstimate:
    """Estimate asking ``items`` of ``model``, or scoring their options in likelihood mode."""
    how = modes.of(Mode.LIKELIHOOD if split_mode(model)[1] else Mode.LETTER)
    texts = [how.text_to_price(prompt, dataset, split, item.options) for item in items]
    return estimate(model, texts, how.most_tokens(prompt))
