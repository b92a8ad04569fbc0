"""What the explorer shows of a partition, read once for all who look: its instances with their
texts, and its results with their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from dcq.evidence.record import Evidence
from dcq.judging import explorer
from dcq.judging.explorer import Explored
from dcq.judging.snapshot import Snapshot
from dcq.store import Store, samples
from dcq.store.studies import Study
from dcq.words import model_titles


@dataclass(frozen=True, eq=False)
class SeenInstances:
    """A partition as it is explored: ``names`` of its results, and of each instance its number in
    the sample, its text and its label."""

    explored: Explored
    names: Sequence[str]
    numbers: Sequence[int]
    texts: Sequence[str]
    labels: Sequence[str]

    @property
    def verb(self) -> str:
        """What is shown of an instance: "picked or completed"."""
        return " or ".join(dict.fromkeys(verb_of(result) for result in self.explored.results))


def verb_of(result: Evidence) -> str:
    """What is shown of an instance by a result, such as "picked"; empty where nothing is."""
    return result.each.verb if result.each else ""


def table_of(seen: SeenInstances, selection: NDArray[np.int64]) -> pd.DataFrame:
    """The list as a file: a row for each instance, a column for each result."""
    ids = seen.explored.ids
    return pd.DataFrame(
        {
            "instance_id": [ids[at] for at in selection],
            "number": [seen.numbers[at] for at in selection],
            "label": [seen.labels[at] for at in selection],
            "characters": [len(seen.texts[at]) for at in selection],
            **{
                name: row[selection]
                for name, row in zip(seen.names, seen.explored.recalled, strict=True)
            },
        }
    )


@st.cache_resource(max_entries=2, show_spinner="Reading the instances…")
def read_seen(
    path: str, state: tuple[int, ...], within: Study, partition: str, _snapshot: Snapshot
) -> SeenInstances:
    """The instances of a partition under the results of a study; ``_snapshot`` is what the
    rest, the cache key, names."""
    explored = explorer.explore(_snapshot, partition)
    store = Store(path)
    rows_by_id: dict[str, tuple[int, str, str]] = {}
    for sample in dict.fromkeys(result.sample for result in explored.results):
        for instance in samples.load(store, sample).instances:
            rows_by_id.setdefault(
                instance.id, (len(rows_by_id) + 1, instance.text, instance.label or "")
            )
    numbers, texts, labels = zip(
        *(rows_by_id.get(instance_id, (0, "", "")) for instance_id in explored.ids), strict=True
    )
    titles = model_titles(result.asked_name for result in explored.results)
    return SeenInstances(explored, explorer.names(explored, titles), numbers, texts, labels)
