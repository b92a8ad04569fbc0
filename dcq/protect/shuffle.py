"""The wordings that reach a model, in an order that does not depend on the lots.

Everything that asks gets a ``Sheet`` and nothing else. Its order comes from a key of its own, so it
is the same whatever the lots are. Where fewer wordings are shown than there are, the published one
has to be among them: those few are chosen here so that each of them is the published one with equal
probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dcq.errors import InputError
from dcq.protect.commitment import merkle_root
from dcq.protect.lot import permutation
from dcq.protect.published import published_indices
from dcq.protect.secret import Secret
from dcq.records import fingerprint

LETTERED = 4  # options of a question


class By(StrEnum):
    """The ways in which a model is asked which wording it prefers."""

    LETTER = "letter"
    LIKELIHOOD = "likelihood"


@dataclass(frozen=True)
class SheetItem:
    """An item with its ``wordings`` as they are shown."""

    id: str
    wordings: tuple[str, ...]


@dataclass(frozen=True)
class Sheet:
    """What is asked: the ``items`` in their order, with ``title`` and ``split`` for prompts. By
    letter each item is asked about ``asks`` times, its options rotated by one each time. ``mark``
    is equal for equal sheets."""

    title: str
    split: str
    by: By
    asks: int
    items: tuple[SheetItem, ...]
    root: str

    @property
    def mark(self) -> str:
        """A fingerprint of everything that is asked."""
        texts = (text for item in self.items for text in (item.id, *item.wordings))
        return fingerprint(self.title, self.split, self.by, str(self.asks), *texts)


def shuffle(secret: Secret, by: By, asks: int = LETTERED) -> tuple[Sheet, tuple[int, ...]]:
    """The sheet, and separately the place of the published wording in each of its items. Raises
    InputError where an item has too few wordings to be asked about by letter."""
    if by is By.LETTER and secret.wordings < LETTERED:
        raise InputError(
            f"A question takes {LETTERED} wordings and the items have {secret.wordings}; check by "
            "likelihood."
        )
    if not 1 <= asks <= LETTERED:
        raise InputError(f"An item can be asked about 1 to {LETTERED} times, not {asks}.")
    items, places = [], []
    for item, published in zip(secret.items, published_indices(secret), strict=True):
        indices = list(range(len(item.wordings)))
        if by is By.LETTER:
            indices = chosen(secret.order, item.id, len(indices), published)
        order = [
            indices[at] for at in permutation(secret.order, ["order", by, item.id], len(indices))
        ]
        items.append(SheetItem(item.id, tuple(item.wordings[place] for place in order)))
        places.append(order.index(published))
    root = merkle_root(secret)
    asked = asks if by is By.LETTER else 1
    return Sheet(secret.title, secret.split, by, asked, tuple(items), root), tuple(places)


def chosen(key: bytes, item: str, wordings: int, published: int) -> list[int]:
    """The places of four wordings, in order: the published one and three others drawn by lot."""
    others = [place for place in range(wordings) if place != published]
    drawn = permutation(key, ["others", str(published), item], len(others))
    return sorted([published, *(others[at] for at in drawn[: LETTERED - 1])])
