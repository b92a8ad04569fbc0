"""A sample, searched for on the web."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated

import typer

from dcq.asking.chain import ChainOutcome, go_on
from dcq.asking.options import Options, Terms, Watch
from dcq.commands import no_effect
from dcq.commands.asking import MaxCalls, Reuse, Runs, ask_each, show_chains
from dcq.commands.output import AsJson, open_store
from dcq.commands.overlap_match import PAPER, Preset, Threshold
from dcq.errors import InputError
from dcq.overlap import searches
from dcq.overlap.freeze import DEFAULT, SearchDesign
from dcq.overlap.method import METHODS
from dcq.overlap.search.service import Window


def search(
    sample: Annotated[str | None, typer.Argument(help="Id of the sample.")] = None,
    source: Annotated[
        str | None,
        typer.Option("--with", help="brave, serpapi, or infini-gram (a corpus, without a key)."),
    ] = None,
    window: Annotated[
        str | None,
        typer.Option(help="Only pages of these days, such as 2023-01-01:2023-12-31."),
    ] = None,
    crawls: Annotated[
        str | None,
        typer.Option(
            help="Count only pages that an archive has from the window: common-crawl (with a "
            "window, the default), wayback, or none."
        ),
    ] = None,
    index: Annotated[
        str | None, typer.Option(help="The index of infini-gram, such as v4_dolma-v1_7_llama.")
    ] = None,
    preset: Preset = None,
    threshold: Threshold = None,
    continued: Runs = None,
    limit: Annotated[int | None, typer.Option(help="Only the first N instances.")] = None,
    max_calls: MaxCalls = None,
    price: Annotated[
        float | None, typer.Option(help="What a call costs in your plan, in USD; to be shown.")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue the newest search for this sample there."),
    ] = False,
    reuse: Reuse = False,
    as_json: AsJson = False,
) -> None:
    """Search for a sample's instances on the web, and look up whether crawls have the pages.

    The cap on calls is for both together. Keys are read from the environment only.
    """
    if continued and (sample or source or resume or threshold is not None):
        raise InputError(
            "A run has its sample, service and threshold already; give --run alone, or SAMPLE and "
            "--with."
        )
    if continued:
        no_effect.refuse(
            {"--window": window, "--crawls": crawls, "--preset": preset, "--price": price},
            "A run goes on as it was planned",
        )
    if not continued and not (sample and source):
        raise InputError("Name a sample and a service with --with, or a run with --run.")
    if index and source != "infini-gram":
        raise InputError("Only infini-gram has indexes; leave --index out.")
    service = f"{source}:{index}" if index else source
    design = SearchDesign(_days(window), preset or PAPER, crawls or DEFAULT, price, threshold)
    terms = Terms(limit, None, max_calls)
    store = open_store()

    async def ask(watch: Watch, run_id: str | None) -> ChainOutcome:
        options = Options(terms, reuse, watch=watch)
        if run_id is not None:
            return await go_on(store, METHODS.values(), run_id, options)
        return await searches.search(
            store, sample or "", service or "", design, options, resume=resume
        )

    runs: Sequence[str | None] = list(dict.fromkeys(continued or [])) or [None]
    ended, left_by = ask_each(runs, ask, "Search")
    from dcq.documents.overlap_document import document, sentence  # takes a while to import

    show_chains(store, ended, left_by, document, sentence, as_json=as_json)


def _days(window: str | None) -> Window | None:
    if window is None:
        return None
    start, _, end = window.partition(":")
    try:
        days = date.fromisoformat(start.strip()), date.fromisoformat(end.strip())
    except ValueError:
        raise InputError(
            f"The window {window!r} is none; write two days, such as 2023-01-01:2023-12-31."
        ) from None
    return Window(*days)
