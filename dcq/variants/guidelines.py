"""The default guidelines for people who curate a sample."""

from __future__ import annotations

from dcq.errors import InputError

MOST = 5_000  # characters

# Ours; the papers say what a variant is and nothing of how people check it.
DEFAULT = """\
A good variant could itself have been the original.
Accept it if
– it says the same, in the same sentence structure,
– names, numbers, symbols and the label are unchanged,
– each new word fits as naturally as the original's.
Edit it if one word is wrong and you know a better one.
Reject it if several are, or if it reads as made by a machine.
Flag it, with a note, if somebody else should decide.
None of the five texts may be told by its length, its style or its mistakes.
Do not look the original up."""


def read_guidelines(typed: str) -> str:
    """Guidelines as typed, without spaces around them. Raises InputError for empty or long ones."""
    text = typed.strip()
    if not text:
        raise InputError("Guidelines cannot be empty; write some, or discard the change.")
    if len(text) > MOST:
        raise InputError(f"Guidelines have at most {MOST:,} characters; shorten them.")
    return text
