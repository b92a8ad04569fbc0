"""What it takes to judge a store: seconds for 200, 800 and 2,400 results.

    python -m benchmarks.judging [--results 200 800 2400] [--profile]

Half of the results are of quizzes with the original in one slot, half of quizzes that turn it
through four. A third of the partitions are controls, on which a model is right in about 30 % of
cases; of the targets some were seen. Each store is judged twice in one process: the first time
is what a command takes, the second what a page takes whose server has judged before.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.material import fill
from dcq.asking import prepare
from dcq.judging import study
from dcq.models.endpoints import resolve
from dcq.quiz.method import QUIZ
from dcq.records import Role
from dcq.settings import load
from dcq.store import Store

INSTANCES = 40
SIZES = {200: (10, 10), 800: (20, 20), 2400: (40, 30)}  # models and partitions, two quizzes each
_RUNS = """
    INSERT INTO run SELECT run.* REPLACE (id || '-' || turn AS id, 'model-' || turn AS model,
        made_at + to_seconds(turn) AS made_at)
    FROM run CROSS JOIN range(1, ?) t(turn)"""
_EVENTS = """
    INSERT INTO run_event (run_id, event, detail, made_at)
    SELECT id, 'finished', '', made_at FROM run"""
# A control is right in 25 to 35 % of cases, a target in 25 to 65 %; 3 % of replies are no letter.
_ANSWERS = """
    INSERT INTO answer
    SELECT run_id, position, 1, CASE WHEN other < 0.97 THEN 'answered' ELSE 'invalid' END,
        CASE WHEN other < 0.97
            THEN chr(65 + (correct + CASE WHEN dice < share THEN 0 ELSE 1 + other * 300 % 3 END
                ::INTEGER) % 4) END,
        'a single letter', 'D', sha256(position::VARCHAR), 200, 1, 0.5 + dice, 1,
        '{"max_tokens": 5, "temperature": 0.0}', NULL,
        TIMESTAMP '2026-01-01' + to_milliseconds(seq), NULL, NULL, true
    FROM (SELECT r.id AS run_id, i.position, i.correct, row_number() OVER () AS seq,
            hash(r.id, i.position) / 18446744073709551616.0 AS dice,
            hash(i.position, r.id, 1) / 18446744073709551616.0 AS other,
            0.25 + hash(r.model, p.id) / 18446744073709551616.0
                * CASE WHEN p.role = 'control' THEN 0.1 ELSE 0.4 END AS share
        FROM run r JOIN item i ON i.quiz_id = r.subject JOIN quiz q ON q.id = r.subject
        JOIN sample s ON s.id = q.sample_id JOIN partition_now p ON p.id = s.partition_id)"""


def make(store: Store, models: int, partitions: int) -> None:
    """Samples, quizzes and the first model's runs by the usual ways; the rest by statements."""
    endpoint = resolve("model-0@http://127.0.0.1:9/v1", load())
    for number in range(partitions):
        role = Role.CONTROL if number % 3 == 0 else Role.TARGET
        for rotated in (False, True):
            quiz_id = fill(store, items=INSTANCES, key=f"made-{number}", role=role, rotated=rotated)
            prepare.plan_run(store, QUIZ, quiz_id, endpoint)
    with store.write() as db:
        db.execute(_RUNS, [models])
        db.execute(_EVENTS)
        db.execute(_ANSWERS)


def judge(store: Store, count: int) -> None:
    """All findings of the store; ``count`` is how many there must be."""
    found = len(study.findings(store))
    assert found == count, found


def timed(store: Store, count: int) -> str:
    """What judging takes, in words."""
    began, processor = time.perf_counter(), time.process_time()
    judge(store, count)
    seconds, used = time.perf_counter() - began, time.process_time() - processor
    return f"{seconds:.2f} s ({used:.2f} s of processor)"


def show_profile(store: Store, count: int) -> None:
    """The functions in which judging spends most, with what they call and without."""
    profile = cProfile.Profile()
    profile.runcall(judge, store, count)
    for order, lines in (("cumulative", 60), ("tottime", 25)):
        pstats.Stats(profile).sort_stats(order).print_stats(lines)


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description="Seconds that it takes to judge a store.")
    parser.add_argument("--results", type=int, nargs="+", default=list(SIZES), choices=list(SIZES))
    parser.add_argument("--profile", action="store_true", help="where the first judging spends it")
    given = parser.parse_args()
    for count in given.results:
        with TemporaryDirectory() as folder:
            store = Store(Path(folder) / "dcq.duckdb")
            make(store, *SIZES[count])
            if given.profile:
                show_profile(store, count)
            else:
                words = [timed(store, count) for _ in range(2)]
                print(f"{count:5,} results: {words[0]}, again {words[1]}")


if __name__ == "__main__":
    main()
