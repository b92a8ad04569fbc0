"""Stores what will be searched for before anything is asked: queries in their pieces, or the parts
of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dcq.errors import InputError
from dcq.overlap.meteor import MeteorSettings, find_preset
from dcq.overlap.query import Query, Skipped, cut, query_of
from dcq.overlap.scan.shards import CORPUS, Shard, files_of, fingerprint, plan
from dcq.overlap.search.exact import strings_of
from dcq.overlap.search.providers import find_archive
from dcq.overlap.search.service import Service, Window
from dcq.overlap.tokens import split
from dcq.store import Store, overlaps, samples
from dcq.store.overlaps import OverlapDesign, StoredPart, StoredQuery, StoredRequest
from dcq.store.samples import StoredSample

NONE, DEFAULT = "none", "default"


@dataclass(frozen=True)
class SearchDesign:
    """The settings of a search: the days that it covers, the preset, the ``archive`` in which pages
    are looked up (``none``, or by ``default`` Common Crawl where there is a window), the price of a
    call in the user's plan (None: unknown), and the score from which a page counts (None: the
    preset's)."""

    window: Window | None = None
    preset: str = "paper"
    archive: str = DEFAULT
    usd_per_call: float | None = None
    threshold: float | None = None


def _choose_archive(design: SearchDesign, *, live: bool) -> str:
    """The archive that pages are looked up in, "" for none. A crawl means something only by a day,
    so without a window there is none by default."""
    if design.archive == DEFAULT:
        return "common-crawl" if live and design.window is not None else ""
    if design.archive == NONE:
        return ""
    if not live:
        raise InputError("What this service has is a crawl itself; look nothing up in archives.")
    return find_archive(design.archive).name


def queries_of(sample: StoredSample) -> list[Query | Skipped]:
    """The queries of a sample's instances, in their order."""
    return [query_of(instance, sample.partition.task) for instance in sample.instances]


def requests_of(
    queries: Sequence[Query | Skipped], service: Service, settings: MeteorSettings
) -> list[StoredRequest]:
    """The requests to the service, query by query. The report searches for the input with its
    answer. Where the answer is so long that a page with the input alone would stay below the
    threshold, the input is searched for as well, which is ours. A service that finds only literal
    text is asked for ``strings_of`` the instance."""
    new_stored_requests: list[StoredRequest] = []
    for place, query in enumerate(queries):
        if isinstance(query, Skipped):
            continue
        if service.documents is not None:
            strings = strings_of(query.text, query.input, service.characters)
            new_stored_requests += [
                StoredRequest(place, of_input, string) for of_input, string in strings
            ]
            continue
        texts = [(False, query.text)]
        if len(split(query.input)) < settings.threshold * len(split(query.text)):
            texts.append((True, query.input))
        new_stored_requests += [
            StoredRequest(place, of_input, piece)
            for of_input, text in texts
            for piece in cut(text, service.characters, service.words)
        ]
    return new_stored_requests


def freeze_search(
    store: Store, sample_id: str, service: Service, design: SearchDesign, author: str = ""
) -> str:
    """Store the requests about a sample to a service, and the archive in which its pages are looked
    up; returns the id of the overlap. Raises ``InputError`` where nothing can be searched for, the
    service knows no dates, or an archive is to be asked without a window."""
    archive = _choose_archive(design, live=service.live)
    sample, window, usd = samples.load(store, sample_id), design.window, design.usd_per_call
    settings = find_preset(design.preset, design.threshold)
    if window is not None and not service.live:
        raise InputError(f"{service.name} knows no dates; leave the window out.")
    if archive and window is None:
        raise InputError(
            "An archive is asked about a window of time; give one, or look nothing up in archives."
        )
    if usd is not None and not 0 <= usd < 1000:
        raise InputError(f"A call cannot cost {usd:g} USD; give the price of one call.")
    queries = queries_of(sample)
    requests = requests_of(queries, service, settings)
    if not requests:
        raise InputError("No instance of this sample has words to search for; draw other ones.")
    asked_design = replace(
        _common_design(sample, "search", service.name, settings, design.preset, author),
        window_start=window.start if window else None,
        window_end=window.end if window else None,
        archive=archive,
        usd_per_call=usd,
    )
    return overlaps.save(store, asked_design, _as_stored(queries), requests=requests)


def freeze_scan(
    store: Store,
    sample_id: str,
    corpus: Sequence[Path],
    *,
    preset: str = "paper",
    threshold: float | None = None,
    author: str = "",
) -> str:
    """Store the parts of a corpus in which a sample is looked for; returns the id of the overlap.
    ``threshold`` is the preset's where it is None. Raises ``InputError`` where nothing can be
    searched for, or a path does not exist."""
    sample = samples.load(store, sample_id)
    settings = find_preset(preset, threshold)
    queries = queries_of(sample)
    if not any(isinstance(query, Query) for query in queries):
        raise InputError("No instance of this sample has words to search for; draw other ones.")
    paths = [path.expanduser().absolute() for path in corpus]
    shards, skipped = plan(files_of(paths))
    parts, unread = _parts(shards)
    unread |= {str(path): reason for path, reason in skipped}
    if not parts:
        raise InputError("No file of the corpus holds a text that can be read; name others.")
    asked_design = replace(
        _common_design(sample, "scan", CORPUS, settings, preset, author),
        corpus=tuple(map(str, paths)),
        unread=unread,
    )
    return overlaps.save(store, asked_design, _as_stored(queries), parts=parts)


def _common_design(
    sample: StoredSample,
    method: str,
    source: str,
    settings: MeteorSettings,
    preset: str,
    author: str,
) -> OverlapDesign:
    """What a search and a scan have in common."""
    return OverlapDesign(
        sample_id=sample.id,
        method=method,
        source=source,
        window_start=None,
        window_end=None,
        language=sample.partition.language,
        archive="",
        usd_per_call=None,
        corpus=(),
        unread={},
        preset=preset,
        alpha=settings.alpha,
        beta=settings.beta,
        gamma=settings.gamma,
        label_gamma=settings.label_gamma,
        match_window=settings.window,
        threshold=settings.threshold,
        tokens=settings.tokens,
        author=author,
    )


def _as_stored(queries: Sequence[Query | Skipped]) -> list[StoredQuery]:
    return [
        StoredQuery(query.id, query.text, query.input, query.label, "")
        if isinstance(query, Query)
        else StoredQuery(query.id, "", "", "", query.reason)
        for query in queries
    ]


def _parts(shards: Sequence[Shard]) -> tuple[list[StoredPart], dict[str, str]]:
    """The parts with fingerprints of their files: the smallest first, which the engine asks alone,
    then the largest, so that no core waits long for another at the end."""
    prints: dict[Path, str] = {}
    unread: dict[str, str] = {}
    for path in dict.fromkeys(shard.path for shard in shards):
        try:
            prints[path] = fingerprint(path)
        except OSError as error:
            unread[str(path)] = error.strerror or "cannot be read"
    ordered = sorted((part for part in shards if part.path in prints), key=lambda part: -part.bytes)
    ordered = [*ordered[-1:], *ordered[:-1]]
    return [
        StoredPart(str(part.path), part.form, part.start, part.end, part.bytes, prints[part.path])
        for part in ordered
    ], unread
