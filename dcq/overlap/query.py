"""An instance as a query: its input with the right answer in it, and its input alone.

The contamination report, section 4: the answer fills the blank, or follows the input where there is
none; the other options are left out. The authors' code drops instances with blanks that it cannot
fill, and queries over 1,000 characters, without a word. Here the answer then follows the input, and
long queries are cut into pieces, so an instance is skipped only where it has no words.

An instance as it is searched for: what its columns and its label are to a query.

Question answering follows the contamination report, section 4: question and right answer, without
the other options. For other tasks, which the report has none of, the choice is ours: the texts are
the input, and the name of the class is a label that is looked for beside them and no part of the
query."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dcq.columns import WORD_BEFORE, body_of, shown_columns
from dcq.overlap.tokens import split
from dcq.records import DatasetTask, Instance

NO_WORDS = "no words"

_BLANK = re.compile(r"_{2,}|(?<!\w)_(?!\w)")
_SEPARATORS = ("，", ",", "；", ";")  # the authors' code tries the first three, in this order
_OPTION = re.compile(r"\s*[(\[]?[A-Z][)\].:、．]\s*\S.*")
_OPTIONS_TITLE = re.compile(
    r"\s*(?:choices|options|answer choices|选项)\s*[:：]?\s*", re.IGNORECASE
)


@dataclass(frozen=True)
class Query:
    """One instance as a query. ``text`` is the input with its answer, ``input`` the input alone
    without blanks, ``label`` the answer, "" where there is none."""

    id: str
    text: str
    input: str
    label: str


@dataclass(frozen=True)
class Skipped:
    """An instance that cannot be searched for, and why."""

    id: str
    reason: str


def verbalize(identity: str, question: str, answer: str = "") -> Query | Skipped:
    """The query of an instance. Options that follow the question, a line each, are left out."""
    asked = without_options(question)
    alone = " ".join(_BLANK.sub(" ", asked).split())
    if not len(split(alone)):
        return Skipped(identity, NO_WORDS)
    return Query(identity, _fill(asked, answer.strip()), alone, answer.strip())


def without_options(question: str) -> str:
    """``question`` up to its options: at least two lines at its end that begin as ``A:``, ``(B)``
    or ``C.`` do, and the line that announces them."""
    lines = question.rstrip().split("\n")
    last = len(lines)
    while last and _OPTION.fullmatch(lines[last - 1]):
        last -= 1
    if last == 0 or len(lines) - last < 2:
        return question
    if last > 1 and _OPTIONS_TITLE.fullmatch(lines[last - 1]):
        last -= 1
    return "\n".join(lines[:last]).rstrip()


def _fill(question: str, answer: str) -> str:
    """The answer in the blank, its parts in several blanks, or after the question."""
    blanks = len(_BLANK.findall(question))
    parts = [answer] if blanks == 1 else _parts(answer, blanks)
    if answer and blanks and parts:
        remaining_parts = iter(parts)
        return _BLANK.sub(lambda _: next(remaining_parts), question)
    return " ".join(f"{_BLANK.sub(' ', question)} {answer}".split())


def _parts(answer: str, count: int) -> Sequence[str]:
    for separator in _SEPARATORS:
        if separator in answer:
            parts = [part.strip() for part in answer.split(separator)]
            return parts if len(parts) == count else ()
    return ()


def cut(text: str, characters: int, words: int | None = None) -> tuple[str, ...]:
    """``text`` in pieces of at most ``characters`` and ``words``, which together have all of it but
    the white space between them. Pieces end between words, or inside a word that is too long; a
    text that fits is one piece."""
    pieces: list[str] = []
    start = end = count = 0
    for token in re.finditer(r"\S+", text):
        # A run without a space may be a sentence of Chinese, whose characters are words.
        size = max(1, len(split(token[0])))
        fits = token.end() - start <= characters and (words is None or count + size <= words)
        if count and not fits:
            pieces.append(text[start:end])
            count = 0
        if not count:
            start = token.start()
        if token.end() - start > characters or (words is not None and size > words):
            step = min(characters, words or characters)
            pieces += [
                text[at : min(at + step, token.end())]
                for at in range(token.start(), token.end(), step)
            ]
            continue
        end, count = token.end(), count + size
    if count:
        pieces.append(text[start:end])
    return tuple(pieces)


@dataclass(frozen=True)
class Coverage:
    """How much of a benchmark was looked at: counts of instances, the skipped ones by reason."""

    total: int
    searched: int
    found: int
    skipped: tuple[tuple[str, int], ...]

    @property
    def share(self) -> float | None:
        """Found among searched, not among all; None if nothing was searched."""
        return self.found / self.searched if self.searched else None


def coverage(queries: Iterable[Query | Skipped], found_ids: Iterable[str]) -> Coverage:
    """The counts of these queries, given the ids that were found."""
    new_queries = list(queries)
    ids = {query.id for query in new_queries if isinstance(query, Query)}
    reasons = Counter(skipped.reason for skipped in new_queries if isinstance(skipped, Skipped))
    searched = len(new_queries) - reasons.total()
    return Coverage(
        len(new_queries), searched, len(ids & set(found_ids)), tuple(sorted(reasons.items()))
    )


_CHOICE = re.compile(r"(?:[A-Z]|\d{1,2})\. ")
_CLASS = re.compile(r"\d+ \((.*)\)", re.DOTALL)  # "2 (Business)": the name of a class by its number


def query_of(instance: Instance, task: DatasetTask) -> Query | Skipped:
    """The query of an instance, or why there is none."""
    column_texts = shown_columns(instance)
    answer = _given_answer(instance)
    if answer is not None:  # a worked solution, or several words: a column of its own
        asked = [text for text in column_texts if text != answer]
        question = "\n".join(asked) or instance.text.removesuffix(answer)
        return verbalize(instance.id, question, answer)
    body = body_of(instance)
    if not instance.fields:  # it came as one text, whose first word says what it is
        body = WORD_BEFORE.sub("", body, count=1)
    question = "\n".join(column_texts) or body
    label = instance.label or ""
    if task is DatasetTask.QUESTION_ANSWERING:
        return verbalize(instance.id, question, _chosen(instance, label))
    query = verbalize(instance.id, question)
    if isinstance(query, Skipped) or not label:
        return query
    named = _CLASS.fullmatch(label)
    return replace(query, label=named[1] if named else label)


def _given_answer(instance: Instance) -> str | None:
    """The answer of an instance that keeps none as its label: the column that its text ends with,
    which a rewording may not change."""
    if instance.label or not instance.protected or not instance.fields:
        return None
    last = list(instance.fields.values())[-1].strip()
    ends = instance.text.rstrip().endswith(last)
    texts = [text.strip() for text in instance.protected]
    is_protected = any(
        protected and (protected.endswith(last) or last.endswith(protected)) for protected in texts
    )
    return last if last and ends and is_protected and len(instance.fields) > 1 else None


def _chosen(instance: Instance, label: str) -> str:
    """The text of the choice that the label is the mark of, or the label itself."""
    lines = body_of(instance).split("\n")
    starts = [place for place, line in enumerate(lines) if line.startswith(f"{label}. ")]
    if not label or not starts:
        return label
    first = starts[-1]
    later_starts = [place for place in range(first + 1, len(lines)) if _CHOICE.match(lines[place])]
    text = "\n".join(lines[first : later_starts[0] if later_starts else len(lines)])
    return text.removeprefix(f"{label}. ").strip()
