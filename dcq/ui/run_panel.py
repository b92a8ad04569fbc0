"""The runs of a page as cards, with their live progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dcq.asking import launch
from dcq.asking.exclusive import Exclusive
from dcq.asking.options import Terms
from dcq.asking.task import Method
from dcq.jobs.state import RunState, state_of
from dcq.store import Store, frozen, results, run_progress
from dcq.store.moment import at_one_moment
from dcq.store.run_progress import RunProgress
from dcq.ui import notice, refresh, roles, run_card
from dcq.ui.result_names import listed_partitions
from dcq.ui.run_card import MethodCard

SHOWN = 6


@dataclass(frozen=True)
class ListedRun:
    """A run with its state. ``follows``: another run will follow it by itself."""

    run: RunProgress
    state: RunState
    follows: bool = False

    @property
    def live(self) -> bool:
        """Whether the state may still change by itself."""
        return self.state.live or self.follows


One = TypeVar("One", bound=ListedRun)


@dataclass(frozen=True)
class Panel(Generic[One]):
    """How a page shows its runs. Its keys begin with ``page``. ``listing``: the runs, newest first,
    or only some with those that follow them. ``card``: draws one; the flag says that it was started
    just now. ``what``: the word for the units of progress, such as "replies". ``again``: key and
    label of the button that leads back to the form. ``turns``: whether several runs are asked one
    by one, so that between two of them none is live. ``picture``: draws the live runs, with the
    names of their partitions, in place of a bar."""

    page: str
    what: str
    again: tuple[str, str]
    listing: Callable[[Store, Sequence[str]], Sequence[One]]
    card: Callable[[Store, One, bool], MethodCard]
    turns: Sequence[Exclusive] = ()
    picture: Callable[[Sequence[RunProgress], Mapping[str, str]], None] | None = None


def show(store: Store, panel: Panel[One]) -> DeltaGenerator:
    """The runs in progress and the newest of the others, or all. Returns the place for the form:
    below them while one is in progress, above them otherwise. Runs that were started on this visit
    are shown alone, and the page ends here, so that they are in sight."""
    if only := st.session_state.get(_started(panel.page)):
        _watch(store, panel, panel.listing(store, only), only)
        key, label = panel.again
        st.button(
            label, icon=":material/add:", key=key, on_click=notice.told(forget), args=(panel.page,)
        )
        st.stop()
    listed_runs = panel.listing(store, ())
    above, form, below = st.container(), st.container(), st.container()
    with above if _goes_on(store, panel, listed_runs) else below:
        _watch(store, panel, listed_runs)
    return form


def keep(page: str, runs: Sequence[str]) -> None:
    """Note that these runs were started just now, so that they alone are shown until ``forget``."""
    st.session_state[_started(page)] = list(runs)


def are_kept(page: str) -> bool:
    """Whether runs that were started just now are shown alone."""
    return bool(st.session_state.get(_started(page)))


def forget(page: str) -> None:
    """Show all runs again, and the form; for callbacks, and on coming to the page."""
    st.session_state[_started(page)] = []


def any_live(store: Store, panel: Panel[One]) -> bool:
    """Whether a run may still change by itself, or another will follow it."""
    return _goes_on(store, panel, panel.listing(store, ()))


@at_one_moment
def states(
    store: Store, methods: Iterable[str], only: Sequence[str] = ()
) -> list[tuple[RunProgress, RunState]]:
    """The newest runs of these methods with their states, newest first; ``only``: these runs, and
    those about one of them."""
    newest = {
        event.run: event
        for name in methods
        for event in run_progress.newest_events(store, method=name)
    }
    return [
        (run, state_of(store, run.run, newest[run.run].event, newest[run.run].at))
        for run in run_progress.progress(store, list(newest))
        if not only or run.run in only or run.subject in only
    ]


def list_frozen(store: Store, method: str, only: Sequence[str] = ()) -> list[ListedRun]:
    """As ``states``, of a method whose requests are frozen: each knows how many those are."""
    run_states = states(store, [method], only)
    sizes = frozen.sizes(store, [run.subject for run, _ in run_states])
    return [
        ListedRun(replace(run, quiz_items=sizes.get(run.subject, run.items)), state)
        for run, state in run_states
    ]


@dataclass(frozen=True)
class FrozenWords:
    """The words for runs whose requests are frozen. ``run``: the kind of run; ``units`` as ``what``
    of ``Panel``; ``again``: the label of the button that leads back to the form; ``unusable`` and
    ``reasons_title`` as in ``MethodCard``."""

    run: str
    units: str
    again: str
    unusable: str
    reasons_title: str = "Why some replies are not used"


def of_frozen(
    page: str,
    method: str,
    words: FrozenWords,
    resume: Callable[[Store, str, Terms, bool], None],
    read: Callable[[RunProgress], None],
) -> Panel[ListedRun]:
    """The panel of a ``method`` whose requests are frozen; ``read`` opens the result of a run that
    has one, in a callback."""

    def offer(listed_run: ListedRun, *, is_new: bool) -> None:
        run = listed_run.run
        if not listed_run.live and run.done > run.errors:
            run_card.offer_result(run, key=f"{page}_read", is_next=is_new, act=lambda: read(run))

    return Panel(
        page=page,
        what=words.units,
        again=(f"{page}_again", words.again),
        listing=lambda store, only: list_frozen(store, method, only),
        card=lambda store, listed_run, is_new: MethodCard(
            what=lambda run: words.run,
            so_far=lambda run: "",
            unusable=words.unusable,
            reasons_title=words.reasons_title,
            role=roles.UserRole.RUNNER,
            resume=resume,
            result_button=lambda run, state: offer(listed_run, is_new=is_new),
        ),
    )


def resume_with(method: Method) -> Callable[[Store, str, Terms, bool], None]:
    """How runs of a ``method`` are resumed."""
    return lambda store, run, terms, all_of_it: launch.resume(
        store, method, run, terms, all_of_it=all_of_it
    )


def _goes_on(store: Store, panel: Panel[One], listed_runs: Sequence[One]) -> bool:
    return any(listed_run.live for listed_run in listed_runs) or any(
        turn.any_under_way(store) for turn in panel.turns
    )


def _started(page: str) -> str:
    return f"{page}_started"


def _watch(
    store: Store, panel: Panel[One], listed_runs: Sequence[One], only: Sequence[str] = ()
) -> None:
    if not listed_runs:
        return
    read_already = iter([listed_runs])  # to be drawn first; after a second they are read again

    def draw(store: Store) -> bool:
        now = next(read_already, None)
        return _draw(store, panel, panel.listing(store, only) if now is None else now, only)

    refresh.show(store, draw, live=_goes_on(store, panel, listed_runs))


def _draw(store: Store, panel: Panel[One], listed_runs: Sequence[One], only: Sequence[str]) -> bool:
    """The headline and the cards; whether one goes on. Live runs come first."""
    listed_runs = sorted(listed_runs, key=lambda listed_run: not listed_run.live)
    busy = [listed_run for listed_run in listed_runs if listed_run.live]
    title, more = st.container(), st.container()
    some = max(SHOWN, len(busy), 2 * len(only))  # with those that follow them
    show_all = len(listed_runs) > some and more.toggle(
        f"All {len(listed_runs)} runs", key=f"{panel.page}_all_runs", bind="query-params"
    )
    visible_runs = listed_runs if show_all else listed_runs[:some]
    timed = results.latency(store, [listed_run.run.run for listed_run in visible_runs])
    places = listed_partitions([listed_run.run for listed_run in visible_runs])
    with title:
        _headline(panel, [listed_run.run for listed_run in busy], places)
    for listed_run in visible_runs:
        run_card.show(
            store,
            listed_run.run,
            listed_run.state,
            panel.card(store, listed_run, listed_run.run.run in only),
            place=places[listed_run.run.partition],
            timed=timed.get(listed_run.run.run),
        )
    return _goes_on(store, panel, listed_runs)


def _headline(panel: Panel[One], busy: Sequence[RunProgress], places: Mapping[str, str]) -> None:
    if not busy:
        st.subheader("Latest runs", anchor=False)
        return
    done, items = sum(run.done for run in busy), sum(run.items for run in busy)
    noun = "run" if len(busy) == 1 else "runs"
    st.subheader(f"{len(busy)} {noun}: {done:,} of {items:,} {panel.what}", anchor=False)
    if panel.picture is None:
        st.progress(min(1.0, done / max(items, 1)))
    else:
        panel.picture(busy, places)
    refresh.promise()
