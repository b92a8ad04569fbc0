"""Which answer belongs to which label: by text where both have one, else by id.

Harnesses number instances by row, by a hash or by a column of the data set; labels go by ids of
their own. Instances are therefore compared line by line, by their words alone, so that neither the
layout (``Question: …``) nor punctuation matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dcq.errors import InputError
from dcq.overlap.results import Answer, averaged
from dcq.overlap.words import split

LEAST_WORDS = 3  # of a line by which an instance is known; ours

_OPENING = re.compile(r"\s*[^\W\d_][\w ]{0,24}:\s+")  # ``Question: ``, ``Sentence 1: ``


@dataclass(frozen=True)
class Paired:
    """``answers`` by the ids of the labels, the mean where a model has several for one instance.
    ``by_text`` and ``by_id`` count how they were matched, ``unlabeled`` those without a label."""

    answers: tuple[Answer, ...]
    by_text: int
    by_id: int
    unlabeled: int


def pair(answers: Sequence[Answer], ids: Iterable[str], texts: Mapping[str, str]) -> Paired:
    """Answers to the labels with these ``ids``; ``texts`` has those of them whose text is known.

    Where the text of an answer is that of another instance than its id, the text counts. Raises
    ``InputError`` where nothing matches, or where one id stands for several instances, as in files
    that number theirs from 0 each.
    """
    known = set(ids)
    lines = _distinctive(texts)
    found: list[Answer] = []
    numbered: dict[tuple[str, str], Answer] = {}
    by_text = 0
    for answer in answers:
        identity = _instance(answer.texts, lines)
        if identity is not None:
            by_text += 1
        elif answer.instance_id in known:
            identity = answer.instance_id
            _check_number(answer, numbered)
        if identity is not None:
            found.append(replace(answer, instance_id=identity, texts=(), benchmark=None))
    if not found:
        raise InputError(_nothing(answers, known, with_texts=bool(lines)))
    unlabeled = len(answers) - len(found)
    return Paired(tuple(averaged(found)), by_text, len(found) - by_text, unlabeled)


def _check_number(answer: Answer, numbered: dict[tuple[str, str], Answer]) -> None:
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


def _nothing(answers: Sequence[Answer], known: set[str], *, with_texts: bool) -> str:
    if not answers:
        return "There are no answers to these instances yet; ask a model first."
    ids = f"such as {answers[0].instance_id!r} and {min(known, default='')!r}"
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
