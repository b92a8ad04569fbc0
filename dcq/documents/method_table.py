"""The results of one method as a table for people: what all results have, and the method's own
fields (``dcq.judging.fields``)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dcq.documents.names import tell_apart
from dcq.judging import fields
from dcq.judging.fields import Shown
from dcq.judging.study import JudgedResult
from dcq.shown import Medium


def columns(found: Sequence[JudgedResult]) -> list[Shown]:
    """The columns that people read, with the names of partitions."""
    places = tell_apart({one.evidence.partition: one.evidence.place for one in found})
    return fields.of_people(found, places)


def tabulate(found: Sequence[JudgedResult], only: Sequence[str] = ()) -> pd.DataFrame:
    """A row for each result, as texts and whole numbers, for a document; of the columns those with
    the headings ``only``, if any are given. Without results, no columns."""
    return pd.DataFrame(
        {
            column.heading: [column.cell(one) for one in found]
            for column in columns(found)
            if (column.heading in only if only else column.medium is Medium.DOCUMENT)
        }
    )
