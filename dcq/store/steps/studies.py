"""Migration steps for studies, derived values, frozen requests, imported runs, investigations,
overlaps, replications, shown verdicts and scores."""

from __future__ import annotations

from dcq.store.steps.first import Connection


def m028_studies(db: Connection) -> None:
    """Named choices of what is judged together, as lists in JSON; NULL stands for all there is. The
    rows are a history, the newest of a name counts; one without methods takes it off the list."""
    db.execute("CREATE SEQUENCE study_seq")
    db.execute("""
        CREATE TABLE study (
            seq BIGINT DEFAULT nextval('study_seq'), name VARCHAR NOT NULL, partitions VARCHAR,
            models VARCHAR, methods VARCHAR, controls VARCHAR, author VARCHAR NOT NULL,
            made_at TIMESTAMP NOT NULL)""")


def m035_all_methods_of_a_study(db: Connection) -> None:
    """A study that was not narrowed to some methods takes those of later releases too: JSON's
    ``null`` says so. No list at all still takes a study off the list."""
    db.execute("""
        UPDATE study SET methods = 'null'
        WHERE methods IS NOT NULL
            AND list_sort(methods::JSON::VARCHAR[]) = ['overlap', 'quiz', 'replication']""")


def m034_derived_values(db: Connection) -> None:
    """Values by what they are of: nothing is lost with them, so they are left out of bundles and
    copies and computed anew."""
    db.execute("""
        CREATE TABLE derived (
            subject VARCHAR NOT NULL, name VARCHAR NOT NULL, value VARCHAR NOT NULL,
            made_at TIMESTAMP NOT NULL, PRIMARY KEY (subject, name))""")


def m037_frozen_requests_and_values(db: Connection) -> None:
    """What a method asks about and numbers that it keeps of replies, for any method."""
    db.execute("""
        CREATE TABLE frozen (
            id VARCHAR PRIMARY KEY, method VARCHAR NOT NULL, sample_id VARCHAR NOT NULL,
            design VARCHAR NOT NULL, author VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE TABLE frozen_request (
            frozen_id VARCHAR NOT NULL, position INTEGER NOT NULL, instance_id VARCHAR NOT NULL,
            text VARCHAR NOT NULL, facts VARCHAR NOT NULL, PRIMARY KEY (frozen_id, position))""")
    db.execute("""
        CREATE TABLE run_value (
            run_id VARCHAR NOT NULL, position INTEGER NOT NULL, name VARCHAR NOT NULL,
            value DOUBLE NOT NULL, PRIMARY KEY (run_id, position, name))""")


def m033_imported_runs(db: Connection) -> None:
    """Which runs came with a bundle or with a copy of a store, and when."""
    db.execute("""
        CREATE TABLE imported_run (
            run_id VARCHAR PRIMARY KEY, made_at TIMESTAMP NOT NULL)""")


def m029_investigations(db: Connection) -> None:
    """What was chosen for an investigation, NULL for no limit, and its runs in the order in which
    they became part of it. A run may be part of several; ``usd_before`` is what it had cost when it
    became part of this one."""
    db.execute("CREATE SEQUENCE investigation_seq")
    db.execute("""
        CREATE TABLE investigation (
            seq BIGINT DEFAULT nextval('investigation_seq'), id VARCHAR PRIMARY KEY,
            sample_id VARCHAR NOT NULL, model VARCHAR NOT NULL, kind VARCHAR NOT NULL,
            controls VARCHAR[] NOT NULL, instances INTEGER, budget_usd DOUBLE,
            made_at TIMESTAMP NOT NULL)""")
    db.execute("""
        CREATE TABLE investigation_run (
            investigation_id VARCHAR NOT NULL, kind VARCHAR NOT NULL, sample_id VARCHAR NOT NULL,
            run_id VARCHAR NOT NULL, usd_before DOUBLE NOT NULL,
            PRIMARY KEY (investigation_id, kind, sample_id))""")


def m036_methods_of_an_investigation(db: Connection) -> None:
    """Which methods are asked beside the quiz. A run of theirs has the method's name as its
    kind."""
    db.execute("ALTER TABLE investigation ADD COLUMN methods VARCHAR[] DEFAULT []")


def m030_tokens_of_an_overlap(db: Connection) -> None:
    """How texts become words; before, there was one way, ours."""
    db.execute("ALTER TABLE overlap ADD COLUMN tokens VARCHAR DEFAULT 'words'")


def m031_places_of_cuts(db: Connection) -> None:
    """Between which shares of a text its cut was drawn, 0.4 and 0.7 for all replications so far,
    and what decided the cut of a piece, NULL where that was not kept."""
    for name, share in (("earliest", 0.4), ("latest", 0.7)):
        db.execute(f"ALTER TABLE replication ADD COLUMN {name} DOUBLE DEFAULT {share}")
    db.execute("ALTER TABLE piece ADD COLUMN cut_by VARCHAR")


def m032_verdicts_shown(db: Connection) -> None:
    """What was said of a result whenever it differed from the last time, and what it rested on: its
    run with so many answers ``n``, the runs of its controls, how many results were corrected
    together in ``family``, the checks that were bad, and the release. A result is told apart by
    ``study`` (empty for the whole store), model, partition, kind, slot (NULL for all) and
    prompt."""
    db.execute("CREATE SEQUENCE verdict_seq")
    db.execute("""
        CREATE TABLE verdict (
            seq BIGINT DEFAULT nextval('verdict_seq') PRIMARY KEY, study VARCHAR NOT NULL,
            model VARCHAR NOT NULL, partition_id VARCHAR NOT NULL, kind VARCHAR NOT NULL,
            slot INTEGER, prompt VARCHAR NOT NULL, ruling VARCHAR NOT NULL, p_value DOUBLE,
            q_value DOUBLE, run_id VARCHAR NOT NULL, n INTEGER NOT NULL,
            controls VARCHAR[] NOT NULL, family INTEGER NOT NULL, bad VARCHAR[] NOT NULL,
            version VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")


def m038_plans_of_answers(db: Connection) -> None:
    """Which methods an answer rests on and with which weights, fixed before asking: a list of
    ``[method, kind of quiz, weight]`` in JSON."""
    db.execute("""
        CREATE TABLE answer_plan (
            id VARCHAR PRIMARY KEY, model VARCHAR NOT NULL, partition_id VARCHAR NOT NULL,
            methods VARCHAR NOT NULL, version VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")


def m039_scores(db: Connection) -> None:
    """Scores on originals and rewordings as JSON, by benchmark; the rows are a history, the newest
    of a benchmark counts, and one without scores takes it off the list."""
    db.execute("CREATE SEQUENCE score_set_seq")
    db.execute("""
        CREATE TABLE score_set (
            seq BIGINT DEFAULT nextval('score_set_seq'), benchmark VARCHAR NOT NULL,
            scores VARCHAR, author VARCHAR NOT NULL, made_at TIMESTAMP NOT NULL)""")


def m040_datasets_of_one_split(db: Connection) -> None:
    """A screen calls a dataset by its title alone where it has one split here and nobody knows of
    more: what a file or this program brought, and no dataset of the Hub."""
    db.execute("""
        CREATE OR REPLACE VIEW partition_now AS
        SELECT p.* REPLACE (r.role AS role),
            CASE WHEN p.placebo_of IS NULL THEN p.title ELSE p.title || ' (placebo)' END
                AS shown_title,
            CASE WHEN p.source = '' OR starts_with(p.source, 'hub:')
                    OR count(*) OVER (PARTITION BY p.key) > 1
                THEN p.split_title ELSE '' END AS shown_split
        FROM partition p JOIN (
            SELECT partition_id, arg_max(role, seq) AS role FROM partition_role
            GROUP BY partition_id) r ON r.partition_id = p.id""")
