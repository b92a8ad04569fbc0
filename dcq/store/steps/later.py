"""Later migration steps, for features that came after the first quizzes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from urllib.parse import unquote

from dcq.store.steps.first import FINAL_ANSWER, Connection


def m011_usage_reported(db: Connection) -> None:
    # False: the tokens of an answer are the most that its calls can have taken, not what the
    # endpoint reported. Earlier releases counted 0 where nothing was reported.
    db.execute("ALTER TABLE answer ADD COLUMN usage_reported BOOLEAN DEFAULT true")
    db.execute(
        "UPDATE answer SET usage_reported = false "
        "WHERE tokens_in = 0 AND calls > 0 AND outcome <> 'error'"
    )
    # What calls that left no answer can have cost.
    db.execute("ALTER TABLE run ADD COLUMN lost_usd DOUBLE DEFAULT 0")
    # A view keeps the columns that its table had when it was made.
    db.execute(FINAL_ANSWER)


def m012_planned_looks(db: Connection) -> None:
    db.execute("""
        CREATE TABLE planned_looks (
            run_id VARCHAR PRIMARY KEY, n INTEGER[] NOT NULL, limits DOUBLE[] NOT NULL,
            times DOUBLE[] NOT NULL, controls VARCHAR[] NOT NULL, futility BOOLEAN NOT NULL,
            made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE TABLE look (
            run_id VARCHAR NOT NULL, place INTEGER NOT NULL, n INTEGER NOT NULL, p_value DOUBLE,
            p_limit DOUBLE NOT NULL, decision VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL,
            PRIMARY KEY (run_id, place))""")


def m013_drafts(db: Connection) -> None:
    db.execute("""
        CREATE TABLE draft (
            sample_id VARCHAR NOT NULL, instance_id VARCHAR NOT NULL, slot TINYINT NOT NULL,
            author VARCHAR NOT NULL, text VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL,
            PRIMARY KEY (sample_id, instance_id, slot, author))""")


def m014_undone_decisions(db: Connection) -> None:
    db.execute("ALTER TABLE review ADD COLUMN undone_by VARCHAR DEFAULT ''")


def m015_history_of_roles(db: Connection) -> None:
    # The first role of each partition starts its history; what reads a role reads the view.
    db.execute("CREATE SEQUENCE partition_role_seq")
    db.execute("""
        CREATE TABLE partition_role (
            seq BIGINT DEFAULT nextval('partition_role_seq'), partition_id VARCHAR NOT NULL,
            role VARCHAR NOT NULL, author VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
    db.execute(
        "INSERT INTO partition_role (partition_id, role, author, made_at) "
        "SELECT id, role, '', made_at FROM partition ORDER BY made_at, id"
    )
    db.execute("""
        CREATE VIEW partition_now AS
        SELECT p.* REPLACE (r.role AS role) FROM partition p JOIN (
            SELECT partition_id, arg_max(role, seq) AS role FROM partition_role
            GROUP BY partition_id) r ON r.partition_id = p.id""")


def m016_writers_of_imports(db: Connection) -> None:
    """Earlier releases took a published quiz for data of dcq's, and all sample files for those of
    one writer; nobody knows who wrote either."""
    db.execute(
        "UPDATE variant SET origin = 'imported:' || s.partition_id FROM sample s "
        "WHERE s.id = variant.sample_id AND (origin = 'imported' "
        "  OR (origin = 'bundled' AND starts_with(s.source, 'file:')))"
    )


def m017_methods_and_values(db: Connection) -> None:
    """A run is of a method, and what a reply was read as is a value: a letter, for the quiz."""
    db.execute("ALTER TABLE run ADD COLUMN method VARCHAR DEFAULT 'quiz'")
    db.execute("DROP VIEW final_answer")
    db.execute("ALTER TABLE answer RENAME COLUMN letter TO value")
    db.execute(FINAL_ANSWER)


def m018_batches(db: Connection) -> None:
    """What was sent as a batch stood in sentences of a run's history."""
    db.execute("ALTER TABLE run ADD COLUMN by_batch BOOLEAN DEFAULT false")
    db.execute("""
        CREATE TABLE batch (
            run_id VARCHAR NOT NULL, file VARCHAR NOT NULL, batch_id VARCHAR,
            requests INTEGER, reply_tokens INTEGER, usd DOUBLE, collected BOOLEAN NOT NULL,
            made_at TIMESTAMP NOT NULL)""")
    rows = db.execute("SELECT run_id, detail, made_at FROM run_event ORDER BY seq").fetchall()
    planned = {run for run, detail, _ in rows if detail == "by batch, at half the list price"}
    for run in planned:
        db.execute("UPDATE run SET by_batch = true WHERE id = ?", [run])
    for values in _batches_of_notes(rows):
        db.execute(
            "INSERT INTO batch (run_id, file, batch_id, requests, reply_tokens, usd, collected, "
            "made_at) VALUES (?,?,?,?,?,?,?,?)",
            values,
        )


def _batches_of_notes(rows: Sequence[tuple[str, str, datetime]]) -> list[list[object]]:
    """The rows of ``batch`` that notes of earlier releases amount to."""
    set_aside: dict[tuple[str, str], tuple[re.Match[str], datetime]] = {}
    sent: dict[tuple[str, str], tuple[str, datetime]] = {}
    done: set[tuple[str, str]] = set()
    for run, detail, at in rows:
        if match := re.match(
            r"batch file (\S*): (\d+) questions, replies of (\d+) tokens, "
            r"([\d.]+) USD",
            detail,
        ):
            set_aside[run, unquote(match[1])] = match, at
        elif match := re.match(r"batch (\S+) sent: .*?(?:, from file (\S*))?$", detail):
            sent[run, match[1]] = unquote(match[2] or ""), at
        elif match := re.match(r"batch (\S+) done:", detail):
            done.add((run, match[1]))
    batch_rows: list[list[object]] = []
    for (run, batch), (file, at) in sent.items():
        held, _ = set_aside.pop((run, file), (None, None))
        amounts = [int(held[2]), int(held[3]), float(held[4])] if held else [None] * 3
        batch_rows.append([run, file, batch, *amounts, (run, batch) in done, at])
    for (run, file), (held, at) in set_aside.items():  # whose process died before they were started
        batch_rows.append([run, file, None, int(held[2]), int(held[3]), float(held[4]), False, at])
    return batch_rows


def m019_placebos(db: Connection) -> None:
    """That a partition is a placebo stood in its name."""
    db.execute("ALTER TABLE partition ADD COLUMN placebo_of VARCHAR")
    db.execute(
        "UPDATE partition SET placebo_of = substr(source, 9) WHERE starts_with(source, 'placebo:')"
    )
    # A prompt names a placebo as the dataset that it was made of; a screen says that it is one.
    db.execute("""
        CREATE OR REPLACE VIEW partition_now AS
        SELECT p.* REPLACE (r.role AS role),
            CASE WHEN p.placebo_of IS NULL THEN p.title ELSE p.title || ' (placebo)' END
                AS shown_title
        FROM partition p JOIN (
            SELECT partition_id, arg_max(role, seq) AS role FROM partition_role
            GROUP BY partition_id) r ON r.partition_id = p.id""")


def m020_rewordings(db: Connection) -> None:
    """A run asks about what its method has frozen, and always about a sample; rewordings are runs
    too."""
    db.execute("ALTER TABLE run RENAME COLUMN quiz_id TO subject")
    db.execute("ALTER TABLE run ADD COLUMN sample_id VARCHAR")
    db.execute(
        "UPDATE run SET sample_id = (SELECT sample_id FROM quiz WHERE quiz.id = run.subject)"
    )
    db.execute("""
        CREATE TABLE rewording (
            id VARCHAR PRIMARY KEY, sample_id VARCHAR NOT NULL, protocol VARCHAR NOT NULL,
            seed BIGINT NOT NULL, author VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
    # ``seen_variant`` and ``seen_review`` are what stood in the slot when it was frozen.
    db.execute("""
        CREATE TABLE rewording_slot (
            rewording_id VARCHAR NOT NULL, instance_id VARCHAR NOT NULL, slot TINYINT NOT NULL,
            seen_variant BIGINT, seen_review BIGINT)""")
    db.execute("""
        CREATE TABLE rewording_request (
            rewording_id VARCHAR NOT NULL, position INTEGER NOT NULL,
            instance_id VARCHAR NOT NULL, prompt VARCHAR NOT NULL, count INTEGER NOT NULL)""")
    db.execute("ALTER TABLE variant ADD COLUMN rewording_id VARCHAR")


def m021_replications(db: Connection) -> None:
    """Instances cut in two for a model to complete, where people moved the cut, and what they call
    the completions."""
    db.execute("""
        CREATE TABLE replication (
            id VARCHAR PRIMARY KEY, sample_id VARCHAR NOT NULL, version VARCHAR NOT NULL,
            instructions VARCHAR[] NOT NULL, judge VARCHAR NOT NULL, seed BIGINT NOT NULL,
            author VARCHAR NOT NULL, left_out VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE TABLE piece (
            replication_id VARCHAR NOT NULL, position INTEGER NOT NULL,
            instance_id VARCHAR NOT NULL, form VARCHAR NOT NULL, first VARCHAR NOT NULL,
            second VARCHAR NOT NULL, label VARCHAR, gap VARCHAR NOT NULL,
            inside_sentence BOOLEAN NOT NULL, wrong_label VARCHAR)""")
    # ``piece`` is the place among the pieces of the run's replication.
    db.execute("""
        CREATE TABLE judge_request (
            run_id VARCHAR NOT NULL, position INTEGER NOT NULL, piece INTEGER NOT NULL)""")
    db.execute("CREATE SEQUENCE cut_seq")
    db.execute("""
        CREATE TABLE cut (
            seq BIGINT DEFAULT nextval('cut_seq'), sample_id VARCHAR NOT NULL,
            instance_id VARCHAR NOT NULL, seed BIGINT NOT NULL, cut_offset INTEGER,
            author VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
    db.execute("CREATE SEQUENCE match_label_seq")
    db.execute("""
        CREATE TABLE match_label (
            seq BIGINT DEFAULT nextval('match_label_seq'), run_id VARCHAR NOT NULL,
            position INTEGER NOT NULL, annotator VARCHAR NOT NULL, label VARCHAR NOT NULL,
            made_at TIMESTAMP NOT NULL)""")


def m022_overlaps(db: Connection) -> None:
    """Instances as they are searched for on the web or in a corpus, and what was found. An overlap
    is asked by one run, so what was found is kept with the overlap."""
    db.execute("""
        CREATE TABLE overlap (
            id VARCHAR PRIMARY KEY, sample_id VARCHAR NOT NULL, method VARCHAR NOT NULL,
            source VARCHAR NOT NULL, window_start DATE, window_end DATE,
            language VARCHAR NOT NULL, archive VARCHAR NOT NULL, usd_per_call DOUBLE,
            corpus VARCHAR[] NOT NULL, unread VARCHAR NOT NULL, preset VARCHAR NOT NULL,
            alpha DOUBLE NOT NULL, beta DOUBLE NOT NULL, gamma DOUBLE NOT NULL,
            label_gamma DOUBLE NOT NULL, match_window DOUBLE, threshold DOUBLE NOT NULL,
            author VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE TABLE overlap_query (
            overlap_id VARCHAR NOT NULL, position INTEGER NOT NULL, instance_id VARCHAR NOT NULL,
            text VARCHAR NOT NULL, input VARCHAR NOT NULL, label VARCHAR NOT NULL,
            skipped VARCHAR NOT NULL)""")
    # What a service is asked: ``query`` is the place of the query that it is a piece of.
    db.execute("""
        CREATE TABLE overlap_request (
            overlap_id VARCHAR NOT NULL, position INTEGER NOT NULL, query INTEGER NOT NULL,
            of_input BOOLEAN NOT NULL, text VARCHAR NOT NULL)""")
    db.execute("""
        CREATE TABLE overlap_part (
            overlap_id VARCHAR NOT NULL, position INTEGER NOT NULL, path VARCHAR NOT NULL,
            form VARCHAR NOT NULL, first BIGINT NOT NULL, last BIGINT, bytes BIGINT NOT NULL,
            fingerprint VARCHAR NOT NULL)""")
    db.execute("""
        CREATE TABLE overlap_score (
            overlap_id VARCHAR NOT NULL, query INTEGER NOT NULL, score DOUBLE NOT NULL)""")
    # ``part`` is where in the corpus, ``document`` counts the records of that part from 0; both are
    # NULL for a page.
    db.execute("""
        CREATE TABLE overlap_hit (
            overlap_id VARCHAR NOT NULL, query INTEGER NOT NULL, source VARCHAR NOT NULL,
            part INTEGER, document BIGINT, name VARCHAR, passage VARCHAR NOT NULL,
            marks INTEGER[][] NOT NULL, score DOUBLE NOT NULL, label_score DOUBLE)""")
    # The pages that an archive is asked about, by the position of the request.
    db.execute("""
        CREATE TABLE crawl_request (
            run_id VARCHAR NOT NULL, position INTEGER NOT NULL, url VARCHAR NOT NULL)""")


def m023_candidates(db: Connection) -> None:
    """A request may be for rewordings of a rewording, and variants may come into their slots by a
    choice among candidates."""
    db.execute("ALTER TABLE rewording_request ADD COLUMN source VARCHAR")
    db.execute("""
        CREATE TABLE balancing (
            id VARCHAR PRIMARY KEY, sample_id VARCHAR NOT NULL, author VARCHAR NOT NULL,
            made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE TABLE balancing_move (
            balancing_id VARCHAR NOT NULL, variant_seq BIGINT NOT NULL)""")
