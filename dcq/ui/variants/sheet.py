"""The variants of a sample as a sheet: downloaded, and merged after a look at its changes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import streamlit as st

from dcq.errors import DcqError, InputError
from dcq.files import variant_sheet
from dcq.files.variant_sheet import Change, RowChange
from dcq.store import variants
from dcq.ui import downloads, notice
from dcq.ui.text import cut, plain
from dcq.ui.variants.curator import Curator

_SHOWN = 500  # rows of the preview
_MIMES = {
    ".csv": "text/csv",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def offer(curator: Curator) -> None:
    """Buttons that download the sheet."""
    for suffix, mime in _MIMES.items():

        def content(suffix: str = suffix) -> bytes:
            return variant_sheet.to_bytes(curator.store, curator.sample.id, suffix)

        downloads.offer_file(
            f"All variants · {suffix[1:]}",
            content,
            f"dcq-variants-{curator.sample.id}{suffix}",
            mime,
            key=f"variants_sheet{suffix}",
            icon=":material/table:",
            width="stretch",
        )


def take(curator: Curator) -> None:
    """A file field for a sheet, a preview of its changes, and the button that merges them."""
    upload = st.file_uploader(
        "A sheet with the columns instance, slot and variant",
        type=list(variant_sheet.SUFFIXES),
        key="variants_merge",
        max_upload_size=variant_sheet.MOST_BYTES // 10**6,
        disabled=bool(curator.why_not),
        help=curator.why_not or "The csv or xlsx file of this page, changed in a spreadsheet.",
    )
    if upload is None:
        return
    try:
        rows = variant_sheet.read(upload.getvalue(), Path(upload.name).suffix)
    except InputError as error:
        notice.error(error)
        return
    current = variants.current(curator.store, curator.sample.id)
    changes = variant_sheet.compare(curator.sample, current, rows)
    counts = Counter(row_change.change for row_change in changes)
    st.markdown(" · ".join(f"**{counts[change]:,}** {change}" for change in Change))
    _preview(changes)
    merging = counts[Change.ADDED] + counts[Change.CHANGED]
    st.button(
        f"Merge {merging:,} variants" if merging else "Nothing to merge",
        type="primary",
        key="variants_merge_now",
        disabled=bool(curator.why_not) or not merging,
        on_click=notice.told(_merge),
        args=(curator, changes),
    )


def _preview(changes: list[RowChange]) -> None:
    rows = [change for change in changes if change.change is not Change.UNCHANGED]
    if not rows:
        return
    st.dataframe(
        [
            {
                "row": row_change.row.number,
                "what": row_change.change.value,
                "why": row_change.reason,
                "instance": cut(row_change.row.instance, 20),
                "slot": cut(row_change.row.slot, 5),
                "was": row_change.stored.text if row_change.stored else "",
                "text": row_change.row.text,
            }
            for row_change in rows[:_SHOWN]
        ],
        hide_index=True,
        key="variants_preview",
        alt="What merging the sheet would change, and the rows that are refused with the reason.",
    )
    if len(rows) > _SHOWN:
        st.caption(plain(f"And {len(rows) - _SHOWN:,} more rows."))


def _merge(curator: Curator, changes: list[RowChange]) -> None:
    if curator.refuses():
        return
    try:
        changed = variant_sheet.merge(curator.store, curator.sample, changes, curator.author)
    except DcqError as error:
        notice.toast(error, icon=":material/error:", duration="long")
        return
    stored = [change.stored for change in changes if change.stored]
    slots = {(v.instance_id, v.slot) for v in stored}
    curator.tell_changes(stored, [v for v in changed if (v.instance_id, v.slot) in slots])
    notice.toast("The sheet is merged; each text was checked.", icon=":material/check:")
