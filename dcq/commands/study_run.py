"""A study's file, planned and run."""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from dcq.asking.options import Watch
from dcq.commands.asking import make_progress, stop_on_signals
from dcq.commands.output import AsJson, complain, emit, err, open_store, remark, remark_guess
from dcq.commands.plan import show_plan, tell_plan
from dcq.commands.study_options import (
    AllowHost,
    Outside,
    StudyPath,
    conclusions,
    read_trusted,
)
from dcq.errors import InputError
from dcq.judging import changes
from dcq.judging.answers import answers
from dcq.records import Sample
from dcq.store import Store
from dcq.store.studies import EVERYTHING
from dcq.study import engine, running
from dcq.study.exports import write_exports
from dcq.study.repairs import with_repairs
from dcq.study.running import PlannedStudy, StudyRun
from dcq.study.spec import StudySpec
from dcq.study.state import read_state
from dcq.words import counted, usd_words

WAITING = 6  # people must accept rewordings before anything is asked

Budget = Annotated[
    float | None,
    typer.Option(help="Never spend more than this, in USD, whatever more the file allows."),
]
Retry = Annotated[
    bool, typer.Option("--retry", help="Ask again for rewordings that failed before.")
]


def plan(
    file: StudyPath,
    budget: Budget = None,
    retry: Retry = False,
    outside: Outside = False,
    allow_host: AllowHost = None,
    as_json: AsJson = False,
) -> None:
    """Say what a study would find, what would block it, and what it would take. Nothing is
    asked."""
    spec = _within_budget(read_trusted(file, allow_host, outside=outside), budget)
    planned = running.plan_study(open_store(), spec, retry=retry)
    _tell_targets(planned)
    show_plan(planned.plan, as_json)


def run(
    file: StudyPath,
    budget: Budget = None,
    yes: Annotated[bool, typer.Option("--yes", help="Start without being asked.")] = False,
    retry: Retry = False,
    outside: Outside = False,
    allow_host: AllowHost = None,
    as_json: AsJson = False,
) -> None:
    """Bring a study about: draw, reword, ask and conclude. Run again, it goes on, and asks nothing
    that was asked.

    The exit code is 6 while people must accept rewordings."""
    spec = _within_budget(read_trusted(file, allow_host, outside=outside), budget)
    store = open_store()
    for note in read_state(store, spec).notes:
        remark(note)
    planned = running.plan_study(store, spec, retry=retry)
    _tell_targets(planned)
    _agree(planned, yes=yes or budget is not None)  # a file's own budget is nobody's consent
    done, left_by = _run(store, planned)
    for note in done.notes:
        remark(note)
    if done.calls:
        changes.keep(store, EVERYTHING, answers(store))
    _show(store, done, as_json)
    if done.is_asked and not left_by:
        for path in write_exports(store, spec):
            remark(f"{path} is written.")
    _leave(done, left_by)


def _within_budget(spec: StudySpec, budget: float | None) -> StudySpec:
    """The study with the lower of two budgets, so that a file cannot raise what a person allows."""
    budgets = [each for each in (spec.budget, budget) if each is not None]
    return replace(spec, budget=min(budgets, default=None))


def _tell_targets(planned: PlannedStudy) -> None:
    for each in planned.drawn:
        if isinstance(each.sample, Sample):
            for note in each.sample.notes:
                remark(note)
        remark_guess(each.guessed)


def _agree(planned: PlannedStudy, *, yes: bool) -> None:
    """Show the plan and ask whether it may start. Raises InputError where nobody can be asked, or
    no conclusion is possible."""
    plan = planned.plan
    if not plan.calls:
        return
    if not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(
            "There is no terminal on which you could agree to the price. Add --yes to start, or "
            "--budget 5 to spend at most 5 USD."
        )
    tell_plan(plan)
    engine.check_possible(plan)
    if not yes and not typer.confirm("Start?", default=True, err=True):
        remark("Nothing was asked.")
        raise typer.Exit


def _run(store: Store, planned: PlannedStudy) -> tuple[StudyRun, list[signal.Signals]]:
    """Bring it about; the signals that ended it."""
    left_by: list[signal.Signals] = []

    async def go(display: _Display) -> StudyRun:
        stop = asyncio.Event()
        stop_on_signals([stop], left_by)
        watch = Watch(stop, display.begin, display.advance, remark)
        return await running.run(store, planned, watch, display.end)

    with _Display() as display:
        return asyncio.run(go(display)), left_by


class _Display:
    """One progress bar for all runs of a study; without a terminal, a line whenever a pair is
    asked."""

    def __init__(self) -> None:
        self._progress = make_progress()
        self._bar = self._progress.add_task("Study", total=None)
        self._ended = self._total = self._done = 0

    def __enter__(self) -> _Display:
        self._progress.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.__exit__(None, None, None)

    def begin(self, _name: str, done: int, items: int) -> None:
        """A run has begun."""
        self._total += items - done
        self._update()

    def advance(self, count: int) -> None:
        """Answers were kept."""
        self._done += count
        self._update()

    def end(self, name: str, pairs: int) -> None:
        """A pair is asked."""
        self._ended += 1
        self._progress.update(self._bar, description=f"Study, {self._ended} of {pairs} pairs")
        if not err.is_terminal:
            remark(f"{self._ended} of {pairs}: {name}")

    def _update(self) -> None:
        total = max(self._total, self._done)
        self._progress.update(self._bar, completed=self._done, total=total)


def _show(store: Store, done: StudyRun, as_json: bool) -> None:
    """Print the conclusions, and what they took."""
    said = with_repairs(store, done.state.answers)
    if as_json:
        emit(done.document() | {"answers": said}, True, "")
    else:
        emit(None, False, conclusions(done.state))
        for one in said:
            emit(None, False, one["sentence"])
            if command := (one["repair"] or {}).get("command"):
                emit(None, False, f"  Next: {command}")
        emit(None, False, f"{counted(done.calls, 'call')} made now, {usd_words(done.usd)}.")


def _leave(done: StudyRun, left_by: Sequence[signal.Signals]) -> None:
    """End with the code of what was left undone."""
    for reason in done.stopped:
        complain(reason)
    if left_by:
        remark(f"To go on, type: {shlex.join(['python', '-m', 'dcq', *sys.argv[1:]])}")
        sys.exit(128 + left_by[0])
    if done.stopped:
        sys.exit(1)
    if done.waiting:
        sys.exit(WAITING)
