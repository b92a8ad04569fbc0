"""Exporting results, answers, quizzes, variants and replications as csv, jsonl or parquet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path

import pandas as pd

from dcq import writer
from dcq.audit.release_rows import FORMULA_STARTS
from dcq.errors import InputError
from dcq.judging import every_method
from dcq.judging.answer import Answer
from dcq.judging.answers import answers
from dcq.quiz import people, protocol2
from dcq.records import LETTERS
from dcq.store import Store, quizzes, results, runs, samples, variants
from dcq.store.private_wordings import refuse_private
from dcq.store.studies import EVERYTHING, QUIZ, Study
from dcq.variants import annotators
from dcq.words import choices, names_for_others, replace_names


class ExportTable(StrEnum):
    """The tables that can be exported."""

    RESULTS = "results"
    PAIRS = "pairs"
    ANSWERS = "answers"
    QUIZ = "quiz"
    VARIANTS = "variants"
    OPINIONS = "opinions"
    REPLICATION = "replication"
    REPLICATION_SCORES = "replication-scores"
    OVERLAP = "overlap"
    PEOPLE = "people"


def frame(
    store: Store, what: ExportTable, of: str | None = None, *, within: Study = EVERYTHING
) -> pd.DataFrame:
    """The rows of an export, as ``_frame`` makes them. Raises InputError where they have private
    wordings."""
    data = _frame(store, what, of, within)
    refuse_private_rows(store, data)
    return data


def refuse_private_rows(store: Store, data: pd.DataFrame) -> None:
    """Raise InputError where a table that is about to leave has private wordings."""

    def texts() -> Iterator[str]:
        for name in data.select_dtypes(include=["object", "str"]).columns:
            yield from map(str, data[name].dropna())

    refuse_private(store, texts, "Rows of this table")


def _frame(store: Store, what: ExportTable, of: str | None, within: Study) -> pd.DataFrame:
    """The rows of an export. ``of`` is the id of the run (answers, replication and its scores,
    overlap), quiz or sample (variants, opinions, people); results and pairs need none, and
    are those of the study ``within``. Raises InputError without a needed ``of``."""
    if what is ExportTable.RESULTS:
        return every_method.tabulate(
            every_method.quizzes(store, within),
            protocol2.by_run(protocol2.estimates(store)),
            every_method.of_other_methods(store, within),
        )
    if what is ExportTable.PAIRS:
        return pairs_frame(answers(store, within))
    if not of:
        raise InputError(f"Give an id: `python -m dcq export {what} ID --to FILE`.")
    if what is ExportTable.ANSWERS:
        run = runs.load(store, of)
        is_quiz = run.plan.method == QUIZ
        return (results.answers if is_quiz else results.method_answers)(store, run.id)
    if what in {ExportTable.REPLICATION, ExportTable.REPLICATION_SCORES}:
        from dcq.files import replication_export  # here, because other tables do without

        make = (
            replication_export.frame
            if what is ExportTable.REPLICATION
            else replication_export.scores
        )
        return make(store, runs.load(store, of).id)
    if what is ExportTable.OVERLAP:
        from dcq.overlap import labels, outcome  # as above

        return labels.frame(outcome.of_run(store, of))
    if what is ExportTable.OPINIONS:
        return annotators.frame(store, of)
    if what is ExportTable.PEOPLE:
        return people.frame(store, of)
    if what is ExportTable.QUIZ:
        return _quiz(store, of)
    return _variants(store, of)


def pairs_frame(pair_answers: Sequence[Answer]) -> pd.DataFrame:
    """A row for each answer and each result that it rests on, with the keys of ``answer
    --json``."""
    rows = []
    for answer in pair_answers:
        document = answer.document()
        methods, reasons = document.pop("methods"), document.pop("reasons")
        del document["could_ask"]
        p_values = {f"answer_{name}": document.pop(name) for name in ("p_value", "q_value")}
        reason = {"reasons": " ".join(reasons)}
        rows += [document | p_values | each | reason for each in methods]
    return pd.DataFrame(rows)


def write(data: pd.DataFrame, path: Path, columns: Sequence[str] | None = None) -> None:
    """Write ``data`` in the format that the file's extension names, only ``columns`` if given.

    Raises InputError for another extension, an unknown column or a path that cannot be written.
    """
    if columns:
        unknown = [name for name in columns if name not in data.columns]
        if unknown:
            raise InputError(
                f"There is no column {unknown[0]!r}; choose from {choices(data.columns)}."
            )
        data = data[list(columns)]
    writer.write(path, to_bytes(data, path.suffix))


def to_bytes(data: pd.DataFrame, suffix: str) -> bytes:
    """``data`` as the content of a ``.csv``, ``.jsonl`` or ``.parquet`` file, in which a model that
    is a path on this machine has its name for others."""
    data = without_paths(data)
    if suffix == ".csv":
        # With a mark, without which Excel takes the letters for those of another encoding.
        return escape_formulas(data).to_csv(index=False, lineterminator="\n").encode("utf-8-sig")
    if suffix == ".jsonl":
        return data.to_json(
            orient="records", lines=True, force_ascii=False, date_format="iso"
        ).encode()
    if suffix == ".parquet":
        return data.to_parquet(index=False)
    raise InputError(f"An export ends in .csv, .jsonl or .parquet, not {suffix!r}.")


def without_paths(data: pd.DataFrame) -> pd.DataFrame:
    """``data`` with models that are paths on this machine by their names for others, in whatever
    cell and above whatever column they stand. Models are told by columns named so."""
    texts = data.select_dtypes(include=["object", "str"]).columns
    models = {
        cell.removeprefix("model:")
        for column in texts
        if "model" in str(column) or column == "origin"
        for cell in data[column].dropna().unique()
        if isinstance(cell, str)
    }
    models |= {str(column) for column in data.columns}
    names = {model: name for model, name in names_for_others(models).items() if name != model}
    if not names:
        return data

    def rename(cell: object) -> object:
        return replace_names(cell, names) if isinstance(cell, str) else cell

    return data.assign(**{name: data[name].map(rename) for name in texts}).rename(columns=rename)


def escape_formulas(data: pd.DataFrame) -> pd.DataFrame:
    """Put an apostrophe before texts that a spreadsheet would run as formulas, also where a model's
    name heads a column; numbers stay."""

    def escape(cell: object) -> object:
        if isinstance(cell, str) and cell.startswith(FORMULA_STARTS):
            return "'" + cell
        return cell

    texts = data.select_dtypes(include=["object", "str"]).columns
    return data.assign(**{name: data[name].map(escape) for name in texts}).rename(columns=escape)


def _whole_rows(rows: list[dict[str, object]]) -> pd.DataFrame:
    """``rows`` with whole numbers for those of the data, also where some are not known."""
    data = pd.DataFrame(rows)
    return data.astype({"row": "Int64"}) if rows else data


def _quiz(store: Store, quiz_id: str) -> pd.DataFrame:
    quiz = quizzes.load(store, quiz_id)
    sample = samples.load(store, quiz.sample_id)
    rows = {instance.id: instance.row for instance in sample.instances}
    return _whole_rows(
        [
            {
                "quiz": quiz.id,
                "kind": quiz.kind.value,
                "position": position,
                "instance": item.instance_id,
                "row": rows.get(item.instance_id),
                "revision": sample.revision,
                "correct": None if item.correct is None else LETTERS[item.correct],
                **{
                    f"option_{letter.lower()}": text
                    for letter, text in zip(LETTERS, item.options, strict=False)
                },
            }
            for position, item in enumerate(quiz.items)
        ]
    )


def _variants(store: Store, sample_id: str) -> pd.DataFrame:
    sample = samples.load(store, sample_id)
    current = variants.current(store, sample.id)
    opinions = annotators.of_texts(store, sample.id)
    unsaid = dict.fromkeys(annotators.SIDES)
    return _whole_rows(
        [
            {
                "sample": sample.id,
                "partition": sample.partition.id,
                "instance": instance.id,
                "row": instance.row,
                "revision": sample.revision,
                "original": instance.text,
                "slot": LETTERS[slot],
                "variant": variant.text,
                "origin": variant.origin,
                "prompt": variant.prompt,
                "instruction": variant.instruction,
                "author": variant.author,
                "decision": variant.decision.value,
                "flagged_by": variant.flag.author if variant.flag else "",
                "flag": variant.flag.note if variant.flag else "",
                "usable": variant.usable,
                "findings": "; ".join(f.sentence for f in variant.findings),
                "at": variant.at.isoformat(),
                "reviewer": variant.reviewer,
                **opinions.get(variant.seq, unsaid),
            }
            for instance in sample.instances
            for slot, variant in sorted(current.get(instance.id, {}).items())
        ]
    )
