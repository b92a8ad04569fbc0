"""The runs of likelihoods, and their live progress."""

from __future__ import annotations

from collections.abc import Callable

from dcq.asking import launch
from dcq.likelihood import NAME
from dcq.likelihood.method import METHOD
from dcq.ui import roles, run_card, run_panel
from dcq.ui.run_card import MethodCard
from dcq.ui.run_panel import ListedRun, Panel


def panel(read: Callable[[str], None]) -> Panel[ListedRun]:
    """The panel of runs; ``read`` opens the result of one, in a callback."""
    return Panel(
        page="likelihood",
        what="instances",
        again=("likelihood_again", "Score again"),
        listing=lambda store, only: run_panel.list_frozen(store, NAME, only),
        card=lambda store, listed_run, is_new: _card(listed_run, read, is_new=is_new),
    )


def _card(listed_run: ListedRun, read: Callable[[str], None], *, is_new: bool) -> MethodCard:
    return MethodCard(
        what=lambda run: "likelihood",
        so_far=lambda run: "",
        unusable="without likelihoods",
        reasons_title="Why some replies are not used",
        role=roles.UserRole.RUNNER,
        resume=lambda store, run, terms, all_of_it: launch.resume(
            store, METHOD, run, terms, all_of_it=all_of_it
        ),
        result_button=lambda run, state: _offer(listed_run, read, is_new=is_new),
    )


def _offer(listed_run: ListedRun, read: Callable[[str], None], *, is_new: bool) -> None:
    run = listed_run.run
    if listed_run.live or run.done <= run.errors:
        return
    run_card.offer_result(run, key="likelihood_read", is_next=is_new, act=lambda: read(run.run))
