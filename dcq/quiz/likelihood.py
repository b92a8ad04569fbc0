"""A quiz in likelihood mode: each option is scored separately, and the likeliest is the choice.

The outcome of a question is stored like that of any reply, so that every statistic applies to it.
"""

from __future__ import annotations

from dcq.asking.prompt import Prompt
from dcq.records import Outcome, Reading, Reply

PROMPT = Prompt(
    name="options",
    version="v1",
    wording="The text of each option alone, after the model's beginning-of-text token if any.",
    temperature=0.0,
    max_tokens=4,  # an endpoint has to generate one after each of the four options
)


def read_scores(reply: Reply) -> Reading:
    """The letter with the highest score per token; none if the highest scores are equal."""
    scores = reply.logprobs or {}
    best = [letter for letter, score in scores.items() if score == max(scores.values())]
    if len(best) != 1:
        return Reading(Outcome.INVALID, None, f"{' and '.join(best)} are equally likely")
    return Reading(Outcome.ANSWERED, best[0], "highest log-likelihood per token")
