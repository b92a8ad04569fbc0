"""The section on replication."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from dcq.documents import result_tables
from dcq.documents.chart_rows import caption_lines, expected, measures
from dcq.documents.deck import captions
from dcq.documents.deck.model import Part
from dcq.judging.answer import Concluded
from dcq.judging.replication import ReplicationResult
from dcq.sections import Chart, Exhibit, Section
from dcq.words import model_title

DRAWN = 6  # results with a chart of their own; all of them are in the tables
READ_ALOUD = 3  # verdicts


def replications(
    results: Sequence[ReplicationResult], changed: Mapping[str, str], concluded: Concluded
) -> Section | None:
    """The section on whether a model can complete an instance from its beginning; ``changed`` says
    what changed a verdict, by run, and ``concluded`` is the word in its tables and charts."""
    if not results:
        return None
    by_run = {result.run: result for result in results}
    tested = sorted((result for result in results if result.verdict is not None), key=_strength)
    sentences = [
        f"{result.sentence} {changed.get(result.run, '')}".rstrip()
        for result in tested[:READ_ALOUD]
    ]
    ranked = [*tested, *(result for result in results if not result.verdict)]
    exhibits = [Exhibit("All replications", _caption(results), _table(ranked, concluded))]
    for result in tested[:DRAWN]:
        drawn_results = [result, *(by_run[run] for run in result.controls if run in by_run)]
        rows, unseen = measures(drawn_results, concluded), expected(result)
        exhibits.append(
            Exhibit(
                f"{model_title(result.model)} on {result.place}",
                tuple(caption_lines(drawn_results)),
                _table(drawn_results, concluded),
                Chart("replication_measures", rows, (unseen,)),
            )
        )
    return Section(
        Part.REPLICATION,
        "Can it write the rest from memory?",
        (
            "The model gets the beginning of each instance and writes the rest, once told the data "
            "set and split (guided) and once not (general).",
            *sentences,
        ),
        tuple(exhibits),
    )


def _caption(replications: Sequence[ReplicationResult]) -> tuple[str, ...]:
    if len(replications) <= captions.IN_FULL:
        return tuple(caption_lines(replications))
    return (
        f"{len(replications):,} runs · "
        f"{captions.days([replication.at for replication in replications])} · named in the table",
        captions.version_and_time(),
    )


def _strength(replication: ReplicationResult) -> tuple[bool, float]:
    p_value = replication.verdict.p_value if replication.verdict else None
    return not replication.finished, 1.0 if p_value is None else p_value


def _table(results: Sequence[ReplicationResult], concluded: Concluded) -> pd.DataFrame:
    return result_tables.tabulate_methods([result.judged for result in results], concluded)
