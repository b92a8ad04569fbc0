"""Out of the store: results, answers, quizzes and variants as csv, jsonl or parquet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path

import pandas as pd

from dcq.errors import InputError
from dcq.records import LETTERS
from dcq.runs.judged import Judged, judge
from dcq.runs.results import table
from dcq.store import Store, quizzes, results, samples, variants

# A spreadsheet takes a cell that begins with one of these for a formula and runs it.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class What(StrEnum):
    """What can be exported."""

    RESULTS = "results"
    ANSWERS = "answers"
    QUIZ = "quiz"
    VARIANTS = "variants"


def frame(store: Store, what: What, of: str | None = None) -> pd.DataFrame:
    """The rows of an export. ``of`` is the run (answers), the quiz or the sample (variants) meant;
    results need none."""
    if what is What.RESULTS:
        return tabulate(judge(store, table(store)))
    if not of:
        raise InputError(f"Say which: `python -m dcq export {what} ID --to FILE`.")
    if what is What.ANSWERS:
        return results.answers(store, of)
    if what is What.QUIZ:
        return _quiz(store, of)
    return _variants(store, of)


def tabulate(found: Iterable[Judged]) -> pd.DataFrame:
    """The κ table with and without its controls, one row a result: outcomes and the scores of the
    text-only strategies in columns of their own, the reasons of the verdict as one text."""
    rows = []
    for one in found:
        row = one.result.row()
        outcomes = row.pop("outcomes")
        known, verdict = one.calibration, one.verdict
        rows.append(
            {
                "run": one.result.run,
                **row,
                **outcomes,
                "mode": one.result.mode.value,
                "finished": one.result.finished,
                "controls": known.controls if known else None,
                "control_score": known.control_score if known else None,
                "kappa_control": known.kappa_control if known else None,
                "kappa_control_low": known.kappa_low if known else None,
                "kappa_control_high": known.kappa_high if known else None,
                "p_control": known.p_value if known else None,
                "p_holm": verdict.p_adjusted if verdict else None,
                **{f"text_only_{b.name}": b.kappa.score for b in one.baselines},
                "verdict": verdict.ruling.value if verdict else None,
                "reasons": " ".join(verdict.reasons) if verdict else None,
            }
        )
    return pd.DataFrame(rows)


def write(data: pd.DataFrame, path: Path, columns: Sequence[str] | None = None) -> None:
    """Write ``data`` in the format of the path's ending, narrowed to ``columns`` if given.

    Raises InputError on another ending, an unknown column or a place that cannot be written.
    """
    if columns:
        unknown = [name for name in columns if name not in data.columns]
        if unknown:
            raise InputError(
                f"There is no column {unknown[0]!r}; choose from {', '.join(data.columns)}."
            )
        data = data[list(columns)]
    try:
        payload = to_bytes(data, path.suffix)
        path.write_bytes(payload)
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}); name another.") from error


def to_bytes(data: pd.DataFrame, suffix: str) -> bytes:
    """``data`` as the content of a ``.csv``, ``.jsonl`` or ``.parquet`` file."""
    if suffix == ".csv":
        return escape_formulas(data).to_csv(index=False, lineterminator="\n").encode()
    if suffix == ".jsonl":
        return data.to_json(
            orient="records", lines=True, force_ascii=False, date_format="iso"
        ).encode()
    if suffix == ".parquet":
        return data.to_parquet(index=False)
    raise InputError(f"An export ends in .csv, .jsonl or .parquet, not {suffix!r}.")


def escape_formulas(data: pd.DataFrame) -> pd.DataFrame:
    """Texts that a spreadsheet would run get an apostrophe before them; numbers stay numbers."""

    def escape(cell: object) -> object:
        if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS):
            return "'" + cell
        return cell

    texts = data.select_dtypes(include=["object", "str"]).columns
    return data.assign(**{name: data[name].map(escape) for name in texts})


def _quiz(store: Store, quiz_id: str) -> pd.DataFrame:
    quiz = quizzes.load(store, quiz_id)
    return pd.DataFrame(
        [
            {
                "quiz": quiz.id,
                "kind": quiz.kind.value,
                "position": position,
                "instance": item.instance_id,
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
    return pd.DataFrame(
        [
            {
                "sample": sample.id,
                "partition": sample.partition.id,
                "instance": instance.id,
                "original": instance.text,
                "slot": LETTERS[slot],
                "variant": variant.text,
                "origin": variant.origin,
                "author": variant.author,
                "decision": variant.decision.value,
                "usable": variant.usable,
                "findings": "; ".join(f.sentence for f in variant.findings),
                "at": variant.at.isoformat(),
            }
            for instance in sample.instances
            for slot, variant in sorted(current.get(instance.id, {}).items())
        ]
    )
