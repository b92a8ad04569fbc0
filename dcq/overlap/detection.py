"""Overlap as a method of detection: a search or a scan has no model and nothing to compare it with,
so it is shown beside verdicts and changes none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dcq.detection import DetectionMethod
from dcq.evidence.record import Context, Evidence
from dcq.store import Store, overlaps, studies
from dcq.store.studies import Study

if TYPE_CHECKING:  # see dcq.detection
    from dcq.asking.task import Method


class _OverlapDetection(DetectionMethod[None]):
    name = studies.OVERLAP
    title = "Overlap"
    question = "Is it on the web?"
    explanation = "Instances are looked for on the web or in a corpus; no model is asked."
    judged = False

    @property
    def kinds(self) -> Sequence[Method]:
        from dcq.overlap.method import METHODS

        return tuple(METHODS.values())

    def read(self, store: Store) -> None:
        return

    def runs(self, rows: None) -> Sequence[str]:
        return ()

    def evidence(
        self, store: Store, rows: None, context: Context, within: Study
    ) -> Mapping[str, Evidence]:
        return {}

    def beside(self, store: Store, within: Study) -> Sequence[Evidence]:
        if not overlaps.runs_of(store):
            return ()
        from dcq.overlap.evidence import of_study  # here, because it takes a second

        return of_study(store, within)


OVERLAP_DETECTION = _OverlapDetection()
