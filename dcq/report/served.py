"""Which models answered a run according to its endpoint, and which model was asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import pandas as pd

from dcq.evidence.case import Check, Mark, Topic
from dcq.models.endpoints import model_asked
from dcq.store import Store, results, runs

SHOWN = 4  # names; an endpoint may report a different one with every reply
LONGEST = 60  # characters of a name in a sentence


@dataclass(frozen=True)
class Served:
    """The models that an endpoint reported for a run, and its system fingerprints, each with its
    number of answers, most frequent first. ``n`` counts all answers, reported or not."""

    asked: str
    n: int
    models: Mapping[str, int]
    fingerprints: Mapping[str, int]

    @property
    def differs(self) -> bool:
        """True if a reported model has another name than the one asked for."""
        return any(name != self.asked for name in self.models)

    def words(self) -> str:
        """What answered, in one line; empty if it is what was asked for, or nothing is known."""
        if not self.differs:
            return ""
        words = f"{_listed(self.models, self.n)}; asked for {self.asked}"
        if len(self.fingerprints) > 1:
            words += f"; {len(self.fingerprints)} system fingerprints"
        return words

    def mismatch(self) -> str:
        """A warning if several models answered one run; empty otherwise."""
        if len(self.models) < 2:
            return ""
        return (
            f"According to the endpoint, {len(self.models)} models answered this run "
            f"({_listed(self.models, self.n)}), so its results mix several models."
        )


def served(store: Store, run_id: str) -> Served:
    """What answered a run, according to the endpoint."""
    found = results.served(store, [run_id])
    return Served(
        asked=model_asked(runs.load(store, run_id).plan.model),
        n=int(found["count"].sum()),
        models=_count(found.groupby("served_model")["count"].sum().to_dict()),
        fingerprints=_count(found.groupby("fingerprint")["count"].sum().to_dict()),
    )


@dataclass(frozen=True)
class Said:
    """One name and system fingerprint that an endpoint gave for answers of a run, None where it
    gave none, and when the ``first`` and ``last`` of them came (UTC)."""

    model: str | None
    fingerprint: str | None
    first: datetime
    last: datetime


def said(store: Store, run_ids: Sequence[str]) -> dict[str, list[Said]]:
    """What endpoints said answered each of these runs."""
    found: dict[str, list[Said]] = {}
    for row in results.served(store, run_ids).to_dict("records"):
        model, fingerprint = (
            None if pd.isna(row[name]) else str(row[name])
            for name in ("served_model", "fingerprint")
        )
        one = Said(model, fingerprint, row["first"].to_pydatetime(), row["last"].to_pydatetime())
        found.setdefault(str(row["run"]), []).append(one)
    return found


def check(runs_of: Mapping[str, str], known: Mapping[str, Sequence[Said]]) -> Check | None:
    """Did one model answer all runs of a finding? ``runs_of`` are their names in a sentence, by
    run, that of the result first. A caution where their endpoint gave several names, or several
    fingerprints; None where it did not, or said nothing. What it did not say is no difference."""
    shown = {run: known[run] for run in runs_of if run in known}
    for of, noun in ((_name, "model names"), (_fingerprint, "system fingerprints")):
        values = {value for every in shown.values() for one in every if (value := of(one))}
        if len(values) < 2:
            continue
        sides = [
            f"{runs_of[run]}: {_dated(every, of)}"
            for run, every in shown.items()
            if any(of(one) for one in every)
        ]
        return Check(
            Topic.SERVED,
            Mark.CAUTION,
            f"{len(values):,} {noun.split()[1]}",
            f"The endpoint gave {len(values):,} {noun} for what is compared here, so it may not be "
            f"one model ({_cut(sides, '; ')}).",
        )
    return None


def _name(one: Said) -> str | None:
    return one.model


def _fingerprint(one: Said) -> str | None:
    return one.fingerprint


def _dated(every: Sequence[Said], of: Callable[[Said], str | None]) -> str:
    """Each value with the days on which it was given, in their order."""
    days: dict[str, list[datetime]] = {}
    for one in every:
        if value := of(one):
            days.setdefault(value, []).extend((one.first, one.last))
    ordered = sorted(days.items(), key=lambda pair: (min(pair[1]), pair[0]))
    return _cut([f"{value[:LONGEST]}, {_span(min(at), max(at))}" for value, at in ordered], " and ")


def _span(first: datetime, last: datetime) -> str:
    days = [f"{day:%d %b %Y}" for day in (first, last)]
    return days[0] if days[0] == days[1] else f"{days[0]} to {days[1]}"


def _cut(parts: Sequence[str], between: str) -> str:
    more = len(parts) - SHOWN
    return between.join(parts[:SHOWN]) + (f"{between}{more:,} more" if more > 0 else "")


def _count(found: Mapping[object, object]) -> dict[str, int]:
    counts = {str(name): int(str(count)) for name, count in found.items()}
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _listed(counts: Mapping[str, int], n: int) -> str:
    shown = [f"{name} in {count:,} of {n:,} answers" for name, count in counts.items()]
    more = len(shown) - SHOWN
    return ", ".join(shown[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")
