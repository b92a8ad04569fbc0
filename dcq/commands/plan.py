"""A plan on stdout: what asking would find, what would block it, what it takes."""

from __future__ import annotations

from rich.table import Table

from dcq.asking.options import Terms
from dcq.commands.output import emit, table
from dcq.investigation import power
from dcq.investigation.planned import PowerPlan, change_words, outlook, problem_lines
from dcq.quiz.choice import QuizChoice
from dcq.store import Store
from dcq.words import counted, listed, model_titles, percent, usd_words

SHARES = ("unseen", "fifth", "half", "whole")


def show_plan(
    store: Store,
    choice: QuizChoice,
    models: list[str],
    terms: Terms,
    every_method: bool,
    as_json: bool,
) -> None:
    """Print the plan of asking ``models``. ``every_method``: by all methods that each allows."""
    choices = power.choices(store, choice, models, every_method=every_method)
    plan = power.plan(store, choices, terms)
    if as_json:
        emit(plan.document(), True, "")
        return
    emit(None, False, _lines(plan))
    emit(None, False, _table(plan))
    if problems := problem_lines(plan.pairs):
        emit(None, False, ["What would block a conclusion:", *(f"- {line}" for line in problems)])


def _lines(plan: PowerPlan) -> list[str]:
    """What it would find and what it takes; first of all, that it can find nothing."""
    price = "free of charge" if plan.usd == 0 else usd_words(plan.usd)
    helpful = [change_words(change) for change in plan.changes]
    return [
        outlook(plan.pairs),
        *(["The cheapest change that helps:", f"- {helpful[0]}"] if helpful else []),
        *(["Others that help:", *(f"- {line}" for line in helpful[1:])] if helpful[1:] else []),
        f"As planned: {counted(plan.calls, 'call')}, {price}. Nothing was asked.",
    ]


def _table(plan: PowerPlan) -> Table:
    """Per cent of partitions that would be called contaminated."""
    titles = model_titles(pair.model for pair in plan.pairs)
    return table(
        (
            "Model",
            "Partition",
            "Controls#",
            "Unseen#",
            "A fifth seen#",
            "Half seen#",
            "All seen#",
            "Possible",
        ),
        [
            [
                titles[pair.model],
                pair.place,
                len(pair.controls),
                *(percent(getattr(pair.power, name)) for name in SHARES),
                listed([ruling.word for ruling in pair.possible]),
            ]
            for pair in plan.pairs
        ],
    )
