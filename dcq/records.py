"""The records that one step hands to the next and that the store keeps, all frozen.

They sit below every package so that ``partitions``, ``quiz``, ``models`` and ``store`` can use the
same records without importing one another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from dcq.said import read_content

LETTERS = "ABCDE"
IMPORTED = "imported:"  # how the origin of strangers' variants begins


class PartitionRole(StrEnum):
    """Whether a partition may have been seen, as known before any model is asked."""

    TARGET = "target"  # may be contaminated
    CONTROL = "control"  # cannot have been seen
    POSITIVE = "positive"  # surely seen


class DatasetTask(StrEnum):
    """How a row becomes the text of an instance (Data Contamination Quiz, §5)."""

    CLASSIFICATION = "classification"
    NLI = "nli"
    SUMMARISATION = "summarisation"
    QUESTION_ANSWERING = "question-answering"
    TEXT = "text"  # one column alone, without a label
    TEMPLATE = "template"  # what nothing else serves


class TextLayout(StrEnum):
    """How the columns of a row become lines; see ``dcq.partitions.format``."""

    PAPER = "paper"  # as §5 and Figure 1 of the paper show it
    RELEASE = "release"  # as the authors' release prints it: ``column: value``


class QuizKind(StrEnum):
    """The kind of a quiz: see docs/method.md."""

    MODIFIED = "modified"
    STANDARD = "standard"
    ROTATED = "rotated"
    BDQ = "bdq"
    BCQ = "bcq"


class Mode(StrEnum):
    """The way in which a model takes a quiz."""

    LETTER = "letter"  # it is shown the question and names a letter
    LIKELIHOOD = "likelihood"  # each option is scored by itself; the likeliest is its choice


class Outcome(StrEnum):
    """The outcome of one reply; each reply has exactly one."""

    ANSWERED = "answered"  # one letter of an option
    NONE = "none"  # the "none of these" option, protocol v2 only
    REFUSED = "refused"  # the model or its filter would not answer
    INVALID = "invalid"  # a reply without a single letter
    ERROR = "error"  # no reply after all retries


def fingerprint(*parts: str) -> str:
    """16 hex digits that are the same on every machine for the same texts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Partition:
    """One split of one dataset. ``key`` is the catalog's short name (or a file's), ``title`` and
    ``split_title`` are the words a prompt uses ("AG News", "train")."""

    key: str
    split: str
    title: str
    split_title: str
    role: PartitionRole
    task: DatasetTask
    language: str = "en"
    licence: str = "unknown"
    published: date | None = None
    source: str = ""  # "hub:fancyzhx/ag_news@<revision>", "file:name.csv", "bundled:control"
    placebo_of: str | None = None  # the sample whose variants play the originals, for a placebo

    @property
    def id(self) -> str:
        """``key/split``: unique in a store."""
        return f"{self.key}/{self.split}"

    @property
    def shown_title(self) -> str:
        """The name of the dataset on screens. A prompt names a placebo as the dataset that it was
        made of; a screen says that it is a placebo."""
        return f"{self.title} (placebo)" if self.placebo_of else self.title


@dataclass(frozen=True)
class Instance:
    """One formatted row of a partition. ``protected`` are substrings that a rewording may not
    change, such as the label line. ``row`` is its number in the split or file, counted from 0
    before any row is left out; None where it is not known."""

    text: str
    fields: Mapping[str, str] = field(default_factory=dict)
    label: str | None = None
    protected: tuple[str, ...] = ()
    row: int | None = field(default=None, compare=False)

    @cached_property  # asked for many times an instance, of many thousands of them
    def id(self) -> str:
        """Fingerprint of the text: equal texts are one instance."""
        return fingerprint(self.text)


def imported(partition_id: str) -> str:
    """The writer of variants that a file brought without naming one. It holds for one partition
    only: nothing says that two files are by the same writer."""
    return f"{IMPORTED}{partition_id}"


@dataclass(frozen=True)
class Writer:
    """Who wrote a variant: ``model:<name>``, ``offline``, ``bundled`` (it comes with dcq),
    ``imported:<partition>`` (strangers) or ``person``. ``prompt`` is the id of the one that a
    model answered, None where none is known."""

    origin: str
    prompt: str | None = None


@dataclass(frozen=True)
class Sample:
    """``n`` unique instances of a partition.

    ``requested`` is how many were asked for, ``available`` how many unique instances the split had.
    ``variants`` are those that came with the data, by instance id and in the order of their slots,
    with an empty text for an empty slot. ``writers`` says, in the same order, who wrote them;
    variants bundled with dcq have no entry. ``layout`` is None where the texts follow neither
    published one. ``set_name`` names a further set of variants over instances that are a sample
    already; it is empty for the sample itself. ``revision`` is the commit on the Hub or
    ``sha256:…`` of the file; "" where there is none.
    """

    partition: Partition
    instances: tuple[Instance, ...]
    requested: int
    available: int
    seed: int
    stratified: bool
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # sentences to show: duplicates dropped, fewer than asked, …
    layout: TextLayout | None = None
    writers: Mapping[str, tuple[Writer, ...]] = field(default_factory=dict)
    set_name: str = ""
    revision: str = ""

    @property
    def n(self) -> int:
        """How many instances were drawn."""
        return len(self.instances)


class Severity(StrEnum):
    """How much a failed check weighs: an ``error`` keeps a variant out of a quiz until a person
    accepts it, a ``warning`` is shown."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class VariantFinding:
    """One failed check of a variant: a stable name, its weight, and a sentence for a person."""

    check: str
    severity: Severity
    sentence: str


@dataclass(frozen=True)
class Item:
    """One question. ``options`` in the order shown; ``correct`` is the index of the original, None
    where it is absent. Four options (and a fifth, fixed one in protocol v2)."""

    instance_id: str
    options: tuple[str, ...]
    correct: int | None


@dataclass(frozen=True)
class Reply:
    """The reply of an endpoint to one prompt.

    ``text`` is None where the endpoint sent no content, and has no thoughts of the model and no
    marks around its reply (``dcq.said``): ``as_sent`` is the content with them, None where it is
    ``text``. ``refusal`` is its refusal field; ``sent`` the
    parameters of the call that worked, without prompt and key; ``usage_reported`` False says that
    the token counts are the most that the calls can have taken, not what was reported; ``logprobs``
    log-probabilities of the first answer token's candidates by token text, if asked for and given;
    ``served_model`` and ``fingerprint`` are what the endpoint says answered, None where it does
    not.
    """

    text: str | None
    finish_reason: str = ""
    refusal: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    attempts: int = 1
    sent: Mapping[str, Any] = field(default_factory=dict)
    logprobs: Mapping[str, float] | None = None
    usage_reported: bool = True
    served_model: str | None = None
    fingerprint: str | None = None
    as_sent: str | None = None

    @property
    def content(self) -> str | None:
        """The content to the letter, as it is stored."""
        return self.text if self.as_sent is None else self.as_sent

    def text_like(self, own: str) -> str:
        """The text where it is to be one like ``own``: marks that ``own`` has itself are a part of
        it."""
        return (self.text or "") if self.as_sent is None else read_content(self.as_sent, own).text


# Sends one prompt and waits for what comes back.
Ask = Callable[[str], Awaitable[Reply]]


@dataclass(frozen=True)
class Reading:
    """A reply as its method reads it: the outcome, the value (for the quiz a letter) if there is
    one, and why in a few words."""

    outcome: Outcome
    value: str | None
    reason: str


def read_nothing(reply: Reply) -> Reading | None:
    """The reading of a refused or empty reply; None for any other reply."""
    if reply.refusal or reply.finish_reason == "content_filter":
        return Reading(Outcome.REFUSED, None, "refused")
    if not (reply.text or "").strip():
        return Reading(Outcome.INVALID, None, "an empty reply")
    return None


@dataclass(frozen=True)
class Answer:
    """One reply as stored. Appended; the highest ``attempt`` at a position counts.
    ``usage_reported``, ``served_model`` and ``fingerprint`` are as in ``Reply``."""

    position: int  # of the request in its run
    attempt: int
    outcome: Outcome
    value: str | None
    reason: str
    reply: str | None
    prompt_sha256: str
    tokens_in: int
    tokens_out: int
    seconds: float
    calls: int
    sent: Mapping[str, Any]
    logprobs: Mapping[str, float] | None
    at: datetime
    usage_reported: bool = True
    served_model: str | None = None
    fingerprint: str | None = None


def slot_letter(slot: int | None) -> str | None:
    """The letter of a slot, A for 0; None for None."""
    return None if slot is None else LETTERS[slot]
