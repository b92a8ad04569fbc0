"""Finds private texts, whole or a long part of them, in whatever somebody else wrote.

An endpoint may send back what it was sent, and may write it as it likes. So texts are compared by
their letters and digits alone (no case, accents, spaces or punctuation), and what is written in
percent signs, escapes of JSON, entities of HTML or base64 is read first. Time is linear in what is
searched and does not depend on how many texts are private. An endpoint that invents a code of its
own is not seen through.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

if TYPE_CHECKING:  # takes a tenth of a second to import, and most runs have nothing private
    import numpy as np
    from numpy.typing import NDArray

PRIVATE: Final = "[private]"
PART = 16  # bytes of letters: so long a part of a private text is private; 3 or 4 words of English
SHORTEST = 8  # bytes of letters: what is shorter is a word, not a private text
_DEPTH = 3  # codes within codes that are read
_MOST_READINGS = 32  # of one text
_FACTOR = 0x9E3779B97F4A7C15  # of the hashes of parts; any odd number with many bits does
_WORD = 2**64
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}")
_ESCAPED = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_SPACES = frozenset("nrtbfv")  # what these stand for after a backslash has no letter
_ASCII_DROPPED = bytes(code for code in range(128) if not chr(code).isalnum())


class _Letters(dict[str, bytes]):
    """What counts of a character: its letters and digits, without case and accents."""

    def __missing__(self, character: str) -> bytes:
        plain = unicodedata.normalize("NFKD", character).casefold()
        plain = unicodedata.normalize("NFKD", plain)
        letters = "".join(letter for letter in plain if letter.isalnum()).encode()
        self[character] = letters
        return letters


_LETTERS = _Letters()


def letters_of(text: str) -> bytes:
    """The letters and digits of a text, in UTF-8: equal for texts that differ in case, accents,
    spaces, punctuation or Unicode's ways to write one character."""
    if text.isascii():
        return text.encode().lower().translate(None, _ASCII_DROPPED)
    return b"".join(map(_LETTERS.__getitem__, text))


class PrivateTexts:
    """Texts that nobody else may see, ready to be searched for.

    A part of ``part`` bytes of letters (``letters_of``) is private as well, unless a ``public``
    text has it; a shorter text is private as a whole, one below ``SHORTEST`` not at all. ``mask``
    takes the place of what is found.
    """

    def __init__(
        self,
        texts: Iterable[str],
        public: Iterable[str] = (),
        *,
        part: int = PART,
        mask: str = PRIVATE,
    ) -> None:
        self._mask = mask
        by_length = _by_length(map(letters_of, texts), part)
        known = [letters_of(text) for text in public] if by_length else []
        self._indexes = [
            index
            for length, entries in sorted(by_length.items())
            if (index := _Index(entries, known, length)).hashes.size
        ]

    def __bool__(self) -> bool:
        return bool(self._indexes)

    def found_in(self, text: str) -> bool:
        """Whether the text has a private one, or a part of one, in any of the codes."""
        return self.masked([text]) is not None

    def masked(self, texts: Sequence[str]) -> list[str] | None:
        """The texts with ``mask`` in the place of what is private, also where it goes on from one
        text to the next; a text in code that has something private is masked whole. None where
        nothing is private."""
        if not self._indexes:
            return None
        plain = self._mask_parts(texts)
        result = list(texts) if plain is None else plain
        coded = [place for place, text in enumerate(result) if self._is_coded(text)]
        for place in coded:
            result[place] = self._mask
        return result if plain is not None or coded else None

    def _is_coded(self, text: str) -> bool:
        return any(self._spans(letters_of(reading)) for reading in readings(text))

    def _mask_parts(self, texts: Sequence[str]) -> list[str] | None:
        letters = [letters_of(text) for text in texts]
        spans = self._spans(b"".join(letters))
        if not spans:
            return None
        ends = list(accumulate(map(len, letters)))
        result = []
        left = 0  # the first span that may reach into the text
        for text, end, own in zip(texts, ends, letters, strict=True):
            start = end - len(own)
            while left < len(spans) and spans[left][1] <= start:
                left += 1
            within = []
            for begin, stop in spans[left:] if own else ():
                if begin >= end:
                    break
                within.append((max(begin, start) - start, min(stop, end) - start))
            result.append(_replace(text, within, self._mask) if within else text)
        return result

    def _spans(self, letters: bytes) -> list[tuple[int, int]]:
        """Where something private begins and ends, in order, without overlaps."""
        spans = [
            (start, start + index.length)
            for index in self._indexes
            for start in index.starts(letters)
        ]
        return _joined(spans)


def readings(text: str) -> Iterator[str]:
    """The text read as each code that it may be in, and what is read so once more."""
    seen, waiting = {text}, [(text, 0)]
    while waiting and len(seen) < _MOST_READINGS:
        coded, depth = waiting.pop(0)
        for reading in _read_once(coded):
            if reading not in seen:
                seen.add(reading)
                yield reading
                if depth + 1 < _DEPTH:
                    waiting.append((reading, depth + 1))


def _read_once(text: str) -> Iterator[str]:
    if "%" in text:
        yield unquote(text)
    if "\\" in text:
        yield _ESCAPED.sub(_unescape, text)
    if "&" in text:
        yield html.unescape(text)
    if runs := _BASE64.findall(text.replace("\n", "").replace("\r", "")):
        for shift in range(4):  # nobody says where in a word the code begins
            yield " ".join(_decode(run[shift:]) for run in runs)


def _unescape(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code:
        return chr(int(code, 16))
    return " " if match[3] in _SPACES else match[3]


def _decode(run: str) -> str:
    whole = run[: len(run) // 4 * 4].replace("-", "+").replace("_", "/")
    rest = run[len(whole) :].replace("-", "+").replace("_", "/")
    if len(rest) > 1:
        whole += rest + "=" * (4 - len(rest))
    try:
        return base64.b64decode(whole).decode("utf-8", "ignore")
    except binascii.Error:
        return ""


def _by_length(texts: Iterable[bytes], part: int) -> dict[int, list[bytes]]:
    """The texts by how long a part of them is looked for."""
    by_length: dict[int, list[bytes]] = {}
    for letters in texts:
        if len(letters) >= SHORTEST:
            by_length.setdefault(min(len(letters), part), []).append(letters)
    return by_length


class _Index:
    """The hashes of all parts of one length, in order, without those of public texts. A table of
    their first bits rules most others out at once."""

    def __init__(self, texts: Sequence[bytes], public: Sequence[bytes], length: int) -> None:
        import numpy as np

        self.length = length
        # No letter is a zero byte, so a part that reaches over one is found nowhere.
        own = np.unique(_hashes(b"\x00".join(texts), length))
        known = b"\x00".join(text for text in public if len(text) >= length)
        self.hashes = np.setdiff1d(own, _hashes(known, length)) if known else own
        bits = max(10, (8 * len(self.hashes)).bit_length())
        self._shift = np.uint64(64 - bits)
        self._begun = np.zeros(2**bits, np.bool_)
        self._begun[self.hashes >> self._shift] = True

    def starts(self, letters: bytes) -> list[int]:
        """Where one of the parts begins."""
        import numpy as np

        if len(letters) < self.length:
            return []
        hashes = _hashes(letters, self.length)
        starts = np.flatnonzero(self._begun[hashes >> self._shift])
        candidates = hashes[starts]
        places = np.searchsorted(self.hashes, candidates)
        places[places == len(self.hashes)] = 0
        found: list[int] = starts[self.hashes[places] == candidates].tolist()
        return found


def _hashes(letters: bytes, length: int) -> NDArray[np.uint64]:
    """A hash of each part of this length: a polynomial, put together from parts of 1, 2, 4, …"""
    import numpy as np

    block = np.frombuffer(letters, np.uint8).astype(np.uint64) + np.uint64(1)
    size, done = 1, 0
    hashes = np.zeros(len(letters) + 1, np.uint64)  # of parts of no length
    while True:
        if length & size:
            count = len(letters) - done - size + 1
            factor = np.uint64(pow(_FACTOR, size, _WORD))
            hashes = hashes[:count] * factor + block[done : done + count]
            done += size
        if done == length:
            return hashes
        block = block[:-size] * np.uint64(pow(_FACTOR, size, _WORD)) + block[size:]
        size *= 2


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _replace(text: str, spans: Sequence[tuple[int, int]], mask: str) -> str:
    """``mask`` in place of the characters that have the letters in these spans."""
    parts, at, position, letters_seen = [], 0, 0, 0
    for begin, end in spans:
        while letters_seen <= begin:
            letters_seen += len(_LETTERS[text[position]])
            position += 1
        parts.append(text[at : position - 1])
        while letters_seen < end:
            letters_seen += len(_LETTERS[text[position]])
            position += 1
        parts.append(mask)
        at = position
    return "".join([*parts, text[at:]])


NOTHING: Final = PrivateTexts(())
