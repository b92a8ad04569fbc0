"""What the section on replication shows of single results."""

from __future__ import annotations

from collections.abc import Sequence

from dcq.documents import result_tables
from dcq.documents.chart_rows import caption_lines, expected, measures
from dcq.judging.answer import Concluded
from dcq.judging.judged import JudgedResult
from dcq.sections import Chart, Exhibit
from dcq.store import Store
from dcq.store.studies import Study
from dcq.words import model_title

DRAWN = 6  # results with a chart of their own; all of them are in the table of the section


def exhibits(
    store: Store, within: Study, results: Sequence[JudgedResult], concluded: Concluded
) -> list[Exhibit]:
    """The two measures of each of the strongest beside those of its controls; ``results`` are the
    strongest first, and ``concluded`` is the word in tables and charts."""
    by_run = {result.evidence.run: result for result in results}
    shown = []
    for result in [result for result in results if result.verdict][:DRAWN]:
        controls = [by_run[control.run] for control in result.controls if control.run in by_run]
        drawn = [result, *controls]
        shown.append(
            Exhibit(
                f"{model_title(result.evidence.model)} on {result.evidence.place}",
                tuple(caption_lines(drawn)),
                result_tables.tabulate_methods(drawn, concluded),
                Chart("replication_measures", measures(drawn, concluded), (expected(result),)),
            )
        )
    return shown
