"""The layout of the authors' release: ``column: value``, one a line, in the order of the columns.

Their published files (github.com/shahriargolchin/DCQ, ``data/our_dcq/processed``) show it. Where
they name a line or a class in another way than this rule, the catalog says how.
"""

from __future__ import annotations

from dataclasses import replace

from dcq.partitions.format import Layout, placeholders


def release_layout(layout: Layout) -> Layout:
    """The same columns as ``layout`` shows, each line named by its column. Choices keep their
    marks, since the release has no multiple-choice data set to go by."""
    shown = placeholders(layout.template) if layout.template else layout.fields.values()
    return replace(
        layout,
        fields={column: column for column in shown if column != layout.label},
        label_word=layout.label or "",
        template=None,
    )
