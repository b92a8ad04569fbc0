"""Links from quizzes to the results of other methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from dcq.evidence.record import Evidence
from dcq.judging import every_method
from dcq.judging.judged import JudgedResult
from dcq.judging.study import rank_verdict
from dcq.likelihood import NAME as LIKELIHOOD
from dcq.store import Store
from dcq.store.studies import REPLICATION, Study
from dcq.ui import page
from dcq.words import listed


@dataclass(frozen=True)
class OtherResults:
    """The results of a study that are not of a quiz: those of other methods, the strongest of each
    first, and searches and scans, the newest first."""

    results: tuple[JudgedResult, ...]
    searches: tuple[Evidence, ...]

    def __bool__(self) -> bool:
        return bool(self.results or self.searches)

    def __str__(self) -> str:
        """``2 replications and 1 search or scan``."""
        counts = [
            (len(results), name, f"{name}s")
            for name, results in (
                (result.evidence.method, self.of(result)) for result in self.strongest
            )
        ]
        counts.append((len(self.searches), "search or scan", "searches and scans"))
        return listed(
            [f"{n:,} {singular if n == 1 else more}" for n, singular, more in counts if n]
        )

    @property
    def strongest(self) -> list[JudgedResult]:
        """The strongest result of each method."""
        first: dict[str, JudgedResult] = {}
        for result in self.results:
            first.setdefault(result.evidence.method, result)
        return list(first.values())

    def of(self, result: JudgedResult) -> list[JudgedResult]:
        """All results of the same method as this one."""
        return [
            other_result
            for other_result in self.results
            if other_result.evidence.method == result.evidence.method
        ]


def other_results(store: Store, within: Study) -> OtherResults:
    """The other results of a study; new completions are scored first."""
    with st.spinner("Scoring the completions…"):
        results = every_method.of_other_methods(store, within)
    ranked = sorted(results, key=lambda result: rank_verdict(result.verdict))
    return OtherResults(tuple(ranked), tuple(every_method.searched(store, within)))


def offer(other_results: OtherResults) -> None:
    """A link to the strongest result of each method that has a page, and one to the newest search,
    as far as there are any."""
    for result in other_results.strongest:
        name = result.evidence.method
        if name in _PAGES:
            icon, choices = _PAGES[name]
            label = _label(len(other_results.of(result)), name, f"{name}s")
            page.link(name, label, icon=icon, **choices(result.evidence.run))
    if other_results.searches:
        page.link(
            "overlap",
            _label(len(other_results.searches), "search or scan", "searches and scans"),
            icon=":material/travel_explore:",
            **overlap_choices(other_results.searches[0].run),
        )


def address_of(result: JudgedResult) -> tuple[str, dict[str, str]] | None:
    """The page of a result's method and the parameters that open the result there; None where the
    method has no page."""
    if result.evidence.method not in _PAGES:
        return None
    _, choices = _PAGES[result.evidence.method]
    return result.evidence.method, choices(result.evidence.run)


def offer_its(results: Sequence[JudgedResult]) -> None:
    """A link to the first result of each method that has a page."""
    for result in OtherResults(tuple(results), ()).strongest:
        name = result.evidence.method
        if name in _PAGES:
            icon, choices = _PAGES[name]
            page.link(name, f"Its {name}", icon=icon, **choices(result.evidence.run))


def has_page(method: str) -> bool:
    """Whether a method has a page of its own for its results."""
    return method in _PAGES


def replication_choices(run: str) -> dict[str, str]:
    """The parameters of the address that opens a run on the page Replication."""
    return {"replication_view": "Result", "replication_run": run}


def likelihood_choices(run: str) -> dict[str, str]:
    """The parameters of the address that opens a run on the page Likelihood."""
    return {"likelihood_view": "Result", "likelihood_run": run}


def overlap_choices(run: str) -> dict[str, str]:
    """The parameters of the address that opens a run on the page Overlap."""
    return {"overlap_view": "Result", "overlap_run": run}


def _label(count: int, singular: str, more: str) -> str:
    return f"Read the {singular}" if count == 1 else f"Read {count:,} {more}"


# Methods with a page of their own, which is named like them: its icon, and what opens a run there.
_PAGES: Mapping[str, tuple[str, Callable[[str], dict[str, str]]]] = {
    REPLICATION: (":material/content_copy:", replication_choices),
    LIKELIHOOD: (":material/stacked_line_chart:", likelihood_choices),
}
