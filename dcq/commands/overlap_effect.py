"""Accuracy on clean and on found instances."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.text import Text

from dcq.commands.output import AsJson, emit, open_store, percent, remark, table
from dcq.evidence.subsets import Accuracy
from dcq.overlap.domains import read_blocklist
from dcq.overlap.effect import Effect
from dcq.overlap.labels import read_windows
from dcq.overlap.results import read_results
from dcq.overlap.sizes import read_sizes
from dcq.report.overlap_effect import SHOWN_DOMAINS, EffectReport, Given, report
from dcq.report.overlap_effect_document import documents
from dcq.report.overlap_effect_sentences import (
    assumption_sentence,
    blocklist_sentences,
    growth_sentence,
    size_sentence,
)
from dcq.words import p_number, points_words

_SHOWN = ("all", "clean", "not-clean", "input-only", "input-and-label")


def effect(
    results: Annotated[
        list[Path],
        typer.Argument(
            help="Answers: a csv of model, instance_id, correct; or logs of lm-evaluation-harness, "
            "inspect_ai, OpenCompass or Every Eval Ever."
        ),
    ],
    labels: Annotated[
        list[Path],
        typer.Option(
            help="A csv of instance_id, category, score, and if there are any sources, text and "
            "window; several files are several windows of time."
        ),
    ],
    sample: Annotated[
        str | None,
        typer.Option(help="Match results by the texts of this sample where ids differ."),
    ] = None,
    sizes: Annotated[
        Path | None,
        typer.Option(
            help="A csv of model and parameters (in billions); by default models' names say."
        ),
    ] = None,
    blocklist: Annotated[
        Path | None,
        typer.Option(help="Addresses or domains, one a line: what would leaving them out avoid?"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare accuracy on instances that were found with accuracy on clean ones."""
    given = Given(
        texts=_texts(sample),
        blocklist=read_blocklist(blocklist) if blocklist else None,
        sizes=read_sizes(sizes) if sizes else {},
    )
    answers = [answer for path in results for answer in read_results(path)]
    found = report(answers, read_windows(labels), given)
    if found.paired.by_text:
        remark(f"Matched by the text of the instance: {found.paired.by_text:,} answers.")
    if found.paired.unlabeled:
        unlabeled = found.paired.unlabeled
        remark(f"Left out, because their instances have no label: {unlabeled:,} answers.")
    emit(documents(found), as_json, Group(*_parts(found)))


def _texts(sample: str | None) -> dict[str, str]:
    if sample is None:
        return {}
    from dcq.store import samples

    return {one.id: one.text for one in samples.load(open_store(), sample).instances}


def _parts(found: EffectReport) -> Iterator[Any]:
    """The main table, and a titled one for each question that the files can answer."""
    columns = ["model", *(f"{name}#" for name in _SHOWN), "difference", "p#", "adjusted", "p#"]
    yield table(columns, [_row(one) for one in found.models])
    if assumed := assumption_sentence(found):
        yield Text(assumed)
    names = [f"{one.model}#" for one in found.models]
    if any(part.accuracy.n for one in found.models for part in one.by_score):
        yield Text("\nAccuracy by METEOR of the best match")
        yield table(["METEOR", *names], list(_by_score(found)))
    for model, subjects in found.subjects.items():
        yield Text(f"\nAccuracy of {model} by subject")
        rows = [[name, *(_share(parts[k]) for k in _SHOWN)] for name, parts in subjects.items()]
        yield table(["subject", *(f"{name}#" for name in _SHOWN)], rows)
    if found.windows:
        yield Text("\nShare found by window of time")
        yield table(["window", "found#", "95 % interval"], list(_windows(found)))
        yield Text("\n".join(growth_sentence(one) for one in found.growth))
    if found.web.counts:
        yield Text(f"\nCommonest domains of {found.web.n:,} found instances with an address")
        yield table(["domain", "instances#", *names], list(_domains(found)))
        yield Text("\n".join(blocklist_sentences(found)))
    if len(found.models) > 1:
        yield Text(f"\n{size_sentence(found)}")


def _row(one: Effect) -> list[str | None]:
    shown = [_share(one.categories[name]) for name in _SHOWN]
    cells = [_gap(gap.difference, gap.low, gap.high) for gap in (one.difference, one.adjusted)]
    values = [gap.p_value for gap in (one.difference, one.adjusted)]
    tests = [None if value is None else p_number(value) for value in values]
    return [one.model, *shown, cells[0], tests[0], cells[1], tests[1]]


def _share(part: Accuracy) -> str | None:
    return f"{percent(part.accuracy)} of {part.n:,}" if part.n else None


def _gap(value: float | None, low: float | None, high: float | None) -> str | None:
    if value is None or low is None or high is None:
        return None
    return points_words(value, low, high)


def _by_score(found: EffectReport) -> Iterator[list[str | None]]:
    for bins in zip(*(one.by_score for one in found.models), strict=True):
        if any(part.accuracy.n for part in bins):
            name = f"{bins[0].start:.1f} to {bins[0].end:.1f}"
            yield [name, *(_share(part.accuracy) for part in bins)]


def _windows(found: EffectReport) -> Iterator[list[str | None]]:
    for one in found.windows:
        low, high = one.found.low, one.found.high
        limits = None if low is None or high is None else f"{percent(low)} to {percent(high)}"
        yield [one.window, _share(one.found), limits]


def _domains(found: EffectReport) -> Iterator[list[str | None]]:
    for domain, count in list(found.web.counts.items())[:SHOWN_DOMAINS]:
        parts = [_share(found.domains[one.model][domain]) for one in found.models]
        yield [domain, f"{count:,}", *parts]
