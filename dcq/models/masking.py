"""Removes keys from replies before anything reads them.

Some endpoints, and proxies before them, repeat the request in an error, a reply or a name; replies
are stored, shown and exported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

MASK = b"[key]"
# What is shorter is a word, such as the "none" or "EMPTY" that local servers are given, and no
# secret: in replies it would be taken out of the text of the model.
SHORTEST = 8  # characters

Mask = Callable[[bytes], bytes]


def mask(*keys: str) -> Mask:
    """A function that replaces the ``keys`` in the bytes of a reply, however JSON or an address
    writes their characters. Texts too short to be a secret are not replaced."""
    secret = [key for key in keys if len(key) >= SHORTEST]
    if not secret:
        return bytes
    plain = [key.lower().encode() for key in secret]
    pattern = re.compile(b"|".join(b"".join(map(_spellings, key)) for key in secret), re.IGNORECASE)

    def masked(body: bytes) -> bytes:
        encoding = json.detect_encoding(body)
        if encoding != "utf-8":  # JSON may be in UTF-16 and UTF-32, where no byte of a key is found
            body = body.decode(encoding, "replace").encode("utf-8", "replace")
        if b"\\" not in body and b"%" not in body:  # nothing is escaped: a thousand times as fast
            lower = body.lower()
            if not any(key in lower for key in plain):
                return body
        return pattern.sub(MASK, body)

    return masked


def _spellings(letter: str) -> bytes:
    """The pattern of one character of a key, which is ASCII: itself, or escaped as in JSON (also
    within a text that is JSON itself) or an address."""
    itself, number = re.escape(letter), f"{ord(letter):02x}"
    marked = "" if letter.isalnum() else rf"|\\{{1,4}}{itself}"
    return rf"(?:{itself}|\\{{1,4}}u00{number}|%{number}{marked})".encode()
