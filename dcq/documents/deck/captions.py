"""Captions: model, split, quiz and its wording, n, date; tables name the runs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from dcq.documents.names import caption_lines
from dcq.quiz.results import Result
from dcq.version import __version__
from dcq.words import listed

IN_FULL = 3  # runs; more are summed up, and their ids are in the table


def of(results: Sequence[Result]) -> tuple[str, ...]:
    """A line for each run; where there are many, one line on what they have in common."""
    if len(results) <= IN_FULL:
        return tuple(caption_lines(results))
    models = len({result.model for result in results})
    places = len({run.partition for run in results})
    least, most = (limit(run.n for run in results) for limit in (min, max))
    n = f"n = {least:,}" if least == most else f"n = {least:,} to {most:,}"
    wordings = listed(sorted({run.prompt for run in results}))
    return (
        f"{len(results):,} runs · {_count(models, 'model')} on {_count(places, 'partition')} · "
        f"{n} · "
        f"wording {wordings} · {days([run.at for run in results])} · named in the table",
        version_and_time(),
    )


def days(times: Sequence[datetime]) -> str:
    """The period from the first to the last of at least one time."""
    first, last = f"{min(times):%d %b %Y}", f"{max(times):%d %b %Y}"
    return first if first == last else f"{first} to {last}"


def version_and_time() -> str:
    """The version of dcq and the time that a document was made."""
    return f"Made with dcq {__version__}"


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"
