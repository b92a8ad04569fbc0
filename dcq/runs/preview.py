"""A quiz and its cost, seen before anything is frozen or asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dcq import settings
from dcq.errors import InputError, ModelChoiceError
from dcq.models.batch import PRICE_SHARE
from dcq.models.endpoints import resolve
from dcq.quiz import prompts
from dcq.quiz.leakage import TextOnly, text_only
from dcq.records import Item, Kind
from dcq.runs import prepare
from dcq.runs.estimate import estimate
from dcq.runs.freeze import questions, read_slot
from dcq.runs.prepare import NO_TERMS, Terms
from dcq.store import Store, samples

READY = "yes"


@dataclass(frozen=True)
class Preview:
    """What a quiz would be: how many questions from how many instances, the first as it would be
    sent, sentences worth showing, and what strategies without memory would score."""

    questions: int
    instances: int
    first_prompt: str
    notes: tuple[str, ...]
    baselines: tuple[TextOnly, ...]


def preview(store: Store, sample_id: str, kind: Kind, *, slot: str | None = None) -> Preview:
    """Build a quiz without keeping it. Raises InputError if no question can be built."""
    sample = samples.load(store, sample_id)
    built = questions(store, sample, kind, read_slot(slot) if slot else None)
    used = len(sample.instances) - len(built.left_out)
    notes: tuple[str, ...] = ()
    if built.left_out:
        reason = next(iter(built.left_out.values()))
        notes = (f"{len(built.left_out)} instances are left out (the first: {reason}).",)
    return Preview(
        questions=len(built.items),
        instances=used,
        first_prompt=prompts.quiz_prompt(
            prompts.prompt_for(kind),
            sample.partition.title,
            sample.partition.split_title,
            built.items[0].options,
        ),
        notes=notes,
        baselines=text_only(built.items, sample.partition.language),
    )


def estimates(
    store: Store,
    sample_ids: Sequence[str],
    kind: Kind,
    models: Sequence[str],
    terms: Terms = NO_TERMS,
    *,
    by_batch: bool = False,
) -> list[dict[str, Any]]:
    """What putting a quiz of each sample to each model would take: partition, model, calls,
    tokens_in, tokens_out, usd (None where a price is unknown), cost (``usd`` in words), ready
    (``READY``, or what is to be done first)."""
    rows = []
    for sample_id in sample_ids:
        sample = samples.load(store, sample_id)
        prompt, partition = prompts.prompt_for(kind), sample.partition
        lack = READY
        items: Sequence[Item] = ()
        try:
            items = prepare.first_of(questions(store, sample, kind, None).items, terms.limit)
        except InputError as error:
            lack = str(error)
        for model in models:
            found = estimate(model, prompt, partition.title, partition.split_title, items)
            usd = found.cost_usd
            if usd is not None and by_batch:
                usd *= PRICE_SHARE
            rows.append(
                {
                    "partition": partition.id,
                    "model": model,
                    "calls": found.calls,
                    "tokens_in": found.tokens_in,
                    "tokens_out": found.tokens_out,
                    "usd": usd,
                    "cost": cost_words(usd),
                    "ready": lack if lack != READY else _readiness(model, usd, terms),
                }
            )
    return rows


def total(estimates: pd.DataFrame) -> str:
    """What several runs take together, in words."""
    known = estimates["usd"].dropna()
    words = f"Together {int(estimates['calls'].sum()):,} calls, cost: "
    if known.empty:
        return f"{words}{cost_words(None)}."
    unknown = len(estimates) - len(known)
    runs = "one run" if unknown == 1 else f"{unknown} runs"
    return f"{words}{cost_words(float(known.sum()))}" + (
        f", without {runs} whose price is unknown." if unknown else "."
    )


def unready(estimates: pd.DataFrame) -> list[str]:
    """Why runs of ``estimates`` cannot start: each reason once, with those it holds for named, the
    models or, where it is the sample that lacks something, the partitions. Empty if all can."""
    waiting = estimates[estimates["ready"] != READY]
    sentences = []
    for reason, rows in waiting.groupby("ready", sort=False):
        models, partitions = list(rows["model"].unique()), list(rows["partition"].unique())
        every_model = len(models) == estimates["model"].nunique()
        every_partition = len(partitions) == estimates["partition"].nunique()
        named = partitions if every_model and not every_partition else models
        sentences.append(f"{', '.join(named)}: {reason}")
    return sentences


def _readiness(model: str, usd: float | None, terms: Terms) -> str:
    try:
        resolve(model, settings.load())
    except ModelChoiceError as error:
        return str(error)
    if usd is None and terms.budget_usd is not None:
        return "Its price is not known, so a budget cannot be kept; leave the budget empty."
    return READY


def cost_words(usd: float | None) -> str:
    """A cost as a person reads it; an unknown price is said to be unknown."""
    if usd is None:
        return "price unknown"
    if usd == 0:
        return "nothing"
    return f"${usd:.2f}" if usd >= 0.01 else "under $0.01"
