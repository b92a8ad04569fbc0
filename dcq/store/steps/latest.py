"""The latest migration steps: readers of replies, earlier prices, benchmarks by lot with their
secret wordings, where instances stand in their data, and what a run called its partition."""

from __future__ import annotations

from dcq.store.steps.first import Connection
from dcq.store.steps.others import JUDGED_RUN, OWN_RUN


def m042_readers_of_runs(db: Connection) -> None:
    """Which version of the reader (``dcq.said.READER``) has read the replies of a run, and how many
    outcomes that changed; a run without a row was read by version 1 alone."""
    db.execute("""
        CREATE TABLE run_reader (
            run_id VARCHAR NOT NULL, reader INTEGER NOT NULL, changed INTEGER NOT NULL,
            made_at TIMESTAMP NOT NULL, PRIMARY KEY (run_id, reader))""")


def m043_earlier_prices(db: Connection) -> None:
    """The tokens of a run whose calls were made at another price than it has now, in USD per
    million; ``made_at`` is when that price ceased to count. The view
    sums them by run, with the dearest of their prices."""
    db.execute("""
        CREATE TABLE earlier_price (
            run_id VARCHAR NOT NULL, price_in DOUBLE NOT NULL, price_out DOUBLE NOT NULL,
            tokens_in BIGINT NOT NULL, tokens_out BIGINT NOT NULL, made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE VIEW charged_earlier AS
        SELECT run_id, sum(tokens_in) AS earlier_in, sum(tokens_out) AS earlier_out,
            sum(tokens_in * price_in + tokens_out * price_out) / 1e6 AS earlier_usd,
            max(price_in) AS dearest_in, max(price_out) AS dearest_out
        FROM earlier_price GROUP BY run_id""")


def m044_draws_by_lot(db: Connection) -> None:
    """Each draw of a sample's wordings, by the root of their commitment."""
    db.execute("""
        CREATE TABLE lot_draw (
            sample_id VARCHAR NOT NULL, root VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")


def m046_rows_and_revisions(db: Connection) -> None:
    """The row of each instance in its split or file, from 0, and -1 where it is not known; and the
    revision that a sample was drawn from, a commit or the hash of a file."""
    db.execute("ALTER TABLE instance ADD COLUMN row_number BIGINT DEFAULT -1")
    db.execute("ALTER TABLE sample ADD COLUMN revision VARCHAR DEFAULT ''")


def m047_private_wordings(db: Connection) -> None:
    """Which variants are wordings of a protected benchmark, by the root of its commitment and the
    id of their item; and which of them anybody may see, by whose decision and why: the lot
    published it, or a person gave it up."""
    db.execute("""
        CREATE TABLE private_wording (
            root VARCHAR NOT NULL, item VARCHAR NOT NULL, variant_seq BIGINT NOT NULL,
            made_at TIMESTAMP NOT NULL, PRIMARY KEY (root, item, variant_seq))""")
    db.execute("""
        CREATE TABLE burnt_wording (
            root VARCHAR NOT NULL, item VARCHAR NOT NULL, variant_seq BIGINT NOT NULL,
            why VARCHAR NOT NULL, author VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL,
            PRIMARY KEY (root, item, variant_seq))""")


def m049_studies_as_they_are(db: Connection) -> None:
    """A saved study took in all that came later where it was not narrowed down. It is fixed now:
    each such study gets a revision with what there is, so that its conclusions stay."""
    db.execute("""
        INSERT INTO study (name, partitions, models, methods, controls, author, made_at)
        WITH place AS (
            SELECT DISTINCT p.id, p.role = 'control' AS unseen
            FROM partition_now p JOIN sample s ON s.partition_id = p.id),
        there AS (
            SELECT
                (SELECT list(id ORDER BY id) FROM place WHERE NOT unseen) AS tested,
                (SELECT list(id ORDER BY id) FROM place WHERE unseen) AS unseen,
                (SELECT list(DISTINCT model ORDER BY model) FROM run WHERE method NOT IN
                    ('rewording', 'judge', 'search', 'crawl', 'scan')) AS asked)
        SELECT name, coalesce(partitions, to_json(tested)::VARCHAR),
            coalesce(models, to_json(asked)::VARCHAR), methods,
            coalesce(controls, to_json(unseen)::VARCHAR), author, now() AT TIME ZONE 'UTC'
        FROM study, there
        WHERE seq IN (SELECT max(seq) FROM study GROUP BY name) AND methods IS NOT NULL
            AND (partitions IS NULL OR models IS NULL OR controls IS NULL)
        ORDER BY seq""")


def m050_conclusions(db: Connection) -> None:
    """What a study said of a model and a partition whenever it differed from the last time, with
    what it rested on (``dcq.store.conclusions``). Before, it was kept of single results, which
    have no word of their own any more."""
    db.execute("DROP TABLE verdict")
    db.execute("DROP SEQUENCE verdict_seq")
    db.execute("CREATE SEQUENCE conclusion_seq")
    db.execute("""
        CREATE TABLE conclusion (
            seq BIGINT DEFAULT nextval('conclusion_seq') PRIMARY KEY, study VARCHAR NOT NULL,
            revision INTEGER NOT NULL, model VARCHAR NOT NULL, partition_id VARCHAR NOT NULL,
            rule INTEGER NOT NULL, version VARCHAR NOT NULL, ruling VARCHAR NOT NULL,
            p_value DOUBLE, q_value DOUBLE, sentence VARCHAR NOT NULL, pairs INTEGER NOT NULL,
            results VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")


def m051_notes_on_cases(db: Connection) -> None:
    """What people noted on a model and a partition; the newest counts (``dcq.store.notes``)."""
    db.execute("CREATE SEQUENCE case_note_seq")
    db.execute("""
        CREATE TABLE case_note (
            seq BIGINT DEFAULT nextval('case_note_seq') PRIMARY KEY, model VARCHAR NOT NULL,
            partition_id VARCHAR NOT NULL, text VARCHAR NOT NULL, author VARCHAR NOT NULL,
            made_at TIMESTAMP NOT NULL)""")


def m048_partitions_as_they_were_asked(db: Connection) -> None:
    """What the requests of a run call the dataset and the split of its sample, and the task and the
    language by which replies are read and controls are found: those of the partition when the run
    was planned. Of the runs until now nothing else is known than what the partition says."""
    for name in ("dataset", "split", "task", "language"):
        db.execute(f"ALTER TABLE run ADD COLUMN {name} VARCHAR DEFAULT ''")
    db.execute("""
        UPDATE run SET dataset = p.title, split = p.split_title, task = p.task,
            language = p.language
        FROM sample s JOIN partition p ON p.id = s.partition_id WHERE s.id = run.sample_id""")
    db.execute(OWN_RUN)
    db.execute(JUDGED_RUN)
