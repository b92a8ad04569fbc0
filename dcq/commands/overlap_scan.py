"""Queries, found in files and folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from dcq.asking.chain import ChainOutcome, go_on
from dcq.asking.options import Options, Terms, Watch
from dcq.commands import no_effect
from dcq.commands.asking import Runs, ask_each, show_chains
from dcq.commands.output import AsJson, emit, err, open_store, remark, table
from dcq.commands.overlap_match import PAPER, Gamma, Preset, Threshold
from dcq.errors import InputError
from dcq.overlap import searches
from dcq.overlap.meteor import MeteorSettings, find_preset
from dcq.overlap.method import METHODS
from dcq.overlap.scan.documents import EMPTY
from dcq.overlap.scan.index import ScanQuery
from dcq.overlap.scan.scan import Scan, ScanProgress
from dcq.overlap.scan.scan import scan as scan_corpus

_LISTED = 20  # hits that a terminal lists
_PASSAGE = 80  # characters of one in the list


def scan(
    queries: Annotated[
        str | None,
        typer.Argument(
            help="A jsonl file of lines with id, query and, if there is one, label; or the id of "
            "a sample."
        ),
    ] = None,
    corpus: Annotated[
        list[Path] | None, typer.Argument(help="Files and folders to look through.")
    ] = None,
    preset: Preset = None,
    gamma: Gamma = None,
    threshold: Threshold = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="Processes; left out, one for each core, fewer for small corpora."
        ),
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option(
            help="Keep finished parts in this file, and go on from it; for a file of queries."
        ),
    ] = None,
    ray: Annotated[
        str | None,
        typer.Option(
            help="A Ray cluster that scans instead: its address, or auto; for a file of queries."
        ),
    ] = None,
    continued: Runs = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the newest scan for this sample.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find queries in a corpus: jsonl, json, csv, parquet, text, HTML, WARC or WET; plain, gzip or
    zstd."""
    if continued or (queries and not Path(queries).exists()):
        if gamma is not None or manifest is not None or ray is not None:
            raise InputError(
                "A scan for a sample is kept in the store, has the gamma of its preset and runs on "
                "this machine; leave --gamma, --manifest and --ray out."
            )
        _scan_sample(queries, corpus or [], preset, threshold, workers, continued, resume, as_json)
        return
    if not queries or not corpus:
        raise InputError("Name a file of queries, or a sample, and the files to look through.")
    if resume:
        raise InputError("Only a scan for a sample is resumed so; name --manifest for a file.")
    settings = find_preset(preset or PAPER, threshold)
    if gamma is not None:
        settings = replace(settings, gamma=gamma)
    _scan_file(Path(queries), corpus, settings, workers, manifest, ray, as_json)


def _scan_sample(
    sample: str | None,
    corpus: Sequence[Path],
    preset: str | None,
    threshold: float | None,
    workers: int | None,
    continued: Sequence[str] | None,
    resume: bool,
    as_json: bool,
) -> None:
    if continued and (sample or corpus or resume or threshold is not None):
        raise InputError("A run has its sample, corpus and threshold already; give --run alone.")
    if continued:
        no_effect.refuse({"--preset": preset}, "A run goes on as it was planned")
    if not continued and not (corpus or resume):
        raise InputError("Name the files and folders to look through.")
    store = open_store()
    terms = Terms(concurrency=workers)

    async def ask(watch: Watch, run_id: str | None) -> ChainOutcome:
        options = Options(terms, watch=watch)
        if run_id is not None:
            return await go_on(store, METHODS.values(), run_id, options)
        return await searches.scan(
            store,
            sample or "",
            corpus,
            options,
            preset=preset or PAPER,
            threshold=threshold,
            resume=resume,
        )

    runs: Sequence[str | None] = list(dict.fromkeys(continued or [])) or [None]
    ended, left_by = ask_each(runs, ask, "Scan")
    from dcq.documents.overlap_document import document, sentence  # takes a while to import

    show_chains(store, ended, left_by, document, sentence, as_json=as_json)


def _scan_file(
    queries: Path,
    corpus: Sequence[Path],
    settings: MeteorSettings,
    workers: int | None,
    manifest: Path | None,
    ray: str | None,
    as_json: bool,
) -> None:
    asked_scan_queries = _read(queries)
    with Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    ) as bar:
        task = bar.add_task("scanning", total=None)

        def show(progress: ScanProgress) -> None:
            words = f"scanning, {progress.hits:,} found"
            bar.update(
                task, completed=progress.bytes_done, total=progress.bytes_total, description=words
            )

        scan = scan_corpus(
            asked_scan_queries,
            corpus,
            settings,
            workers=workers,
            manifest=manifest,
            cluster=ray,
            progress=show,
        )
    for path, number in scan.broken:
        remark(f"{path}: records that could not be read and were skipped: {number:,}.")
    for path, what, number in scan.missed:
        remark(f"{path}: not read: {what}: {number:,}.")
    for path, reason in scan.skipped:
        remark(f"{path} was not read: {reason}.")
    emit(_document(scan), as_json, _table(scan))
    if not as_json:
        emit(None, False, _sentence(scan))


def _read(file: Path) -> list[ScanQuery]:
    from dcq.partitions.files import read_file  # here, because it imports what reads parquet

    queries = []
    for number, row in enumerate(read_file(file).rows, start=1):
        query, label = row.get("query"), row.get("label")
        if not isinstance(query, str):
            raise InputError(f'{file.name} has no text "query" in row {number}; add one.')
        if row.get("id") is None:
            raise InputError(f'{file.name} has no "id" in row {number}; add one.')
        queries.append(ScanQuery(str(row["id"]), query, "" if label is None else str(label)))
    if len({scan_query.id for scan_query in queries}) < len(queries):
        raise InputError(f"{file.name} has an id twice; give each query one of its own.")
    return queries


def _document(corpus_scan: Scan) -> dict[str, Any]:
    return {
        "queries": corpus_scan.queries,
        "documents": corpus_scan.documents,
        "bytes": corpus_scan.bytes,
        "seconds": corpus_scan.seconds,
        "hits": [
            {
                "id": hit.id,
                "score": hit.score,
                "category": hit.category,
                "source": hit.source,
                "document": hit.name or str(hit.document + 1),
                "text": hit.text,
            }
            for hit in corpus_scan.hits
        ],
        "read": {str(path): number for path, number in corpus_scan.read},
        "broken": {str(path): number for path, number in corpus_scan.broken},
        "unread": {str(path): reason for path, reason in corpus_scan.skipped},
        "missed": [
            {"file": str(path), "what": what, "values": number}
            for path, what, number in corpus_scan.missed
        ],
    }


def _table(corpus_scan: Scan) -> Any:
    rows = [
        [
            hit.id,
            f"{hit.score:.3f}",
            hit.category,
            hit.source,
            hit.name or hit.document + 1,
            " ".join(hit.text.split())[:_PASSAGE],
        ]
        for hit in corpus_scan.hits[:_LISTED]
    ]
    return table(["id", "score#", "category", "source", "document", "passage"], rows)


def _sentence(corpus_scan: Scan) -> str:
    ids = len({hit.id for hit in corpus_scan.hits})
    more = len(corpus_scan.hits) - _LISTED
    hint = f" {more:,} more hits with --json." if more > 0 else ""
    read = _unread(corpus_scan)
    return (
        f"Found {ids:,} of {corpus_scan.queries:,} queries in {corpus_scan.documents:,} documents, "
        f"{corpus_scan.bytes / 1e6:,.0f} MB in {corpus_scan.seconds:.1f} s.{hint}{read}"
    )


def _unread(corpus_scan: Scan) -> str:
    files = len(corpus_scan.read)
    read = f" Files read: {files:,}"
    closed = [path for path, reason in corpus_scan.skipped if reason != EMPTY]
    if not closed:
        return f"{read}."
    return (
        f"{read}; not read: {len(closed):,}. A query that was not found may stand in "
        "a file that was not read."
    )
