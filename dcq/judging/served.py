"""Which models answered a run according to its endpoint, and which model was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dcq.models.endpoints import model_asked
from dcq.store import Store, results, runs

SHOWN = 4  # names; an endpoint may report a different one with every reply


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
        """The reported models in one line; empty if it is the model asked for, or nothing was
        reported."""
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
    """The models that answered a run, according to the endpoint."""
    frame = results.served_models(store, [run_id])
    return Served(
        asked=model_asked(runs.load(store, run_id).plan.model),
        n=int(frame["count"].sum()),
        models=_count(frame.groupby("served_model")["count"].sum().to_dict()),
        fingerprints=_count(frame.groupby("fingerprint")["count"].sum().to_dict()),
    )


def _count(raw_counts: Mapping[object, object]) -> dict[str, int]:
    counts = {str(name): int(str(count)) for name, count in raw_counts.items()}
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _listed(counts: Mapping[str, int], n: int) -> str:
    phrases = [f"{name} in {count:,} of {n:,} answers" for name, count in counts.items()]
    more = len(phrases) - SHOWN
    return ", ".join(phrases[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")
