"""Puts a copy of the store back in its place, while nothing works on the store."""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from dcq.errors import InputError, StoreCorruptError, StoreReadOnlyError, StoreTooNewError
from dcq.jobs import lock
from dcq.jobs.process import STARTING
from dcq.store import Store, copies, runs


def restore(store: Store, file: Path) -> Path | None:
    """Replace the store by the rows of a copy; returns the path at which the old store is kept,
    None where there was none.

    Raises InputError, and changes nothing, while a run is in progress, and for a file that is no
    store of this release or an older one, or has invalid rows. Runs that the present store has not
    asked itself are marked as imported.
    """
    _check_idle(store)
    place = Path(os.path.realpath(store.path))
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".dcq-restore-", dir=place.parent) as folder:
            copy = copies.read(file, Path(folder))
            path = _name_for(place)
            with lock.wait_for(store, STARTING):
                runs.mark_imported(Store(copy), _own(store))
                store.replace_file(copy, path, lambda: _check_idle(store))
    except OSError as error:
        raise StoreReadOnlyError(
            f"{place.parent} cannot be written ({error.strerror}); make it a folder that you may "
            "write in."
        ) from error
    return path if path.exists() else None


def _own(store: Store) -> list[tuple[str, str]]:
    """The runs that the store has asked itself; none where it cannot be read."""
    if not store.path.exists():
        return []
    try:
        return runs.own_runs(store)
    except (StoreCorruptError, StoreTooNewError):
        return []


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
