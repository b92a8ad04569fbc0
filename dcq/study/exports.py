"""The files that a study writes when it ends, in the forms that ``export`` knows."""

from __future__ import annotations

from pathlib import Path

from dcq import writer
from dcq.errors import InputError
from dcq.models import cutoffs
from dcq.store import Store, studies
from dcq.store.studies import Study
from dcq.study.spec import StudySpec


def write_exports(store: Store, spec: StudySpec) -> list[Path]:
    """Write what a study's file names, and say what was written.

    Raises InputError where one of them cannot be written; the others are.
    """
    within = studies.load(store, spec.name) if spec.exports else Study(spec.name)
    refused: list[str] = []
    for name, path in spec.exports.items():
        try:
            with cutoffs.stated(spec.cutoffs):
                content = _content(store, within, name, path.suffix)
            writer.make_folder(path.parent)
            writer.write(path, content)
        except InputError as error:
            refused.append(f"{path.name} was not written: {error}")
    if refused:
        raise InputError(" ".join(refused))
    return list(spec.exports.values())


def _content(store: Store, within: Study, name: str, suffix: str) -> bytes:
    # Each is imported here, because most studies write none.
    if name == "bundle":
        from dcq.files import bundle_write

        return bundle_write.to_bytes(store, within)[0]
    if name == "report":
        from dcq.documents import deck, report_file

        return report_file.to_bytes(deck.build(store, within), suffix)
    if name in {"results", "pairs"}:
        from dcq.files import export

        data = export.frame(store, export.ExportTable(name), within=within)
        return export.to_bytes(data, suffix)
    from dcq.documents import published_forms
    from dcq.judging.answers import answers

    of_study = answers(store, within)
    facts = published_forms.facts_of(store, of_study)
    return published_forms.to_bytes(published_forms.Form(name), of_study, facts)
