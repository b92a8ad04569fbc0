"""The results of a run of a replication, instance by instance: completions, scores and matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dcq import settings
from dcq.detection import ChosenText
from dcq.evidence.lazy_field import Later
from dcq.records import Outcome
from dcq.replication.completion import ReplyKind
from dcq.replication.judge import MatchLevel
from dcq.replication.pieces import Pieces
from dcq.replication.prompts import Instruction
from dcq.replication.run_scores import RunScores
from dcq.replication.scores import exact, meaning_for
from dcq.store import Store, method_runs, replications, runs
from dcq.store.method_runs import ReadAnswer
from dcq.store.replications import Replication

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Completed:
    """One completion. ``text`` is None where a reply has none, ``reply_kind`` where there was no
    reply. ``rouge_l`` (0 to 1) compares the text with the second piece; so does ``meaning``, with
    the first piece before both where ``scores.joined`` says so. ``meaning`` is None also where it
    is not scored. Both are worked out when they are first asked for."""

    text: str | None
    reply_kind: ReplyKind | None
    reply: str | None
    rouge_l: Later[float | None] = Later()  # noqa: RUF009  # a descriptor
    meaning: Later[float | None] = Later()  # noqa: RUF009  # as above


@dataclass(frozen=True)
class InstanceScores:
    """One instance of a run.

    ``place`` is its index among the pieces of its replication; ``completions`` lacks those that
    were not asked for yet. ``is_exact`` says whether the guided completion is the second piece but
    for white space and case, None where there is no completion. ``judge_label`` is the judge's
    label, ``judge_reply`` the judge's reply or why it is no label, empty where the judge was not
    asked. ``people`` are the labels by annotator. ``cut_by`` is what decided the cut, None where
    that was not stored.
    """

    place: int
    instance: str
    pieces: Pieces
    wrong_label: str | None
    completions: Mapping[Instruction, Completed]
    is_exact: bool | None
    judge_label: MatchLevel | None
    judge_reply: str
    people: Mapping[str, MatchLevel]
    cut_by: str | None = None

    @property
    def match(self) -> MatchLevel | None:
        """Exact if ``is_exact``, else the judge's label; None where neither is known."""
        return MatchLevel.EXACT if self.is_exact else self.judge_label

    def score(self, instruction: Instruction, *, meaning: bool = False) -> float:
        """ROUGE-L of a completion, or its closeness in ``meaning``; NaN where there is none."""
        completion = self.completions.get(instruction)
        value = (
            None if completion is None else completion.meaning if meaning else completion.rouge_l
        )
        return float("nan") if value is None else value


def read_instance_scores(
    replication: Replication,
    pieces: Sequence[Pieces],
    items: int,
    answers: Mapping[int, ReadAnswer],
    judgements: Mapping[int, ReadAnswer],
    people: Mapping[str, Mapping[int, str]],
    scores: RunScores,
) -> list[InstanceScores]:
    """The instances of a run as far as it was planned, ``items`` requests, in order. ``judgements``
    are by the place of the instance, ``pieces`` those of the ``replication``; ``people`` are the
    labels by annotator and place."""
    instructions = [Instruction(name) for name in replication.instructions]
    instruction_count = len(instructions)
    rows = []
    for place, stored in enumerate(replication.pieces[: items // instruction_count]):
        completions = {
            instruction: _completed(answers[position], scores, position)
            for position, instruction in enumerate(instructions, place * instruction_count)
            if position in answers
        }
        guided = completions.get(Instruction.GUIDED)
        text = guided.text if guided else None
        judgement = judgements.get(place)
        rows.append(
            InstanceScores(
                place,
                stored.instance_id,
                pieces[place],
                stored.wrong_label,
                completions,
                None if text is None else exact(stored.second, text),
                MatchLevel(judgement.value) if judgement and judgement.value else None,
                (judgement.reply or judgement.reason) if judgement else "",
                {
                    annotator: MatchLevel(labels[place])
                    for annotator, labels in people.items()
                    if place in labels
                },
                stored.cut_by,
            )
        )
    return rows


def guided_completions(store: Store, run_ids: Sequence[str], instance_id: str) -> list[ChosenText]:
    """The second piece of an instance, and each guided completion of it with the runs that gave it.
    A completion that is the second piece but for white space and case counts as the original."""
    loaded: dict[str, Replication] = {}
    runs_by_text: dict[str, dict[str, int]] = {}
    originals: set[str] = set()  # more than one where replications cut the instance differently
    for run in run_ids:
        subject = runs.load(store, run).plan.subject
        replication = loaded.get(subject) or loaded.setdefault(
            subject, replications.load(store, subject)
        )
        ids = [piece.instance_id for piece in replication.pieces]
        if instance_id not in ids or Instruction.GUIDED not in replication.instructions:
            continue
        place, instruction_count = ids.index(instance_id), len(replication.instructions)
        second = replication.pieces[place].second
        originals.add(second)
        runs_by_text.setdefault(second, {})
        position = place * instruction_count + replication.instructions.index(Instruction.GUIDED)
        answer = method_runs.answer_at(store, run, position)
        if answer is not None and answer.value:
            text = second if exact(second, answer.value) else answer.value
            runs_by_text.setdefault(text, {})[run] = 1
    texts = [
        ChosenText(text, text in originals, text_runs) for text, text_runs in runs_by_text.items()
    ]
    return sorted(texts, key=lambda text: not text.is_original)


def matches(rows: Sequence[InstanceScores], *, has_judge: bool) -> tuple[Scores, Scores]:
    """Two arrays, shape (rows,): 1 where the guided completion is an exact match, or a near-exact
    one, 0 where not, NaN where that is not known. Without a judge, a completion that is not exact
    is no match."""
    exact_matches, near_matches = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    for place, row in enumerate(rows):
        if row.is_exact is None or (has_judge and row.match is None):
            continue
        exact_matches[place] = row.match is MatchLevel.EXACT
        near_matches[place] = row.match is MatchLevel.NEAR_EXACT
    return exact_matches, near_matches


def meaning_name(language: str) -> str | None:
    """The name of the score of closeness in meaning for a language; None where there is none."""
    meaning_scorer = meaning_for(language, settings.load().bleurt)
    return meaning_scorer.name if meaning_scorer else None


def reply_kind_of(answer: ReadAnswer) -> ReplyKind | None:
    """The kind of a stored reply; None for an error. Where an answer was taken from an earlier run,
    its reason says so after a semicolon."""
    if answer.outcome == Outcome.ERROR:
        return None
    return _KINDS.get(answer.reason.partition(";")[0])


_KINDS = {kind.value: kind for kind in ReplyKind}


def _completed(answer: ReadAnswer, scores: RunScores, position: int) -> Completed:
    return Completed(
        answer.value,
        reply_kind_of(answer),
        answer.reply,
        lambda: scores.rouge_l.get(position),
        lambda: scores.meaning.get(position),
    )
