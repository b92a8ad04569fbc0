"""The results of the run of a replication, instance by instance: completions, scores and
matches."""

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
from dcq.replication.completion import Read
from dcq.replication.freeze import pieces_of
from dcq.replication.judge import MatchLevel
from dcq.replication.pieces import Pieces
from dcq.replication.prompts import Instruction, Version
from dcq.replication.scores import exact, joined, meaning_for, rouge_l
from dcq.store import Store, method_runs, replications, runs, samples
from dcq.store.method_runs import ReadAnswer
from dcq.store.replications import Replication

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Completed:
    """One completion. ``text`` is None where a reply has none; ``read`` says what kind of reply it
    was, None where there was no reply. ``rouge_l`` and ``meaning`` compare it with the second
    piece; ``meaning`` is None also where it is not scored."""

    text: str | None
    read: Read | None
    reply: str | None
    rouge_l: float | None
    meaning: float | None


@dataclass(frozen=True)
class InstanceScores:
    """One instance of a run.

    ``place`` is that among the pieces of its replication; ``completions`` lacks those that were not
    asked for yet. ``equal`` says whether the guided completion is the second piece but for white
    space and case, None where there is none. ``judge`` is the judge's label, ``judged`` the judge's
    reply or why it is no judgement, empty where it was not asked. ``people`` are the labels by
    annotator. ``cut_by`` is what decided the cut, None where that was not stored.
    """

    place: int
    instance: str
    pieces: Pieces
    wrong_label: str | None
    completions: Mapping[Instruction, Completed]
    equal: bool | None
    judge: MatchLevel | None
    judged: str
    people: Mapping[str, MatchLevel]
    cut_by: str | None = None

    @property
    def match(self) -> MatchLevel | None:
        """Exact by equality, else the judge's label; None where neither is known."""
        return MatchLevel.EXACT if self.equal else self.judge

    def score(self, instruction: Instruction, *, meaning: bool = False) -> float:
        """ROUGE-L of a completion, or its closeness in ``meaning``; NaN where there is none."""
        completion = self.completions.get(instruction)
        value = (
            None if completion is None else completion.meaning if meaning else completion.rouge_l
        )
        return float("nan") if value is None else value


def read_rows(store: Store, run_id: str, judge_run: str | None) -> list[InstanceScores]:
    """The instances of a run as far as it was planned, in order; judged by ``judge_run`` if there
    is one."""
    plan = runs.load(store, run_id).plan
    replication = replications.load(store, plan.subject)
    answers = method_runs.answers(store, run_id)
    language = samples.find(store, replication.sample_id)[1].language
    scores = _scores(store, run_id, replication, answers, language)
    instructions = [Instruction(name) for name in replication.instructions]
    width = len(instructions)
    judgements = _judgements(store, run_id, judge_run)
    people = replications.of(store, run_id)
    rows = []
    for place, stored in enumerate(replication.pieces[: plan.items // width]):
        pieces = pieces_of(stored)
        completions = {
            instruction: _completed(answers[position], scores.get(position))
            for position, instruction in enumerate(instructions, place * width)
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
                    who: MatchLevel(labels[place])
                    for who, labels in people.items()
                    if place in labels
                },
                stored.cut_by,
            )
        )
    return rows


def guided_of(store: Store, run_ids: Sequence[str], instance_id: str) -> list[ChosenText]:
    """The second piece of an instance, and each guided completion of it, with the runs that gave
    it; one that is equal but for white space and case is the original."""
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
        place, width = ids.index(instance_id), len(replication.instructions)
        second = replication.pieces[place].second
        originals.add(second)
        runs_by_text.setdefault(second, {})
        position = place * width + replication.instructions.index(Instruction.GUIDED)
        answer = method_runs.answer_at(store, run, position)
        if answer is not None and answer.value:
            text = second if exact(second, answer.value) else answer.value
            runs_by_text.setdefault(text, {})[run] = 1
    return [ChosenText(text, text in originals, by) for text, by in runs_by_text.items()]


def matches(rows: Sequence[InstanceScores], *, judged: bool) -> tuple[Scores, Scores]:
    """Exact and near-exact matches of the guided completions, 1 or 0, NaN where it is not known.
    Where nobody ``judged``, a completion that is not equal counts as no match."""
    exact_ones, near = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    for place, row in enumerate(rows):
        if row.equal is None or (judged and row.match is None):
            continue
        exact_ones[place] = row.match is MatchLevel.EXACT
        near[place] = row.match is MatchLevel.NEAR_EXACT
    return exact_ones, near


def meaning_name(language: str) -> str | None:
    """The name of the score of the meaning; None where there is none."""
    meaning_scorer = meaning_for(language, settings.load().bleurt)
    return meaning_scorer.name if meaning_scorer else None


def read_of(answer: ReadAnswer) -> Read | None:
    """The kind of a stored reply; None for an error. The reason of an answer that was taken from an
    earlier run says so after it."""
    if answer.outcome == Outcome.ERROR:
        return None
    return next((kind for kind in Read if answer.reason.split(";")[0] == kind), None)


def _completed(answer: ReadAnswer, scores: tuple[float, float | None] | None) -> Completed:
    rouge, meaning = scores or (None, None)
    return Completed(answer.value, read_of(answer), answer.reply, rouge, meaning)


def _judgements(store: Store, run_id: str, judge_run: str | None) -> dict[int, ReadAnswer]:
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
    """ROUGE-L and meaning of the completions of a run, by position. They are added and never
    changed, so only those are scored that were not before."""
    checkpoint = settings.load().bleurt
    scores_by_position = _known(store, run_id, checkpoint)
    texts = {
        position: answer.value
        for position, answer in answers.items()
        if answer.value is not None and position not in scores_by_position
    }
    if not texts:
        return scores_by_position
    width = len(replication.instructions)
    pieces = {position: pieces_of(replication.pieces[position // width]) for position in texts}
    references = [pieces[position].second for position in texts]
    overlap = rouge_l(references, list(texts.values()), language)
    close: list[float | None] = [None] * len(texts)
    meaning = meaning_for(language, checkpoint)
    if meaning is not None:
        version = Version(replication.version)
        pairs = [joined(pieces[position], text, version) for position, text in texts.items()]
        close = [
            float(closeness) for closeness in meaning.score(*map(list, zip(*pairs, strict=True)))
        ]
    scores_by_position.update(
        (position, (float(score), near))
        for position, score, near in zip(texts, overlap, close, strict=True)
    )
    return scores_by_position


# Enough for all runs of a store: whoever holds it reads all of them, and must not score again.
@lru_cache(maxsize=4096)
def _known(
    store: Store, run_id: str, checkpoint: Path | None
) -> dict[int, tuple[float, float | None]]:
    """The scores of a run so far, for ``_scores`` to add to."""
    return {}
