"""All checks of a variant, its meaning included."""

from __future__ import annotations

from collections.abc import Sequence

from dcq.models import similarity
from dcq.records import Finding, Instance
from dcq.variants.checks import check


def inspect(
    instance: Instance, text: str, others: Sequence[str], language: str
) -> tuple[Finding, ...]:
    """What is wrong with ``text`` as a variant of ``instance``, beside its ``others``; its meaning
    is looked at if it can be compared."""
    close = None
    if text.strip() and similarity.unavailable(language) is None:
        close = float(similarity.similarity([(instance.text, text)])[0])
    return tuple(check(instance, text, others, close))
