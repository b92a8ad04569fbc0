"""Puts a copy of the store back in its place, while nothing works on the store."""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from dcq.errors import InputError, StoreCorruptError, StoreReadOnlyError, StoreTooNewError
from dcq.jobs import lock
from dcq.jobs.process import STARTING
from dcq.store import Store, copies, private_wordings, sources
from dcq.store.sources import SourceKind


def restore(store: Store, file: Path, *, mine: bool = False) -> Path | None:
    """Replace the store by the rows of a copy; returns the path at which the old store is kept,
    None where there was none.

    A copy with the identity of the store is one's own, and so is one that a person calls ``mine``,
    as on a new machine. Of a copy of one's own, runs are marked as others' that the present store
    has not asked and left no file of; of another's copy all are, and its weights are none. What the
    present store keeps secret stays so.

    Raises InputError, and changes nothing, while a run is in progress, and for a file that is no
    store of this release or an older one, or has invalid rows.
    """
    _check_idle(store)
    place = Path(os.path.realpath(store.path))
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".dcq-restore-", dir=place.parent) as folder:
            copy = copies.read(file, Path(folder))
            path = _name_for(place)
            with lock.wait_for(store, STARTING):
                _mark(store, Store(copy), file.name, mine=mine)
                if _asked_here(store) is not None:
                    private_wordings.carry_over(store, Store(copy))
                store.replace_file(copy, path, lambda: _check_idle(store))
    except OSError as error:
        raise StoreReadOnlyError(
            f"{place.parent} cannot be written ({error.strerror}); make it a folder that you may "
            "write in."
        ) from error
    return path if path.exists() else None


def say_whose(store: Store) -> str:
    """Whose the runs of a restored store are, for people; empty where all are one's own."""
    newest = next(iter(sources.listing(store)), None)
    if newest is None or newest.kind is not SourceKind.BACKUP:
        return ""
    return (
        "Runs that were not asked from this store stand beside your own: they count only once you "
        f"take them in (python -m dcq imported take-in {newest.id}). If the backup is your own, "
        "restore it with --mine."
    )


def _mark(store: Store, copy: Store, name: str, *, mine: bool) -> None:
    """Mark the runs of a copy that are not one's own."""
    asked = _asked_here(store)
    own_copy = mine or copies.identity(store) == sources.identity(copy) != ""
    if not own_copy:
        sources.mark_restored(copy, name, None)
        return
    if asked is None:
        return
    known = {run for run, *_ in asked}
    own = [
        run
        for run in sources.own_runs(copy)
        if run in asked or (run[0] not in known and (mine or _left_files(store, run[0])))
    ]
    sources.mark_restored(copy, name, own)


def _asked_here(store: Store) -> set[tuple[str, str, str]] | None:
    """The runs that were asked from the store, with models and addresses; None where it cannot be
    read."""
    if not store.path.exists():
        return None
    try:
        return set(sources.own_runs(store))
    except (StoreCorruptError, StoreTooNewError):
        return None


def _left_files(store: Store, run: str) -> bool:
    """Whether a run has its log beside the store, as each has that was asked here."""
    return any(store.runs_folder.glob(f"{run}.*"))


def _check_idle(store: Store) -> None:
    """Raise InputError where a process works on a run of this store."""
    names = (path.stem for path in store.runs_folder.glob("*.lock"))
    busy = [name for name in names if name not in {"store", STARTING} and lock.is_held(store, name)]
    if busy:
        raise InputError(
            f"A process is at work on this store ({busy[0]}); let it end or cancel it, then "
            "restore."
        )


def _name_for(place: Path) -> Path:
    """A name that is free, with today's date."""
    stem = f"{place.stem}.before-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    names = (f"{stem}{f'-{n}' if n else ''}{place.suffix}" for n in range(1000))
    return next(path for name in names if not (path := place.with_name(name)).exists())
