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
    benchmark_documents,
    blocklist_sentences,
    documents,
    growth_sentence,
    size_sentence,
)
from dcq.evidence.subsets import Accuracy
from dcq.overlap.benchmarks import MeanEffect, by_benchmark, parse_named_file
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
from dcq.overlap.harness.graded import HarnessFile, reading_document
from dcq.overlap.labels import read_windows
from dcq.overlap.results import read_results
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
    metric: Annotated[
        str,
        typer.Option(
            help="The metric or scorer that says what is right, where a log has several; with "
            "METRIC,FILTER also the filter of lm-evaluation-harness."
        ),
    ] = "",
    blocklist: Annotated[
        Path | None,
        typer.Option(help="Addresses or domains, one a line: what would leaving them out avoid?"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare accuracy on instances that were found with accuracy on clean ones."""
    inputs = ReportInputs(
        texts=_texts(sample),
        blocklist=read_blocklist(blocklist) if blocklist else None,
        sizes=read_sizes(sizes) if sizes else {},
    )
    files = [_read(path, metric) for path in results]
    answers = [answer for file in files for answer in file.answers]
    reading = reading_document(files)
    windows = {name: read_windows(paths) for name, paths in by_benchmark(labels).items()}
    if None in windows:
        single_report = report(answers, windows[None], inputs)
        _say_paired(single_report)
        entries = [entry | reading for entry in documents(single_report)]
        emit(entries, as_json, Group(*_parts(single_report)))
        return
    named_windows = {name: some for name, some in windows.items() if name is not None}
    several = reports(answers, named_windows, inputs)
    for name, effect_report in several.reports.items():
        _say_paired(effect_report, f" ({name})")
    if several.unlabelled:
        remark(
            f"Left out, because their benchmarks have no labels: {several.unlabelled:,} answers."
        )
    if several.partial:
        remark(f"Without a mean, for want of a benchmark: {listed(several.partial, 5)}.")
    entries = [entry | reading for entry in benchmark_documents(several)]
    emit(entries, as_json, Group(*_several(several)))


def _read(path: Path, metric: str) -> HarnessFile:
    name, file = parse_named_file(path)
    read = read_results(file, metric=metric)
    for sentence in read.remarks(file.name):
        remark(sentence)
    if name is None:
        return read
    return replace(read, answers=[replace(answer, benchmark=name) for answer in read.answers])


def _say_paired(effect_report: EffectReport, where: str = "") -> None:
    if effect_report.paired.by_text:
        remark(
            f"Matched by the text of the instance{where}: {effect_report.paired.by_text:,} answers."
        )
    if effect_report.paired.unlabeled:
        unlabeled = effect_report.paired.unlabeled
        remark(f"Left out, because their instances have no label{where}: {unlabeled:,} answers.")


def _texts(sample: str | None) -> dict[str, str]:
    if sample is None:
        return {}
    from dcq.store import samples

    return {instance.id: instance.text for instance in samples.load(open_store(), sample).instances}


def _several(effect_reports: EffectReports) -> Iterator[Any]:
    """The tables of each benchmark, and those of the means at the end."""
    for name, effect in effect_reports.reports.items():
        yield Text(f"\n{visible(name)}")
        yield from _parts(effect)
    if len(effect_reports.reports) > 1 and effect_reports.means:
        yield Text(
            f"\nMean over {len(effect_reports.reports)} benchmarks, each of which counts alike"
        )
        columns = ["model", *(f"{name}#" for name in _SHOWN), "difference"]
        yield table(columns, [_mean_row(mean_effect) for mean_effect in effect_reports.means])


def _mean_row(mean_effect: MeanEffect) -> list[str | None]:
    shares = [mean_effect.categories[name].accuracy for name in _SHOWN]
    accuracies = [None if share is None else percent(share) for share in shares]
    return [
        mean_effect.model,
        *accuracies,
        _gap(mean_effect.difference, mean_effect.low, mean_effect.high),
    ]


def _parts(effect_report: EffectReport) -> Iterator[Any]:
    """The main table, and a titled one for each question that the files can answer."""
    columns = ["model", *(f"{name}#" for name in _SHOWN), "difference", "p#", "adjusted", "p#"]
    yield table(columns, [_row(effect) for effect in effect_report.models])
    if assumed := assumption_sentence(effect_report):
        yield Text(assumed)
    names = [f"{model_effect.model}#" for model_effect in effect_report.models]
    if any(
        part.accuracy.n for model_effect in effect_report.models for part in model_effect.by_score
    ):
        yield Text("\nAccuracy by METEOR of the best match")
        yield table(["METEOR", *names], list(_by_score(effect_report)))
    for model, subjects in effect_report.subjects.items():
        yield Text(f"\nAccuracy of {visible(model)} by subject")
        rows = [[name, *(_share(parts[k]) for k in _SHOWN)] for name, parts in subjects.items()]
        yield table(["subject", *(f"{name}#" for name in _SHOWN)], rows)
    if effect_report.windows:
        yield Text("\nShare found by window of time")
        yield table(["window", "found#", "95 % interval"], list(_windows(effect_report)))
        yield Text(
            "\n".join(growth_sentence(window_growth) for window_growth in effect_report.growth)
        )
    if effect_report.web.counts:
        yield Text(
            f"\nCommonest domains of {effect_report.web.n:,} found instances with an address"
        )
        yield table(["domain", "instances#", *names], list(_domains(effect_report)))
        yield Text("\n".join(blocklist_sentences(effect_report)))
    if len(effect_report.models) > 1:
        yield Text(f"\n{size_sentence(effect_report)}")


def _row(model_effect: Effect) -> list[str | None]:
    shares = [_share(model_effect.categories[name]) for name in _SHOWN]
    cells = [
        _gap(gap.difference, gap.low, gap.high)
        for gap in (model_effect.difference, model_effect.adjusted)
    ]
    values = [gap.p_value for gap in (model_effect.difference, model_effect.adjusted)]
    tests = [None if value is None else p_number(value) for value in values]
    return [model_effect.model, *shares, cells[0], tests[0], cells[1], tests[1]]


def _share(part: Accuracy) -> str | None:
    return f"{percent(part.accuracy)} of {part.n:,}" if part.n else None


def _gap(value: float | None, low: float | None, high: float | None) -> str | None:
    if value is None or low is None or high is None:
        return None
    return points_words(value, low, high)


def _by_score(effect_report: EffectReport) -> Iterator[list[str | None]]:
    for bins in zip(*(effect.by_score for effect in effect_report.models), strict=True):
        if any(part.accuracy.n for part in bins):
            name = f"{bins[0].start:.1f} to {bins[0].end:.1f}"
            yield [name, *(_share(part.accuracy) for part in bins)]


def _windows(effect_report: EffectReport) -> Iterator[list[str | None]]:
    for window_share in effect_report.windows:
        low, high = window_share.share_found.low, window_share.share_found.high
        limits = None if low is None or high is None else f"{percent(low)} to {percent(high)}"
        yield [window_share.window, _share(window_share.share_found), limits]


def _domains(effect_report: EffectReport) -> Iterator[list[str | None]]:
    for domain, count in list(effect_report.web.counts.items())[:SHOWN_DOMAINS]:
        parts = [
            _share(effect_report.domains[effect.model][domain]) for effect in effect_report.models
        ]
        yield [domain, f"{count:,}", *parts]
