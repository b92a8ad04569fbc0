"""The answer on a model and a partition: one ruling from all methods that were asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from dcq.evidence.check import Topic
from dcq.evidence.kappa import unscale
from dcq.evidence.leak import CHANCE
from dcq.evidence.power import ALPHA
from dcq.evidence.record import KAPPA, MATCH_RATE, MIDRANK, MethodWords
from dcq.judging.judged import Lacking, Ruling

if TYPE_CHECKING:
    from datetime import datetime

    from dcq.judging.judged import JudgedResult
    from dcq.store.answer_plans import AnswerPlan

Pair = tuple[str, str]  # a model, and the key of a partition


@dataclass(frozen=True)
class MethodAnswer:
    """A result of a ``method`` as part of an answer; ``kind`` is that of its quiz, empty for other
    methods. ``estimate`` with its 95 % interval is in ``unit``.

    ``votes``: its p-value counts, with ``weight`` as its share of the error; otherwise it counts as
    1, and ``why_not`` says why. ``aside``: it has no weight, such as overlap, and is only shown.
    ``failed`` is the check that keeps it from voting, None if it is none; ``only_small``: the only
    one is that it found nothing in too few instances, and ``lacks`` what it needs to find
    something. ``score`` is what was compared and
    ``expected`` what controls lead to expect, both as shares. ``found_nothing_on`` is a partition
    that the model has surely seen and on which the same method found nothing; empty if there is
    none.
    """

    method: str
    title: str
    kind: str
    run: str
    n: int
    estimate: float | None
    low: float | None
    high: float | None
    unit: str
    p_value: float | None
    verdict: Ruling | None
    votes: bool
    weight: float = 0.0
    why_not: str | None = None
    finding: str = ""
    failed: Topic | None = None
    only_small: bool = False
    lacks: Lacking = Lacking.INSTANCES
    sample: str = ""
    score: float | None = None
    expected: float | None = None
    found_nothing_on: str = ""
    words: MethodWords = field(default=MethodWords(), compare=False, repr=False)
    judged: JudgedResult | None = field(default=None, compare=False, repr=False)

    @property
    def aside(self) -> bool:
        """Whether it is only shown."""
        return not self.weight

    @property
    def is_high(self) -> bool:
        """Whether its figure by itself is above what is expected, be it comparable or not."""
        return self.verdict is not None and self.p_value is not None and self.p_value <= ALPHA

    @property
    def is_above(self) -> bool:
        """Whether its share is above what is expected. A difference between two ways of asking may
        be high where the share is not."""
        return self.score is not None and (self.expected is None or self.score > self.expected)

    @property
    def above(self) -> float | None:
        """The share found less that which is expected on unseen text, both from 0 to 1; None where
        nothing could be compared."""
        if self.score is None or self.expected is None:
            return None
        return self.score - self.expected

    @property
    def says_no_evidence(self) -> bool:
        """Whether its silence means something: it votes, would have found an effect of the usual
        size, and finds what the model has surely seen."""
        return self.votes and self.verdict is Ruling.NO_EVIDENCE and not self.found_nothing_on

    @property
    def name(self) -> str:
        """The name for people, such as ``rotated quiz``."""
        return _name(self.kind, self.title)

    def document(self) -> dict[str, Any]:
        """The result with the keys documented for the command line."""
        return {
            "method": self.method,
            "kind": self.kind or None,
            "run": self.run,
            "n": self.n,
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "unit": self.unit,
            "p_value": self.p_value,
            "verdict": self.verdict.value if self.verdict else None,
            "votes": self.votes,
            "weight": self.weight,
            "why_not": self.why_not,
            "sample": self.sample or None,
            "found_nothing_on": self.found_nothing_on or None,
        }


def pair_id(model: str, partition: str) -> str:
    """A model and a partition as 16 letters and digits, the same on every machine."""
    return sha256(f"{model}\0{partition}".encode()).hexdigest()[:16]


def share_of(estimate: float | None, unit: str) -> float | None:
    """The share that an estimate by itself says was found, where nothing was compared; None where
    its unit says none."""
    if estimate is None or unit not in {KAPPA, MATCH_RATE, MIDRANK}:
        return None
    return unscale(estimate, CHANCE) if unit == KAPPA else estimate


@dataclass(frozen=True)
class CouldAsk:
    """A method that was not asked yet, and its share of the error. ``kind`` is that of the planned
    quiz, empty where no plan names one. ``calls`` and ``usd`` are its price, None until somebody
    has computed it; ``why_not`` is why it cannot be asked."""

    method: str
    title: str
    weight: float
    planned: bool = False
    sample: str = ""
    calls: int | None = None
    usd: float | None = None
    why_not: str | None = None
    kind: str = ""

    @property
    def name(self) -> str:
        """The name for people, such as ``rotated quiz``."""
        return _name(self.kind, self.title)

    def document(self) -> dict[str, Any]:
        """The method with the keys documented for the command line."""
        return {
            "method": self.method,
            "weight": self.weight,
            "planned": self.planned,
            "sample": self.sample or None,
            "calls": self.calls,
            "usd": self.usd,
            "why_not": self.why_not,
        }


def _name(kind: str, title: str) -> str:
    return f"{kind} {title.lower()}" if kind else title.lower()


def names_of(model: str, results: Iterable[MethodAnswer]) -> set[str]:
    """All names of a model with these results, including those by which it was asked."""
    asked_names = [method.judged.evidence.names for method in results if method.judged]
    return {model, *(name for names in asked_names for name in names)}


@dataclass(frozen=True)
class PairAnswer:
    """The answer whether a ``model`` has seen a ``partition`` (``key/split``; ``place`` is its name
    on screens).

    ``p_value`` is that of all methods together, ``q_value`` is corrected over the pairs of the
    study; both are None where no result votes. ``plan`` holds the weights that were fixed before
    asking; None where none were, so that the default weights count. ``contradiction`` says that
    methods contradict each other, empty if they do not; ``would_change`` says what would change the
    ruling. ``senders`` are those whose replies it rests on besides one's own. ``study`` is the one
    that it is corrected in, by name, a benchmark's by its key, in its ``revision``; empty and 0
    where no store has it; ``study_fixed`` is when that revision was saved (UTC), None unless it was
    before the first reply. ``pairs`` are corrected together."""

    model: str
    partition: str
    place: str
    role: str
    ruling: Ruling
    p_value: float | None
    q_value: float | None
    sentence: str
    basis: str
    contradiction: str
    would_change: tuple[str, ...]
    reasons: tuple[str, ...]
    methods: tuple[MethodAnswer, ...]
    could_ask: tuple[CouldAsk, ...] = ()
    plan: AnswerPlan | None = None
    senders: tuple[str, ...] = ()
    study: str = ""
    revision: int = 0
    study_fixed: datetime | None = None
    pairs: int = 0

    @property
    def pair(self) -> Pair:
        """The model and the partition."""
        return self.model, self.partition

    @property
    def names(self) -> set[str]:
        """All names of the model, including the one by which it is asked."""
        return names_of(self.model, self.methods)

    @property
    def voting(self) -> tuple[MethodAnswer, ...]:
        """The results whose p-values count."""
        return tuple(method for method in self.methods if method.votes)

    @property
    def leading(self) -> MethodAnswer | None:
        """The result whose figure stands for the pair where there is room for one: of those that
        vote the one with the lowest p-value, otherwise the one with the highest weight, a compared
        one first; None where no model was asked."""
        judged = [method for method in self.methods if method.judged]
        return min(
            judged,
            key=lambda method: (
                not method.votes,
                method.above is None,
                method.p_value if method.votes and method.p_value is not None else 1.0,
            ),
            default=None,
        )

    @property
    def id(self) -> str:
        """What names the pair in an address: it holds neither the model's name nor its endpoint,
        and stays when the pair is asked again."""
        return pair_id(self.model, self.partition)

    @property
    def sample(self) -> str:
        """The sample that was asked about; empty if none was."""
        sample_ids = (method.judged.evidence.sample for method in self.methods if method.judged)
        return next(sample_ids, "")

    def document(self) -> dict[str, Any]:
        """The answer with the keys documented for the command line."""
        return {
            "model": self.model,
            "partition": self.partition,
            "role": self.role,
            "ruling": self.ruling.value,
            "p_value": self.p_value,
            "q_value": self.q_value,
            "sentence": self.sentence,
            "reasons": list(self.reasons),
            "methods": [method.document() for method in self.methods],
            "could_ask": [method.document() for method in self.could_ask],
            "fixed_at": _moment(self.plan.made_at if self.plan else None),
            "study": self.study or None,
            "revision": self.revision or None,
            "study_fixed_at": _moment(self.study_fixed),
            **({"senders": list(self.senders)} if self.senders else {}),
        }


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="seconds")


Answer = PairAnswer  # what it is called where no model's replies are near (``dcq.records.Answer``)
Concluded = Mapping[str, Answer]  # the conclusion on the model and partition of a run, by run


def conclusions_by_run(answers: Sequence[Answer]) -> Concluded:
    """The answer that each result is part of, by its run; controls have none, and neither have
    results that do not count in the study."""
    return {method.run: answer for answer in answers for method in answer.methods if method.judged}


def ruling_of(run: str, concluded: Concluded) -> str:
    """The word on the model and partition of a run; empty where there is none."""
    return concluded[run].ruling.word if run in concluded else ""


def word_of(ruling: str) -> str:
    """What people read for a ruling, which may be any text where somebody sent it."""
    return next((known.word for known in Ruling if known.value == ruling), ruling)


def as_sent(ruling: str, sentence: str) -> str:
    """A conclusion that somebody sent: its word, unless the sentence begins with it, and the
    sentence."""
    word = word_of(ruling).capitalize()
    return sentence if sentence.startswith(f"{word}: ") else f"{word}. {sentence}"


def ruling_words(run: str, concluded: Concluded) -> str:
    """The same as the beginning of a sentence, with a space behind it."""
    ruling = ruling_of(run, concluded)
    return f"{ruling.capitalize()}. " if ruling else ""
