"""The quiz as a method of detection."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from dcq.detection import ChosenText, ControlField, DetectionMethod, Field
from dcq.evidence.record import Context, Evidence
from dcq.quiz import counting_sets, modes, opened, wording
from dcq.quiz import evidence as counted
from dcq.quiz.build import WITHOUT_ORIGINAL
from dcq.quiz.evidence import Rows
from dcq.quiz.ranked import ranks
from dcq.quiz.text_scores import TextScores, text_scores
from dcq.result_columns import COUNT, SHARE, Medium
from dcq.store import Store, studies
from dcq.store.studies import Study
from dcq.words import kappa_words, percent

if TYPE_CHECKING:  # see dcq.detection
    from dcq.asking.task import Method


FIELDS = (
    Field("kind", "", lambda evidence: evidence.figures["kind"]),
    Field("slot", "", lambda evidence: evidence.figures["slot"]),
    Field("", "Quiz", lambda evidence: evidence.figures["name"], term="Kind of quiz", leads=True),
    Field(
        "mode",
        "Mode",
        lambda evidence: evidence.figures["mode"],
        leads=True,
        medium=Medium.TERMINAL,
    ),
    Field(
        "correct",
        "Right",
        lambda evidence: evidence.figures["correct"],
        "{:,}".format,
        "Right",
        COUNT,
        medium=Medium.TERMINAL,
    ),
    Field(
        "score",
        "Score",
        lambda evidence: evidence.estimate.share,
        partial(percent, decimals=1),
        "Score",
        SHARE,
    ),
    Field("kappa_fixed", "", lambda evidence: evidence.estimate.value),
    Field("kappa_low", "", lambda evidence: evidence.estimate.low),
    Field("kappa_high", "", lambda evidence: evidence.estimate.high),
    Field("p_value", "", lambda evidence: evidence.estimate.p_value),
)
CONTROL_FIELDS = (
    ControlField(
        "",
        "κ above controls",
        lambda calibration: kappa_words(
            calibration.kappa_control, calibration.kappa_low, calibration.kappa_high
        ),
        term="κ above controls",
    ),
    ControlField("kappa_control", "", lambda calibration: calibration.kappa_control),
    ControlField("kappa_control_low", "", lambda calibration: calibration.kappa_low),
    ControlField("kappa_control_high", "", lambda calibration: calibration.kappa_high),
)


@dataclass(frozen=True)
class _QuizDetection(DetectionMethod[Rows]):
    name = studies.QUIZ
    reads = modes.METHODS
    title = "Quiz"
    words = wording.WORDS
    needs_texts = False
    shows_rewordings = True
    weight = 1 / 2
    question = "Does it recognise the original?"
    fields = FIELDS
    control_fields = CONTROL_FIELDS
    explanation = (
        "The model sees four near-identical wordings of an instance and says which one is the "
        "original."
    )

    text_of: TextScores = text_scores

    @property
    def kinds(self) -> Sequence[Method]:
        from dcq.quiz.method import QUIZ

        return (QUIZ,)

    def read(self, store: Store) -> Rows:
        return counted.read(store)

    def known_to(self, within: Study, rows: Rows, taken_in: Mapping[str, datetime]) -> Rows:
        return counted.known_to(within, rows, taken_in)

    def runs(self, rows: Rows) -> Sequence[str]:
        return [result.run for result in rows.results]

    def evidence(
        self, store: Store, rows: Rows, context: Context, within: Study
    ) -> Mapping[str, Evidence]:
        """Texts are rated of what is in the study: of many quizzes it takes long."""
        probable, ranked = counted.probabilities(store, rows), ranks(store, rows.results)
        rated = [
            r.quiz
            for r in rows.results
            if r.kind not in WITHOUT_ORIGINAL and counted.belongs(r, within)
        ]
        return counted.evidence(rows, context, self.text_of(store, rated), probable, ranked)

    def counting_runs(
        self, rows: Rows, evidence: Mapping[str, Evidence], within: Study
    ) -> Iterator[tuple[Hashable, str]]:
        """Quizzes without originals too, which are no evidence and are shown."""
        for result in counting_sets.only_counting(rows.results, rows.of_sets):
            if counted.belongs(result, within):
                yield counted.place_in_study(result), result.run

    def opened(self, store: Store, runs: Sequence[str], instance_id: str) -> Sequence[ChosenText]:
        return opened.wordings(store, runs, instance_id)


QUIZ_DETECTION = _QuizDetection()


def rating_by(text_of: TextScores) -> DetectionMethod[Rows]:
    """The quiz, with text-only scores from ``text_of``."""
    return _QuizDetection(text_of)
