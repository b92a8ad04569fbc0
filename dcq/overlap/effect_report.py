"""The effect of overlap on the scores of models: one report for the screen, the command and files.

Answers are matched to labels by text where both have one, else by id: harnesses number instances by
row, by a hash or by a column of the data set, and labels have ids of their own. Texts are compared
line by line, by their words alone, so that neither the layout (``Question: …``) nor punctuation
matters. The report also says how much of a benchmark was found in each window of time (the
contamination report, Figure 2).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from dcq.errors import InputError
from dcq.evidence.compare import Comparison, compare_paired
from dcq.evidence.subsets import Accuracy, accuracy_of
from dcq.overlap import domains as web
from dcq.overlap.benchmarks import MeanEffect, means, split_answers
from dcq.overlap.domains import Avoided, Blocklist
from dcq.overlap.effect import Effect, by_domain, by_subject, effects
from dcq.overlap.harness.graded import HarnessAnswer, averaged
from dcq.overlap.label import Label, Labels
from dcq.overlap.labels import merged
from dcq.overlap.match import Category
from dcq.overlap.sizes import BySize, by_size
from dcq.overlap.tokens import split

SHOWN_DOMAINS = 15


@dataclass(frozen=True)
class WebSummary:
    """Where the answered and found instances stand on the web. ``n`` of them have an address;
    ``counts`` are the instances on each domain, the most first; ``avoided`` is what leaving the
    commonest domains out would avoid, ``blocklist`` what the user's own list would, None without
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
    web: WebSummary
    domains: Mapping[str, Mapping[str, Accuracy]]
    sizes: BySize


@dataclass(frozen=True)
class ReportInputs:
    """Optional inputs of a report: ``texts`` of instances by id, for labels without texts;
    addresses of a ``blocklist``; billions of parameters by model."""

    texts: Mapping[str, str] = field(default_factory=dict)
    blocklist: Sequence[str] | None = None
    sizes: Mapping[str, float] = field(default_factory=dict)


def report(
    answers: Sequence[HarnessAnswer],
    windows: Mapping[str, Labels],
    inputs: ReportInputs | None = None,
) -> EffectReport:
    """The accuracy of models on found and on clean instances. Where there are several windows, an
    instance is found if it is found in any. Raises ``InputError`` where no answer has a label."""
    inputs = inputs or ReportInputs()
    labels = merged(windows.values())
    texts = {instance: label.text for instance, label in labels.items() if label.text}
    texts |= {instance: text for instance, text in inputs.texts.items() if instance in labels}
    paired = pair(answers, labels, texts)
    models = tuple(effects(paired.answers, labels))
    asked = {answer.instance_id for answer in paired.answers}
    pages = _pages({instance: label for instance, label in labels.items() if instance in asked})
    counts = web.domain_counts(pages)
    commonest = dict(list(web.by_domain(pages).items())[:SHOWN_DOMAINS])
    several = len(windows) > 1
    return EffectReport(
        models=models,
        paired=paired,
        subjects=_subjects(paired.answers, labels),
        windows=shares(windows) if several else (),
        growth=growth(windows) if several else (),
        web=WebSummary(
            n=len(pages),
            counts=counts,
            avoided=web.avoided(pages),
            blocklist=None if inputs.blocklist is None else web.blocked(pages, inputs.blocklist),
        ),
        domains=by_domain(paired.answers, commonest),
        sizes=by_size(models, inputs.sizes),
    )


@dataclass(frozen=True)
class EffectReports:
    """A report for each benchmark, and the mean over them of each model that has answers for all.
    ``partial`` are the other models; ``unlabelled`` counts answers of benchmarks without labels."""

    reports: Mapping[str, EffectReport]
    means: tuple[MeanEffect, ...]
    partial: tuple[str, ...]
    unlabelled: int


def reports(
    answers: Sequence[HarnessAnswer],
    benchmarks: Mapping[str, Mapping[str, Labels]],
    inputs: ReportInputs | None = None,
) -> EffectReports:
    """A report for each benchmark by its name, on the answers that name it. Raises ``InputError``
    as ``report``, for answers that name none, and for a benchmark without answers."""
    answers_by_benchmark, others = split_answers(answers, benchmarks)
    reports_by_name = {
        name: report(answers_by_benchmark[name], windows, inputs)
        for name, windows in benchmarks.items()
    }
    averaged = means(
        {name: effect_report.models for name, effect_report in reports_by_name.items()}
    )
    models = dict.fromkeys(
        effect.model
        for effect_report in reports_by_name.values()
        for effect in effect_report.models
    )
    partial = models.keys() - {mean_effect.model for mean_effect in averaged}
    return EffectReports(
        reports_by_name,
        tuple(averaged),
        tuple(model for model in models if model in partial),
        others,
    )


def _pages(labels: Mapping[str, Label]) -> dict[str, tuple[str, ...]]:
    """The web addresses of found instances, where known."""
    return {
        instance: label.sources
        for instance, label in labels.items()
        if label.category is not Category.CLEAN and web.domains_of(label.sources)
    }


def _subjects(
    answers: Iterable[HarnessAnswer], labels: Labels
) -> dict[str, dict[str, Mapping[str, Accuracy]]]:
    accuracies: dict[str, dict[str, Mapping[str, Accuracy]]] = defaultdict(dict)
    for (model, subject), parts in by_subject(answers, labels).items():
        accuracies[model][subject] = parts
    return {model: subjects for model, subjects in accuracies.items() if len(subjects) > 1}


LEAST_WORDS = 3  # of a line by which an instance is known; ours

_OPENING = re.compile(r"\s*[^\W\d_][\w ]{0,24}:\s+")  # ``Question: ``, ``Sentence 1: ``


@dataclass(frozen=True)
class Paired:
    """``answers`` by the ids of the labels, the mean where a model has several for one instance.
    ``by_text`` and ``by_id`` count how they were matched, ``unlabeled`` those without a label."""

    answers: tuple[HarnessAnswer, ...]
    by_text: int
    by_id: int
    unlabeled: int


def pair(answers: Sequence[HarnessAnswer], ids: Iterable[str], texts: Mapping[str, str]) -> Paired:
    """Match answers to the labels with these ``ids``; ``texts`` are the known texts of those. Where
    the text of an answer is that of another instance than its id, the text counts. Raises
    ``InputError`` where nothing matches, or where one id stands for several instances, as in files
    that number their instances from 0 each."""
    label_ids = set(ids)
    lines = _distinctive(texts)
    matched: list[HarnessAnswer] = []
    numbered: dict[tuple[str, str], HarnessAnswer] = {}
    by_text = 0
    for answer in answers:
        identity = _instance(answer.texts, lines)
        if identity is not None:
            by_text += 1
        elif answer.instance_id in label_ids:
            identity = answer.instance_id
            _check_number(answer, numbered)
        if identity is not None:
            matched.append(replace(answer, instance_id=identity, texts=(), benchmark=None))
    if not matched:
        raise InputError(_nothing(answers, label_ids, with_texts=bool(lines)))
    unlabeled = len(answers) - len(matched)
    return Paired(tuple(averaged(matched)), by_text, len(matched) - by_text, unlabeled)


def _check_number(answer: HarnessAnswer, numbered: dict[tuple[str, str], HarnessAnswer]) -> None:
    before = numbered.setdefault((answer.model, answer.instance_id), answer)
    if before.benchmark != answer.benchmark:
        raise InputError(
            f"The results of {answer.model} have the id {answer.instance_id!r} in two benchmarks, "
            f"{before.benchmark} and {answer.benchmark}; say which has these labels, as "
            "NAME=FILE."
        )
    if before.texts != answer.texts:
        raise InputError(
            f"The results of {answer.model} have two instances with the id "
            f"{answer.instance_id!r}; match them by text, with --sample or a column text in the "
            "labels."
        )


def _nothing(answers: Sequence[HarnessAnswer], label_ids: set[str], *, with_texts: bool) -> str:
    if not answers:
        return "There is no scored answer to match with the labels; give results that have some."
    ids = f"such as {answers[0].instance_id!r} and {min(label_ids, default='')!r}"
    if not with_texts:
        return (
            f"No instance of the results has a label: their ids differ, {ids}; use the same ids in "
            "both, or match them by text, with --sample or a column text in the labels."
        )
    if not any(answer.texts for answer in answers):
        return (
            f"No instance of the results has a label: their ids differ, {ids}, and the results "
            "have no texts to match by; add a column text to them."
        )
    return (
        f"No instance of the results has a label: their ids differ, {ids}, and none of their texts "
        "is one of the labels'; give labels of the same benchmark and split."
    )


def _distinctive(texts: Mapping[str, str]) -> dict[tuple[str, ...], str]:
    """Instances by the lines that no other instance has."""
    owners: dict[tuple[str, ...], str | None] = {}
    for identity, text in texts.items():
        for line in set(_lines(text)):
            owners[line] = identity if owners.get(line, identity) == identity else None
    return {line: owner for line, owner in owners.items() if owner is not None}


def _instance(texts: Sequence[str], lines: Mapping[tuple[str, ...], str]) -> str | None:
    """The last line decides: worked examples stand before the question."""
    if not lines:
        return None
    for text in reversed(texts):
        for line in reversed(list(_lines(text))):
            if line in lines:
                return lines[line]
    return None


def _lines(text: str) -> Iterator[tuple[str, ...]]:
    """Each line as words, as it is and without the word that opens it."""
    for line in text.splitlines():
        opening = _OPENING.match(line)
        for part in (line, line[opening.end() :] if opening else ""):
            words = split(part).words
            if len(words) >= LEAST_WORDS:
                yield words


@dataclass(frozen=True)
class WindowShare:
    """The instances looked for in one window. ``share_found`` is the share that was found, with its
    n and Wilson's limits; ``input_only`` and ``input_and_label`` count them."""

    window: str
    share_found: Accuracy
    input_only: int
    input_and_label: int


@dataclass(frozen=True)
class WindowGrowth:
    """The share found in window ``after`` minus that in ``before``, over the instances looked for
    in both."""

    before: str
    after: str
    change: Comparison


def shares(windows: Mapping[str, Labels]) -> tuple[WindowShare, ...]:
    """The share found in each window, in the order given."""
    return tuple(
        WindowShare(
            window,
            accuracy_of(_found(labels, list(labels))),
            sum(label.category is Category.INPUT_ONLY for label in labels.values()),
            sum(
                instance_label.category is Category.INPUT_AND_LABEL
                for instance_label in labels.values()
            ),
        )
        for window, labels in windows.items()
    )


def growth(windows: Mapping[str, Labels]) -> tuple[WindowGrowth, ...]:
    """Each window compared with the one before it, paired by instance: McNemar's exact test, and
    the interval of Bonett and Price."""
    names = list(windows)
    return tuple(
        WindowGrowth(before, after, _change(windows[before], windows[after]))
        for before, after in pairwise(names)
    )


def _change(before: Labels, after: Labels) -> Comparison:
    shared_ids = [identity for identity in before if identity in after]
    first, second = (np.array(_found(labels, shared_ids))[:, None] for labels in (before, after))
    return compare_paired(first, second)


def _found(labels: Labels, identities: Sequence[str]) -> list[float]:
    return [float(labels[identity].category is not Category.CLEAN) for identity in identities]
