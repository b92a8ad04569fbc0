"""Downloads of tables and charts, each made when its button is pressed; and uploads, kept beside
the store so that a link and a reload find them again."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dcq import charts, settings
from dcq.documents import report_file
from dcq.documents.names import caption_lines, tell_apart
from dcq.errors import DcqError, InputError
from dcq.files import export
from dcq.partitions import uploads
from dcq.quiz.results import Result
from dcq.store import Store, private_wordings
from dcq.store.studies import Study
from dcq.ui import notice, roles
from dcq.ui.roles import UserRole

_TABLES = {".csv": "text/csv", ".parquet": "application/vnd.apache.parquet"}


def offer_file(
    label: str,
    make: Callable[[], bytes | str],
    name: str,
    mime: str | None = None,
    *,
    key: str,
    needed: UserRole = UserRole.VIEWER,
    **look: Any,
) -> None:
    """The button of a file, which ``make`` makes when it is pressed by somebody who has the role
    ``needed``. If it is refused, the reason stands in the place of the button until the page is
    drawn again. ``look``: as of ``st.download_button``."""
    refused = f"{key}_refused"
    if reason := st.session_state.pop(refused, ""):
        notice.error(reason)  # the button would show a message of Streamlit's, without the reason
        return
    allowed = roles.while_allowed(lambda: None, needed)
    private = private_wordings.count_private(Store(settings.load().store))

    def check() -> None:
        # The file is made outside of the page, where nothing can be shown.
        try:
            allowed()
            if private:
                make()
        except DcqError as error:
            st.session_state[refused] = str(error)

    st.download_button(
        label,
        roles.while_allowed(make, needed),
        name,
        mime,
        key=key,
        on_click=notice.told(check) if private or roles.shared() else "ignore",
        **look,
    )


def offer_table(
    label: str,
    stem: str,
    make: Callable[[], pd.DataFrame],
    *,
    key: str,
    suffixes: Sequence[str] = tuple(_TABLES),
) -> None:
    """Buttons for a table as csv and parquet, named ``stem``."""
    for suffix in suffixes:

        def content(suffix: str = suffix) -> bytes:
            data = make()
            export.refuse_private_rows(Store(settings.load().store), data)
            return export.to_bytes(data, suffix)

        offer_file(
            f"{label} · {suffix[1:]}",
            content,
            f"{stem}{suffix}",
            _TABLES[suffix],
            key=f"{key}{suffix}",
            icon=":material/table:",
            width="stretch",
        )


_NAMED = {".yaml": "Model card", ".pptx": "Slides"}


def offer_report(store: Store, within: Study, *, key: str) -> None:
    """Buttons for the document of a study."""
    with_text = not st.checkbox(
        "Report without instances",
        key=f"{key}_without_text",
        help="A hash stands in the place of the one instance that the report shows.",
    )
    for suffix, mime in report_file.TYPES.items():
        if suffix in report_file.SLIDES and report_file.browser() is None:
            continue

        def content(suffix: str = suffix) -> bytes:
            from dcq.documents import deck  # here, because most pages do without

            return report_file.to_bytes(deck.build(store, within, with_text=with_text), suffix)

        offer_file(
            f"{_NAMED.get(suffix, 'Report')} · {suffix[1:]}",
            content,
            f"dcq-report{suffix}",
            mime,
            key=f"{key}{suffix}",
            icon=":material/description:",
            width="stretch",
        )


def bundle_name(within: Study, part: str = "") -> str:
    """What the file of a study is called."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", within.name).strip("-")
    return f"dcq-{name or 'everything'}{part}.zip"


def offer_bundle(store: Store, within: Study, *, key: str) -> None:
    """Buttons for a study as one file that can be imported elsewhere, with texts and without."""
    for with_text, words, part in ((True, "Bundle", ""), (False, "Bundle without texts", "-bare")):

        def content(with_text: bool = with_text) -> bytes:
            from dcq.files import bundle_write  # takes a while to import

            return bundle_write.to_bytes(store, within, with_text=with_text)[0]

        offer_file(
            f"{words} · zip",
            content,
            bundle_name(within, part),
            "application/zip",
            key=f"{key}{part}",
            icon=":material/inventory_2:",
            width="stretch",
            help="The study with all that its verdicts rest on. `dcq import` checks it elsewhere.",
        )


def offer_chart(stem: str, figure: go.Figure, *, key: str, about: Sequence[Result]) -> None:
    """Buttons for a chart as SVG and PNG, named ``stem``; the runs it is ``about`` are listed below
    it."""
    offer_picture(stem, figure, lambda: caption_lines(about, with_ids=True), key=key)


def offer_picture(
    stem: str, figure: go.Figure, caption: Callable[[], Sequence[str]], *, key: str
) -> None:
    """As ``offer_chart``, with the lines of ``caption`` below it."""
    for suffix, mime in (("svg", "image/svg+xml"), ("png", "image/png")):

        def content(suffix: str = suffix) -> bytes:
            file_format: Literal["svg", "png"] = "svg" if suffix == "svg" else "png"
            return charts.to_image(figure, file_format, caption=caption())

        offer_file(
            f"Chart · {suffix}",
            content,
            f"{stem}.{suffix}",
            mime,
            key=f"{key}_{suffix}",
            icon=":material/image:",
            width="stretch",
        )


def offer_text(label: str, name: str, text: str, *, key: str) -> None:
    """A button for a text file."""
    offer_file(
        label,
        lambda: text,
        name,
        "text/plain",
        key=key,
        icon=":material/list:",
    )


MOST_MEGABYTES = 200


def folder(store: Store) -> Path:
    """The folder of uploads."""
    return store.path.parent / "uploads"


def given_names(paths: Mapping[str, Path]) -> dict[str, str]:
    """The names that uploads had before, by their names here; two that had the same are told apart,
    because a widget takes options of one name for one option."""
    return tell_apart({name: uploads.given_name(path) for name, path in paths.items()})


def ask(
    store: Store,
    label: str,
    *,
    key: str,
    part: str = "",
    kinds: Sequence[str] = uploads.SUFFIXES,
    where: DeltaGenerator | None = None,
) -> Path | None:
    """A field for a file; returns the file that was just uploaded, kept in a ``part`` of the
    uploads. None where there is none, where it was handled before, or where it cannot be kept
    (which is shown)."""
    reason = roles.why_not(roles.UserRole.ANNOTATOR)
    upload = (where or st).file_uploader(
        label,
        type=list(kinds),
        key=f"{key}_upload",
        max_upload_size=MOST_MEGABYTES,
        disabled=bool(reason),
        help=reason,
    )
    if upload is None or st.session_state.get(f"{key}_kept") == upload.file_id:
        return None
    try:
        roles.require(roles.UserRole.ANNOTATOR)
        saved = uploads.keep(
            folder(store),
            upload.name,
            upload.getvalue(),
            part=part,
            owner=roles.uploader(),
            kinds=kinds,
        )
    except InputError as error:
        notice.error(error)
        return None
    st.session_state[f"{key}_kept"] = upload.file_id
    return saved
