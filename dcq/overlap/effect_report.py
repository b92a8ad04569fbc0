"""What overlap does to the scores of models: one report for the screen, the command and files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dcq.evidence.subsets import Accuracy
from dcq.overlap import domains as web
from dcq.overlap import windows as time
from dcq.overlap.benchmarks import MeanEffect, means, split_answers
from dcq.overlap.domains import Avoided, Blocklist
from dcq.overlap.effect import Effect, by_domain, by_subject, effects
from dcq.overlap.label import Label, Labels
from dcq.overlap.labels import merged
from dcq.overlap.match import Category
from dcq.overlap.pairing import Paired, pair
from dcq.overlap.results import Answer
from dcq.overlap.sizes import BySize, by_size
from dcq.overlap.windows import WindowGrowth, WindowShare

SHOWN_DOMAINS = 15


@dataclass(frozen=True)
class Web:
    """Where the found instances stand that any model has answered. ``n`` of them have an address;
    ``counts`` are the instances on each domain, the most first; ``avoided`` is what leaving the
    commonest domains out would avoid, ``blocklist`` what a list of one's own would, None without
    one."""

    n: int
    counts: Mapping[str, int]
    avoided: tuple[Avoided, ...]
    blocklist: Blocklist | None


@dataclass(frozen=True)
class EffectReport:
    """``models`` in the order of the results. ``subjects`` has accuracy by category for each model
    of several subjects, by subject; ``domains`` accuracy on the commonest domains, by model.
    ``windows`` has the instances of the labels, answered or not, and is empty unless there are
    several windows, as is ``growth``."""

    models: tuple[Effect, ...]
    paired: Paired
    subjects: Mapping[str, Mapping[str, Mapping[str, Accuracy]]]
    windows: tuple[WindowShare, ...]
    growth: tuple[WindowGrowth, ...]
    web: Web
    domains: Mapping[str, Mapping[str, Accuracy]]
    sizes: BySize


@dataclass(frozen=True)
class Given:
    """What a report takes beside results and labels: ``texts`` of instances by id, more than those
    that the labels have; addresses of a ``blocklist``; billions of parameters by model."""

    texts: Mapping[str, str] = field(default_factory=dict)
    blocklist: Sequence[str] | None = None
    sizes: Mapping[str, float] = field(default_factory=dict)


def report(
    answers: Sequence[Answer], windows: Mapping[str, Labels], given: Given | None = None
) -> EffectReport:
    """Models on found and on clean instances. Where there are several windows, an instance is found
    if it is in any. Raises ``InputError`` where no answer has a label."""
    given = given or Given()
    labels = merged(windows.values())
    texts = {one: label.text for one, label in labels.items() if label.text}
    texts |= {one: text for one, text in given.texts.items() if one in labels}
    paired = pair(answers, labels, texts)
    models = tuple(effects(paired.answers, labels))
    asked = {answer.instance_id for answer in paired.answers}
    pages = _pages({one: label for one, label in labels.items() if one in asked})
    counts = web.domain_counts(pages)
    commonest = dict(list(web.by_domain(pages).items())[:SHOWN_DOMAINS])
    several = len(windows) > 1
    return EffectReport(
        models=models,
        paired=paired,
        subjects=_subjects(paired.answers, labels),
        windows=time.shares(windows) if several else (),
        growth=time.growth(windows) if several else (),
        web=Web(
            n=len(pages),
            counts=counts,
            avoided=web.avoided(pages),
            blocklist=None if given.blocklist is None else web.blocked(pages, given.blocklist),
        ),
        domains=by_domain(paired.answers, commonest),
        sizes=by_size(models, given.sizes),
    )


@dataclass(frozen=True)
class EffectReports:
    """A report for each benchmark, and the mean over them of each model that has answers for all.
    ``partial`` are the other models; ``others`` counts answers of benchmarks without labels."""

    reports: Mapping[str, EffectReport]
    means: tuple[MeanEffect, ...]
    partial: tuple[str, ...]
    others: int


def reports(
    answers: Sequence[Answer],
    benchmarks: Mapping[str, Mapping[str, Labels]],
    given: Given | None = None,
) -> EffectReports:
    """A report for each benchmark by its name, on the answers that name it. Raises ``InputError``
    as ``report``, for answers that name none, and for a benchmark without answers."""
    own, others = split_answers(answers, benchmarks)
    found = {name: report(own[name], windows, given) for name, windows in benchmarks.items()}
    averaged = means({name: one.models for name, one in found.items()})
    models = dict.fromkeys(effect.model for one in found.values() for effect in one.models)
    partial = models.keys() - {one.model for one in averaged}
    return EffectReports(
        found, tuple(averaged), tuple(model for model in models if model in partial), others
    )


def _pages(labels: Mapping[str, Label]) -> dict[str, tuple[str, ...]]:
    """Addresses of the found instances that have one."""
    return {
        one: label.sources
        for one, label in labels.items()
        if label.category is not Category.CLEAN and web.domains_of(label.sources)
    }


def _subjects(
    answers: Iterable[Answer], labels: Labels
) -> dict[str, dict[str, Mapping[str, Accuracy]]]:
    found: dict[str, dict[str, Mapping[str, Accuracy]]] = defaultdict(dict)
    for (model, subject), parts in by_subject(answers, labels).items():
        found[model][subject] = parts
    return {model: own for model, own in found.items() if len(own) > 1}
