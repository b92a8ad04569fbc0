"""How much the small controls differ for a model that has seen none of them.

    python -m benchmarks.small_controls --store FILE [--out docs/figures/small_controls.csv]

The offline generator rewords the English ones. It does not know Spanish and Chinese: of those,
``small_words.tsv`` has other words, from which it draws as ever. The embedded model takes the quiz
of each by likelihood, at D. Seeds are fixed. A row of the table is a task in a language: the mean
over sources of the share found, the deviation between sources beside the one that chance alone
gives, and the spread τ of their true scores with a 95 % interval, also for the mean midrank of the
originals. The last row takes the English tasks together, each with a mean of its own. The csv has
the scores of each source. Takes half an hour of a core; started again on the same store it goes on
where it was.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
import scipy.stats

from benchmarks import read_options
from benchmarks.likelihood import take
from dcq.evidence.controls import expect, noise_of
from dcq.evidence.record import Evidence
from dcq.evidence.root import find_root
from dcq.investigation.control_sizes import SMALL
from dcq.judging import snapshot
from dcq.partitions import Entry, draw_sample, entries, open_partition
from dcq.quiz.ranked import MIDRANK
from dcq.records import Instance, Sample
from dcq.store import Store
from dcq.text_kind import WORDS, text_kind
from dcq.variants import offline
from dcq.variants.checks import check, passes
from dcq.variants.freeze import SLOTS
from dcq.variants.synonyms import WordGroup, WordPlace

COLUMNS = ("task", "language", "source", "instances", "found", "share", "midrank")
_WORDS = Path(__file__).with_name("small_words.tsv")
_WIDEST = 0.5  # scores from 0 to 1 differ by no more
_TAIL = 0.025


@dataclass(frozen=True, eq=False)
class Source:
    """What the model found in one small control: for each instance whether it ``found`` the
    original, and the original's ``midrank``."""

    kind: str
    language: str
    key: str
    found: np.ndarray
    midrank: np.ndarray


@dataclass(frozen=True)
class Spread:
    """The standard deviation between true scores, with the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


async def main() -> None:
    """Ask, write the csv, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--sources", type=int, help="of each task and language; all if left out")
    parser.add_argument("--out", type=Path, default=Path("docs/figures/small_controls.csv"))
    chosen = read_options(parser, sources=2, out=Path("build/small_controls.csv"))
    store = Store(chosen.store)
    by_kind: dict[tuple[str, str], list[Sample]] = {}
    for sample in map(small_sample, filter(lambda entry: entry.is_small, entries())):
        by_kind.setdefault((kind_of(sample), sample.partition.language), []).append(sample)
    asked = {key: samples[: chosen.sources] for key, samples in by_kind.items()}
    for samples in asked.values():
        for sample in samples:
            await take(store, sample)
    found = {evidence.partition: evidence for evidence in snapshot.read(store).evidence.values()}
    groups = [
        [_source(kind, sample, found[sample.partition.id]) for sample in samples]
        for (kind, _), samples in asked.items()
    ]
    _write(chosen.out, groups)
    print(*table(groups), sep="\n")


def small_sample(entry: Entry) -> Sample:
    """A small control, with rewordings where the offline generator does not know its language."""
    sample = draw_sample(open_partition(entry.key, next(iter(entry.splits))), SMALL)
    language = sample.partition.language
    if offline.unavailable(language) is None:
        return sample
    source = sample.partition.key.removeprefix("control-")
    written = {
        one.id: _reworded(one, f"{source}-{(one.row or 0) + 1:03}", language, sample.seed)
        for one in sample.instances
    }
    return replace(sample, variants=written)


def kind_of(sample: Sample) -> str:
    """Its task; word problems and questions with short answers are told apart."""
    task = str(sample.partition.task)
    if task != "question-answering":
        return task
    kind = text_kind(sample.instances)
    return "short answers" if kind is not None and kind.labels == WORDS else "arithmetic"


def _reworded(instance: Instance, name: str, language: str, seed: int) -> tuple[str, ...]:
    """Rewordings that pass the checks, of an instance that has this ``name`` in the list."""
    text, texts = instance.text, list[str]()
    groups = [
        WordGroup((WordPlace(text.index(passage), text.index(passage) + len(passage), others),))
        for passage, others in _other_words()[name]
    ]
    for rewording in offline.draw(text, groups, SLOTS, seed=seed):
        if passes(check(instance, rewording, texts, language=language)):
            texts.append(rewording)
    return tuple(texts)


@cache
def _other_words() -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """Passages of each instance, with other words for each."""
    listed = {}
    for line in _WORDS.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            name, passages = line.split("\t")
            pairs = (part.split("=") for part in passages.split("; "))
            listed[name] = [(passage, tuple(others.split(", "))) for passage, others in pairs]
    return listed


def _source(kind: str, sample: Sample, evidence: Evidence) -> Source:
    [ranks] = (entry for entry in evidence.side_measures if entry.name == MIDRANK)
    found = evidence.measures[0].values
    return Source(
        kind,
        sample.partition.language,
        sample.partition.key,
        found[~np.isnan(found)],
        ranks.values[~np.isnan(ranks.values)],
    )


def _write(out: Path, groups: Sequence[Sequence[Source]]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for source in chain.from_iterable(groups):
            n, right = len(source.found), int(source.found.sum())
            scores = (f"{right / n:.4f}", f"{source.midrank.mean():.4f}")
            table.writerow([source.kind, source.language, source.key, n, right, *scores])


def table(groups: Sequence[Sequence[Source]]) -> list[str]:
    """The lines of the table, as Markdown."""
    heads = "task|language|sources × instances|share found|SD|by chance|τ|rule|midrank|its τ"
    english = [group for group in groups if group[0].language == "en"]
    rows = [
        [group[0].kind, group[0].language, *_described([group])]
        for group in groups
        if len(group) > 1
    ]
    if len(english) > 1:
        rows.append(["all", "en", *_described(english)])
    ruled = [heads.split("|"), ["---"] * (heads.count("|") + 1), *rows]
    return [f"| {' | '.join(cells)} |" for cells in ruled]


def _described(groups: Sequence[Sequence[Source]]) -> list[str]:
    """Of the sources of one task, or of several tasks that differ in their means."""
    found = [[source.found for source in group] for group in groups]
    ranks = [[source.midrank for source in group] for group in groups]
    shares = [np.array([values.mean() for values in group]) for group in found]
    sizes = [len(values) for group in found for values in group]
    every = np.concatenate(shares)
    between = np.concatenate([scores - scores.mean() for scores in shares])
    deviation = float(np.sqrt((between**2).sum() / (len(every) - len(groups))))
    rules = [expect([values[:, None] for values in group]) for group in found]
    return [
        f"{len(sizes)} × {min(sizes)} to {max(sizes)}",
        f"{every.mean():.2f} ({every.min():.2f} to {every.max():.2f})",
        f"{deviation:.3f}",
        f"{np.sqrt(np.mean(_noise(found) / np.array(sizes))):.3f}",
        str(estimate_spread(found)),
        ", ".join(f"{rule.prediction.spread:.2f}" for rule in rules if rule is not None)
        if len(rules) == 1
        else "",
        f"{np.mean([values.mean() for group in ranks for values in group]):.2f}",
        str(estimate_spread(ranks)),
    ]


def estimate_spread(groups: Sequence[Sequence[np.ndarray]]) -> Spread:
    """τ, the deviation between the true scores of the sources within each of ``groups``, from the
    scores of their instances.

    A source's score has the variance τ² + σ²/n, σ² that of an instance within its source. The value
    is that of Paule and Mandel, at which Cochran's Q is what it is expected to be; the interval has
    all τ at which Q lies between its 2.5 and 97.5 % points (Q-profile, Viechtbauer 2007).
    """
    freedom = sum(len(group) - 1 for group in groups)
    noise = _noise(groups)
    scores = [np.array([values.mean() for values in group]) for group in groups]
    sizes = [np.array([len(values) for values in group]) for group in groups]

    def misfit(spread: float) -> float:
        total = 0.0
        for observed, n in zip(scores, sizes, strict=True):
            weight = 1 / (spread**2 + noise / n)
            total += float(weight @ (observed - weight @ observed / weight.sum()) ** 2)
        return total

    def at(expected: float) -> float:
        if misfit(0.0) <= expected:
            return 0.0
        if misfit(_WIDEST) >= expected:
            return _WIDEST
        return find_root(lambda spread: misfit(spread) - expected, 0.0, _WIDEST)

    low, high = (float(scipy.stats.chi2.ppf(p, freedom)) for p in (1 - _TAIL, _TAIL))
    return Spread(at(freedom), at(low), at(high))


def _noise(groups: Iterable[Sequence[np.ndarray]]) -> float:
    """σ², over all sources."""
    return noise_of([values for group in groups for values in group])


if __name__ == "__main__":
    asyncio.run(main())
