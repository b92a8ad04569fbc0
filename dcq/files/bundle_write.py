"""Writing a study as a bundle."""

from __future__ import annotations

import hashlib
import io
import json
import platform
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, fields
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dcq import methods
from dcq.environment import read_variable
from dcq.errors import InputError
from dcq.evidence.kappa import Kappa
from dcq.files import export
from dcq.files.bundle import (
    FORMAT,
    MANIFEST,
    MOST_MANIFEST,
    MOST_PACKED,
    MOST_UNPACKED,
    WHOLE,
    WITHHELD,
    Baseline,
    BundleFile,
    BundleManifest,
    Seed,
    Wording,
    dump,
)
from dcq.files.bundle_outcomes import outcomes_of
from dcq.models.endpoints import ANY_URL_KEY
from dcq.models.presets import PRESETS
from dcq.overlap.search.providers import PROVIDERS
from dcq.quiz.text_scores import text_scores
from dcq.store import Store, migrations
from dcq.store.bundle_take import take
from dcq.store.private_wordings import refuse_private
from dcq.store.studies import EVERYTHING, Study
from dcq.version import __version__

_LIBRARIES = ("duckdb", "numpy", "pandas", "pyarrow", "scipy", "rouge-score", "wordfreq", "nltk")
_SEEDED = ("sample", "rewording", "replication")
_WRITTEN_ELSEWHERE = ("run", "run_event", "answer")  # by endpoints, and about them
_UNIX = 3  # the system that a zip's entries are said to be from, on whichever they are written
_KEY, _SHORTEST_KEY = "[key left out]", 8
_CREDENTIALS = r"://[^/@\s]+@"  # of an address, before its host
_WITHOUT_TEXT = (
    "Texts are withheld: their SHA-256 stands in their place, so text-only baselines are carried "
    "as figures.",
    "Replication scores completions against texts, so its results are carried as figures and "
    "cannot be computed again. What can is corrected by itself, without the replications.",
)


def to_bytes(
    store: Store, within: Study = EVERYTHING, *, with_text: bool = True, csv: bool = False
) -> tuple[bytes, BundleManifest]:
    """A study as the content of a zip file, and its manifest. Raises InputError where the study
    has no run, and where it is too large for a bundle."""
    tables = {
        name: _without_keys(rows) if name in _WRITTEN_ELSEWHERE else rows
        for name, rows in take(store, within, methods.kinds_of(within), with_text=with_text).items()
    }
    if "run" not in tables:
        raise InputError("No model was asked in this study yet, so there is nothing to bundle.")
    refuse_private(store, lambda: _texts(tables.values()), "Texts of this study")
    contents = {f"tables/{name}.parquet": _parquet(rows) for name, rows in tables.items()}
    if csv:
        contents |= {f"csv/{name}.csv": _csv(rows) for name, rows in tables.items()}
    counts = {name: rows.num_rows for name, rows in tables.items()}
    files = {
        name: BundleFile(
            counts[name.partition("/")[2].partition(".")[0]],
            len(data),
            hashlib.sha256(data).hexdigest(),
        )
        for name, data in contents.items()
    }
    manifest = _manifest(store, within, tables, files, with_text=with_text)
    manifest_bytes = dump(manifest)
    packed = _pack({MANIFEST: manifest_bytes, **contents})
    if (
        len(packed) > MOST_PACKED
        or sum(map(len, contents.values())) > MOST_UNPACKED
        or len(manifest_bytes) > MOST_MANIFEST
    ):
        raise InputError(
            f"This study makes a bundle of more than {MOST_PACKED / 1e6:.0f} MB, or "
            f"{MOST_UNPACKED / 1e6:.0f} MB unpacked; save a narrower study and bundle that."
        )
    return packed, manifest


def searches_of(tables: Mapping[str, pa.Table]) -> list[str]:
    """The runs of a bundle that searched for instances."""
    runs = tables["run"].select(["id", "method"]).to_pylist()
    return [str(run["id"]) for run in runs if run["method"] in {"search", "scan"}]


def _manifest(
    store: Store,
    within: Study,
    tables: Mapping[str, pa.Table],
    files: dict[str, BundleFile],
    *,
    with_text: bool,
) -> BundleManifest:
    quizzes = tables["quiz"]["id"].to_pylist() if "quiz" in tables else []
    wordings = tables["run"].select(["prompt", "wording"]).to_pylist()
    return BundleManifest(
        format=FORMAT,
        rule=within.rule,
        dcq=__version__,
        made_at=_newest(tables).isoformat(timespec="seconds"),
        study=within.name or None,
        text=WHOLE if with_text else WITHHELD,
        steps=list(migrations.names()),
        libraries=dict(_versions()),
        prompts=[
            Wording(*pair)
            for pair in sorted({(str(row["prompt"]), str(row["wording"])) for row in wordings})
        ],
        seeds=[
            Seed(name, str(row["id"]), int(row["seed"]))
            for name in _SEEDED
            if name in tables
            for row in tables[name].select(["id", "seed"]).to_pylist()
        ],
        files=files,
        # With texts they are computed again.
        baselines={} if with_text else _baselines(store, [str(quiz_id) for quiz_id in quizzes]),
        outcomes=outcomes_of(store, within, searches_of(tables), with_text=with_text),
        sentences=[] if with_text else list(_WITHOUT_TEXT),
    )


def _newest(tables: Mapping[str, pa.Table]) -> datetime:
    """When the newest of the rows was made (UTC): the same for the same rows, unlike the clock."""
    times = [rows["made_at"] for rows in tables.values() if "made_at" in rows.schema.names]
    newest: datetime = max(pc.max(column).as_py() for column in times)
    return newest


def _baselines(store: Store, quizzes: Sequence[str]) -> dict[str, list[Baseline]]:
    return {
        quiz: [Baseline(baseline.name, *astuple(baseline.kappa)) for baseline in baselines]
        for quiz, baselines in text_scores(store, quizzes).items()
    }


def kappa_of(baseline: Baseline) -> Kappa:
    """The κ of a baseline as it was computed."""
    return Kappa(**{field.name: getattr(baseline, field.name) for field in fields(Kappa)})


def _versions() -> Iterable[tuple[str, str]]:
    yield "python", platform.python_version()
    for name in _LIBRARIES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def _pack(contents: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in contents.items():
            info = zipfile.ZipInfo(name)  # of no time: the same rows are the same file
            info.create_system, info.external_attr = _UNIX, 0o644 << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _parquet(rows: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(rows.combine_chunks(), buffer, compression="zstd")
    return buffer.getvalue()


def _csv(rows: pa.Table) -> bytes:
    """For people: lists as JSON, and no cell that a spreadsheet runs."""
    data = rows.to_pandas(ignore_metadata=True, date_as_object=True)
    for name, kind in zip(rows.schema.names, rows.schema.types, strict=True):
        if pa.types.is_list(kind):
            lists = rows[name].to_pylist()
            data[name] = pd.Series([json.dumps(values, ensure_ascii=False) for values in lists])
    return export.to_bytes(data, ".csv")


def _without_keys(rows: pa.Table) -> pa.Table:
    """Without any key that is set here and without the user name in an address: neither should be
    there, but an endpoint may have repeated one in an error."""
    for place, (name, kind) in enumerate(zip(rows.schema.names, rows.schema.types, strict=True)):
        if not pa.types.is_string(kind):
            continue
        column = rows[name]
        for key in _keys():
            column = pc.replace_substring(column, key, _KEY)
        column = pc.replace_substring_regex(column, _CREDENTIALS, "://")
        rows = rows.set_column(place, rows.schema.field(place), column)
    return rows


def _texts(tables: Iterable[pa.Table]) -> Iterator[str]:
    """Every different text in the tables, also those in lists."""
    for rows in tables:
        for column in rows.columns:
            flat = column
            while pa.types.is_list(flat.type):
                flat = pc.list_flatten(flat)
            if pa.types.is_string(flat.type):
                yield from (text for text in pc.unique(flat).to_pylist() if text)


def _keys() -> list[str]:
    """The keys that are set, longest first."""
    variables = {
        ANY_URL_KEY,
        *(preset.key_variable for preset in PRESETS),
        *(p.key_variable for p in PROVIDERS),
    }
    keys = {read_variable(variable) for variable in variables if variable}
    keys |= {re.sub(r"^Bearer\s+", "", key) for key in keys}
    return sorted((key for key in keys if len(key) >= _SHORTEST_KEY), key=len, reverse=True)
