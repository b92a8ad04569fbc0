"""Importing a bundle: its verdicts are computed again, and compared with those in its manifest.

This is done in an empty store, so that a difference is the bundle's own. The bundle comes from a
stranger: what its manifest says is checked, and nothing that it names is written anywhere. What
becomes of it beside one's own results, ``dcq.files.others`` says.
"""

from __future__ import annotations

import hashlib
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from dcq import methods
from dcq.errors import InputError, PartitionError, StoreError
from dcq.files.bundle import (
    MANIFEST,
    MOST_DIRECTORY,
    MOST_MANIFEST,
    MOST_MEMORY,
    MOST_PACKED,
    MOST_UNPACKED,
    WHOLE,
    BundleManifest,
    Outcomes,
    damaged,
    parse,
)
from dcq.files.bundle_outcomes import (
    differences,
    in_both,
    outcomes_of,
    recomputable_without_texts,
    shorten,
    without_texts,
)
from dcq.files.bundle_write import kappa_of, searches_of
from dcq.incoming.plain_file import open_plain
from dcq.partitions.parquet import read_arrow
from dcq.quiz.text_scores import TextScores, text_scores
from dcq.store import Store, runs, studies
from dcq.store.bundle_put import add_rows
from dcq.store.own_store import OwnStore
from dcq.store.sources import Source
from dcq.store.studies import EVERYTHING, RULE, Study
from dcq.variants.leakage import TextOnly
from dcq.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa


_MOST_RUNS = 1_000_000


@dataclass(frozen=True)
class Imported:
    """The outcome of an import. ``source`` is what the bundle is kept as, beside one's own results;
    None where it was only checked, or has nothing that the store has not. ``added`` counts new rows
    by table where it was put into a store of its own. ``differences`` are between the verdicts in
    the manifest and those computed from the rows; ``here`` between the latter and those in that
    store.
    ``altered`` is a run of one's own that the bundle has with other answers, which were not kept.
    ``carried`` says what could not be computed again. ``sha256`` is the manifest's."""

    manifest: BundleManifest
    sha256: str
    added: Mapping[str, int]
    differences: tuple[str, ...]
    here: tuple[str, ...]
    source: Source | None = None
    altered: str | None = None

    @property
    def stored(self) -> bool:
        """Whether it has its texts, so that it can be kept."""
        return self.manifest.text == WHOLE

    def document(self) -> dict[str, Any]:
        """The outcome as JSON."""
        return {
            "study": self.manifest.study,
            "made_at": self.manifest.made_at,
            "dcq": self.manifest.dcq,
            "manifest_sha256": self.sha256,
            "text": self.manifest.text,
            "stored": self.stored,
            "id": self.source and self.source.id,
            "sender": self.source and self.source.sender,
            "added": dict(self.added),
            "results": len(self.manifest.outcomes.results),
            "replications": len(self.manifest.outcomes.replications),
            "others": len(self.manifest.outcomes.others),
            "overlaps": len(self.manifest.outcomes.overlaps),
            "agree": not self.differences,
            "differences": list(self.differences),
            "differences_here": list(self.here),
            "other_answers_of": self.altered,
            "carried": list(self.manifest.sentences),
        }

    def sentence(self) -> str:
        """The outcome as a sentence for people."""
        outcomes = self.manifest.outcomes
        others = outcomes.others if self.stored else recomputable_without_texts(outcomes.others)
        count = len(outcomes.results) + len(outcomes.overlaps) + len(others)
        if self.stored:  # else nobody computed them
            count += len(outcomes.replications)
        lines = [self._kept()]
        if self.altered:
            lines.append(
                f"Run {self.altered} is one of your own, and the bundle has other answers of it, "
                "which were not kept: ask the sender where they come from."
            )
        if self.differences:
            lines += ["Computed again, this differs from the bundle:", *self.differences]
        else:
            lines.append(f"Computed again, all {count:,} results agree with the bundle.")
        lines += self.manifest.sentences
        if self.here:
            lines += ["This store holds more than the bundle, and so says:", *self.here]
        return "\n".join(lines)

    def _kept(self) -> str:
        if not self.stored:
            return "Nothing was stored: the bundle has no texts, so it can only be checked."
        if self.source is not None:
            return (
                f"Kept beside your own results, as those of {self.source.who}. They count in your "
                "studies once you take them in: python -m dcq imported take-in "
                f"{self.source.id[:12]}"
            )
        if self.added:
            return f"{sum(self.added.values()):,} rows are new in this store."
        if self.altered:
            return "Nothing was kept: all of its runs are your own."
        return "This store has all of its runs already, as your own."


def load(store: Store, path: Path) -> Imported:
    """Check a bundle and put it into a store of its own, where it is judged as the sender's study.
    Raises InputError, and stores nothing, for a file that is no sound bundle, and for one that
    contradicts the store."""
    bundle = read(path)
    manifest = bundle.manifest
    discrepancies = check(bundle, path.name)
    with_text = manifest.text == WHOLE
    added = add_rows(store, bundle.tables, methods.run_names(), checked=True) if with_text else {}
    here: list[str] = []
    if with_text and set(runs.listing(store, limit=_MOST_RUNS)) - _runs(bundle):
        now = outcomes_of(store, _study_of(manifest, store), searches_of(bundle.tables))
        here = differences(*in_both(manifest.outcomes, now))
    return Imported(manifest, bundle.sha256, added, tuple(discrepancies), tuple(here))


def _study_of(manifest: BundleManifest, store: Store) -> Study:
    """The sender's study, with the rule that its conclusions were drawn by."""
    within = studies.load(store, manifest.study) if manifest.study else EVERYTHING
    return replace(within, rule=manifest.rule)


def check(bundle: Bundle, name: str) -> list[str]:
    """A sentence for each result that follows from the bundle's rows in another way than its
    manifest says. Raises InputError where no result can be computed from them."""
    return recompute(bundle, name)[0]


def recompute(bundle: Bundle, name: str) -> tuple[list[str], Outcomes]:
    """What ``check`` gives, and what the bundle's rows give, judged as the sender's study."""
    manifest = bundle.manifest
    with_text = manifest.text == WHOLE
    with unpack(bundle, name) as alone:
        recomputed = outcomes_of(
            alone.store,
            alone.within,
            searches_of(bundle.tables),
            text_of=alone.text_of,
            with_text=with_text,
            with_text_methods=with_text,
        )
    recorded = manifest.outcomes
    if not with_text:
        others = recomputable_without_texts(recorded.others)
        # The rest needs texts.
        recorded = Outcomes(recorded.results, [], recorded.overlaps, others, recorded.answers)
    is_this_wording = manifest.dcq == __version__ and manifest.rule == RULE
    found = differences(recorded, recomputed, wording=is_this_wording)
    return found, recomputed


@dataclass(frozen=True, eq=False)
class Unpacked:
    """A bundle's rows in a ``store`` of their own, its study, and the text-only scores of its
    quizzes, which come from the manifest where texts are withheld; ``has_texts`` says that they
    are not."""

    store: Store
    within: Study
    text_of: TextScores
    has_texts: bool

    @property
    def judged(self) -> Study:
        """The study of what can be computed again."""
        return self.within if self.has_texts else without_texts(self.within)


@contextmanager
def unpack(bundle: Bundle, name: str) -> Iterator[Unpacked]:
    """Put a bundle's rows into an empty store, which lives until the block ends. Raises InputError
    where the rows cannot be used."""
    manifest = bundle.manifest
    with_text = manifest.text == WHOLE
    with (
        tempfile.TemporaryDirectory(prefix="dcq-bundle-") as folder,
        closing(OwnStore(Path(folder))) as alone,
    ):
        add_rows(alone, bundle.tables, methods.run_names(), with_text=with_text)
        try:
            text_of = text_scores if with_text else _carried(manifest)
            yield Unpacked(alone, _study_of(manifest, alone), text_of, with_text)
        except StoreError:
            raise
        except Exception as error:  # whatever rows cause that do not fit one another
            why = shorten(f"{type(error).__name__}: {error}")
            raise damaged(name, f"its rows give no results ({why})") from error


def _carried(manifest: BundleManifest) -> TextScores:
    scores_by_quiz = {
        quiz: tuple(TextOnly(baseline.name, kappa_of(baseline), {}) for baseline in baselines)
        for quiz, baselines in manifest.baselines.items()
    }
    return lambda _, quizzes: {quiz: scores_by_quiz[quiz] for quiz in quizzes}


def _runs(bundle: Bundle) -> set[str]:
    return set(bundle.tables["run"]["id"].to_pylist())


_CHUNK = 1_000_000  # bytes
_SIGNATURE, _END = b"PK\x05\x06", 22  # of a zip's last record: how it begins, and its bytes
_COMPRESSED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, RuntimeError, EOFError,
    ValueError, OverflowError,
)  # fmt: skip


@dataclass(frozen=True)
class Bundle:
    """A bundle whose files match its manifest; ``sha256`` is that of the manifest."""

    manifest: BundleManifest
    sha256: str
    tables: Mapping[str, pa.Table]


def read(path: Path) -> Bundle:
    """The bundle in ``path``. Raises InputError where it is none, is damaged or is too large."""
    with _opened(path) as file:
        return read_open(file, path.name)


def read_whole(path: Path) -> tuple[Bundle, bytes]:
    """As ``read``, with the content of the file."""
    with _opened(path) as file:
        bundle = read_open(file, path.name)
        file.seek(0)
        return bundle, file.read(MOST_PACKED)


def read_open(file: BinaryIO, name: str) -> Bundle:
    """As ``read``, from an open file called ``name``."""
    try:
        with (
            _checked_directory(file, name) as archive,
            tempfile.TemporaryDirectory(prefix="dcq-bundle-") as folder,
        ):
            return _read(name, archive, Path(folder))
    except _UNREADABLE as error:
        raise InputError(f"{name} is not a zip file that can be read; copy it again.") from error


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with open_plain(path) as file:
            yield file
    except FileNotFoundError as error:
        raise InputError(f"{path} is not there; check the name.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the name.") from error


def _checked_directory(file: BinaryIO, name: str) -> zipfile.ZipFile:
    """The archive in ``file``. Raises InputError where it is large, or the list of its files is
    long: ``zipfile`` reads all of it, and makes an object of each line, before anyone can ask."""
    size_packed = file.seek(0, os.SEEK_END)
    if size_packed > MOST_PACKED:
        raise _too_large(name)
    file.seek(max(0, size_packed - _END - 65_535))  # a comment may follow
    tail = file.read(_END + 65_535)
    place = len(tail) - _END
    if place < 0 or tail[place : place + 4] != _SIGNATURE or tail[-2:] != bytes(2):
        place = tail.rfind(_SIGNATURE)
    if place < 0 or len(tail) < place + _END:
        raise zipfile.BadZipFile
    (size,) = struct.unpack_from("<L", tail, place + 12)
    # The longer form of the list, which no archive below 4 GB needs, says its size elsewhere.
    if size > MOST_DIRECTORY or tail[max(0, place - 20) : place].startswith(b"PK\x06\x07"):
        raise InputError(f"{name} has too many files for a bundle; `export bundle` makes one.")
    return zipfile.ZipFile(file)


def _read(name: str, archive: zipfile.ZipFile, folder: Path) -> Bundle:
    stored_zip_infos = {info.filename: info for info in archive.infolist()}
    if len(stored_zip_infos) < len(archive.infolist()):
        raise damaged(name, "it has two files of one name")
    if MANIFEST not in stored_zip_infos:
        raise InputError(f"{name} has no {MANIFEST}; `export bundle` makes such a file.")
    if sum(info.file_size for info in stored_zip_infos.values()) > MOST_UNPACKED + MOST_MANIFEST:
        raise _too_large(name)
    manifest_bytes = _unpack(name, archive, stored_zip_infos[MANIFEST], MOST_MANIFEST)
    manifest = parse(manifest_bytes, name)
    # Only what the manifest lists, under the names that a bundle has: no other is ever opened.
    if set(stored_zip_infos) != {MANIFEST, *manifest.files}:
        stray = min(set(stored_zip_infos) ^ {MANIFEST, *manifest.files})
        raise damaged(name, f"its manifest and its files differ ({stray[:60]!r})")
    for member, facts in manifest.files.items():
        data = _unpack(name, archive, stored_zip_infos[member], facts.bytes)
        if len(data) != facts.bytes or hashlib.sha256(data).hexdigest() != facts.sha256:
            raise damaged(name, f"{member} is not the file that was put into it")
        if member.startswith("tables/"):
            (folder / Path(member).name).write_bytes(data)
    tables = _decode(name, folder, manifest)
    return Bundle(manifest, hashlib.sha256(manifest_bytes).hexdigest(), tables)


def _unpack(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> bytes:
    """A file of the archive; reading stops at ``most`` bytes, whatever the archive says of it."""
    if info.file_size > most:
        raise (
            _too_large(name)
            if info.filename == MANIFEST
            else damaged(name, f"{info.filename} is larger than its manifest says")
        )
    parts, size = [], 0
    if info.compress_type not in _COMPRESSED:
        raise damaged(name, f"{info.filename[:60]} is packed in an unknown way")
    with archive.open(info) as file:
        while part := file.read(_CHUNK):
            size += len(part)
            if size > most:
                raise damaged(name, f"{info.filename[:60]} is larger than it says")
            parts.append(part)
    return b"".join(parts)


def _decode(name: str, folder: Path, manifest: BundleManifest) -> dict[str, pa.Table]:
    facts = {Path(m).stem: f for m, f in manifest.files.items() if m.startswith("tables/")}
    if not facts:
        raise damaged(name, "it has no tables")
    try:
        decoded = read_arrow([folder / f"{table}.parquet" for table in facts], MOST_MEMORY)
    except PartitionError:
        raise damaged(
            name, f"a table cannot be read, or all take more than {MOST_MEMORY / 1e6:.0f} MB"
        ) from None
    tables = dict(zip(facts, decoded, strict=True))
    for table, rows in tables.items():
        count = facts[table].rows
        if rows.num_rows != count:
            raise damaged(name, f"its table {table} has {rows.num_rows:,} rows, not {count:,}")
    return tables


def _too_large(name: str) -> InputError:
    return InputError(
        f"{name} is too large for a bundle: at most {MOST_PACKED / 1e6:.0f} MB, unpacked "
        f"{MOST_UNPACKED / 1e6:.0f} MB."
    )
