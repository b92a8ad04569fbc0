"""A plan in a terminal: what asking would find, what would block it, what it takes."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from dcq.commands.output import emit, err, table
from dcq.investigation.planned import PowerPlan, change_words, outlook, problem_lines
from dcq.words import counted, listed, model_titles, percent, usd_words, visible

SHARES = ("unseen", "fifth", "half", "whole")


def show_plan(plan: PowerPlan, as_json: bool) -> None:
    """Print a plan on stdout."""
    if as_json:
        emit(plan.document(), True, "")
        return
    emit(None, False, [*_lines(plan), f"{_price(plan)} Nothing was asked."])
    emit(None, False, _table(plan))
    if problems := _problems(plan):
        emit(None, False, problems)


def tell_plan(plan: PowerPlan) -> None:
    """Print a plan on stderr, before it is asked."""
    above, below = ("\n".join(lines) for lines in (_lines(plan), [*_problems(plan), _price(plan)]))
    for part in (Text(visible(above, lines=True)), _table(plan), Text(visible(below, lines=True))):
        err.print(part, soft_wrap=True)


def _lines(plan: PowerPlan) -> list[str]:
    """What it would find, and what would help; first of all, that it can find nothing."""
    helpful = [change_words(change) for change in plan.changes]
    return [
        outlook(plan.pairs),
        *(["The cheapest change that helps:", f"- {helpful[0]}"] if helpful else []),
        *(["Others that help:", *(f"- {line}" for line in helpful[1:])] if helpful[1:] else []),
    ]


def _price(plan: PowerPlan) -> str:
    price = "free of charge" if plan.usd == 0 else usd_words(plan.usd)
    return f"As planned: {counted(plan.calls, 'call')}, {price}."


def _problems(plan: PowerPlan) -> list[str]:
    problems = problem_lines(plan.pairs)
    return ["What would block a conclusion:", *(f"- {line}" for line in problems)] * bool(problems)


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
