"""Where the words of a text may change: in prose, never in code, examples, addresses or headings.

In a text with Python code, such as a HumanEval prompt, the prose is in the docstrings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_CODE = re.compile(r"^\s*(?:async def|def|class)\s+\w+\s*[(:]", re.MULTILINE)
_DOCSTRING = re.compile(r'"""(.*?)(?:"""|\Z)|\'\'\'(.*?)(?:\'\'\'|\Z)', re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_DOCTEST = re.compile(r"^[ \t]*>>>.*(?:\n[ \t]*\S.*)*", re.MULTILINE)
# Quoted, in backticks, an address, or a word that is itself a symbol of a program.
_INLINE = re.compile(r"`[^`\n]*`|\S+@\S+|\bwww\.\S+|\w+://\S+|\S*[\w)\]][_(=\[.]\w\S*|\S*\w_\S*")
_HEAD = re.compile(r"^[ \t]*(?:[#>*\-]+[ \t]*)?\w[\w ]{0,24}:(?=\s)", re.MULTILINE)
_CODE_LINE = re.compile(r"==|->|=>|➞|→|<=|>=|\w\s*=\s*\S|^\s*[@#]|[;{}]\s*$")
_QUOTED = re.compile(r"'[^'\n]{1,40}'|\"[^\"\n]{1,40}\"")
_SYMBOLS = re.compile(r"[^\w\s.,;:!?'\"’“”()\-–—]|\d")
_MOST_SYMBOLS = 0.2  # of a line's characters; above, it is a formula or a table


def is_code(text: str) -> bool:
    """True if ``text`` contains a Python function or class."""
    return _CODE.search(text) is not None


def prose(text: str, protected: Iterable[str] = ()) -> list[bool]:
    """For each character of ``text``, whether it belongs to a word that may change."""
    code = is_code(text)
    free = [not code] * len(text)
    if code:
        for match in _DOCSTRING.finditer(text):
            _mark(free, match.start() + 3, match.end(), True)
        names = {word for part in _code_parts(text) for word in _NAME.findall(part)}
        for match in _NAME.finditer(text):
            if match[0] in names:
                _mark(free, match.start(), match.end(), False)
    for pattern in (_FENCED, _DOCTEST, _INLINE, _HEAD, *([_QUOTED] if code else [])):
        for match in pattern.finditer(text):
            _mark(free, match.start(), match.end(), False)
    for line in re.finditer(r".+", text):
        symbols = len(_SYMBOLS.findall(line[0]))
        if _CODE_LINE.search(line[0]) or symbols > _MOST_SYMBOLS * len(line[0].strip()):
            _mark(free, line.start(), line.end(), False)
    for part in filter(None, protected):
        for match in re.finditer(re.escape(part), text):
            _mark(free, match.start(), match.end(), False)
    return free


def _code_parts(text: str) -> Iterator[str]:
    """The parts outside the docstrings."""
    end = 0
    for match in _DOCSTRING.finditer(text):
        yield text[end : match.start()]
        end = match.end()
    yield text[end:]


def _mark(free: list[bool], start: int, end: int, value: bool) -> None:
    free[start:end] = [value] * (end - start)
