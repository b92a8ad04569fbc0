"""Selects the rows of a study from the store, for a bundle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb

from dcq.store.bundle_tables import SEQ, TABLES, WITHHELD, BundleTable
from dcq.store.connect import Store
from dcq.store.studies import Study

if TYPE_CHECKING:  # takes a while to import, which few commands need
    import pyarrow as pa

# Runs of the study, then those that follow on them, and those that its verdicts look back to: the
# controls that looks were planned with, and of instances whose standing set a person named, the
# first run, because the checklist tells whether it was planned before that.
_CHOOSE = """
    CREATE TEMP TABLE own AS
        SELECT r.id, r.subject, r.sample_id FROM judged_run r JOIN sample s ON s.id = r.sample_id
        JOIN partition_now p ON p.id = s.partition_id
        WHERE r.method IN (SELECT unnest($methods::VARCHAR[]))
            AND ($models IS NULL OR r.method NOT IN (SELECT unnest($models_of::VARCHAR[]))
                OR r.model IN (SELECT unnest($models::VARCHAR[]))
                OR replace(r.model, 'likelihood:', '') IN (SELECT unnest($models::VARCHAR[])))
            AND CASE WHEN p.role = 'control'
                THEN $controls IS NULL OR p.id IN (SELECT unnest($controls::VARCHAR[]))
                ELSE $partitions IS NULL OR p.id IN (SELECT unnest($partitions::VARCHAR[])) END;
    CREATE TEMP TABLE chosen_run AS
        SELECT id, subject, sample_id FROM own
        UNION SELECT r.id, r.subject, r.sample_id FROM judged_run r JOIN own o ON o.id = r.subject
        UNION SELECT r.id, r.subject, r.sample_id FROM judged_run r WHERE r.id IN (
            SELECT unnest(l.controls) FROM planned_looks l JOIN own o ON o.id = l.run_id);
    CREATE TEMP TABLE family AS
        SELECT DISTINCT coalesce(s.set_of, s.id) AS first FROM sample s
        WHERE s.id IN (SELECT sample_id FROM chosen_run);
    CREATE TEMP TABLE chosen_sample AS
        SELECT id, partition_id FROM sample
        WHERE coalesce(set_of, id) IN (SELECT first FROM family);
    INSERT INTO chosen_run
        SELECT arg_min(r.id, (r.made_at, r.id)), arg_min(r.subject, (r.made_at, r.id)),
            arg_min(r.sample_id, (r.made_at, r.id))
        FROM judged_run r JOIN sample s ON s.id = r.sample_id
        WHERE r.method = 'quiz' AND EXISTS (SELECT 1 FROM answer a WHERE a.run_id = r.id)
            AND coalesce(s.set_of, s.id) IN (
                SELECT first_id FROM standing_set WHERE first_id IN (SELECT first FROM family))
        GROUP BY coalesce(s.set_of, s.id);
    CREATE TEMP TABLE chosen_rewording AS
        SELECT id FROM rewording WHERE sample_id IN (SELECT id FROM chosen_sample);
    INSERT INTO chosen_run
        SELECT r.id, r.subject, r.sample_id FROM judged_run r
        WHERE r.method = 'rewording' AND r.subject IN (SELECT id FROM chosen_rewording)"""

_RUNS, _SUBJECTS = "(SELECT id FROM chosen_run)", "(SELECT subject FROM chosen_run)"
_SAMPLES, _REWORDINGS = "(SELECT id FROM chosen_sample)", "(SELECT id FROM chosen_rewording)"
_PARTITIONS = "(SELECT partition_id FROM chosen_sample)"
_SITTINGS = "(SELECT id FROM sitting WHERE sample_id IN (SELECT id FROM chosen_sample))"
# By the column that says what a row belongs to.
_WITHIN = {
    "partition_id": _PARTITIONS,
    "sample_id": _SAMPLES,
    "first_id": _SAMPLES,
    "rewording_id": _REWORDINGS,
    "quiz_id": _SUBJECTS,
    "replication_id": _SUBJECTS,
    "overlap_id": _SUBJECTS,
    "frozen_id": _SUBJECTS,
    "run_id": _RUNS,
    "sitting_id": _SITTINGS,
}
_MODELS = (
    f"(SELECT unnest([model, replace(model, 'likelihood:', '')]) FROM run WHERE id IN {_RUNS})"  # noqa: S608  (our own words)
)
_NO_PLAN_OF_OTHERS = "id NOT IN (SELECT plan_id FROM imported_plan)"
_SOURCES = f"(SELECT source_id FROM imported_run WHERE run_id IN {_RUNS})"  # noqa: S608
_OWN = {
    "partition": f"id IN {_PARTITIONS}",
    "sample": f"id IN {_SAMPLES}",
    "rewording": f"id IN {_REWORDINGS}",
    "quiz": f"id IN {_SUBJECTS}",
    "replication": f"id IN {_SUBJECTS}",
    "overlap": f"id IN {_SUBJECTS}",
    "frozen": f"id IN {_SUBJECTS}",
    "run": f"id IN {_RUNS}",
    "sitting": f"id IN {_SITTINGS}",
    "answer_plan": f"partition_id IN {_PARTITIONS} AND model IN {_MODELS} AND {_NO_PLAN_OF_OTHERS}",
    "source": f"id IN {_SOURCES}",
    "taking": f"source_id IN {_SOURCES}",
    "study": "($name = '' OR name = $name)",
}
# JSON that stands for a withheld document, and what of a reply has no text: a scan's is counts.
_OF = "run_id IN (SELECT id FROM run WHERE method IN"
_BARE = {
    "fields": "json_object('sha256', sha256(fields))::VARCHAR",
    "facts": "json_object('sha256', sha256(facts))::VARCHAR",
    "findings": "'[]'",
    "value": f"CASE WHEN {_OF} ('quiz', 'judge', 'cheat', 'search', 'crawl', 'scan')) "
    f"THEN value ELSE '{WITHHELD}' || sha256(value) END",  # what others read may be any text
    "reply": f"CASE WHEN outcome <> 'error' AND {_OF} ('scan')) THEN json_object("
    "'documents', reply -> '$.documents', 'broken', reply -> '$.broken', 'texts', "
    "reply -> '$.texts', 'missed', reply -> '$.missed')::VARCHAR "
    f"ELSE '{WITHHELD}' || sha256(reply) END",
}


@dataclass(frozen=True)
class Kinds:
    """The kinds of runs, by name, that belong to a study's methods (``used``), and those of them
    that ask models (``of_models``), so that a choice of models restricts them."""

    used: tuple[str, ...]
    of_models: tuple[str, ...]


def take(
    store: Store, within: Study, kinds: Kinds, *, with_text: bool = True
) -> dict[str, pa.Table]:
    """The rows that the results of a study rest on, by table; tables without any are left out.
    Without text, each text is replaced by its SHA-256."""
    chosen = {
        "methods": list(kinds.used),
        "models_of": list(kinds.of_models),
        "models": _listed(within.models),
        "partitions": _listed(within.partitions),
        "controls": _listed(within.controls),
    }
    tables = {}
    with store.read() as db:
        for statement in _CHOOSE.split(";"):
            named = {name: value for name, value in chosen.items() if f"${name}" in statement}
            db.execute(statement, named)
        columns = columns_by_table(db)
        for table in TABLES:
            rows = _rows(db, table, columns[table.name], within.name, with_text=with_text)
            if rows.num_rows:
                tables[table.name] = rows
    return tables


def _rows(
    db: duckdb.DuckDBPyConnection,
    table: BundleTable,
    own_columns: Mapping[str, TableColumn],
    study: str,
    *,
    with_text: bool,
) -> pa.Table:
    where = _OWN.get(table.name)
    if where is None:
        column = table.owner or table.key[0]
        where = f"{column} IN {_WITHIN[column]}"
    params = {"name": study} if "$name" in where else None
    if table.is_history:
        db.execute(
            f'CREATE TEMP TABLE "place_{table.name}" AS '  # noqa: S608  (our own names)
            f'SELECT seq, row_number() OVER (ORDER BY seq) AS place FROM "{table.name}" '
            f"WHERE {where}",
            params,
        )
    numbers = _numbers(table)
    columns = [
        f'{numbers[name]} AS "{name}"'
        if name in numbers
        else f'"{name}"'
        if with_text or name not in table.texts
        else f'{_hashed(name, column.kind)} AS "{name}"'
        for name, column in own_columns.items()
    ]
    # The same rows come in the same order, so that a second export is the same file.
    order = ", ".join(f't."{name}"' for name in table.key) or "ALL"
    query = f'SELECT {", ".join(columns)} FROM "{table.name}" t WHERE {where} ORDER BY {order}'  # noqa: S608
    return db.sql(query, params=params).to_arrow_table()


def _numbers(table: BundleTable) -> dict[str, str]:
    """The columns that number rows of a history, or refer to one, as places among the rows of the
    bundle from 1 on: which numbers a store gave them says how much else it has."""
    references = [(column, parent) for column, parent, key in table.foreign_keys if (key,) == SEQ]
    sequences = [(SEQ[0], table.name)] if table.is_history else []
    return {
        column: f'CASE WHEN t."{column}" = 0 THEN 0 ELSE (SELECT p.place FROM "place_{parent}" p '  # noqa: S608
        f'WHERE p.seq = t."{column}") END'
        for column, parent in sequences + references
    }


@dataclass(frozen=True)
class TableColumn:
    """A column of a table: DuckDB's name of its type, whether each row needs a value, and the
    ``default`` of rows without."""

    kind: str
    needed: bool
    default: str | None


def columns_by_table(db: duckdb.DuckDBPyConnection) -> dict[str, dict[str, TableColumn]]:
    """The columns of each table of the store, by name and in order."""
    # Of all tables at once: that takes as long as to ask of seven of them one by one.
    rows = db.execute(
        "SELECT table_name, column_name, data_type, is_nullable, column_default "
        "FROM duckdb_columns() WHERE database_name = current_database() "
        "ORDER BY table_name, column_index"
    ).fetchall()
    tables: dict[str, dict[str, TableColumn]] = {}
    for table, column, kind, nullable, default in rows:
        tables.setdefault(table, {})[column] = TableColumn(kind, not nullable, default)
    return tables


def _hashed(name: str, kind: str) -> str:
    if name in _BARE:
        return _BARE[name]
    if kind.endswith("[]"):
        return f"list_transform(\"{name}\", lambda one: '{WITHHELD}' || sha256(one))"
    return f"'{WITHHELD}' || sha256(\"{name}\")"


def _listed(chosen: tuple[str, ...] | None) -> list[str] | None:
    return None if chosen is None else list(chosen)
