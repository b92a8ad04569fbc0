"""Reads the texts from a reply to a request for rewordings (Data Contamination Quiz, Figure 4).

Options are expected as ``A) … B) … C) …``, but models also write ``**A.**``, ``(A)``, ``Option A:``
or ``1.``, wrap everything in a code fence, greet first and explain afterwards; in other languages
``Ａ）``, ``选项A：``, ``Opción A:`` or the letters of their own alphabet. A marker counts only at
the start of a line and in alphabetical order, so that texts which contain such lines survive.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dcq.records import Instance, Reply, Severity
from dcq.variants.checks import check, passes

# Latin letters and digits; the orders of Cyrillic, Greek, Hebrew and Arabic lists; Chinese ones.
_ALPHABETS = (
    "ABCDEFGH",
    "abcdefgh",
    "12345678",
    *("АБВГДЕЖЗ", "абвгдежз", "ΑΒΓΔΕΖΗΘ", "αβγδεζηθ"),
    *("אבגדהוזח", "أبجدهوزح", "ابجدهوزح", "أبتثجحخد"),
    *("一二三四五六七八", "甲乙丙丁戊己庚辛"),
)
_LETTERS = "".join(sorted(set("".join(_ALPHABETS))))
# "Option" in languages that models reply in; where words have no spaces, a letter follows at once.
_OPTION = (
    r"(?:option|choice|variant|opción|opcion|opção|opcao|choix|variante|opzione|вариант|"
    r"الخيار|خيار|אפשרות|seçenek|विकल्प)[ \t]+|(?:选项|選項|選択肢|版本|선택지|옵션)[ \t]*"
)
# Thai to Burmese, Khmer, Chinese and Japanese, Korean: a text may follow its marker at once.
_NO_SPACES = "\u0e00-\u109f\u1780-\u17ff\u3040-\u9fff\uac00-\ud7a3"
_MARKER = re.compile(
    r"^[ \t]*(?P<lead>\#{1,6}[ \t]*|>[ \t]*|[-*•][ \t]+)?(?P<stars>[*_]{0,3})"
    rf"(?P<word>{_OPTION})?[(\[]?(?P<letter>[{_LETTERS}])"
    r"(?P<close>[)\]]?[.:、]?)(?P<unstars>[*_]{0,3})(?P<late>[):.、]?)"
    rf"(?P<gap>[ \t]+|$|(?<=[)、])|(?=[{_NO_SPACES}]))",
    re.MULTILINE | re.IGNORECASE,
)
# Full-width signs and other scripts' digits as the ASCII ones that they stand for, one for one. A
# full-width colon or stop needs no space after it, so it becomes one that needs none either.
_NARROW = (
    {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
    | {zero + value: ord("0") + value for zero in (0x0660, 0x06F0, 0x0966) for value in range(10)}
    | {ord("："): "、", ord("．"): "、", ord("【"): "(", ord("】"): ")"}
)
_FENCE = re.compile(r"^[ \t]*```.*$\n?", re.MULTILINE)
_RULE = re.compile(r"[-—–_*=]+")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True)
class _Marker:
    letter: str
    start: int
    end: int
    open_stars: str  # emphasis opened before the letter and not closed after it


def read_variants(reply: str, count: int, original: str) -> list[str]:
    """The first ``count`` options of ``reply``, in order; fewer if it has fewer.

    ``original`` is the text that was to be reworded. It shows which lines that look like markers
    belong to the text, how many paragraphs an option has, and the white space around it, which is
    restored. Never raises; empty options are left out.
    """
    reply = reply.replace("\r\n", "\n")
    body = reply if "```" in original else _FENCE.sub("\n", reply)
    marks = _turns(body, original)
    if not marks:
        text = body.strip()
        return [_dress(text, original)] if count == 1 and text else []
    ends = [mark.start for mark in marks[1:]] + [len(body)]
    options = [_clean(body[m.end : end], m, original) for m, end in zip(marks, ends, strict=True)]
    return [_dress(option, original) for option in options if option][:count]


def read_usable(
    reply: Reply, count: int, instance: Instance, language: str = "en"
) -> tuple[list[str], str]:
    """The usable ones of the ``count`` options that were requested, and one sentence on why some
    are missing (empty if none is). An option is usable if no check finds an error in it;
    ``language`` is that of the texts."""
    text = reply.text_like(instance.text)
    if not text.strip():
        if reply.finish_reason == "length":
            return [], "The model reached its token limit before it wrote anything."
        return [], "The model's reply was empty."
    options = read_variants(text, count, instance.text)
    if reply.finish_reason == "length":
        options = options[:-1]  # the last one is cut off
    texts: list[str] = []
    lacking = ""
    if len(options) < count:
        cut = " and was cut at the token limit" if reply.finish_reason == "length" else ""
        lacking = f"The model gave {len(options)} of {count} options{cut}."
    for option in options:
        findings = check(instance, option, texts, language=language)
        if passes(findings):
            texts.append(option)
        else:
            worst = next(f for f in findings if f.severity is Severity.ERROR)
            lacking = f"An option of the model failed a check: {worst.sentence}"
    return texts, lacking


def _turns(body: str, original: str) -> list[_Marker]:
    """The markers that open an option: the longest run that starts with A, a or 1."""
    original_letters = [mark.letter for mark in _markers(original)]
    marks = _markers(body)
    return max((_run(marks, alphabet, original_letters) for alphabet in _ALPHABETS), key=len)


def _run(marks: Sequence[_Marker], alphabet: str, original_letters: Sequence[str]) -> list[_Marker]:
    """Markers in the order of ``alphabet``. After each, marker-like lines of the text itself
    (``original_letters``) are skipped if they follow in order."""
    run: list[_Marker] = []
    index = 0
    while index < len(marks) and len(run) < len(alphabet):
        mark = marks[index]
        index += 1
        if mark.letter != alphabet[len(run)]:
            continue
        run.append(mark)
        following = [
            other_marker.letter for other_marker in marks[index : index + len(original_letters)]
        ]
        if original_letters and following == list(original_letters):
            index += len(original_letters)
    return run


def _markers(text: str) -> list[_Marker]:
    markers = []
    text = text.translate(_NARROW)
    for match in _MARKER.finditer(text):
        stars, unstars = match["stars"], match["unstars"]
        closed = match["close"] or match["late"]
        alone = match.end() == len(text) or text[match.end()] == "\n"
        heading = alone and (match["lead"] or (stars and unstars == stars))
        if closed or match["word"] or heading:
            left_open = stars if stars and not unstars else ""
            markers.append(_Marker(match["letter"], match.start(), match.end(), left_open))
    return markers


def _clean(option: str, mark: _Marker, original: str) -> str:
    option = option.strip()
    if mark.open_stars and option.endswith(mark.open_stars):
        option = option.removesuffix(mark.open_stars).rstrip()
    if _without_rule(original.strip()) == original.strip():
        option = _without_rule(option)
    paragraphs = _PARAGRAPH.split(option)
    limit = len(_PARAGRAPH.split(original.strip()))
    if len(paragraphs) <= limit:
        return option
    # What follows the text's own number of paragraphs is an explanation.
    cut = list(_PARAGRAPH.finditer(option))[limit - 1].start()
    return option[:cut].rstrip()


def _without_rule(text: str) -> str:
    """``text``, which does not end in white space, without a last line that is only a rule."""
    head, newline, last = text.rpartition("\n")
    return head.strip() if newline and _RULE.fullmatch(last.strip()) else text


def _dress(option: str, original: str) -> str:
    """``option`` with the white space around the original, which replies do not preserve."""
    bare = original.strip()
    lead, _, tail = original.partition(bare) if bare else ("", "", "")
    return lead + option + tail
