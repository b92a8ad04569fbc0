"""Could the model have trained on a target or its controls, by their dates?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from dcq.evidence.case import Check, Mark, Topic
from dcq.models.cutoffs import cutoff_of
from dcq.words import listed

_NAMED = 4  # controls named in a sentence
Published = Mapping[str, date]  # by partition; without those whose date is unknown


def dates(
    model: str, target: str, controls: Sequence[tuple[str, str]], published: Published
) -> tuple[Check, ...]:
    """The lines on a result's dates: the controls that the model may have trained on, and whether
    the target is newer than its training data. ``target`` is a partition, ``controls`` are
    partitions and their names on the screen. No line where a date is unknown."""
    cutoff = cutoff_of(model)
    if cutoff is None:
        return ()
    found = []
    number = f"cut-off {cutoff}"
    old = [name for key, name in controls if key in published and cutoff.may_cover(published[key])]
    if old:
        verb, them = ("was", "it") if len(old) == 1 else ("were", "them")
        found.append(
            Check(
                Topic.DATES,
                Mark.CAUTION,
                number,
                f"{listed(old, _NAMED)} {verb} published before the model's cut-off ({cutoff}), so "
                f"it may have trained on {them}; write fresh controls.",
            )
        )
    day = published.get(target)
    if day is not None and not cutoff.may_cover(day):
        judged = (
            "cannot be in the training data by its date"
            if cutoff.of_training
            else "is unlikely to be in the training data by its date"
        )
        found.append(
            Check(
                Topic.DATES,
                Mark.CAUTION,
                number,
                f"The partition was published on {day}, after the model's cut-off ({cutoff}), and "
                f"{judged}: a high score needs another explanation.",
            )
        )
    return tuple(found)
