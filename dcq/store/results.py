"""The counts of what runs brought: inputs of the evidence, never a statistic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dcq.records import Answer
from dcq.store.answers import in_utc
from dcq.store.connect import Store
from dcq.store.moment import until_written
from dcq.store.rows import column, record

if TYPE_CHECKING:  # takes half a second to import, which not every reader needs
    import pandas as pd

# One row per run that has an answer. ``n`` counts answers: letters, and "none of these". A run is
# finished when all of its quiz was asked and most of it got a reply (a call that failed for good
# does not keep it from that, and an endpoint that was down does), or when it ended at a look that
# was planned before its first call.
_COUNTS = """
    WITH chosen_runs AS (
        SELECT r.*, q.kind, q.slot, q.items AS questions, p.id AS partition,
            p.shown_title AS title, p.shown_split AS split_title,
            p.role, p.placebo_of,
            r.id IN (SELECT run_id FROM imported_run) AS imported
        FROM judged_run r JOIN quiz q ON q.id = r.subject JOIN sample s ON s.id = q.sample_id
        JOIN partition_now p ON p.id = s.partition_id
        WHERE (? IS NULL OR r.model = ?) AND (? IS NULL OR p.id = ?)
            AND (? IS NULL OR s.id = ?)),
    stopped_at_look AS (
        SELECT DISTINCT run_id FROM look WHERE decision IN ('seen', 'futile')),
    counted AS (
        SELECT a.run_id,
            count(*) AS asked,
            count(*) FILTER (a.outcome <> 'error') AS replies,
            count(*) FILTER (a.outcome IN ('answered', 'none')) AS n,
            count(*) FILTER (a.value = chr(65 + i.correct)) AS correct,
            count(*) FILTER (a.outcome = 'answered') AS answered,
            count(*) FILTER (a.outcome = 'none') AS none,
            count(*) FILTER (a.outcome = 'refused') AS refused,
            count(*) FILTER (a.outcome = 'invalid') AS invalid,
            count(*) FILTER (a.outcome = 'error') AS error,
            count(*) FILTER (a.value = 'A') AS A, count(*) FILTER (a.value = 'B') AS B,
            count(*) FILTER (a.value = 'C') AS C, count(*) FILTER (a.value = 'D') AS D
        FROM final_answer a JOIN chosen_runs c ON c.id = a.run_id
        JOIN item i ON i.quiz_id = c.subject AND i.position = a.position
        GROUP BY ALL)
    SELECT c.id AS run, c.subject AS quiz, c.sample_id AS sample, c.model, c.partition, c.title,
        c.split_title, c.role, c.task, c.language, c.placebo_of, c.kind, c.slot, c.mode,
        c.prompt, c.made_at, c.questions, c.imported,
        s.run_id IS NOT NULL OR t.asked >= c.questions AND 2 * t.replies > c.questions AS finished,
        s.run_id IS NOT NULL OR t.asked >= c.items AS carried_out, t.* EXCLUDE (run_id)
    FROM chosen_runs c JOIN counted t ON t.run_id = c.id
    LEFT JOIN stopped_at_look s ON s.run_id = c.id"""

_BEST_FIRST = (
    "c.imported, finished DESC, "
    "CASE WHEN finished THEN c.questions ELSE replies END DESC, c.made_at DESC, c.id"
)


def counts(
    store: Store,
    *,
    model: str | None = None,
    partition: str | None = None,
    sample: str | None = None,
    every_run: bool = False,
) -> pd.DataFrame:
    """One row for each run that has an answer: run, quiz, sample, model, partition, title,
    split_title, role, task, language, placebo_of, kind, slot, mode, prompt, made_at, questions (of
    the whole quiz), imported (others' and taken in), finished, carried_out (as far as it was
    planned), asked, replies, n (answers), correct, answered, none, refused, invalid, error, A, B,
    C, D. A run is ``finished`` if the whole quiz was asked and more than half of it got a reply, or
    if it ended at a planned look.

    One's own come first, and of these those that say most: runs that finished their quiz, the one
    with most questions before the others; then unfinished ones (pilots, stopped, cancelled or still
    going), those with most replies before the others; the newest first among equals. Of each model,
    partition, kind, slot and prompt only the first of them, unless ``every_run``: a pilot does
    not replace the whole.
    """
    best_only = (
        ""
        if every_run
        else " QUALIFY row_number() OVER (PARTITION BY c.model, c.partition, c.kind, c.slot, "
        f"c.prompt ORDER BY {_BEST_FIRST}) = 1"
    )
    with store.read() as db:
        return db.execute(
            f"{_COUNTS}{best_only} ORDER BY {_BEST_FIRST}",
            [model, model, partition, partition, sample, sample],
        ).df()


# One query with all of these inside takes four times as long: DuckDB seeks the best order in which
# to join them.
_GROWING = 2  # the first of them are all that changes while a run goes on
_STATE = (
    "SELECT count(*) FROM answer",
    "SELECT count(*) FROM run_value",
    "SELECT coalesce(max(seq), 0) FROM run_event",
    "SELECT coalesce(max(seq), 0) FROM variant",
    "SELECT coalesce(max(seq), 0) FROM review",
    "SELECT count(*) FROM sample WHERE set_of IS NOT NULL",
    "SELECT coalesce(max(seq), 0) FROM standing_set",
    "SELECT coalesce(bit_xor(hash(p)), 0) FROM partition_now p",
    "SELECT coalesce(max(seq), 0) FROM sitting_answer",
    "SELECT coalesce(max(seq), 0) FROM taking",
)


@until_written
def state(store: Store) -> tuple[int, ...]:
    """A value that changes whenever something is written that a result or its verdict rests on: an
    answer, a number derived from one, an event of a run, a variant or a decision about one, a set
    of variants or which one counts, the facts of a partition, a person's answer."""
    with store.read() as db:
        rows = [db.execute(query).fetchone() for query in _STATE]
    return tuple(int(value) for row in rows for value in row or ())


def differ_in_answers_alone(first: Sequence[int], second: Sequence[int]) -> bool:
    """Whether between two values that begin with ``state`` nothing was written but answers and
    numbers derived from them."""
    return first != second and first[_GROWING:] == second[_GROWING:]


def item_answers(store: Store, run_ids: Sequence[str]) -> pd.DataFrame:
    """Every question of these runs' plans: run, instance, slot (0–3, where the original was; NA
    where it was absent), letter (NA where there is none), asked (there is a reply,
    whatever it says), answered (by a letter or "none of these")."""
    with store.read() as db:
        return db.execute(
            "SELECT r.id AS run, i.instance_id AS instance, i.correct AS slot, a.value AS letter, "
            "a.outcome IS NOT NULL AS asked, "
            "coalesce(a.outcome IN ('answered', 'none'), false) AS answered "
            "FROM run r JOIN item i ON i.quiz_id = r.subject AND i.position < r.items "
            "LEFT JOIN final_answer a ON a.run_id = r.id AND a.position = i.position "
            "WHERE r.id IN (SELECT unnest(?)) ORDER BY r.id, i.position",
            [list(run_ids)],
        ).df()


def instance_questions(
    store: Store, run_ids: Sequence[str], instance_id: str
) -> list[tuple[str, tuple[str, ...], int | None, str | None]]:
    """Every question of these runs' plans about one instance, in order: the run, the options, the
    index of the original among them (None where it is absent), and the letter that was chosen
    (None where there is none)."""
    with store.read() as db:
        rows = db.execute(
            "SELECT r.id, i.options, i.correct, a.value "
            "FROM run r JOIN item i ON i.quiz_id = r.subject AND i.position < r.items "
            "LEFT JOIN final_answer a ON a.run_id = r.id AND a.position = i.position "
            "WHERE r.id IN (SELECT unnest(?::VARCHAR[])) AND i.instance_id = ? "
            "ORDER BY r.id, i.position",
            [list(run_ids), instance_id],
        ).fetchall()
    return [(run, tuple(options), correct, letter) for run, options, correct, letter in rows]


def endpoint_addresses(store: Store) -> dict[str, str]:
    """The base URL of the endpoint that each run of a quiz asks, by run; empty for a model that
    runs in dcq itself."""
    with store.read() as db:
        return dict(db.execute("SELECT id, base_url FROM run WHERE method = 'quiz'").fetchall())


def positions(store: Store, run_id: str, *, answer: str | None = None) -> list[int]:
    """The positions of a run's questions that have an answer, in order; restricted to those whose
    last answer is ``answer``, a letter or, where there is none, an outcome."""
    with store.read() as db:
        rows = db.execute(
            "SELECT position FROM final_answer WHERE run_id = ? "
            "AND (? IS NULL OR coalesce(value, outcome) = ?) ORDER BY position",
            [run_id, answer, answer],
        )
        return column(rows)


def answers(store: Store, run_id: str, *, positions: Sequence[int] | None = None) -> pd.DataFrame:
    """The last answer to each question of a run, in order: position, instance, correct_letter,
    letter, outcome, reason, reply, seconds, calls, attempt, tokens_in, tokens_out, served_model,
    fingerprint, made_at, text (of the instance); narrowed to ``positions`` if given."""
    selection = None if positions is None else list(positions)
    with store.read() as db:
        return db.execute(
            "SELECT a.position, i.instance_id AS instance, chr(65 + i.correct) AS correct_letter, "
            "a.value AS letter, a.outcome, a.reason, a.reply, a.seconds, a.calls, a.attempt, "
            "a.tokens_in, a.tokens_out, a.served_model, a.fingerprint, a.made_at, n.text "
            "FROM final_answer a "
            "JOIN run r ON r.id = a.run_id JOIN quiz q ON q.id = r.subject "
            "JOIN item i ON i.quiz_id = q.id AND i.position = a.position "
            "JOIN instance n ON n.sample_id = q.sample_id AND n.id = i.instance_id "
            "WHERE a.run_id = ? AND (? IS NULL OR a.position IN (SELECT unnest(?::INTEGER[]))) "
            "ORDER BY a.position",
            [run_id, selection, selection],
        ).df()


def method_answers(store: Store, run_id: str) -> pd.DataFrame:
    """As ``answers`` for a run of any method: position, instance (NA where it asks about no single
    one), value, outcome, reason, reply, seconds, calls, attempt, tokens_in, tokens_out,
    served_model, fingerprint, made_at."""
    with store.read() as db:
        return db.execute(
            "SELECT a.position, f.instance_id AS instance, a.value, a.outcome, a.reason, a.reply, "
            "a.seconds, a.calls, a.attempt, a.tokens_in, a.tokens_out, a.served_model, "
            "a.fingerprint, a.made_at FROM final_answer a JOIN run r ON r.id = a.run_id "
            "LEFT JOIN frozen_request f ON f.frozen_id = r.subject AND f.position = a.position "
            "WHERE a.run_id = ? ORDER BY a.position",
            [run_id],
        ).df()


def non_letter_reasons(store: Store, run_id: str) -> pd.DataFrame:
    """How often each reason other than a letter occurs in a run ("none of these" and errors
    included), commonest first: outcome, reason, count."""
    with store.read() as db:
        return db.execute(
            "SELECT outcome, reason, count(*) AS count FROM final_answer "
            "WHERE run_id = ? AND outcome <> 'answered' GROUP BY ALL ORDER BY count DESC, reason",
            [run_id],
        ).df()


def served_models(store: Store, run_ids: Sequence[str]) -> pd.DataFrame:
    """The models that endpoints reported in these runs, commonest first: run, served_model,
    fingerprint (NA where not reported), count, first and last (UTC). Errors do not count."""
    with store.read() as db:
        return db.execute(
            "SELECT run_id AS run, served_model, fingerprint, count(*) AS count, "
            "min(made_at) AS first, max(made_at) AS last FROM final_answer "
            "WHERE run_id IN (SELECT unnest(?::VARCHAR[])) AND outcome <> 'error' GROUP BY ALL "
            "ORDER BY count DESC, served_model, fingerprint",
            [list(run_ids)],
        ).df()


@dataclass(frozen=True)
class Latency:
    """Percentiles of the time that ``replies`` replies took, interpolated, in seconds."""

    replies: int
    p50: float
    p95: float
    p99: float


def latency(store: Store, run_ids: Sequence[str]) -> dict[str, Latency]:
    """How long the replies of runs took, by run; runs without any are left out. Only the call that
    worked is timed, not the waits before it. Errors and answers taken from other runs are left
    out."""
    with store.read() as db:
        rows = db.execute(
            "SELECT run_id, count(*), quantile_cont(seconds, 0.5), quantile_cont(seconds, 0.95), "
            "quantile_cont(seconds, 0.99) FROM answer "
            "WHERE run_id IN (SELECT unnest(?::VARCHAR[])) AND outcome <> 'error' "
            "AND calls > 0 GROUP BY run_id",
            [list(run_ids)],
        ).fetchall()
    return {run: Latency(*percentiles) for run, *percentiles in rows}


def load_answer(store: Store, run_id: str, position: int) -> Answer | None:
    """All stored fields of one answer; None before there is an answer."""
    with store.read() as db:
        rows = db.execute(
            "SELECT *, made_at AS at FROM final_answer WHERE run_id = ? AND position = ?",
            [run_id, position],
        )
        answer = record(rows, Answer)
    return answer and in_utc(answer)
