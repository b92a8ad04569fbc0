"""Reads a model's reply as exactly one outcome (docs/method.md, "Outcomes").

A letter counts only if the reply names one option and no other. All letters are read alike: the
same form with another letter comes to the same outcome. The hard part is prose: "A" is also an
article, "B" a vitamin, and a reply may go on to quote the option it chose.

A reply may have millions of arbitrary characters, of which the beginning and the end are read. No
pattern can match one run of characters in two of its parts (hence the possessive ``*+``, which does
not backtrack), and none is tried on a copy of the rest of the text.
"""

from __future__ import annotations

import re

from dcq.quiz.letter_text import plain_ends
from dcq.records import LETTERS, Outcome, Reading, Reply
from dcq.refusal import REFUSAL
from dcq.said import read_content

# Letters with two cases, digits and accents make a word with the letter beside them. In scripts
# without cases, such as Chinese, Japanese, Korean or Arabic, a word may adjoin a letter.
_CASED = (
    "A-Za-z0-9_\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u0300-\u052f\u0531-\u058f"
    "\u10a0-\u10ff\u1e00-\u1fff"
)
_NOT_BEFORE = rf"(?<![{_CASED}'’\-])"
_NOT_AFTER = rf"(?![{_CASED}]|['’\-][{_CASED}])"
# A letter marked as an option: "D)", "D:".
_MARKED = re.compile(_NOT_BEFORE + r"([A-Za-z])[*_`\"'”’」』》】]{0,4}[)\]:](?!//)")
_MARKED_LINE = re.compile(
    r"^(?:[^\S\n]|[*_(])*+([A-Za-z])[*_`]*+(?:[)\]:.、。]|\s*$)", re.MULTILINE
)
_BARE = re.compile(_NOT_BEFORE + r"([A-Z])" + _NOT_AFTER)
# A line that is a letter, or ends in one after a colon or a dash, in any language: "Ответ: A".
_ENDS_LINE = re.compile(
    r"(?:^|(?:(?<=\w)|(?<=\w[*_`\"'”’ ])|(?<=\w[*_]{2}))[:=→—–!])"
    r"[^\w\n:=→—–]{0,12}([A-Za-z])(?=[^\w\n]{0,12}(?:$|\n))",
    re.MULTILINE,
)
# Words after which a letter is an answer, in the languages that models reply in most.
_SAID = re.compile(
    r"(?:\b(?:answer|option|choice|letter|select|choose|pick|think|believe|say|guess|go with|is|"
    r"it's|it’s|be|response|respuesta|opción|opcion|letra|elijo|es|réponse|reponse|choix|lettre|"
    r"est|choisis|antwort|ist|wähle|buchstabe|option|risposta|opzione|lettera|scelgo|è|resposta|"
    r"opção|opcao|escolho|é|ответ|вариант|буква|выбираю|это|відповідь|варіант|odpowiedź|opcja|"
    r"odpověď|cevap|yanıt|seçenek|şık|antwoord|optie|svar|svaret|alternativ|jawaban|pilihan|"
    r"opsi|adalah|đáp án|lựa chọn|là|chọn|απάντηση|επιλογή|είναι|vastaus|válasz|răspuns|varianta)"
    r"(?![^\W_])|"
    r"答案|选项|選項|选择|選擇|选|選|是|为|為|選択肢|正解|答え|回答は|は|정답은|정답|답은|답|"
    r"선택지|옵션|الإجابة|الاجابة|الجواب|الخيار|الحرف|هي|هو|תשובה|התשובה|אפשרות|היא|הוא|"
    r"उत्तर|विकल्प|คำตอบคือ|คำตอบ|ตัวเลือก|ข้อ|คือ)"
    r"[*_`\"'”’]{0,4}\s*+(?:[:=]\s*+)?[^\w\s:=!?.]{0,8}\s{0,3}([A-Za-z])" + _NOT_AFTER,
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"^(?:\W*+(?:and|or|y|o|et|ou|und|oder|e|и|или)(?![^\W_])\W*+|[^\w&/,、]*+[&/,、]\W*+"
    r"|\W*+[和或与及と또]\W*+)([A-Z])" + _NOT_AFTER,
    re.IGNORECASE,
)
_NOT = (
    r"(?:(?<![A-Za-z])(?:not|no|never|cannot|neither|nor|except|nicht|kein|pas|non|não|не|"
    r"(?:any|anything|all) but)(?![^\W_])|n['’]t\b|不是|不选|不選|並非|并非)"
)
# A rejected letter: "not option B", "it can't be B", "anything but B"; "B is wrong".
_DENIED = (
    re.compile(
        _NOT + r"(?:\s+(?:be|is|it|it['’]s|the|that|to|option|choice|answer|letter|"
        r"choose|pick|select|say|think|believe|go|with|es|la|est|ist|ответ|вариант))*"
        r"[\s:*_`\"'“‘(\[]*([A-Za-z])" + _NOT_AFTER,
        re.IGNORECASE,
    ),
    re.compile(
        _NOT_BEFORE + r"([A-Za-z])[*_`\"'”’)\]]*\s+(?:(?:is|was|seems|looks)\s+(?:\w+ly\s+)?"
        r"(?:not|wrong|incorrect|false)|(?:is|was)n['’]t|can(?:not|['’]t)"
        r"|(?:no|non|n['’])\s?(?:es|è|est)\b|ist (?:nicht|falsch)|не)\b",
        re.IGNORECASE,
    ),
    re.compile(
        _NOT_BEFORE + r"([A-Za-z])[*_`\"'”’」』》】)\]]*+\s*+"
        r"(?:不是|不对|不對|是错|是錯|错误|錯誤|じゃない|ではない|가 아니|는 아니|가 아닙"
        r"|는 아닙|ليس)"
    ),
)
# What may follow a letter that is named: "B is right", "A because …". Before any other word in
# lower case the letter is the article "A", or part of a text: "A man walked in", "C major".
_NAMED_WORDS = (
    "is|because|and|or|as|since|es|porque|ya|y|o|est|car|parce|et|ou|ist|weil|da|und|oder|"
    "è|perché|e|é|pois|это|так|потому|поскольку|и|или|adalah|karena|vì|là|çünkü|omdat|jest|"
    "bo|ponieważ|eftersom|är|för"
)
_NAMED = frozenset(_NAMED_WORDS.split("|"))
# The same after a word of an answer: "I think A was the original".
_STATED = _NAMED | {
    *("was", "seems", "looks", "would", "should", "has", "fits", "appears", "matches", "the")
}
_WORD_AFTER = re.compile(r"\s++([^\W\d_]{1,12})(?![^\W\d_])|\s++([^\W\d_])")
_LEAD = re.compile(r"[\W_]*+")
_CLOSES = re.compile(r"[^\w\s]*+")
_PUNCTUATION = re.compile(r"[)\]}:.,;/&!?>|=…。、」』》】〉）،؛。|-]|\u2013|\u2014")
_NONE_OF_THESE = re.compile(
    r"^\W*none(?: of (?:the|these|them)\b.*)?\W*$", re.IGNORECASE | re.DOTALL
)


def read_reply(reply: Reply, options: int) -> Reading:
    """The answer in ``reply`` to a question with ``options`` options (4, or 5 with "none of
    these").

    Returns one of ``answered``, ``none``, ``refused``, ``invalid``; never raises. The outcome
    ``error`` is not among them: it means that there is no reply.
    """
    if reply.refusal:
        return Reading(Outcome.REFUSED, None, "refusal field")
    text = plain_ends(read_content(reply.text or "").text)
    letters = _letters(text)
    if not letters and reply.finish_reason == "content_filter":
        return Reading(Outcome.REFUSED, None, "content filter")
    if not text:
        reason = (
            "token limit reached before any text" if reply.finish_reason == "length" else "empty"
        )
        return Reading(Outcome.INVALID, None, reason)
    if len(letters) > 1:
        return Reading(Outcome.INVALID, None, f"names {', '.join(sorted(letters))}")
    if letters:
        return _judge(letters.pop(), options)
    if options > 4 and _NONE_OF_THESE.match(text):
        return Reading(Outcome.NONE, "E", "none of these")
    if REFUSAL.search(text):
        return Reading(Outcome.REFUSED, None, "refusal in words")
    return Reading(Outcome.INVALID, None, "no option letter")


def _judge(letter: str, options: int) -> Reading:
    if letter not in LETTERS[:options]:
        return Reading(Outcome.INVALID, None, f"{letter} is not an option")
    if letter == "E":
        return Reading(Outcome.NONE, "E", "option E")
    return Reading(Outcome.ANSWERED, letter, "letter")


def _letters(text: str) -> set[str]:
    """The option letters that ``text`` names, in upper case; empty if none can be identified."""
    lead = text[_LEAD.match(text).end() :]  # type: ignore[union-attr]  # it matches nothing, too
    first = re.match(r"([A-Za-z])" + _NOT_AFTER, lead)
    if first and _opens_as_answer(lead):
        closing = _CLOSES.match(lead, 1)
        remainder = lead[closing.end() if closing else 1 :].lstrip()
        joined = _JOINED.match(lead[1:])
        others = {joined[1].upper()} if joined else set()
        if re.match(r"[\s*_`\"'”’>」』》】]*[)\]:.。、]", lead[1:]):  # "D) …": it quotes the option
            others |= {m[1].upper() for m in _MARKED_LINE.finditer(remainder)}
            return {first[1].upper()} | (others & set(LETTERS))
        others |= _bare(remainder) | {m[1].upper() for m in _MARKED_LINE.finditer(remainder)}
        return _without_denied(text, {first[1].upper()} | (others & set(LETTERS)))
    sure = {
        match[1].upper()
        for pattern in (_SAID, _MARKED, _ENDS_LINE)
        for match in pattern.finditer(text)
        if pattern is _MARKED or not _is_prose(text, match, _STATED)
    } & set(LETTERS)
    return _without_denied(text, sure | _bare(text)) if sure else set()


def _without_denied(text: str, letters: set[str]) -> set[str]:
    """``letters``, or nothing if its only letter is one that ``text`` rejects."""
    denied = {
        match[1].upper()
        for pattern in _DENIED
        for match in pattern.finditer(text)
        if not _is_prose(text, match)
    }
    return set() if len(letters) == 1 and letters <= denied else letters


def _opens_as_answer(text: str) -> bool:
    """True if the single letter that opens ``text`` is an answer and no part of a sentence."""
    closing = _CLOSES.match(text, 1)
    end = closing.end() if closing else 1
    return _PUNCTUATION.search(text, 1, end) is not None or not _is_lower_word(text, end)


def _bare(text: str) -> set[str]:
    return {m[1] for m in _BARE.finditer(text) if m[1] in LETTERS and not _is_prose(text, m)}


def _is_prose(text: str, match: re.Match[str], may_follow: frozenset[str] = _NAMED) -> bool:
    """True for the "a" of "a man said" and the "B" of "B vitamins"."""
    return _is_lower_word(text, match.end(1), may_follow)


def _is_lower_word(text: str, start: int, may_follow: frozenset[str] = _NAMED) -> bool:
    """Whether a word in lower case follows that is not one of an answer."""
    word = _WORD_AFTER.match(text, start)
    if word is None:
        return False
    letters = word[1] or word[2]
    return letters[0].islower() and letters.lower() not in may_follow
