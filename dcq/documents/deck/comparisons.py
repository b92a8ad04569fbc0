"""The section on comparisons of models and of splits."""

from __future__ import annotations

from collections.abc import Sequence

from dcq.documents.comparison_table import rank, tabulate
from dcq.documents.deck import captions
from dcq.documents.deck.model import Part
from dcq.judging.comparisons import Compared
from dcq.sections import Exhibit, Section

READ_ALOUD = 3  # comparisons


def compared(found: Sequence[Compared]) -> Section | None:
    """Models against each other, and splits of a data set; the clearest first."""
    ranked = rank([one for one in found if one.found.difference is not None])
    if not ranked:
        return None
    said = [one for one in ranked if not one.on_controls] or ranked
    runs = {side.run: side for one in ranked for side in (one.first, one.second)}
    table = tabulate(ranked).fillna("")
    table.columns = [_HEADS[name] for name in table.columns]
    return Section(
        Part.COMPARISONS,
        "Models and splits compared",
        tuple(one.sentence() for one in said[:READ_ALOUD]),
        (Exhibit("All comparisons", captions.of(list(runs.values())), table),),
    )


_HEADS = {
    "sides": "Compared",
    "on": "On",
    "quiz": "Quiz",
    "difference": "Points [95 % interval]",
    "n": "n",
    "p": "p (Holm)",
    "test": "Test",
}
