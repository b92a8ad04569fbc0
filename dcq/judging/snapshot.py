"""The state of a study at one moment: nothing of the judge above it reads the store.

It reads the evidence of all methods, with the rows that each method has read for it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pandas as pd

from dcq import methods
from dcq.detection import DetectionMethod, belongs
from dcq.errors import InputError
from dcq.evidence.record import Context, Evidence, ServedModel
from dcq.judging import pace, prompts
from dcq.models import cutoffs
from dcq.models.cutoffs import Cutoff
from dcq.records import PartitionRole
from dcq.store import Store, partitions, replications, samples, sources
from dcq.store import results as stored
from dcq.store.studies import EVERYTHING, KnownRun, Study
from dcq.text_kind import TextKind, text_kind


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything in a store that a study's verdicts rest on.

    ``evidence`` is by run, of all results that can be compared: of the whole store, because a run
    may be compared with those that it was planned with. Of others it has what was taken in, and
    where one's own and theirs exclude each other, one's own counts. ``members`` are those of the
    study ``within``. ``rows`` are what each method has read, by its name; ``counting`` are the runs
    that count in the study.
    """

    evidence: Mapping[str, Evidence]
    members: frozenset[str]
    counting: frozenset[str]
    cutoffs: Mapping[str, Cutoff]
    rows: Mapping[str, Any]
    within: Study = EVERYTHING

    @property
    def family(self) -> frozenset[str]:
        """The runs whose p-values are corrected together."""
        return frozenset(
            run
            for run in self.counting
            if run in self.evidence and self.evidence[run].role == PartitionRole.TARGET
        )


def read(
    store: Store,
    within: Study = EVERYTHING,
    by: Sequence[DetectionMethod[Any]] | None = None,
) -> Snapshot:
    """The study as it is now, with the evidence of the methods ``by``."""
    used = methods.readers(within) if by is None else by
    with store.hold():
        senders, taken_in = sources.senders(store), sources.taken_in(store)
        rows = {
            method.name: method.known_to(within, method.read(store), taken_in) for method in used
        }
        runs = [run for method in used for run in method.runs(rows[method.name])]
        context = Context(_served(store, runs), partitions.published(store))
        prompts_by_run = prompts.read(store, runs)
    kinds = _text_kinds(store)
    evidence: dict[str, Evidence] = {}
    counting: list[tuple[Hashable, str]] = []
    for method in used:
        method_evidence = {
            run: replace(
                of_run,
                texts=kinds(of_run.sample),
                prompts=prompts_by_run.get(run),
                sender=senders.get(run, ""),
            )
            for run, of_run in method.evidence(store, rows[method.name], context, within).items()
        }
        known = within.known(known_runs(method_evidence.values(), taken_in))
        method_evidence = {run: method_evidence[run] for run in method_evidence if run in known}
        evidence |= method_evidence
        counting += method.counting_runs(rows[method.name], method_evidence, within)
    standing: dict[Hashable, str] = {}
    for key, run in sorted(counting, key=lambda entry: entry[1] in senders):
        standing.setdefault(key, run)  # one's own before others'
    cutoffs_by_model = {
        result.model: cutoffs.cutoff_of(result.model) for result in evidence.values()
    }
    return Snapshot(
        evidence=evidence,
        members=frozenset(run for run, result in evidence.items() if belongs(result, within)),
        counting=frozenset(standing.values()),
        cutoffs={model: cutoff for model, cutoff in cutoffs_by_model.items() if cutoff is not None},
        rows=rows,
        within=within,
    )


def known_runs(
    evidence: Iterable[Evidence], taken_in: Mapping[str, datetime]
) -> Iterator[KnownRun]:
    """The runs of ``evidence`` as studies see them; ``taken_in`` is of others' runs."""
    for entry in evidence:
        at = taken_in.get(entry.run, entry.at)
        yield KnownRun(
            entry.run, entry.family_key, at, entry.finished, own=entry.run not in taken_in
        )


_looked: ContextVar[dict[Store, tuple[int, ...]] | None] = ContextVar("looked", default=None)


@contextmanager
def hold_change_marker() -> Iterator[None]:
    """Within the block, keep the first value of ``state``, so that all that is shown of a store is
    of one moment."""
    token = _looked.set({})
    try:
        yield
    finally:
        _looked.reset(token)


def state(store: Store) -> tuple[int, ...]:
    """A value that changes whenever something is written that a verdict rests on; for answers of a
    run in progress only every few seconds."""
    looked = _looked.get()
    if looked is not None and store in looked:
        return looked[store]
    marker = pace.paced(store, (*replications.state(store), *cutoffs.state()))
    if looked is not None:
        looked[store] = marker
    return marker


def _text_kinds(store: Store) -> Callable[[str], TextKind | None]:
    """What gives the kind of texts that a sample of the store has, by its id; None without one."""

    def kind_of(sample_id: str) -> TextKind | None:
        if sample_id and sample_id not in _kinds:
            while len(_kinds) >= _KEPT_KINDS:
                _kinds.pop(next(iter(_kinds)), None)
            try:
                sample = samples.load(store, sample_id)
            except InputError:  # of a published file, whose texts were not kept
                return None
            _kinds[sample_id] = text_kind(sample.instances, sample.partition.source)
        return _kinds.get(sample_id)

    return kind_of


_KEPT_KINDS = 4096
_kinds: dict[str, TextKind | None] = {}  # by the fingerprint of the texts


def _served(store: Store, run_ids: Sequence[str]) -> dict[str, tuple[ServedModel, ...]]:
    """What endpoints said answered each of these runs."""
    models_by_run: dict[str, list[ServedModel]] = {}
    for row in stored.served_models(store, run_ids).to_dict("records"):
        model, fingerprint = (
            None if pd.isna(row[name]) else str(row[name])
            for name in ("served_model", "fingerprint")
        )
        served_model = ServedModel(
            model, fingerprint, row["first"].to_pydatetime(), row["last"].to_pydatetime()
        )
        models_by_run.setdefault(str(row["run"]), []).append(served_model)
    return {run: tuple(served_models) for run, served_models in models_by_run.items()}
