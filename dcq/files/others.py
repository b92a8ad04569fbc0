"""What others sent: a bundle is kept beside one's own results, taken in, taken back, or asked
again.

Its rows join those of the store only by ``take_in`` and ``copy_questions``, which somebody decides.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from dcq import methods
from dcq.errors import InputError
from dcq.files import bundle_import
from dcq.files.bundle import WHOLE, Outcomes
from dcq.files.bundle_import import Bundle, Imported, Unpacked
from dcq.naming import read_name
from dcq.partitions import catalog
from dcq.store import Store, quizzes, samples, sources
from dcq.store.bundle_put import add_rows
from dcq.store.connect import utc_now
from dcq.store.sittings import person_key
from dcq.store.sources import LONGEST_SENDER, SentConclusion, Source, SourceKind, SourceRun
from dcq.words import visible


def keep(store: Store, path: Path, *, sender: str = "", author: str = "") -> Imported:
    """Check a bundle and keep it beside the results of the store, named with its ``sender``, by
    default the file's name; ``author`` is who imports it. Raises InputError, and keeps nothing, for
    a file that is no sound bundle."""
    name = f"{sources.NO_NAME} {visible(path.name)[:60]}"
    if sender.strip():
        name = read_name(sender, "sender", LONGEST_SENDER)
    bundle, packed = bundle_import.read_whole(path)
    discrepancies, recomputed = bundle_import.recompute(bundle, path.name)
    manifest = bundle.manifest
    done = Imported(manifest, bundle.sha256, {}, tuple(discrepancies), ())
    if manifest.text != WHOLE:
        return done
    own = {run for run, *_ in sources.own_runs(store)}
    done = replace(
        done,
        altered=sources.otherwise_here(store, bundle.tables["run"], bundle.tables["answer"]),
    )
    brought = [run for run in _runs(bundle) if run.run not in own]
    if not brought:
        return done
    source = Source(
        *(bundle.sha256, SourceKind.BUNDLE, name, visible(path.name)[:200]),
        *(manifest.study, author, utc_now()),
    )
    sources.keep(store, source, packed, _outcomes(recomputed), brought)
    return replace(done, source=sources.load(store, source.id))


def _runs(bundle: Bundle) -> list[SourceRun]:
    columns = ["id", "method", "model", "subject", "sample_id"]
    rows = bundle.tables["run"].select(columns).to_pylist()
    return [SourceRun(bundle.sha256, *(str(row[name]) for name in columns)) for row in rows]


def _outcomes(recomputed: Outcomes) -> list[SentConclusion]:
    """The answers of the sender's study; results of pairs that have none, as those of controls,
    need no line of their own."""
    runs_by_pair: dict[tuple[str, str], list[str]] = {}
    for row in (*recomputed.results, *recomputed.replications, *recomputed.others):
        pair = str(row.get("model")), str(row.get("partition"))
        runs_by_pair.setdefault(pair, []).append(str(row["run"]))
    return [
        SentConclusion(
            str(row["model"]),
            str(row["partition"]),
            str(row["ruling"]),
            str(row["sentence"]),
            tuple(
                dict.fromkeys(
                    [str(entry["run"]) for entry in row["methods"]]
                    + runs_by_pair.get((row["model"], row["partition"]), [])
                )
            ),
        )
        for row in recomputed.answers or []
    ]


@contextmanager
def opened(store: Store, source: Source) -> Iterator[Unpacked]:
    """What a kept bundle gives, in a store of its own that lives until the block ends."""
    bundle = bundle_import.read_open(io.BytesIO(sources.data(store, source.id)), source.file)
    with bundle_import.unpack(bundle, source.file) as alone:
        yield alone


def take_in(store: Store, source_id: str, author: str = "") -> Source:
    """Let the runs of a source count in the studies of this store, recorded with who and when. Its
    texts, quizzes and runs join those of the store; of what the store has already, nothing changes,
    and its studies, weights and choices stay out. Raises InputError where it is taken in
    already."""
    source = sources.load(store, source_id)
    if not source.taken:
        _add(store, source, others_of=source.id)
    return sources.record_taking(store, source.id, author, taken=True)


def take_back(store: Store, source_id: str, author: str = "") -> Source:
    """Let the runs of a source no longer count, recorded with who and when. Raises InputError where
    it is not taken in."""
    return sources.record_taking(store, source_id, author, taken=False)


@dataclass(frozen=True)
class AskedByOthers:
    """What can be asked again as one's own: a ``run`` of others with the ``sample`` that it is
    about, and the ``quiz``, None where it was another method."""

    run: SourceRun
    sample: str
    quiz: str | None


def copy_questions(store: Store, run_id: str) -> AskedByOthers:
    """Make the quiz of a run of others, with its sample, one's own, so that it can be asked again.
    What the store has of them stays as it is. Raises InputError where it is no run of others, or
    its quiz is of rewordings of instances that the store has in other words."""
    found = sources.run_of_others(store, run_id)
    if found is None:
        raise InputError(
            f"No run of others has the id {run_id!r}; see `python -m dcq imported list`."
        )
    source, run = found
    if run.method != "quiz":
        if run.sample not in {entry.id for entry in samples.listing(store)}:
            _add(store, source, texts_of=run.sample)
        return AskedByOthers(run, run.sample, None)
    if not _has_quiz(store, run.subject):
        _add(store, source, texts_of=run.subject)
    if not _has_quiz(store, run.subject):
        raise InputError(
            "Its questions are about a set of rewordings of instances that you have; ask your own "
            f"quiz of sample {run.sample} instead."
        )
    return AskedByOthers(run, run.sample, run.subject)


def _has_quiz(store: Store, quiz: str) -> bool:
    return quiz in set(quizzes.listing(store)["quiz"])


def _add(
    store: Store, source: Source, *, others_of: str | None = None, texts_of: str | None = None
) -> Mapping[str, int]:
    """Add rows of a kept bundle; a backup's are in the store already."""
    if source.kind is not SourceKind.BUNDLE:
        return {}
    name = source.file
    bundle = bundle_import.read_open(io.BytesIO(sources.data(store, source.id)), name)
    if bundle.sha256 != source.id:
        raise InputError("The kept bundle is not the one that was imported; import it again.")
    bundle_import.recompute(bundle, name)  # its rows fit one another
    return add_rows(
        store,
        _with_names_of_the_sender(_with_roles_of_the_catalog(bundle.tables), source.who),
        methods.run_names(),
        checked=True,
        others_of=others_of,
        texts_of=texts_of,
    )


def _with_roles_of_the_catalog(tables: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """The tables, in which a dataset of the catalog has the catalog's role: which texts a model
    cannot have seen is nothing that a sender decides."""
    changed = dict(tables)
    for name, column in (("partition", "id"), ("partition_role", "partition_id")):
        if name not in tables:
            continue
        entries = [catalog.find(one.rpartition("/")[0]) for one in tables[name][column].to_pylist()]
        roles = [
            str(entry.role) if entry else given
            for entry, given in zip(entries, tables[name]["role"].to_pylist(), strict=True)
        ]
        changed[name] = _with_column(tables[name], "role", roles)
    return changed


# Columns that name a person, each with the one that all spellings of the name share, if any.
_PEOPLE = (("author", ""), ("annotator", ""), ("person", "person_key"))


def _with_names_of_the_sender(tables: Mapping[str, pa.Table], who: str) -> dict[str, pa.Table]:
    """The tables, in which whoever wrote, read or labelled something is named with the sender."""
    changed = dict(tables)
    for name, rows in tables.items():
        for column, key in _PEOPLE:
            if not {column, key or column} <= {*rows.column_names}:
                continue
            people = [sources.name_sent(one, who) for one in rows[column].to_pylist()]
            changed[name] = _with_column(changed[name], column, people)
            if key:
                keys = [person_key(one) for one in people]
                changed[name] = _with_column(changed[name], key, keys)
    return changed


def _with_column(table: pa.Table, name: str, values: list[str]) -> pa.Table:
    place = table.schema.get_field_index(name)
    field = table.schema.field(place)
    return table.set_column(place, field, pa.array(values, field.type))
