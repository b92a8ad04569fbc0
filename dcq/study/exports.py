"""The files that a study writes when it ends."""

from __future__ import annotations

from pathlib import Path

from dcq import writer
from dcq.store import Store, studies
from dcq.store.studies import Study
from dcq.study.spec import StudySpec


def write_exports(store: Store, spec: StudySpec) -> list[Path]:
    """Write what a study's file names, and say what was written. Raises InputError as the writer
    does."""
    within = studies.load(store, spec.name) if spec.exports else Study(spec.name)
    for name, path in spec.exports.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        writer.write(path, _content(store, within, name, path.suffix))
    return list(spec.exports.values())


def _content(store: Store, within: Study, name: str, suffix: str) -> bytes:
    if name == "bundle":
        from dcq.files import bundle_write  # here, because most studies write none

        return bundle_write.to_bytes(store, within)[0]
    from dcq.documents import deck, report_file  # here, because most do without charts

    return report_file.to_bytes(deck.build(store, within), suffix)
