"""A quiz and its cost before it is frozen or asked; and a question that was sent, rebuilt and
verified, with its reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dcq import settings
from dcq.asking.options import NO_TERMS, Terms
from dcq.asking.prompt import sha256
from dcq.errors import InputError, ModelChoiceError
from dcq.models import prices
from dcq.models.batch import PRICE_SHARE
from dcq.models.endpoints import resolve
from dcq.quiz import prompts
from dcq.quiz.build import first_of
from dcq.quiz.estimate import estimate_questions
from dcq.quiz.freeze import bcq_questions, questions, read_slot
from dcq.quiz.method import task_of
from dcq.quiz.placing import Places
from dcq.records import LETTERS, Answer, Item, QuizKind
from dcq.store import Store, quizzes, results, runs, samples, sources
from dcq.store.moment import at_one_moment
from dcq.store.samples import StoredSample
from dcq.variants.leakage import TextOnly, text_only
from dcq.words import usd_words

READY = "yes"


@dataclass(frozen=True)
class Preview:
    """A quiz before it is frozen: the number of questions and instances, the first prompt as it
    would be sent, notes to show, which instances are left out (their numbers in the sample, from 1,
    with the reason), and the scores of strategies without memory."""

    questions: int
    instances: int
    first_prompt: str
    notes: tuple[str, ...]
    left_out: Mapping[int, str]
    baselines: tuple[TextOnly, ...]


def preview(
    store: Store, sample_id: str, kind: QuizKind, *, slot: str | None = None, bdq: str | None = None
) -> Preview:
    """Build a quiz without saving it; a bcq from the variants of ``bdq`` if given. Raises
    InputError if no question can be built."""
    sample = samples.load(store, sample_id)
    if bdq is not None and slot is not None:
        built = bcq_questions(store, quizzes.load(store, bdq), read_slot(slot))
    else:
        built = questions(store, sample, kind, read_slot(slot) if slot else None)
    used = len(sample.instances) - len(built.left_out)
    notes = tuple(filter(None, (built.note, sources.whose_rewordings(store, sample.id))))
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
        left_out={
            number: built.left_out[instance.id]
            for number, instance in enumerate(sample.instances, start=1)
            if instance.id in built.left_out
        },
        baselines=text_only(built.items, sample.partition.language),
    )


def estimates(
    store: Store,
    places: Places,
    kind: QuizKind,
    terms: Terms = NO_TERMS,
    *,
    by_batch: bool = False,
) -> list[dict[str, Any]]:
    """The cost of giving a quiz of each sample to its models, sample by sample: partition, model,
    slot (the original's letter, None if it has no single slot), calls, tokens_in, tokens_out, usd
    (None if a price is unknown), cost (``usd`` in words), ready (``READY``, or what has to be done
    first)."""
    rows = []
    for sample_id in dict.fromkeys(sample_id for sample_id, _ in places):
        sample = samples.load(store, sample_id)
        prompt, partition = prompts.prompt_for(kind), sample.partition
        here = {model: place for (placed, model), place in places.items() if placed == sample_id}
        built = {bdq: _ask_of(store, sample, kind, bdq) for bdq in {p.bdq for p in here.values()}}
        for model, place in here.items():
            all_items, reason = built[place.bdq]
            items = first_of(all_items, terms.limit) if all_items else ()
            estimate = estimate_questions(
                model, prompt, partition.title, partition.split_title, items
            )
            usd = estimate.cost_usd
            if usd is not None and by_batch:
                usd *= PRICE_SHARE
            ready = place.why_not or readiness(model, usd, terms)
            rows.append(
                {
                    "partition": partition.id,
                    "model": model,
                    "slot": place.letter,
                    "calls": estimate.calls,
                    "tokens_in": estimate.tokens_in,
                    "tokens_out": estimate.tokens_out,
                    "usd": usd,
                    "cost": usd_words(usd),
                    "ready": ready if reason == READY else reason,
                }
            )
    return rows


def _ask_of(
    store: Store, sample: StoredSample, kind: QuizKind, bdq: str | None
) -> tuple[Sequence[Item], str]:
    """The questions, and READY or why there are none. The questions of a bdq stand in for those of
    its bcqs, whose prompts are about as long."""
    try:
        if bdq is not None:
            return quizzes.load(store, bdq).items, READY
        return questions(store, sample, kind, None).items, READY
    except InputError as error:
        return (), str(error)


def total(estimates: pd.DataFrame) -> str:
    """The cost of several runs together, in words."""
    costs = estimates["usd"].dropna()
    words = f"Together {int(estimates['calls'].sum()):,} calls, cost: "
    if costs.empty:
        return f"{words}{usd_words(None)}."
    unknown = len(estimates) - len(costs)
    runs = "one run" if unknown == 1 else f"{unknown} runs"
    return f"{words}{usd_words(float(costs.sum()))}" + (
        f", without {runs} whose price is unknown." if unknown else "."
    )


def unready(estimates: pd.DataFrame) -> list[str]:
    """Why runs of ``estimates`` cannot start: each reason once, with the models that it applies to
    or, if the sample lacks something, the partitions. Empty if all can start."""
    waiting = estimates[estimates["ready"] != READY]
    sentences = []
    for reason, rows in waiting.groupby("ready", sort=False):
        models, partitions = list(rows["model"].unique()), list(rows["partition"].unique())
        every_model = len(models) == estimates["model"].nunique()
        every_partition = len(partitions) == estimates["partition"].nunique()
        named = partitions if every_model and not every_partition else models
        sentences.append(f"{', '.join(named)}: {reason}")
    return sentences


def readiness(model: str, usd: float | None, terms: Terms) -> str:
    """``READY``, or why this model cannot be asked for ``usd`` on these terms."""
    try:
        resolve(model, settings.load())
    except ModelChoiceError as error:
        return str(error)
    if usd is None and terms.budget_usd is not None:
        return "Its price is not known, so a budget cannot be enforced; leave the budget empty."
    return READY


def price_words(models: Sequence[str]) -> str:
    """The sources of the prices in an estimate for ``models``, with their dates; plain text."""
    model_prices = (prices.find_price(model) for model in models)
    price_sources = dict.fromkeys(
        (price.source, price.as_of) for price in model_prices if price and price.source
    )
    named = ", ".join(
        f"{source} (as of {day:%d %b %Y})" if day else source for source, day in price_sources
    )
    return f"List prices: {named}." if named else "Models on your own machines cost nothing."


@dataclass(frozen=True)
class Sent:
    """One question of one run. ``verified``: ``prompt`` has the hash that was stored when it was
    sent; ``original`` is the original's letter, None if it is absent; ``parameters`` are those of
    the successful call; ``usage_reported`` False means that the token counts are upper bounds;
    ``served_model`` and ``fingerprint`` are what the endpoint reported."""

    prompt: str
    verified: bool
    original: str | None
    answer: Answer


@at_one_moment
def recall(store: Store, run_id: str, position: int) -> Sent:
    """The question at ``position`` (from 0) of a run. Raises InputError where there is no answer
    to it yet."""
    answer = results.load_answer(store, run_id, position)
    if answer is None:
        raise InputError(
            f"Question {position + 1} has no answer in this run yet; choose another, or wait."
        )
    plan = runs.load(store, run_id).plan
    item = quizzes.item_at(store, plan.subject, position)
    prompt = task_of(plan, [item]).text(0)
    return Sent(
        prompt=prompt,
        verified=sha256(prompt) == answer.prompt_sha256,
        original=None if item.correct is None else LETTERS[item.correct],
        answer=answer,
    )
