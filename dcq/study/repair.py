"""The shape of a repair: what is done, the command that does it, and its price."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dcq.errors import DcqError
from dcq.evidence.check import Topic
from dcq.store import Store
from dcq.words import counted, usd_words


@dataclass(frozen=True)
class RepairPrice:
    """What a repair takes: ``calls``, and ``usd``, None where a price is unknown. ``why_not`` says
    why it would not help or cannot start; empty where it can."""

    calls: int = 0
    usd: float | None = None
    why_not: str = ""

    @property
    def words(self) -> str:
        """``40 calls, $0.02``."""
        return f"{counted(self.calls, 'call')}, {'free' if self.usd == 0 else usd_words(self.usd)}"


@dataclass(frozen=True)
class Repair:
    """How a failed check is repaired. ``label`` says what is done, and ``words`` are the command
    that does it, after ``python -m dcq``. ``page`` is where people do what no command does, with
    its ``choices``. ``why_not`` is the reason why nothing can be started here; empty where it
    can."""

    label: str = ""
    words: tuple[str, ...] = ()
    why_not: str = ""
    page: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    find_price: Callable[[Store], RepairPrice] | None = field(
        default=None, compare=False, repr=False
    )

    @property
    def command(self) -> str:
        """What to type; empty where no command helps."""
        return shlex.join(["python", "-m", "dcq", *self.words]) if self.words else ""

    @property
    def can_start(self) -> bool:
        """Whether its command can be started as it is."""
        return bool(self.words) and not self.why_not and self.find_price is not None

    def price(self, store: Store) -> RepairPrice:
        """What it takes. It reads the store, or a copy of it, and asks and changes nothing."""
        if self.why_not or self.find_price is None:
            return RepairPrice(why_not=self.why_not)
        try:
            return self.find_price(store)
        except DcqError as error:
            return RepairPrice(why_not=str(error))

    def document(self, topic: Topic) -> dict[str, Any]:
        """The repair of a check with the keys documented for the command line."""
        return {
            "check": topic.value,
            "label": self.label or None,
            "command": self.command or None,
            "why_not": self.why_not or None,
        }
