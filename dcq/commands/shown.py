"""Whose results a command shows."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dcq.commands.output import open_store, remark
from dcq.places import DATA
from dcq.store import Store, sources
from dcq.store.sources import Source, SourceKind
from dcq.store.studies import EVERYTHING, Study


@dataclass(frozen=True)
class Shown:
    """Whose results are looked at: those of ``store`` in the study ``within``. ``sender`` is who
    sent them, None where they are one's own."""

    store: Store
    within: Study
    sender: str | None


@contextmanager
def shown_results() -> Iterator[Shown]:
    """One's own results; but in a store in which nothing was asked, those of the bundle that was
    imported last, judged as the sender's study, with a remark that says so."""
    store = open_store()
    source = _only_imported(store)
    if source is None:
        yield Shown(store, EVERYTHING, None)
        return
    from dcq.files import others  # here, because it loads all that judges a bundle

    remark(
        f"Nothing was asked in this store. These are the results of {source.who}, judged as the "
        "study that they sent."
    )
    with others.opened(store, source) as alone:
        if not _is_bundled(source):
            sources.mark_sent(alone.store, source)
        yield Shown(alone.store, alone.judged, source.who)


RESULT, CONCLUSION = "result", "conclusion"


def nothing_of(what: str, model: str | None, partition: str | None, study: str | None) -> str:
    """A sentence for filters that name what exists and select nothing: ``what``, a result or a
    conclusion, is not there yet."""
    chosen = (f"of {model}" if model else "", f"on {partition}" if partition else "")
    where = " ".join(filter(None, (*chosen, f"in the study “{study}”" if study else "")))
    controls = "Controls never have one. " if what == CONCLUSION else ""
    return (
        f"There is no {what} {where} yet. {controls}Leave --model and --partition out to see all, "
        "or ask a model with: python -m dcq investigate"
    )


def _is_bundled(source: Source) -> bool:
    """Whether it is the example that comes with dcq, and nobody was named as its sender."""
    if not source.sender.startswith(sources.NO_NAME):
        return False
    try:
        with zipfile.ZipFile(DATA / "example.zip") as file:
            return hashlib.sha256(file.read("manifest.json")).hexdigest() == source.id
    except (OSError, KeyError, zipfile.BadZipFile):
        return False


def _only_imported(store: Store) -> Source | None:
    if sources.own_runs(store):
        return None
    kept = [source for source in sources.listing(store) if source.kind is SourceKind.BUNDLE]
    return None if any(source.taken for source in kept) else next(iter(kept), None)
