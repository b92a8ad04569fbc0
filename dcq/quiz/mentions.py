"""Where a reply mentions option letters, and whether it chooses or rejects them there.

A letter that stands in a sentence counts only where a construction chooses it: "the answer is B",
"I pick B", "B is the original", "Ответ: B". Anything else is a mention, or no option at all: the
article "A", the "C" of a copyright notice, the letter of a question.

Only pieces of bounded length around a letter are looked at, and of a bounded number of letters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from dcq.quiz.choosing import chooses, is_question, may_be_subject
from dcq.quiz.letter_words import confirms, listed, only_rejects, rejects

# Letters with two cases, digits and accents make a word with the letter beside them. In scripts
# without cases, such as Chinese, Japanese, Korean or Arabic, a word may adjoin a letter.
_CASED = (
    "A-Za-z0-9_\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u0300-\u052f\u0531-\u058f"
    "\u10a0-\u10ff\u1e00-\u1fff"
)
NOT_BEFORE = rf"(?<![{_CASED}])(?<![{_CASED}]['’\-])"
NOT_AFTER = rf"(?![{_CASED}]|['’\-][{_CASED}])"
_LETTER = re.compile(NOT_BEFORE + r"([A-Ea-e])" + NOT_AFTER)
_MOST = 60  # letters; a reply that names more of them names no single one
_NEAR = 160  # characters of a clause before or after a letter

_CLOSERS = re.compile(r"[*_`\"'“”’」』》】〉>)\]}~]*+")
_STOP = re.compile(r"[.,:;!?|/&،؛؟。、।…\u2013\u2014=→]")
_SPACED_STOP = re.compile(r"\s++(?:[-\u2013\u2014=→|/&:!?。、](?=\s|$)|[\u2013\u2014→])")
_ABBREVIATED = re.compile(r"\.[A-Za-z](?![A-Za-z])|:[\\/]")
_IN_BRACKETS = re.compile(r"\s*+[(\[【]([^()\[\]【】\n]{0,200})[)\]】]\s*+(?=[.!,;:]|\n|\Z)")
# An option's text in quotes, which runs to the end of the reply.
_QUOTE = re.compile(r"\s++([\"“„«「『'‘])")
_CLOSING = {"“": "”", "„": "“", "«": "»", "「": "」", "『": "』", "‘": "’"}
_LONGEST_QUOTE = 20_000  # characters
_SIGNS_ONLY = re.compile(r"[^\w\n\"'“‘«„(\[]*+(?:\n|\Z)")
_WORD = re.compile(r"\s++([^\W\d_]+(?:['’][^\W\d_]+)?)")
_UNCASED = re.compile(rf"\s*+(?=[^\W{_CASED}])([^.!?;,\n。،؟]{{1,40}}+)([?؟])?")
_LABEL_AFTER = re.compile(
    r"^(?:选项|選項|選択肢|項|项|番|번|这个|這個)?(?:です|だ|입니다|이다|예요|요)?\W*$"
)
_SINCE = re.compile(
    r"^(?:因为|因為|から|ので|だから|때문|왜냐|이유|لأن|כי|क्योंकि|เพราะ|だと思|を選|と思)"
)
_BECAUSE = frozenset(
    listed(
        """
    because since as and porque ya y parce et weil da und perché e pois так потому
    поскольку и karena vì çünkü omdat bo ponieważ eftersom för please instead overall wählen nehmen
    """
    )
)
_OR = frozenset({"or", "ou", "oder", "или", "o"})
_PARCE = re.compile(r"car\s+(?:il|elle|ce|c['’]|la|le|les|l['’]|on|cette|son|sa)", re.IGNORECASE)
_OPINIONS = frozenset(
    listed("i definitely probably certainly obviously bitte clearly it por please")
)
_OPINION = re.compile(
    r"\s+(?:I (?:think|guess|believe|suppose|'d say)|definitely|probably|certainly|obviously|bitte"
    r"|clearly|it is|por favor|please)\W*(?:\n|\Z)",
    re.IGNORECASE,
)
_VERBS = frozenset(
    listed(
        """
    is was are were seems looks appears reads matches fits must should would has will corresponds
    equals es est ist è é это som jest är er adalah là sind sont son является не n ne no non
    reproduces contains can cannot isn't wasn't isn’t wasn’t can't can’t clearly definitely as
    """
    )
)
_SENTENCE_END = re.compile(r"[.!;\n。]|[?؟]")
_CLAUSE_END = re.compile(
    r"[.!?;,\n。،؟]|(?<!\w)(?:because|since|weil|porque|parce|perché|потому|so|while|whereas)(?!\w)",
    re.IGNORECASE,
)
_REMARK = re.compile(r"[\s:,(\[\u2013\u2014→=-]*+([^.!?;,)\]\n]{1,60}+)")
_RETRACTED = re.compile(
    r"[\s.!?…]*+(?:no|nope|nein|non|нет|wrong|incorrect|falsch|faux|不|不是|不对|いいえ|아니요)"
    r"\s*+(?:[.!?,;:。]|\n|\Z)",
    re.IGNORECASE,
)
# "(c) Reuters 2004", the whole of a line.
_NOTICE = re.compile(
    r"^\W{0,4}\([A-Ea-e]\)[ \t]*+"
    r"(?:(?:[A-Z][\w&.'-]*+|the|by|and|of|all|rights|reserved)[,.]?[ \t]*+){0,8}"
    r"(?:19|20)\d\d[\w \t.,&-]{0,60}$",
    re.MULTILINE,
)
# "C. S. Lewis".
_INITIALS = re.compile(r"(?<!\w)(?:[A-Z]\.\s?){2,3}\s*+[A-Z][a-z]")
# What joins letters into one: "A, C and D", "B or C", "AとB".
_JOIN = re.compile(
    r"[\s*_`\"'”’)\].]*+(?:[,&/、،]++\s*+)?(?:(?:and|or|nor|y|o|et|ou|und|oder|e|и|или|plus|和|或|与|及|と|또"
    r"|및|و|או)(?![^\W_])|和|或|与|及|と|[,&/、،]++)?[\s*_`\"'“‘(\[]*+\Z"
)


class Side(Enum):
    """What follows a letter."""

    END = auto()  # nothing, a mark, a reason
    CONFIRMED = auto()  # "is the original"
    REJECTED = auto()  # "was changed"
    OTHER = auto()  # prose


@dataclass
class Mention:
    """A letter at ``start``, the ``side`` that follows it, and whether the reply chooses or rejects
    it here."""

    letter: str
    start: int
    end: int
    upper: bool
    side: Side
    joined: bool = False  # to the letter before it
    chosen: bool = False
    rejected: bool = False


def find_mentions(text: str) -> list[Mention] | None:
    """The letters that ``text`` mentions in the order in which they stand; None where they are too
    many to be an answer."""
    notices = find_notices(text)
    found: list[Mention] = []
    for match in _LETTER.finditer(text):
        start, end = match.span()
        if any(first <= start < last for first, last in notices) or _is_initial(text, start):
            continue
        side = side_of(text, end)
        if side is Side.OTHER and not found and _opens_with_quote(text, start, end):
            side = Side.END
        joins = bool(found) and _joins(text, found[-1], start)
        if side is Side.OTHER and not match[1].isupper() and not joins:
            continue
        mention = Mention(match[1].upper(), start, end, match[1].isupper(), side, joins)
        found.append(mention)
        if len(found) > _MOST:
            return None
    for left, right in zip(found[-2::-1], found[:0:-1], strict=True):
        if right.joined:
            left.side = right.side  # "A, C and D are paraphrases"
    for i, mention in enumerate(found):
        _judge(text, mention, found[i - 1] if mention.joined else None)
    return found


def find_notices(text: str) -> list[tuple[int, int]]:
    """Where the copyright notices and the initials of names in a text begin and end."""
    return [match.span() for form in (_NOTICE, _INITIALS) for match in form.finditer(text)]


def side_of(text: str, end: int) -> Side:
    """What follows a letter that ends at ``end``."""
    start = _end_of(_CLOSERS, text, end)
    closed = text[end:start]
    rest = text[start : start + _NEAR]
    if not rest.strip(" \t") or rest.lstrip(" \t").startswith("\n"):
        return Side.REJECTED if "~~" in closed else Side.END
    if _RETRACTED.match(rest):
        return Side.REJECTED
    if rest[0] in "+#%°$€£^" or (not closed and _ABBREVIATED.match(rest)):
        return Side.OTHER
    if _STOP.match(rest) or _SPACED_STOP.match(rest) or set(closed) & set(")]}>】》」』〉"):
        return Side.REJECTED if _is_rejected(rest) else Side.END
    if bracket := _IN_BRACKETS.match(rest):
        return Side.REJECTED if only_rejects(bracket[1]) else Side.END
    if _SIGNS_ONLY.match(rest):
        return Side.REJECTED if rejects(rest.partition("\n")[0]) else Side.END
    if uncased := _UNCASED.match(rest):
        return _of_uncased(uncased[1].strip(), asked=bool(uncased[2]))
    return _of_words(rest)


def _opens_with_quote(text: str, start: int, end: int) -> bool:
    """Whether a reply is a letter and the text of its option in quotes: ``B "Oil prices rose."``,
    unlike ``a "news" text``."""
    quote = _QUOTE.match(text, _end_of(_CLOSERS, text, end))
    if quote is None or start > _NEAR or re.search(r"\w", text[:start]):
        return False
    closing = _CLOSING.get(quote[1], quote[1])
    close = text.find(closing, quote.end(), quote.end() + _LONGEST_QUOTE)
    return 0 <= len(text) - close <= _NEAR and not re.search(r"\w", text[close:])


def _is_rejected(rest: str) -> bool:
    """Whether a remark in the same sentence takes a letter back: "B: no", "B, the altered one"."""
    if rest[0] == ".":
        return False
    remark = _REMARK.match(rest)
    return remark is not None and only_rejects(remark[1])


def _of_uncased(tail: str, *, asked: bool) -> Side:
    if asked or rejects(tail):
        return Side.REJECTED
    if confirms(tail):
        return Side.CONFIRMED
    return Side.END if _LABEL_AFTER.match(tail) or _SINCE.match(tail) else Side.OTHER


def _of_words(rest: str) -> Side:
    word = _WORD.match(rest)
    if word is None:
        return Side.OTHER
    first = word[1]
    if first.lower() in _OPINIONS and _OPINION.match(rest):
        return Side.END
    if first in _OR:
        return Side.OTHER
    if first in _BECAUSE and not (first == "as" and confirms(_clause(rest))):
        return Side.END
    if _PARCE.match(rest.lstrip()):
        return Side.END
    if first not in _VERBS:
        return Side.OTHER
    clause = _clause(rest)
    if rejects(clause):
        return Side.REJECTED
    return Side.CONFIRMED if confirms(clause) else Side.OTHER


def _clause(rest: str) -> str:
    found = _CLAUSE_END.search(rest)
    return rest[: found.start()] if found else rest


def _judge(text: str, mention: Mention, before: Mention | None) -> None:
    """Note whether ``text`` chooses or rejects a letter; one that is joined to the letter
    ``before`` shares what leads to that."""
    if mention.side is Side.REJECTED:
        mention.rejected = True
        return
    if before is not None:
        mention.chosen, mention.rejected = before.chosen, before.rejected
        return
    left = text[max(0, mention.start - _NEAR) : mention.start]
    asked = _is_asked(text, mention)
    choice = chooses(left, starts=mention.start <= _NEAR, ends_line=_ends_line(text, mention.end))
    if asked or choice is False:
        mention.rejected = True
    elif choice:
        mention.chosen = mention.side in {Side.END, Side.CONFIRMED}
    elif mention.side is Side.CONFIRMED and mention.upper:
        mention.chosen = not is_question(left) and may_be_subject(left)


def _is_asked(text: str, mention: Mention) -> bool:
    """Whether the letter stands in a question. A reply that is only a letter is none."""
    end = _SENTENCE_END.search(text, mention.end, mention.end + _NEAR)
    if end is None or end[0] not in "?؟":
        return False
    return re.search(r"\w", text[: mention.start] + text[mention.end :]) is not None


def _ends_line(text: str, end: int) -> bool:
    return re.compile(r"[^\w\n]{0,12}(?:\n|\Z)").match(text, end) is not None


def _is_initial(text: str, start: int) -> bool:
    """Whether a letter is part of an abbreviation: the A of "U.S.A."."""
    return start >= 2 and text[start - 1] == "." and text[start - 2].isalpha()


def _joins(text: str, before: Mention, start: int) -> bool:
    between = text[before.end : start]
    return len(between) <= 24 and _JOIN.match(between) is not None and "\n" not in between


def _end_of(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start
