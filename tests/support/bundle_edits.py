"""Edits of bundles."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dcq.files import bundle_write
from dcq.quiz import freeze
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, samples
from tests.conftest import small_sample
from tests.support.runs import answer

Tables = dict[str, pa.Table]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    store = Store(tmp_path_factory.mktemp("made") / "dcq.duckdb")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("OPENAI_BASE_URL", raising=False)
        for key, role, right in (
            ("rivers", PartitionRole.TARGET, 7),
            ("lakes", PartitionRole.CONTROL, 2),
        ):
            sample = samples.save(store, small_sample(8, key=key, role=role))
            quiz = freeze.freeze(store, sample, QuizKind.STANDARD, slot="D").quiz
            answer(store, quiz, {"D": right, "A": 8 - right})
    return bundle_write.to_bytes(store)[0]


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(contents: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return made.getvalue()


def with_tables(data: bytes, change: Callable[[Tables], Tables]) -> bytes:
    """The bundle with other tables, whose hashes and counts are right."""
    contents = members(data)
    document = json.loads(contents["manifest.json"])
    tables = {
        Path(name).stem: pq.read_table(io.BytesIO(rows))
        for name, rows in contents.items()
        if name.endswith(".parquet")
    }
    packed = {"manifest.json": b""}
    document["files"] = {}
    for name, rows in change(tables).items():
        file = io.BytesIO()
        pq.write_table(rows, file)
        packed[f"tables/{name}.parquet"] = file.getvalue()
        document["files"][f"tables/{name}.parquet"] = {
            "rows": rows.num_rows,
            "bytes": len(file.getvalue()),
            "sha256": hashlib.sha256(file.getvalue()).hexdigest(),
        }
    packed["manifest.json"] = json.dumps(document).encode()
    return pack(packed)


def with_column(table: str, column: str, make: Callable[[pa.ChunkedArray], Any]) -> Any:
    def change(tables: Tables) -> Tables:
        rows = tables[table]
        place = rows.schema.get_field_index(column)
        values = make(rows[column])
        if not isinstance(values, pa.ChunkedArray):
            values = pa.array(values, rows.schema.field(place).type)
        return tables | {table: rows.set_column(place, column, values)}

    return change
