"""The time and cost of scoring a sample, before anything is stored."""

from __future__ import annotations

from collections.abc import Sequence

from dcq.asking.cost import CostEstimate
from dcq.likelihood.method import LikelihoodTask
from dcq.models import prices

# Of a core, for a token that the embedded model reads: python -m benchmarks.scorers.
_SECONDS_A_TOKEN = 1.4 / 400


def embedded_seconds(task: LikelihoodTask, limit: int | None) -> float:
    """About how many seconds a core takes for the first ``limit`` instances (None: all) under the
    embedded model, which reads a context of several texts once."""
    count = task.size if limit is None else task.count_first(limit)
    texts = [text for position in range(count) for text in task.texts(position)]
    read = [*(text.text for text in texts), *{text.context for text in texts}]
    return sum(map(prices.estimate_tokens, read)) * _SECONDS_A_TOKEN


def estimates(models: Sequence[str], task: LikelihoodTask, limit: int | None) -> list[CostEstimate]:
    """For each model, the estimate for the first ``limit`` instances (None: all): a call for each
    text, after which an endpoint has to generate one token."""
    count = task.size if limit is None else task.count_first(limit)
    texts = [text for position in range(count) for text in task.texts(position)]
    tokens = sum(prices.estimate_tokens(text.context + text.text) for text in texts)
    return [
        CostEstimate(len(texts), tokens, len(texts), prices.cost(model, tokens, len(texts)))
        for model in models
    ]
