"""Evidence: the finding of a method about one model on one partition, in one form for all methods.

A method turns the rows of a run into ``Evidence``; ``dcq.judging`` compares it with the controls
and rules on it, without knowing the method.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dcq.evidence.ablation import Ablation
from dcq.evidence.arguments import read_numbers
from dcq.evidence.check import Check
from dcq.evidence.interval import wilson
from dcq.evidence.kappa import Kappa
from dcq.evidence.looks import EndedAtLook
from dcq.evidence.prompt_ceiling import PromptCounts
from dcq.evidence.share_prediction import QUIZ, Prior

if TYPE_CHECKING:
    from dcq.evidence.controls import Calibration
    from dcq.text_kind import TextKind

# What methods measure.
FOUND = "found"  # originals among their rewordings
MATCHES = "matches"  # instances completed exactly or nearly
GAIN = "gain"  # overlap with the instance, guided minus general


# Units of estimates.
KAPPA = "kappa"
MATCH_RATE = "match rate"
SHARE_FOUND = "share found"
MIDRANK = "mean midrank"

# What a sentence calls the run itself, among those whose endpoints are compared.
HERE = "here"


@dataclass(frozen=True, eq=False)
class ByInstance:
    """The result of a run on each instance that it asked about.

    ``recalled`` has a row for each of the ``ids`` and a column for each time that the instance was
    asked about: 1 where the model chose or gave the original, 0 where it did not, NaN without an
    answer. ``verb`` says what 1 means, after "is": "picked".
    """

    ids: Sequence[str]
    recalled: NDArray[np.float64]
    verb: str


@dataclass(frozen=True)
class MethodEstimate:
    """The estimate of a method without controls: ``value`` with its 95 % interval in a ``unit``.
    ``share`` is the share of the usable answers that count for memory, and ``p_value`` compares it
    with guessing. Each is None where the method has none. ``n`` is how many instances or answers it
    rests on."""

    value: float | None
    low: float | None
    high: float | None
    unit: str
    share: float | None = None
    p_value: float | None = None
    n: int = 0

    @classmethod
    def of_kappa(cls, kappa: Kappa) -> MethodEstimate:
        """κ with its score, as a quiz estimates it."""
        limits = kappa.kappa_low, kappa.kappa_high
        return cls(kappa.kappa_fixed, *limits, KAPPA, kappa.score, kappa.p_value, kappa.n)

    @property
    def score(self) -> float | None:
        """The number that controls would be compared by."""
        return self.value if self.unit == MIDRANK else self.share


@dataclass(frozen=True, eq=False)
class Measure:
    """A measurement by instance that is compared with the same one on controls.

    ``values`` has shape (instances, slots): 1 for memory and 0 for none, or a number between −1 and
    1; NaN where there is no answer. ``refused_as_wrong`` are the values with missing answers
    counted against memory, where that is more than 0 for NaN. ``own_share`` and ``prior`` are as in
    ``dcq.evidence.controls.calibrate``; one column of numbers that are no counts has no ``prior``.
    ``finer``, of the same shape, has numbers between 0 and 1 instead of yes and no; they decide
    where the target and all its controls have them.
    """

    name: str
    values: NDArray[np.float64]
    refused_as_wrong: NDArray[np.float64] | None = None
    own_share: float | None = None
    prior: Prior | None = QUIZ
    finer: NDArray[np.float64] | None = None


def estimate_share(right: int, n: int, unit: str) -> MethodEstimate:
    """The share of ``n`` instances or answers that count for memory, with Wilson's 95 % interval;
    no value for n = 0."""
    limits = wilson(right, n)
    if limits is None:
        return MethodEstimate(None, None, None, unit)
    return MethodEstimate(right / n, limits.low, limits.high, unit, share=right / n, n=n)


class ServedModel(NamedTuple):
    """A model name and system fingerprint that an endpoint reported with answers (None where it
    reported none), and the times of the first and the last of these answers (UTC)."""

    model: str | None
    fingerprint: str | None
    first: datetime
    last: datetime


@dataclass(frozen=True)
class Context:
    """Facts about the runs and partitions of a store that no method computes: the models that
    endpoints ``served``, by run, and when partitions were ``published``."""

    served: Mapping[str, tuple[ServedModel, ...]] = field(default_factory=dict)
    published: Mapping[str, date] = field(default_factory=dict)

    def served_by(self, runs: Mapping[str, str]) -> dict[str, tuple[ServedModel, ...]]:
        """The models that answered some ``runs``. The argument maps names for sentences to runs;
        the result has the same names."""
        return {where: self.served[run] for where, run in runs.items() if run in self.served}


def _no_note(evidence: Evidence) -> str:
    return ""


@dataclass(frozen=True)
class MethodWords:
    """The words for a method's results, which the judge uses without knowing the method.

    ``finding`` puts a comparison into a sentence or two: from the evidence, the comparisons by
    measure, and the leading one by yes and no where finer numbers lead; without ``finding``, the
    share is told. ``effect`` names the κ above the controls, as a noun that "of 0.2" can follow.
    ``otherwise`` is what a model that has not seen the text might have done instead, after "There
    is no control partition, so". ``measures`` names several measures in a few words. ``note`` is a
    sentence after the finding where it stands alone, or empty. ``seen`` and ``unseen`` say what a
    model does that has seen a text, and one that has not, after "it". ``figure`` says a share of
    it, before "of" and the name of the partition.
    """

    finding: Callable[[Evidence, Mapping[str, Calibration], Calibration | None], str] | None = None
    effect: str = "an effect"
    otherwise: str = "memory cannot be distinguished from guessing"
    measures: Mapping[str, str] = field(default_factory=dict)
    note: Callable[[Evidence], str] = _no_note
    seen: str = "looks seen by one method"
    unseen: str = "does not look seen by another"
    figure: str = "reached {share} in the test"


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence of one run: one ``method``, one model, one partition.

    ``partition`` is its key and ``place`` its name on the screen; ``role`` that of
    ``dcq.records.PartitionRole``. ``setting`` names what a control must have in common with it
    besides the model, such as kind of quiz, slot and wording; ``task`` and ``language`` belong to a
    fair comparison too. ``writer`` wrote the variants: None where nobody did, empty where it is not
    known.

    ``needs_controls`` is False where the null distribution of the estimate's own p-value is known
    exactly, whatever the model prefers or refuses: then nothing is compared.

    ``usable`` of ``planned`` instances or calls have an answer that counts, and ``unusable`` is the
    share of the instances that were asked about without one. ``finished``: what was planned was
    asked. ``measures`` are what is compared, the one that is named first leading; ``side_measures``
    are compared in the same way and shown, and decide nothing. ``ablation`` compares with the same
    model's choices without the original, and ``chance`` is the share that guessing reaches, None if
    it has no fixed one. ``incomparable`` says why nothing can be compared, None if it can.
    ``text_only`` are scores of strategies without memory by name, None where the texts are not
    there, and ``wordings`` is among how many they choose. ``declined`` counts "none of these" and
    all answers.

    ``family_key``: of results with the same one only one counts in a study. ``question``: results
    on sets of variants of the same instances are alternatives if they share it. ``checks`` are what
    the method checked itself, and ``words`` are how the method is spoken of. ``outcomes`` counts
    the replies by what they were read as, and ``figures`` are the method's own, by the keys of its
    fields (``dcq.detection.Field``). ``reader`` is the method whose run it is, where that is
    another than the ``method`` that it is evidence of: it is listed with the reader's results.
    ``asked_as`` is the name by which the model is asked, empty if it is ``model``. ``each`` says
    the same of single instances, where the method can. ``prompts`` is what is known of the prompts
    that were sent; None where none were, or nothing is known of them. ``texts`` says what kind of
    texts was asked about, None where they are not there.
    ``sender`` is whose replies these are, empty for one's own. ``row`` is what the method has read
    of the run, for what only this method shows: ``dcq.quiz.results.Result`` of a quiz,
    ``dcq.replication.evidence.ReplicationRun`` of a replication.
    """

    method: str
    run: str
    model: str
    partition: str
    place: str
    role: str
    estimate: MethodEstimate
    measures: tuple[Measure, ...] = ()
    side_measures: tuple[Measure, ...] = ()
    usable: int = 0
    planned: int = 0
    unusable: float = 0.0
    finished: bool = True
    sample: str = ""
    at: datetime = datetime.min
    task: str = ""
    language: str = ""
    setting: tuple[tuple[str, str], ...] = ()
    writer: str | None = None
    ablation: Ablation | None = None
    chance: float | None = None
    incomparable: Check | None = None
    text_only: Mapping[str, Kappa] | None = field(default_factory=dict)
    wordings: int = 4
    declined: tuple[int, int] | None = None
    looks: EndedAtLook | None = None
    served: Mapping[str, tuple[ServedModel, ...]] = field(default_factory=dict)
    published: date | None = None
    family_key: Hashable = None
    question: Hashable = None
    checks: tuple[Check, ...] = ()
    words: MethodWords = MethodWords()
    outcomes: Mapping[str, int] = field(default_factory=dict)
    figures: Mapping[str, object] = field(default_factory=dict)
    reader: str = ""
    asked_as: str = ""
    each: ByInstance | None = None
    needs_controls: bool = True
    texts: TextKind | None = None
    prompts: PromptCounts | None = None
    sender: str = ""
    row: object = None

    @property
    def read_by(self) -> str:
        """The method whose run it is, whose fields it has and among whose results it is listed."""
        return self.reader or self.method

    @property
    def asked_name(self) -> str:
        """The name by which the model is asked."""
        return self.asked_as or self.model

    @property
    def first_reply(self) -> datetime:
        """When the first reply came (UTC); when the run was planned, where that is not known."""
        return min((served.first for served in self.served.get(HERE, ())), default=self.at)

    @property
    def names(self) -> tuple[str, str]:
        """The names of the model: its own, and the one by which it is asked."""
        return self.model, self.asked_name

    @property
    def asked_alike(self) -> Hashable:
        """A value that is equal for evidence of the same model, asked in the same way."""
        return self.method, self.model, self.setting

    def mean(self, measure: str) -> float | None:
        """The mean of a measure over its values; None where there is none."""
        matching = [
            numbers[~np.isnan(numbers)]
            for candidate in self.measures
            if candidate.name == measure
            for numbers in [read_numbers(candidate.values, "Values", axes=None, gaps=True)]
        ]
        return float(matching[0].mean()) if matching and matching[0].size else None

    @property
    def text(self) -> tuple[str, str]:
        """The kind of text that the evidence is about."""
        return self.task, self.language
