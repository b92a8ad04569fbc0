"""Names of results: in full where one is chosen, as short as stays unambiguous in a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from dcq import __version__
from dcq.quiz.results import Result
from dcq.records import Kind, slot_letter
from dcq.store.run_progress import Progress
from dcq.store.samples import ListedSample
from dcq.words import place

CAPTION_LINES = 40  # runs named below one picture
PROTOCOL_2 = (Kind.BDQ, Kind.BCQ)


def kind_name(kind: Kind) -> str:
    """``Standard``, ``BCQ``: the name of a kind of quiz where one is chosen."""
    return str(kind).upper() if kind in PROTOCOL_2 else str(kind).capitalize()


def quiz_name(result: Result) -> str:
    """``standard, original at D``."""
    letter = slot_letter(result.slot)
    return f"{result.kind}, original at {letter}" if letter else str(result.kind)


def full_name(result: Result) -> str:
    """Names one run among all; the same whenever it is shown, so that links last."""
    return f"{result.model} · {result.place} · {quiz_name(result)} · {result.run}"


def partition_names(found: Sequence[Result]) -> dict[str, str]:
    """Each partition's name by its id; if two share a name, the id is added."""
    return _tell_apart({result.partition: result.place for result in found})


def listed_partitions(listed: Iterable[Progress | ListedSample]) -> dict[str, str]:
    """As ``partition_names``, of runs or samples as the store lists them."""
    return _tell_apart({one.partition: place(one.title, one.split_title) for one in listed})


def sample_names(listed: Sequence[ListedSample]) -> dict[str, str]:
    """What each sample is called: its partition and size, and as much more as tells it from the
    others. A further set of variants is called like its first sample, with its own name."""
    whole = _whole_names([sample for sample in listed if not sample.set_of])
    partitions = listed_partitions(listed)
    return {
        sample.id: f"{whole.get(sample.set_of, partitions[sample.partition])} · "
        f"set “{sample.set_name}”"
        if sample.set_of
        else whole[sample.id]
        for sample in listed
    }


def _whole_names(listed: Sequence[ListedSample]) -> dict[str, str]:
    partitions = listed_partitions(listed)
    forms: tuple[Callable[[ListedSample], str], ...] = (
        lambda sample: f"{partitions[sample.partition]} · {sample.n:,} instances",
        lambda sample: (
            f"{partitions[sample.partition]} · {sample.n:,} instances, seed {sample.seed}"
        ),
        lambda sample: f"{partitions[sample.partition]} · {sample.n:,} instances · {sample.id}",
    )
    names: dict[str, str] = {}
    for form in forms:
        taken = Counter(map(form, listed))
        for sample in listed:
            if taken[form(sample)] == 1:
                names.setdefault(sample.id, form(sample))
    return {sample.id: names[sample.id] for sample in listed}


def _tell_apart(names: Mapping[str, str]) -> dict[str, str]:
    shared = Counter(names.values())
    return {key: name if shared[name] == 1 else f"{name} ({key})" for key, name in names.items()}


def line_names(found: Sequence[Result]) -> dict[str, str]:
    """Each run's name on a line below its partition: the model, and more only if needed."""
    forms = (
        lambda result: result.model,
        lambda result: f"{result.model} · {result.kind}",
        lambda result: f"{result.model} · {quiz_name(result)}",
        lambda result: f"{result.model} · {result.kind} · {result.run}",
    )
    names: dict[str, str] = {}
    for form in forms:
        taken = Counter((result.partition, form(result)) for result in found)
        for result in found:
            if taken[result.partition, form(result)] == 1:
                names.setdefault(result.run, form(result))
    return names


def caption_lines(found: Sequence[Result]) -> list[str]:
    """The caption of a chart of runs, one line per run: model, partition, quiz, n, date, run."""
    partitions = partition_names(found)
    lines = [
        f"{result.model} · {partitions[result.partition]} · {quiz_name(result)} · "
        f"n = {result.n:,}{f' ({result.progress})' if result.progress else ''} · "
        f"{result.at:%d %b %Y} · run {result.run}"
        for result in found
    ]
    return end_caption(lines)


def end_caption(lines: Sequence[str]) -> list[str]:
    """As many lines on runs as fit below a chart, and what made it."""
    shown = list(lines[:CAPTION_LINES])
    if len(lines) > CAPTION_LINES:
        shown.append(f"and {len(lines) - CAPTION_LINES:,} more runs, listed in the table")
    return [*shown, f"Made with dcq {__version__}"]
