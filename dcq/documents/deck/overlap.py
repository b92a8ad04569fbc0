"""The section on overlap: what stands on the web or in a corpus, and what that does to the quiz."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dcq.documents.chart_rows import accuracy_rows, category_rows
from dcq.documents.deck import captions
from dcq.documents.deck.model import Part
from dcq.documents.names import line_names
from dcq.documents.overlap_document import opening
from dcq.documents.overlap_effect_document import effect_sentence
from dcq.documents.result_tables import limits_cell, share_cell
from dcq.errors import InputError
from dcq.judging.judged import JudgedResult
from dcq.overlap import evidence, labels, outcome
from dcq.overlap.effect_report import report
from dcq.overlap.harness.graded import HarnessAnswer
from dcq.overlap.match import Category
from dcq.overlap.outcome import OverlapResult
from dcq.quiz import tables
from dcq.quiz.results import quiz_row
from dcq.result_columns import COUNT, Column, cells, for_people
from dcq.sections import Chart, Exhibit, Section
from dcq.store import Store
from dcq.store.studies import Study

DRAWN = 6  # searches with a chart of their own; all of them are in the table
READ_ALOUD = 3  # sentences of a kind


@dataclass(frozen=True)
class Searched:
    """A search or a scan in which at least one instance was looked for."""

    result: OverlapResult

    @property
    def place(self) -> str:
        """The partition as a person says it."""
        return self.result.place

    @property
    def where(self) -> str:
        """The service or the corpus."""
        return "corpus" if self.result.method == "scan" else self.result.source

    def count(self, category: Category) -> int:
        """How many instances are in a category."""
        return sum(row.category is category for row in self.result.rows)

    def document(self) -> dict[str, Any]:
        """For JSON, as ``overlap search`` prints it."""
        return {field.key: field.value(self) for field in FIELDS if field.key}

    def caption(self) -> tuple[str, ...]:
        """Partition, place, time, n, date, and what counts as a match."""
        overlap = self.result
        settings = overlap.settings
        time = labels.window_name(overlap) or "any time"
        return (
            f"{self.place} · {self.where} · {time} · n = {overlap.coverage.searched:,} of "
            f"{overlap.coverage.total:,} · METEOR of at least {settings.threshold:g}, γ "
            f"{settings.gamma:g} · {overlap.made_at:%d %b %Y}",
            captions.version_and_time(),
        )


def _window(search: Searched) -> list[str] | None:
    window = search.result.window
    return [str(window.start), str(window.end)] if window else None


# What is shown of a search or a scan, in JSON and in tables.
FIELDS: tuple[Column[Searched], ...] = (
    Column("sample", "", lambda search: search.result.sample),
    Column("partition", "", lambda search: search.result.partition),
    Column("", "Partition", lambda search: search.place),
    Column("source", "", lambda search: search.result.source),
    Column("", "Where", lambda search: search.where),
    Column("window", "", _window),
    Column("", "Time", lambda search: labels.window_name(search.result) or "any time"),
    Column("total", "", lambda search: search.result.coverage.total),
    Column(
        "searched", "Searched for", lambda search: search.result.coverage.searched, number=COUNT
    ),
    Column(
        "input_and_label",
        "Input and label",
        lambda search: search.count(Category.INPUT_AND_LABEL),
        number=COUNT,
    ),
    Column(
        "input_only", "Input only", lambda search: search.count(Category.INPUT_ONLY), number=COUNT
    ),
    Column("found", "", lambda search: search.result.coverage.found),
    Column("", "Found", lambda search: search.result.coverage.share, share_cell),
    Column("", "State", lambda search: search.result.state),
    Column("run", "Run", lambda search: search.result.run),
)


def searched(store: Store, within: Study) -> list[Searched]:
    """The searches and scans of a study's partitions in which an instance was looked for, newest
    first."""
    return [
        Searched(outcome.of_run(store, search_evidence.run))
        for search_evidence in evidence.of_study(store, within)
    ]


def overlaps(
    store: Store, searches: Sequence[Searched], scored: Sequence[JudgedResult]
) -> Section | None:
    """The section on overlap: which instances stand on the web or in a corpus, and whether those
    are the ones that models pick."""
    if not searches:
        return None
    sentences = [
        f"{search.place}: {_small(opening(search.result))}" for search in searches[:READ_ALOUD]
    ]
    exhibits = [_all_searches(searches)]
    for drawn_search in searches[:DRAWN]:
        rows = category_rows(drawn_search.result)
        exhibits.append(
            Exhibit(
                f"{drawn_search.place}, {drawn_search.where}",
                drawn_search.caption(),
                _categories(rows),
                Chart("overlap_categories", rows),
            )
        )
        effect = _effect(store, drawn_search, scored)
        if effect is not None:
            effect_sentences, exhibit = effect
            sentences += effect_sentences
            exhibits.append(exhibit)
    return Section(
        Part.OVERLAP,
        "Does it stand where models learn?",
        ("Being there is not having been read: it shows that a text could be seen.", *sentences),
        tuple(exhibits),
    )


def _small(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _all_searches(searches: Sequence[Searched]) -> Exhibit:
    table = pd.DataFrame(cells(for_people(FIELDS, searches), searches))
    times = captions.days([search.result.made_at for search in searches])
    return Exhibit(
        "All searches and scans", (f"Searched {times}", captions.version_and_time()), table
    )


def _categories(rows: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Category": [name.replace("-", " ") for name in rows["category"]],
            "Instances": rows["count"],
            "Share": [share_cell(share) for share in rows["share"]],
            "95 % interval": [
                limits_cell(low, high) for low, high in zip(rows["low"], rows["high"], strict=True)
            ],
        }
    )


def _effect(
    store: Store, search: Searched, scored: Sequence[JudgedResult]
) -> tuple[list[str], Exhibit] | None:
    """How often the quiz finds the originals that were found and those that were not."""
    asked = [
        finding.evidence for finding in scored if finding.evidence.sample == search.result.sample
    ]
    names = line_names(asked)
    right = {run: tables.right(table) for run, table in tables.of_runs(store, list(names)).items()}
    answers = [
        HarnessAnswer(names[run], str(instance), float(share))
        for run, table in right.items()
        for instance, share in table.mean(axis=1, skipna=False).dropna().items()
    ]
    try:
        effect = report(answers, {search.result.run: labels.labels(search.result)})
    except InputError:  # no quiz of these instances
        return None
    rows = accuracy_rows(effect)
    table = pd.DataFrame(
        [
            {
                "Model": row["model"],
                "Category": row["category"].replace("-", " "),
                "n": row["n"],
                "Originals picked": share_cell(row["accuracy"]),
            }
            for row in rows.to_dict("records")
        ]
    )
    exhibit = Exhibit(
        f"Originals picked by what was found: {search.place}",
        (*captions.of(list(map(quiz_row, asked)))[:-1], *search.caption()),
        table,
        Chart("accuracy_by_category", rows),
    )
    return [effect_sentence(model) for model in effect.models[:READ_ALOUD]], exhibit
