"""Names of results: in full where one is chosen, as short as possible in a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from dcq.documents.names import tell_apart
from dcq.quiz.results import Result, quiz_name
from dcq.records import QuizKind
from dcq.store.run_progress import RunProgress
from dcq.store.samples import ListedSample
from dcq.words import model_titles, place

PROTOCOL_2 = (QuizKind.BDQ, QuizKind.BCQ)


def kind_name(kind: str) -> str:
    """The name of a kind of quiz or another method in a list: ``Standard``, ``BCQ``,
    ``Replication``."""
    return str(kind).upper() if kind in PROTOCOL_2 else str(kind).capitalize()


def full_name(result: Result) -> str:
    """The full name of a run. It never changes, so that links stay valid."""
    return f"{result.model} · {result.place} · {quiz_name(result)} · {result.run}"


def run_names(results: Sequence[Result]) -> dict[str, str]:
    """A name for each of several runs in a list to choose from."""
    models = model_titles(result.asked_name for result in results)
    return with_dates(
        {
            result.run: (
                f"{models[result.asked_name]} · {result.place} · {quiz_name(result)}",
                result.at,
            )
            for result in results
        }
    )


def with_dates(named: Mapping[str, tuple[str, datetime]]) -> dict[str, str]:
    """Names of runs by id: where two have the same, the date is added, and where that is the same
    too, the id."""
    shared = Counter(name for name, _ in named.values())
    dated = {
        run: name if shared[name] == 1 else f"{name} · {at:%d %b %Y, %H:%M}"
        for run, (name, at) in named.items()
    }
    alike = Counter(dated.values())
    return {run: name if alike[name] == 1 else f"{name} · {run}" for run, name in dated.items()}


def listed_partitions(entries: Iterable[RunProgress | ListedSample]) -> dict[str, str]:
    """As ``dcq.documents.names.partition_names``, of runs or samples as the store lists them."""
    return tell_apart({entry.partition: place(entry.title, entry.split_title) for entry in entries})


def sample_names(listed_samples: Sequence[ListedSample]) -> dict[str, str]:
    """A name for each sample: its partition and size, and as much more as distinguishes it. A
    further set of variants has the name of its first sample, with its own added."""
    names_by_id = _whole_names([sample for sample in listed_samples if not sample.set_of])
    partitions = listed_partitions(listed_samples)
    return {
        sample.id: f"{names_by_id.get(sample.set_of, partitions[sample.partition])} · "
        f"set “{sample.set_name}”"
        if sample.set_of
        else names_by_id[sample.id]
        for sample in listed_samples
    }


def _whole_names(listed_samples: Sequence[ListedSample]) -> dict[str, str]:
    partitions = listed_partitions(listed_samples)
    forms: tuple[Callable[[ListedSample], str], ...] = (
        lambda sample: f"{partitions[sample.partition]} · {sample.n:,} instances",
        lambda sample: (
            f"{partitions[sample.partition]} · {sample.n:,} instances, seed {sample.seed}"
        ),
        lambda sample: f"{partitions[sample.partition]} · {sample.n:,} instances · {sample.id}",
    )
    names: dict[str, str] = {}
    for form in forms:
        counts = Counter(map(form, listed_samples))
        for sample in listed_samples:
            if counts[form(sample)] == 1:
                names.setdefault(sample.id, form(sample))
    return {sample.id: names[sample.id] for sample in listed_samples}
