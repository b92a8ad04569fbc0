"""Ten questions on texts that come with dcq, for those who want to see what the quiz is like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dcq.partitions import draw_sample, open_partition
from dcq.quiz.people import ASKED_ALIKE, begin
from dcq.quiz.results import Result
from dcq.quiz.sitting import SHORT
from dcq.store import Store, samples
from dcq.words import place

_FIRST = ("control-reviews", "test")  # short everyday texts, with variants


def offered(store: Store, found: Sequence[Result]) -> tuple[str, str]:
    """What a newcomer is asked about: the name of a bundled partition, and its sample in the store
    (empty where it is still to be drawn). One that models were asked about (``found``
    are the results of the store) comes first, so that there is something to compare with."""
    here = {
        one.id: one
        for one in samples.listing(store)
        if one.source.startswith("bundled:") and one.language == "en" and one.with_variants >= SHORT
    }
    asked = Counter(
        result.sample
        for result in found
        if result.sample in here and result.kind in ASKED_ALIKE and result.n
    )
    best = max(here, key=lambda sample: asked[sample], default="")
    if best and asked[best]:
        return place(here[best].title, here[best].split_title), best
    opened = open_partition(*_FIRST)
    known = next((i for i, one in here.items() if one.partition == opened.partition.id), "")
    return place(opened.partition.title, opened.partition.split_title), known


def begin_first(store: Store, sample_id: str, person: str) -> str:
    """The id of a sitting of ten questions of the sample ``offered``, drawn here if it is empty."""
    if not sample_id:
        sample_id = samples.save(store, draw_sample(open_partition(*_FIRST)))
    return begin(store, sample_id, person, SHORT)
