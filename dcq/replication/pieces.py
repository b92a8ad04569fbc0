"""An instance as two pieces: the first is shown, the second is to be completed.

Time Travel in LLMs, §3.1.1: of a pair the first sentence is given and the second asked for; several
sentences are cut at the end of one; a single sentence is cut inside. The release cuts at a random
40 to 70 % of the text. Questions are cut inside a sentence, even if there are several, because the
one that the paper prints (Table 11, GSM8k) is.

The ends of sentences are found by pysbd."""

from __future__ import annotations

import random
import re
import warnings
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

from dcq.columns import WORD_BEFORE, body_of, pieces_of, shown_columns
from dcq.errors import InputError
from dcq.languages import fitting, primary
from dcq.records import DatasetTask, Instance
from dcq.scripts import is_unspaced

EARLIEST, LATEST = 0.4, 0.7  # share of the text that the first piece has
FEWEST_WORDS = 4  # fewer leave too little on one side of the cut
FEWEST_CHARACTERS = 8  # the same for scripts that put no spaces between words


class CutBy(StrEnum):
    """The ways in which the place of a cut is decided."""

    SEED = "seed"
    PERSON = "person"
    FILE = "file"  # its columns ``first_piece`` and ``second_piece``
    PAIR = "pair"  # the two sentences of a pair


class PieceForm(StrEnum):
    """What a prompt asks to complete; each has its own wording (``dcq.replication.prompts``)."""

    CLASSIFICATION = "classification"
    TEXT = "text"  # a single instance without a label
    NLI = "nli"
    SUMMARY = "summary"
    ONE_SENTENCE_SUMMARY = "one-sentence-summary"
    QUESTION = "question"


class Unfit(StrEnum):
    """The reasons why an instance has no pieces that a model could complete; each is counted."""

    EMPTY = "no text"
    TOO_SHORT = "too short to be cut"
    NO_SECOND = "no second piece"
    NO_FIRST = "no first piece"
    NO_LABEL = "a pair without a label"


@dataclass(frozen=True)
class Pieces:
    """One instance, cut. ``gap`` is the white space at the cut, so that first + gap + second is the
    text; between the sentences of a pair there is nothing to join, and it is empty.

    ``inside_sentence`` says that the cut is not at the end of a sentence: the paper scores such a
    completion joined with its first piece.
    """

    form: PieceForm
    first: str
    second: str
    label: str | None = None
    gap: str = " "
    inside_sentence: bool = False

    @property
    def text(self) -> str:
        """The two pieces as one text, as they stood."""
        return f"{self.first}{self.gap}{self.second}"


@dataclass(frozen=True)
class CutRange:
    """The range in which the end of a first piece is drawn, as two shares of the text above 0 and
    below 1. Raises ``InputError`` for others."""

    earliest: float = EARLIEST
    latest: float = LATEST

    def __post_init__(self) -> None:
        if not 0 < self.earliest <= self.latest < 1:
            raise InputError(
                f"A first piece cannot have {self.earliest:g} to {self.latest:g} of its text; give "
                "two shares above 0 and below 1, the smaller one first."
            )


AS_RELEASED = CutRange()


def split(
    instance: Instance,
    task: DatasetTask,
    *,
    language: str = "en",
    seed: int = 0,
    cut_range: CutRange = AS_RELEASED,
) -> Pieces | Unfit:
    """The pieces of ``instance``, or why it has none.

    The share of the text at which it is to be cut follows from ``seed``, ``cut_range`` and the
    instance's id alone, so neither the order nor the size of a sample moves it; the cut is at the
    nearest end of a sentence or word. Columns ``first_piece`` and ``second_piece`` are used as they
    are: the authors' files differ in white space and characters from the text beside them.
    """
    piece_texts = pieces_of(instance)
    if piece_texts is not None:
        return _pieces_from_columns(*piece_texts, instance.label, task, language)
    body = body_of(instance)
    column_texts = shown_columns(instance)
    if task is DatasetTask.NLI:
        return _pieces_of_pair(column_texts or _lines(body), instance.label)
    if task is DatasetTask.QUESTION_ANSWERING:
        text = column_texts[0] if column_texts else WORD_BEFORE.sub("", body, count=1)
    else:
        text = "\n".join(column_texts) if column_texts else WORD_BEFORE.sub("", body, count=1)
    rng = random.Random(f"{seed} {instance.id}")  # noqa: S311  # keeps no secret
    position = rng.uniform(cut_range.earliest, cut_range.latest)
    return _cut_text(text.strip(), task, instance.label, language, position)


def cut_at(pieces: Pieces, offset: int, *, language: str = "en") -> Pieces:
    """The same text cut by a person after ``offset`` characters; white space at the cut belongs to
    neither piece.

    Raises ``InputError`` for a pair, whose sentences are fixed, and where a side is empty.
    """
    if pieces.form is PieceForm.NLI:
        raise InputError("The sentences of a pair cannot be cut elsewhere; choose another row.")
    text = pieces.text
    if not 0 < offset < len(text) or not text[:offset].strip() or not text[offset:].strip():
        raise InputError(
            f"A cut after {offset} of {len(text)} characters leaves a piece empty; choose a place "
            "inside the text."
        )
    first, second, gap = _split_at(text, offset)
    inside = len(first) not in sentence_ends(text, language)
    return replace(pieces, first=first, second=second, gap=gap, inside_sentence=inside)


def suggested_cuts(pieces: Pieces) -> list[int]:
    """The offsets to offer to a person for ``cut_at``: between words, and the present one, in
    ascending order; none for a pair."""
    if pieces.form is PieceForm.NLI:
        return []
    return sorted({len(pieces.first), *_boundaries(pieces.text)})


def _pieces_from_columns(
    first: str, second: str, label: str | None, task: DatasetTask, language: str
) -> Pieces | Unfit:
    if not first.strip():
        return Unfit.NO_FIRST
    if not second.strip():
        return Unfit.NO_SECOND
    if task is DatasetTask.NLI:
        return Pieces(PieceForm.NLI, first, second, label, "") if label else Unfit.NO_LABEL
    needs_no_gap = is_unspaced(first + second) or first[-1].isspace() or second[0].isspace()
    gap = "" if needs_no_gap else " "
    ends = sentence_ends(f"{first}{gap}{second}".strip(), language)
    return Pieces(
        _form(task, label, len(ends)),
        first,
        second,
        label=label,
        gap=gap,
        inside_sentence=len(first.strip()) not in ends,
    )


def _pieces_of_pair(sentences: list[str], label: str | None) -> Pieces | Unfit:
    if not sentences or not sentences[0].strip():
        return Unfit.EMPTY
    if len(sentences) < 2 or not sentences[1].strip():
        return Unfit.NO_SECOND
    if not label:
        return Unfit.NO_LABEL
    return Pieces(PieceForm.NLI, sentences[0].strip(), sentences[1].strip(), label=label, gap="")


def _cut_text(
    text: str, task: DatasetTask, label: str | None, language: str, position: float
) -> Pieces | Unfit:
    """The pieces of ``text``, cut as near as possible to ``position``, a share of its length."""
    if not text:
        return Unfit.EMPTY
    length, fewest = (
        (len(re.sub(r"\s", "", text)), FEWEST_CHARACTERS)
        if is_unspaced(text)
        else (len(text.split()), FEWEST_WORDS)
    )
    if length < fewest:
        return Unfit.TOO_SHORT
    ends = sentence_ends(text, language)
    form = _form(task, label, len(ends))
    target = position * len(text)
    inner_ends = ends[:-1]
    between_sentences = bool(inner_ends) and form is not PieceForm.QUESTION
    offsets = inner_ends if between_sentences else _boundaries(text)
    if not offsets:
        return Unfit.TOO_SHORT
    offset = min(offsets, key=lambda offset: abs(offset - target))
    first, second, gap = _split_at(text, offset)
    return Pieces(form, first, second, label=label, gap=gap, inside_sentence=len(first) not in ends)


def _boundaries(text: str) -> list[int]:
    """The offsets at which the text may be cut: before each run of white space and, in scripts
    without spaces, also before each letter or digit."""
    if is_unspaced(text):
        return [
            offset
            for offset in range(1, len(text))
            # A mark that is combined with the character before it stays with it.
            if re.match(r"[\w\s]", text[offset]) and not text[offset - 1].isspace()
        ]
    return [match.start() for match in re.finditer(r"\s+", text)]


def _split_at(text: str, offset: int) -> tuple[str, str, str]:
    """The first piece, the second, and the white space between them."""
    first, second = text[:offset].rstrip(), text[offset:].lstrip()
    return first, second, text[len(first) : len(text) - len(second)]


def _form(task: DatasetTask, label: str | None, sentence_count: int) -> PieceForm:
    if task is DatasetTask.SUMMARISATION:
        return PieceForm.ONE_SENTENCE_SUMMARY if sentence_count == 1 else PieceForm.SUMMARY
    if task is DatasetTask.QUESTION_ANSWERING:
        return PieceForm.QUESTION
    return PieceForm.CLASSIFICATION if label else PieceForm.TEXT


def _lines(body: str) -> list[str]:
    """The lines of a text that came without columns, each without a leading word such as
    ``Premise: ``."""
    return [WORD_BEFORE.sub("", line, count=1) for line in body.split("\n") if line.strip()]


_LONGEST = 20_000  # characters; pysbd takes seconds for more
_FALLBACK = "en"
# pysbd's Arabic and Persian end sentences at commas and colons.
_NO_END = {"ar": "،:", "fa": "،:"}


def sentence_ends(text: str, language: str) -> list[int]:
    """The offset after the last character of each sentence, ascending; the last is ``len(text)``.

    ``text`` has no white space around it. The rules are those of ``language`` if the text is in its
    script, else of the language that its letters suggest; those of English if pysbd lacks it. Of a
    text of more than 20,000 characters only the middle 20,000 are searched.
    """
    start = max(0, (len(text) - _LONGEST) // 2)
    excerpt = text[start : start + _LONGEST]
    code = primary(fitting(language, excerpt))
    ends = set()
    for span in _segmenter(code).segment(excerpt):
        # pysbd counts the white space after a sentence to it.
        end = span.start + len(excerpt[span.start : span.end].rstrip())
        if not 0 < end < len(excerpt):
            continue
        if excerpt[end - 1] not in _NO_END.get(code, "") or excerpt[end] == "\n":
            ends.add(start + end)
    return [*sorted(ends), len(text)]


@lru_cache(maxsize=8)
def _segmenter(code: str) -> Any:
    with warnings.catch_warnings():  # its files have string escapes that newer Pythons warn of
        warnings.simplefilter("ignore")
        import pysbd
        from pysbd.languages import LANGUAGE_CODES

    language = code if code in LANGUAGE_CODES else _FALLBACK
    return pysbd.Segmenter(language=language, clean=False, char_span=True)
