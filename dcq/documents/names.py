"""Names of results, as short as stays unambiguous in a list, and the captions of charts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from dcq.evidence.record import Evidence
from dcq.quiz.results import Result, quiz_name
from dcq.version import __version__
from dcq.words import model_titles

CAPTION_LINES = 40  # runs named below one picture


def partition_names(results: Sequence[Result]) -> dict[str, str]:
    """Each partition's name by its id; if two share a name, the id is added."""
    return tell_apart({result.partition: result.place for result in results})


def tell_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Names by id; where two are the same, the id is added."""
    shared = Counter(names.values())
    return {key: name if shared[name] == 1 else f"{name} ({key})" for key, name in names.items()}


def line_names(results: Sequence[Evidence]) -> dict[str, str]:
    """Each run's name on a line below its partition: the model, and more only if needed, such as
    the kind of its quiz."""
    titles = model_titles(result.asked_name for result in results)
    forms: tuple[Callable[[Evidence], Sequence[object]], ...] = (
        lambda result: (),
        lambda result: (result.figures.get("kind"),),
        lambda result: (result.figures.get("name"),),
        lambda result: (result.figures.get("name"), f"{result.at:%d %b, %H:%M}"),
        lambda result: (result.figures.get("kind"), result.run),
    )
    names: dict[str, str] = {}
    for form in forms:
        words = {one.run: filter(None, (titles[one.asked_name], *form(one))) for one in results}
        named = {run: " · ".join(map(str, parts)) for run, parts in words.items()}
        counts = Counter((result.partition, named[result.run]) for result in results)
        for result in results:
            if counts[result.partition, named[result.run]] == 1:
                names.setdefault(result.run, named[result.run])
    return names


def caption_lines(results: Sequence[Result], *, with_ids: bool = False) -> list[str]:
    """The caption of a chart of runs, one line per run: model, partition, quiz, wording, n, date;
    with the ids of the runs where no table beside the chart has them."""
    partitions, models = partition_names(results), model_titles(run.model for run in results)
    lines = [
        f"{models[result.model]} · {partitions[result.partition]} · {quiz_name(result)} · "
        f"wording {result.prompt} · n = {result.n:,}"
        f"{f' ({result.progress})' if result.progress else ''} · "
        f"{result.at:%d %b %Y}{f' · run {result.run}' if with_ids else ''}"
        for result in results
    ]
    return end_caption(lines)


def end_caption(lines: Sequence[str]) -> list[str]:
    """As many caption lines as fit below a chart, and a last line on what made it."""
    visible_lines = list(lines[:CAPTION_LINES])
    if len(lines) > CAPTION_LINES:
        visible_lines.append(f"and {len(lines) - CAPTION_LINES:,} more runs, listed in the table")
    return [*visible_lines, f"Made with dcq {__version__}"]
