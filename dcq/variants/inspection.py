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
    [close] = compare_meaning([(instance.text, text)], language)
    return tuple(check(instance, text, others, close, language=language))


def compare_meaning(pairs: Sequence[tuple[str, str]], language: str) -> list[float | None]:
    """How close each pair of texts is in meaning (cosine), None where that cannot be told. Many at
    once take half the time of one by one."""
    if not pairs or similarity.unavailable(language) is not None:
        return [None] * len(pairs)
    cosines = similarity.similarity(pairs)
    return [
        float(cosine) if text.strip() else None
        for cosine, (_, text) in zip(cosines, pairs, strict=True)
    ]
