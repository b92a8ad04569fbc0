"""Accuracy on clean and on found instances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.text import Text

from dcq.commands.output import AsJson, emit, open_store, percent, remark, table
from dcq.documents.overlap_effect_document import (
    assumption_sentence,
    blocklist_sentences,
    documents,
    documents_of,
    growth_sentence,
    size_sentence,
)
from dcq.evidence.subsets import Accuracy
from dcq.overlap.benchmarks import MeanEffect, by_benchmark, named
from dcq.overlap.domains import read_blocklist
from dcq.overlap.effect import Effect
from dcq.overlap.effect_report import (
    SHOWN_DOMAINS,
    EffectReport,
    EffectReports,
    ReportInputs,
    report,
    reports,
)
from dcq.overlap.labels import read_windows
from dcq.overlap.results import HarnessAnswer, read_results
from dcq.overlap.sizes import read_sizes
from dcq.words import listed, p_number, points_words, visible

_SHOWN = ("all", "clean", "not-clean", "input-only", "input-and-label")


def effect(
    results: Annotated[
        list[Path],
        typer.Argument(
            help="Answers: a csv of model, instance_id, correct; logs of a harness; or the "
            "published predictions. NAME=FILE where there are several benchmarks."
        ),
    ],
    labels: Annotated[
        list[Path],
        typer.Option(
            help="A csv of instance_id, category, score, and if there are any sources, text, "
            "window; or published annotations. Several files are several windows of time. "
            "NAME=FILE as above."
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
    given = ReportInputs(
        texts=_texts(sample),
        blocklist=read_blocklist(blocklist) if blocklist else None,
        sizes=read_sizes(sizes) if sizes else {},
    )
    answers = [answer for path in results for answer in _answers(path)]
    windows = {name: read_windows(paths) for name, paths in by_benchmark(labels).items()}
    if None in windows:
        found = report(answers, windows[None], given)
        _say_paired(found)
        emit(documents(found), as_json, Group(*_parts(found)))
        return
    named_windows = {name: some for name, some in windows.items() if name is not None}
    several = reports(answers, named_windows, given)
    for name, one in several.reports.items():
        _say_paired(one, f" ({name})")
    if several.unlabelled:
        remark(
            f"Left out, because their benchmarks have no labels: {several.unlabelled:,} answers."
        )
    if several.partial:
        remark(f"Without a mean, for want of a benchmark: {listed(several.partial, 5)}.")
    emit(documents_of(several), as_json, Group(*_several(several)))


def _answers(path: Path) -> list[HarnessAnswer]:
    name, file = named(path)
    answers = read_results(file)
    return answers if name is None else [replace(answer, benchmark=name) for answer in answers]


def _say_paired(found: EffectReport, where: str = "") -> None:
    if found.paired.by_text:
        remark(f"Matched by the text of the instance{where}: {found.paired.by_text:,} answers.")
    if found.paired.unlabeled:
        unlabeled = found.paired.unlabeled
        remark(f"Left out, because their instances have no label{where}: {unlabeled:,} answers.")


def _texts(sample: str | None) -> dict[str, str]:
    if sample is None:
        return {}
    from dcq.store import samples

    return {instance.id: instance.text for instance in samples.load(open_store(), sample).instances}


def _several(found: EffectReports) -> Iterator[Any]:
    """The tables of each benchmark, and those of the means at the end."""
    for name, effect in found.reports.items():
        yield Text(f"\n{visible(name)}")
        yield from _parts(effect)
    if len(found.reports) > 1 and found.means:
        yield Text(f"\nMean over {len(found.reports)} benchmarks, each of which counts alike")
        columns = ["model", *(f"{name}#" for name in _SHOWN), "difference"]
        yield table(columns, [_mean_row(mean_effect) for mean_effect in found.means])


def _mean_row(one: MeanEffect) -> list[str | None]:
    shares = [one.categories[name].accuracy for name in _SHOWN]
    shown = [None if share is None else percent(share) for share in shares]
    return [one.model, *shown, _gap(one.difference, one.low, one.high)]


def _parts(found: EffectReport) -> Iterator[Any]:
    """The main table, and a titled one for each question that the files can answer."""
    columns = ["model", *(f"{name}#" for name in _SHOWN), "difference", "p#", "adjusted", "p#"]
    yield table(columns, [_row(effect) for effect in found.models])
    if assumed := assumption_sentence(found):
        yield Text(assumed)
    names = [f"{one.model}#" for one in found.models]
    if any(part.accuracy.n for one in found.models for part in one.by_score):
        yield Text("\nAccuracy by METEOR of the best match")
        yield table(["METEOR", *names], list(_by_score(found)))
    for model, subjects in found.subjects.items():
        yield Text(f"\nAccuracy of {visible(model)} by subject")
        rows = [[name, *(_share(parts[k]) for k in _SHOWN)] for name, parts in subjects.items()]
        yield table(["subject", *(f"{name}#" for name in _SHOWN)], rows)
    if found.windows:
        yield Text("\nShare found by window of time")
        yield table(["window", "found#", "95 % interval"], list(_windows(found)))
        yield Text("\n".join(growth_sentence(window_growth) for window_growth in found.growth))
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
    for bins in zip(*(effect.by_score for effect in found.models), strict=True):
        if any(part.accuracy.n for part in bins):
            name = f"{bins[0].start:.1f} to {bins[0].end:.1f}"
            yield [name, *(_share(part.accuracy) for part in bins)]


def _windows(found: EffectReport) -> Iterator[list[str | None]]:
    for window_share in found.windows:
        low, high = window_share.share_found.low, window_share.share_found.high
        limits = None if low is None or high is None else f"{percent(low)} to {percent(high)}"
        yield [window_share.window, _share(window_share.share_found), limits]


def _domains(found: EffectReport) -> Iterator[list[str | None]]:
    for domain, count in list(found.web.counts.items())[:SHOWN_DOMAINS]:
        parts = [_share(found.domains[effect.model][domain]) for effect in found.models]
        yield [domain, f"{count:,}", *parts]
