"""What endpoints say answered a run, beside what they were asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dcq.models.endpoints import model_asked
from dcq.store import Store, results, runs

SHOWN = 4  # names; an endpoint may give every reply another


@dataclass(frozen=True)
class Served:
    """The models that an endpoint said answered a run, and their fingerprints, by how often; most
    often first. ``n`` counts answers, those included of which it did not say."""

    asked: str
    n: int
    models: Mapping[str, int]
    fingerprints: Mapping[str, int]

    @property
    def differs(self) -> bool:
        """True if a model answered that was not asked for by this name."""
        return any(name != self.asked for name in self.models)

    def words(self) -> str:
        """What answered, in a line; empty where it is what was asked, or nothing is known."""
        if not self.differs:
            return ""
        told = f"{_listed(self.models, self.n)}, asked {self.asked}"
        if len(self.fingerprints) > 1:
            told += f"; under {len(self.fingerprints)} fingerprints of the endpoint's system"
        return told

    def mismatch(self) -> str:
        """A sentence where several models answered one run; empty otherwise."""
        if len(self.models) < 2:
            return ""
        return (
            f"{len(self.models)} models answered this run by the endpoint's word "
            f"({_listed(self.models, self.n)}), so its figures are not of one model."
        )


def served(store: Store, run_id: str) -> Served:
    """What answered a run, by the endpoint's word."""
    found = results.served(store, [run_id])
    return Served(
        asked=model_asked(runs.load(store, run_id).plan.model),
        n=int(found["count"].sum()),
        models=_count(found.groupby("served_model")["count"].sum().to_dict()),
        fingerprints=_count(found.groupby("fingerprint")["count"].sum().to_dict()),
    )


def _count(found: Mapping[object, object]) -> dict[str, int]:
    counts = {str(name): int(str(count)) for name, count in found.items()}
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _listed(counts: Mapping[str, int], n: int) -> str:
    shown = [f"{name} in {count:,} of {n:,} answers" for name, count in counts.items()]
    more = len(shown) - SHOWN
    return ", ".join(shown[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")
