"""A variant with its differences from the original marked, as Markdown that is safe to show."""

from __future__ import annotations

from dcq.ui.text import close, keep_spaces, plain_part, wrap
from dcq.variants.diff import word_diff


def mark_changes(original: str, variant: str) -> str:
    """The variant: words that are not in the original bold on grey, words that it leaves out
    struck through in their place."""
    left, right = word_diff(keep_spaces(original), keep_spaces(variant))
    parts: list[str] = []
    rest = iter(right)
    for text, kind in left:
        if kind == "removed":
            parts.append(wrap(text, ":gray[~~", "~~]"))
            continue
        for text_now, kind_now in rest:  # words added before, then the counterpart
            parts.append(plain_part(text_now) if kind_now == "same" else _mark(text_now))
            if kind_now != "added":
                break
    parts += [_mark(text) for text, _ in rest]
    return close("".join(parts))


def _mark(text: str) -> str:
    return wrap(text, ":gray-background[**", "**]")
