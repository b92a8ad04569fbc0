"""The instances of a sample that no chosen model seems to have seen.

An instance seems seen where the model picked its original, or completed it from memory. A guess
picks one original in four too, so the choice also drops unseen instances; and it keeps instances
that a model knows but cannot show. How many of those it keeps is measured on the model contaminated
on purpose (docs/method.md); no bound is claimed beyond it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from dcq.errors import InputError
from dcq.judging.cross_evidence import SampleMethodName, cross_evidence, models_of
from dcq.judging.wording import rests_on
from dcq.store import Store, samples, sources
from dcq.words import counted, listed

_BY = (SampleMethodName.QUIZ, SampleMethodName.REPLICATION)


@dataclass(frozen=True)
class CleanSubset:
    """Ids of instances of a ``sample``: ``kept`` seem seen by none of the ``models``, ``seen`` by
    one or more; ``unknown`` were not answered usably by some model and are in neither."""

    sample: str
    models: tuple[str, ...]
    kept: tuple[str, ...]
    seen: tuple[str, ...]
    unknown: tuple[str, ...]
    senders: tuple[str, ...] = ()  # whose replies it rests on besides one's own

    @property
    def sentence(self) -> str:
        """How many instances were kept, of how many."""
        total = len(self.kept) + len(self.seen) + len(self.unknown)
        open_ = f"; {len(self.unknown):,} have no usable answer" if self.unknown else ""
        return (
            f"{rests_on(self.senders)}{len(self.kept):,} of {counted(total, 'instance')} were "
            f"neither picked nor completed by {listed(self.models)}{open_}. Such a choice "
            "also drops unseen instances that were guessed, and keeps seen ones that leave no "
            "trace."
        )


def models(store: Store, sample_id: str) -> list[str]:
    """The models that were asked about a sample. Raises InputError for an unknown one."""
    return models_of(store, samples.load(store, sample_id).id)


def frame(subset: CleanSubset) -> pd.DataFrame:
    """A row for each instance: ``instance_id``, and whether it ``seems_seen``, missing where that
    is not known; and ``senders`` where it rests on replies of others."""
    status: dict[str, bool | None] = dict.fromkeys(subset.kept, False)
    status |= dict.fromkeys(subset.seen, True) | dict.fromkeys(subset.unknown)
    table = pd.DataFrame({"instance_id": list(status), "seems_seen": list(status.values())})
    return table.assign(senders=", ".join(subset.senders)) if subset.senders else table


def subset(store: Store, sample_id: str, models: Sequence[str]) -> CleanSubset:
    """Sort the instances of a sample into seen, kept and unknown. Raises InputError for an unknown
    sample, without a model, and where none of the models has a quiz or a replication of it."""
    if not models:
        raise InputError("Name at least one model whose seen instances are to be left out.")
    values_by_instance: dict[str, list[float]] = {}
    who, senders = sources.senders(store), set()
    for model in models:
        of_model = cross_evidence(store, sample_id, model)
        senders |= {who[each.run] for each in of_model.results if each.run in who}
        for instance in of_model.instances:
            held = [held for name in _BY if (held := instance.holds(name)) == held]
            values_by_instance.setdefault(instance.id, []).append(
                max(held) if held else float("nan")
            )
    if all(value != value for values in values_by_instance.values() for value in values):
        raise InputError(
            f"No instance of this sample was answered by {listed(list(models))} in a quiz or a "
            "replication; ask one first."
        )
    seen = tuple(instance for instance, values in values_by_instance.items() if 1.0 in values)
    unknown = tuple(
        instance
        for instance, values in values_by_instance.items()
        if instance not in seen and any(value != value for value in values)
    )
    clean = tuple(instance for instance in values_by_instance if instance not in {*seen, *unknown})
    return CleanSubset(sample_id, tuple(models), clean, seen, unknown, tuple(sorted(senders)))
