"""Quizzes of any size, of news-length texts made of common words, and answers to them."""

from __future__ import annotations

import random
from collections.abc import Sequence

from dcq.asking import prepare
from dcq.models.endpoints import resolve
from dcq.quiz.method import QUIZ
from dcq.records import DatasetTask, Instance, Item, Partition, PartitionRole, QuizKind, Sample
from dcq.said import READER
from dcq.settings import load
from dcq.store import Store, quizzes, samples

_WORDS = (
    "market",
    "river",
    "winter",
    "council",
    "train",
    "report",
    "measure",
    "garden",
    "station",
    "window",
    "letter",
    "season",
    "engine",
    "harbour",
    "village",
    "teacher",
)
_RUNS = """
    INSERT INTO run BY NAME
    SELECT run.* REPLACE (id || '-' || turn AS id, 'model-' || turn % ? AS model,
        made_at + to_seconds(turn) AS made_at)
    FROM run CROSS JOIN range(1, ?) t(turn)"""
_EVENTS = """
    INSERT INTO run_event (run_id, event, detail, made_at)
    SELECT id, 'finished', '', made_at FROM run"""
# As this release would have read them; otherwise a page reads them all again.
_READ = """
    INSERT INTO run_reader SELECT id, ?, 0, made_at FROM run
    WHERE id NOT IN (SELECT run_id FROM run_reader)"""
# A control is right in 25 to 35 % of cases, a target in 25 to 65 %; 3 % of replies are no letter.
_ANSWERS = """
    INSERT INTO answer BY NAME
    SELECT run_id, position, 1 AS attempt,
        CASE WHEN other < 0.97 THEN 'answered' ELSE 'invalid' END AS outcome,
        CASE WHEN other < 0.97
            THEN chr(65 + (correct + CASE WHEN dice < share THEN 0 ELSE 1 + other * 300 % 3 END
                ::INTEGER) % 4) END AS value,
        'a single letter' AS reason, coalesce(value, 'No letter.') AS reply,
        sha256(position::VARCHAR) AS prompt_sha256,
        200 AS tokens_in, 1 AS tokens_out, 0.5 + dice AS seconds, 1 AS calls,
        '{"max_tokens": 5, "temperature": 0.0}' AS sent,
        TIMESTAMP '2026-01-01' + to_milliseconds(seq) AS made_at
    FROM (SELECT r.id AS run_id, i.position, i.correct, row_number() OVER () AS seq,
            hash(r.id, i.position) / 18446744073709551616.0 AS dice,
            hash(i.position, r.id, 1) / 18446744073709551616.0 AS other,
            0.25 + hash(r.model, p.id) / 18446744073709551616.0
                * CASE WHEN p.role = 'control' THEN 0.1 ELSE 0.4 END AS share
        FROM run r JOIN item i ON i.quiz_id = r.subject JOIN quiz q ON q.id = r.subject
        JOIN sample s ON s.id = q.sample_id JOIN partition_now p ON p.id = s.partition_id)"""


def _text(rng: random.Random) -> str:
    return " ".join(rng.choices(_WORDS, k=40)) + "\nLabel: 2 (Business)"


def fill(
    store: Store,
    *,
    items: int,
    key: str = "made",
    role: PartitionRole = PartitionRole.TARGET,
    rotated: bool = False,
    title: str = "AG News",
) -> str:
    """Keep a sample and a standard quiz of ``items`` questions; returns the quiz's id. A
    ``rotated`` one asks ``items`` instances in each of the four slots. ``title`` is the name of the
    data set."""
    rng = random.Random(key)
    options = [tuple(_text(rng) for _ in range(4)) for _ in range(items)]
    instances = tuple(Instance(texts[3], label="Business") for texts in options)
    partition = Partition(key, "train", title, "train", role, DatasetTask.CLASSIFICATION)
    sample_id = samples.save(store, Sample(partition, instances, items, items, 0, False))
    placed = [
        Item(instance.id, (*texts[:slot], texts[3], *texts[slot:3]), slot)
        for instance, texts in zip(instances, options, strict=True)
        for slot in (range(4) if rotated else (3,))
    ]
    if rotated:
        return quizzes.save(store, sample_id, QuizKind.ROTATED, None, "quiz/v1", placed, {})
    return quizzes.save(store, sample_id, QuizKind.STANDARD, 3, "quiz/v1", placed, {})


def fill_runs(
    store: Store,
    *,
    partitions: int,
    items: int,
    models: int,
    runs: int,
    rotated: Sequence[bool] = (False,),
    title: str = "AG News",
) -> None:
    """Quizzes of ``partitions``, every third a control, each with so many finished ``runs``, shared
    by ``models``. Samples, quizzes and the first runs are made by the usual ways, the rest by
    statements. A ``title`` may hold ``{}``, the number of the partition."""
    endpoint = resolve("model-0@http://127.0.0.1:9/v1", load())
    for number in range(partitions):
        role = PartitionRole.CONTROL if number % 3 == 0 else PartitionRole.TARGET
        for turned in rotated:
            quiz_id = fill(
                store,
                items=items,
                key=f"made-{number}",
                role=role,
                rotated=turned,
                title=title.format(number),
            )
            prepare.plan_run(store, QUIZ, quiz_id, endpoint)
    with store.write() as db:
        db.execute(_RUNS, [models, runs])
        db.execute(_EVENTS)
        db.execute(_ANSWERS)
        db.execute(_READ, [READER])
