"""What came of it: the κ table, κ by hand, files in and out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dcq.commands.output import AsJson, emit, kappa_text, percent, store, table
from dcq.errors import InputError
from dcq.evidence.kappa import kappa_fixed
from dcq.evidence.soft import SoftScore
from dcq.exchange import export as exporting
from dcq.exchange import published, sample_file
from dcq.quiz.build import slot_letter
from dcq.runs import protocol2, soft
from dcq.runs import results as counted
from dcq.runs.judged import Judged, judge
from dcq.store import Store, samples


def results(
    model: Annotated[str | None, typer.Option(help="Only this model.")] = None,
    partition: Annotated[str | None, typer.Option(help="Only this partition, KEY/SPLIT.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print the κ table: the newest finished run of each model, partition and kind of quiz."""
    shelf = store()
    found = counted.table(shelf, model=model, partition=partition)
    if as_json:
        emit([r.row() for r in found], True, "")
        return
    if not found:
        emit(None, False, "No results yet; ask a model with: python -m dcq run")
        return
    judged = judge(shelf, found)
    columns = (
        "model partition role kind mode n# correct# score# κ_fixed p# soft# debiased# κ_control "
        "verdict outcomes"
    )
    emit(None, False, table(columns.split(), [_cells(shelf, one) for one in judged]))
    for one in judged:
        if one.verdict:
            where = f"{one.result.model} on {one.result.partition}, {one.result.kind}"
            reasons = " ".join(one.verdict.reasons)
            emit(None, False, f"{where}: {one.verdict.ruling}. {reasons}")
    for estimate in protocol2.estimates(shelf, model=model, partition=partition):
        emit(None, False, protocol2.tell(estimate))


def _cells(shelf: Store, one: Judged) -> list[object]:
    r, known = one.result, one.calibration
    return [
        r.model,
        r.partition,
        r.role,
        r.kind if r.slot is None else f"{r.kind} at {slot_letter(r.slot)}",
        r.mode,
        r.n if r.finished else f"{r.progress}, unfinished",
        r.correct,
        percent(r.score),
        kappa_text(r.kappa_fixed, r.kappa_low, r.kappa_high),
        None if r.p_value is None else f"{r.p_value:.3g}",
        *_soft_cells(soft.score(shelf, r)),
        kappa_text(known.kappa_control, known.kappa_low, known.kappa_high) if known else None,
        one.verdict.ruling if one.verdict else None,
        ", ".join(f"{count} {name}" for name, count in r.outcomes.items() if count),
    ]


def _soft_cells(found: SoftScore | None) -> list[str | None]:
    return [percent(found.score), percent(found.debiased)] if found else [None, None]


def kappa(
    correct: Annotated[int | None, typer.Option(help="Answers that chose the original.")] = None,
    n: Annotated[int | None, typer.Option("--n", help="All answers.")] = None,
    chance: Annotated[float, typer.Option(help="Share right by guessing.")] = 0.25,
    as_json: AsJson = False,
) -> None:
    """κ_fixed of counts; without counts, the 28 settings of the paper's Table 1 by the formula."""
    if (correct is None) != (n is None):
        raise InputError("Give both --correct and --n, or neither for the paper's Table 1.")
    if correct is not None and n is not None:
        found = kappa_fixed(correct, n, chance)
        document = {
            key: getattr(found, key)
            for key in [
                "n",
                "correct",
                "score",
                "kappa_fixed",
                "kappa_low",
                "kappa_high",
                "p_value",
            ]
        }
        shown = kappa_text(found.kappa_fixed, found.kappa_low, found.kappa_high)
        tail = f", score {percent(found.score)}, p = {found.p_value:.3g}" if found.n else ""
        emit(document, as_json, f"κ_fixed {shown or 'has no value at n = 0'}{tail}")
        return
    rows = _table1()
    emit(
        rows,
        as_json,
        table(
            ["model", "dataset", "split", "n#", "correct#", "κ_fixed %#", "printed %#"],
            [
                [
                    r["model"],
                    r["dataset"],
                    r["split"],
                    r["n"],
                    r["correct"],
                    f"{100 * r['contamination']:.2f}",
                    f"{100 * r['printed']:.2f}",
                ]
                for r in rows
            ],
        ),
    )


def _table1() -> list[dict[str, Any]]:
    table1 = published.table1().rename(columns={"kappa": "kappa_fixed"})
    table1["contamination"] = table1["kappa_fixed"].clip(lower=0)
    renamed = table1.rename(columns={"low": "kappa_low", "high": "kappa_high"})
    return [{str(key): value for key, value in row.items()} for row in renamed.to_dict("records")]


def import_(
    file: Annotated[Path, typer.Argument(help="A sample file, as `export sample` writes it.")],
    as_json: AsJson = False,
) -> None:
    """Take a sample with its variants into the store."""
    sample = sample_file.read(file)
    sample_id = samples.save(store(), sample)
    emit(
        {"sample": sample_id, "partition": sample.partition.id, "n": sample.n},
        as_json,
        f"Sample {sample_id}: {sample.n} instances of {sample.partition.id}. "
        f"Next: python -m dcq quiz {sample_id}",
    )


def export(
    what: Annotated[
        str, typer.Argument(help="results, answers, quiz, variants, or sample (one JSON file).")
    ],
    of: Annotated[
        str | None, typer.Argument(help="The run (answers), quiz or sample (variants) meant.")
    ] = None,
    to: Annotated[Path | None, typer.Option(help="A .csv, .jsonl or .parquet file.")] = None,
    columns: Annotated[str | None, typer.Option(help="Only these, with commas between.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write what is in the store to a file."""
    if to is None:
        raise InputError("Name the file to write with --to, such as --to results.csv.")
    shelf = store()
    if what == "sample":
        if not of:
            raise InputError("Say which: `python -m dcq export sample ID --to FILE.json`.")
        text = sample_file.dump(shelf, of)
        to.write_text(text, "utf-8")
        rows = text.count('"protected"')
    else:
        if what not in set(exporting.What):
            choices = ", ".join([*exporting.What, "sample"])
            raise InputError(f"There is no export {what!r}; choose from {choices}.")
        data = exporting.frame(shelf, exporting.What(what), of)
        exporting.write(data, to, columns.split(",") if columns else None)
        rows = len(data)
    emit({"file": str(to), "rows": rows}, as_json, f"{to}: {rows} rows.")
