"""What others sent, for a notebook: a bundle kept beside one's own, taken in, taken back."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dcq import settings
from dcq.files import others
from dcq.store import Store, sources


def import_bundle(store: Store, path: Path | str, sender: str = "") -> pd.DataFrame:
    """Check the bundle at ``path`` and keep it beside your own results, named with its ``sender``.

    Returns what its rows give, judged as the sender's study: a row for each pair, with the columns
    ``id`` (of the import), ``sender``, ``model``, ``partition``, ``ruling`` and ``sentence``. None
    of it counts in your studies until you ``take_in`` that id. Raises InputError for a file that is
    no sound bundle.
    """
    done = others.keep(store, Path(path), sender=sender, author=settings.load().author)
    rows = [
        [done.source.id, done.source.who, o.model, o.partition, o.ruling, o.sentence]
        for o in (sources.outcomes(store, done.source.id) if done.source else ())
        if done.source
    ]
    columns = ["id", "sender", "model", "partition", "ruling", "sentence"]
    return pd.DataFrame(rows, columns=columns)


def take_in(store: Store, source_id: str) -> None:
    """Let the runs of the import ``source_id`` count in your studies, recorded with your name
    (``DCQ_AUTHOR``) and the time. Every conclusion that rests on them says so. Raises InputError
    for an unknown id, and where it is taken in already."""
    others.take_in(store, source_id, settings.load().author)


def take_back(store: Store, source_id: str) -> None:
    """Let the runs of the import ``source_id`` no longer count. Raises InputError for an unknown
    id, and where it is not taken in."""
    others.take_back(store, source_id, settings.load().author)
