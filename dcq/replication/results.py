"""The results of a run of a replication, instance by instance: completions, scores and matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dcq import settings
from dcq.detection import ChosenText
from dcq.records import Outcome
from dcq.replication.completion import ReplyKind
from dcq.replication.freeze import pieces_of
from dcq.replication.judge import MatchLevel
from dcq.replication.pieces import Pieces
from dcq.replication.prompts import Instruction, Version
from dcq.replication.scores import exact, joined, meaning_for, rouge_l
from dcq.store import Store, method_runs, replications, runs
from dcq.store.method_runs import ReadAnswer
from dcq.store.replications import Replication

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Completed:
    """One completion. ``text`` is None where a reply has none, ``reply_kind`` where there was no
    reply. ``rouge_l`` (0 to 1) compares the text with the second piece; so does ``meaning``, with
    the first piece before both where ``scores.joined`` says so. ``meaning`` is None also where it
    is not scored."""

    text: str | None
    reply_kind: ReplyKind | None
    reply: str | None
    rouge_l: float | None
    meaning: float | None


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


def read_instance_scores(store: Store, run_id: str, judge_run: str | None) -> list[InstanceScores]:
    """The instances of a run as far as it was planned, in order, with the judge's labels if there
    is a ``judge_run``."""
    plan = runs.load(store, run_id).plan
    replication = replications.load(store, plan.subject)
    answers = method_runs.answers(store, run_id)
    scores = _scores(store, run_id, replication, answers, plan.language)
    instructions = [Instruction(name) for name in replication.instructions]
    instruction_count = len(instructions)
    judgements = _judgements(store, run_id, judge_run)
    people = replications.of(store, run_id)
    rows = []
    for place, stored in enumerate(replication.pieces[: plan.items // instruction_count]):
        pieces = pieces_of(stored)
        completions = {
            instruction: _completed(answers[position], scores.get(position))
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
                pieces,
                stored.wrong_label,
                completions,
                None if text is None else exact(pieces.second, text),
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
    return next((kind for kind in ReplyKind if answer.reason.split(";")[0] == kind), None)


def _completed(answer: ReadAnswer, scores: tuple[float, float | None] | None) -> Completed:
    rouge, meaning = scores or (None, None)
    return Completed(answer.value, reply_kind_of(answer), answer.reply, rouge, meaning)


def _judgements(store: Store, run_id: str, judge_run: str | None) -> dict[int, ReadAnswer]:
    """The judge's answers by the place of the instance."""
    if judge_run is None:
        return {}
    places = replications.to_judge(store, run_id)
    answers = method_runs.answers(store, judge_run)
    return {places[position]: answer for position, answer in answers.items()}


def _scores(
    store: Store,
    run_id: str,
    replication: Replication,
    answers: Mapping[int, ReadAnswer],
    language: str,
) -> Mapping[int, tuple[float, float | None]]:
    """ROUGE-L and meaning of the completions of a run, by position. Completions never change, so
    each is scored once and kept in ``_score_cache``."""
    checkpoint = settings.load().bleurt
    scores_by_position = _score_cache(store, run_id, checkpoint)
    texts = {
        position: answer.value
        for position, answer in answers.items()
        if answer.value is not None and position not in scores_by_position
    }
    if not texts:
        return scores_by_position
    instruction_count = len(replication.instructions)
    pieces = {
        position: pieces_of(replication.pieces[position // instruction_count]) for position in texts
    }
    references = [pieces[position].second for position in texts]
    overlap = rouge_l(references, list(texts.values()), language)
    meaning_scores: list[float | None] = [None] * len(texts)
    meaning = meaning_for(language, checkpoint)
    if meaning is not None:
        version = Version(replication.version)
        pairs = [joined(pieces[position], text, version) for position, text in texts.items()]
        meaning_scores = [
            float(closeness) for closeness in meaning.score(*map(list, zip(*pairs, strict=True)))
        ]
    scores_by_position.update(
        (position, (float(score), meaning_score))
        for position, score, meaning_score in zip(texts, overlap, meaning_scores, strict=True)
    )
    return scores_by_position


# Enough for all runs of a store: whoever holds it reads all of them, and must not score again.
@lru_cache(maxsize=4096)
def _score_cache(
    store: Store, run_id: str, checkpoint: Path | None
) -> dict[int, tuple[float, float | None]]:
    """The scores of a run so far: empty at first, ``_scores`` adds to it."""
    return {}
