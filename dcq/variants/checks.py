"""Checks whether a variant is a fair rewording of its original. A finding has a name, a severity
and a sentence.

The quiz needs options that differ from the original in words only. An empty, repeated or altered
option can be recognised without any memory, so it is an error; a variant that only looks odd gets a
warning for a person to decide on. The limits below were set on the control texts' variants, nearly
all of which pass, and on the result files that the quiz's authors published.

Names that a rewording lost are found by their capitals. Where each noun has a capital, as in
German, capitals tell nothing, and nothing is looked for. A script without capitals has no such
names, but names in Latin letters within it are found.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

import regex
from rapidfuzz.distance import LCSseq, Prefix

from dcq.languages import primary
from dcq.naming import as_seen
from dcq.records import Instance, Severity, VariantFinding
from dcq.variants.tokens import without_words, word_spans, words

# Characters of the variant for each of the original: below a half or above twice is another text.
LENGTH_ODD = (0.8, 1.25)
LENGTH_WRONG = (0.5, 2.0)
# Share of the original's words that are not in the variant in their order. One word in twenty is
# too little for anyone to remember by; beyond four in five nothing of the sentence is left, and
# beyond nineteen in twenty it is a refusal or another text.
CHANGED_FEW = 0.05
CHANGED_MANY = 0.8
CHANGED_ALL = 0.95
# A synonym may be two words, so the count may move a little: this share, or two words.
DRIFT_ODD = 0.1
DRIFT_FREE = 2
# Cosine of sentence vectors. The control texts' variants lie above this.
SIMILARITY_LOW = 0.65

NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
# One form for each quotation mark, dash and decimal or thousands separator; joiners and spaces
# without width come and go with the words of Persian, Thai or Khmer.
_PLAIN = str.maketrans(
    dict.fromkeys("‘’‚‛‹›", "'")
    | dict.fromkeys("“”„‟«»", '"')
    | dict.fromkeys("–—", "-")
    | {"٫": ".", "٬": ","}
    | dict.fromkeys("\u200b\u200c\u200d")
)
# Marks of a sentence in any script, and invisible characters such as marks of direction.
PUNCTUATION = regex.compile(
    r'[\p{Terminal_Punctuation}\p{Quotation_Mark}\p{Cf}.,;:!?"\-…¿¡()「」『』《》〈〉·]'
)


def check(
    original: Instance,
    text: str,
    others: Sequence[str] = (),
    similarity: float | None = None,
    *,
    language: str = "en",
) -> list[VariantFinding]:
    """The findings about ``text`` as a variant of ``original``; an empty list if it is fine.

    ``others`` are the instance's other variants. ``similarity`` is the cosine of the two texts'
    sentence vectors (-1 to 1), None if it was not computed; then meaning is not checked.
    ``language`` is that of the partition: names are not found by capitals where each noun has
    one."""
    if not as_seen(text):
        return [_error("empty", "The variant is empty.")]
    plain, source = normalise(text), normalise(original.text)
    if (compared := as_compared(text)) == as_compared(original.text):
        sentence = "The variant is the same as the original, except perhaps for case and spaces."
        return [_error("same-as-original", sentence)]
    findings: list[VariantFinding] = []
    if compared in map(as_compared, others):
        findings.append(_error("duplicate", "Another variant of this instance has the same text."))
    findings += _protected(original, text)
    findings += _numbers(source, plain)
    findings += _digits(original.text, text)
    findings += _names(original.text, text, language)
    findings += _symbols(source, plain)
    findings += _layout(original.text, text)
    findings += _length(source, plain)
    findings += _changed(source, plain)
    if similarity is not None and similarity < SIMILARITY_LOW:
        score = f"similarity {similarity:.2f}, expected at least {SIMILARITY_LOW}"
        findings.append(_warning("meaning-drift", f"The meaning seems to have changed: {score}."))
    return findings


def passes(findings: Iterable[VariantFinding]) -> bool:
    """True unless one of ``findings`` is an error."""
    return all(finding.severity is not Severity.ERROR for finding in findings)


def as_compared(text: str) -> str:
    """A form of a text that is equal for wordings that are the same: in case, in quotation marks
    and dashes, and in what cannot be seen they may differ."""
    return normalise(as_seen(text)).casefold()


def normalise(text: str) -> str:
    """``text`` with one form for each character, digit, quotation mark and dash, and single
    spaces."""
    plain = " ".join(unicodedata.normalize("NFKC", text).translate(_PLAIN).split())
    if plain.isascii():
        return plain
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in plain)


def _protected(original: Instance, text: str) -> list[VariantFinding]:
    """A protected part that is a whole line, such as the label, must stay a whole line: more words
    on it would change its meaning. If such a line ends the original, nothing may follow it."""
    lines, source_lines = _lines(text), _lines(original.text)
    plain, source = normalise(text), normalise(original.text)
    lost = []
    for part in filter(normalise, original.protected):
        part_lines = _lines(part)
        ends = (
            source_lines[-len(part_lines) :] == part_lines
            and lines[-len(part_lines) :] != part_lines
        )
        fewer = _count(part_lines, lines) < _count(part_lines, source_lines)
        if ends or fewer or plain.count(normalise(part)) < source.count(normalise(part)):
            lost.append(normalise(part))
    if not lost:
        return []
    return [_error("label-changed", f"The label or another fixed part was changed: {_list(lost)}.")]


def _lines(text: str) -> list[str]:
    """The lines with text, normalised by ``normalise``."""
    return [line for line in map(normalise, text.splitlines()) if line]


def _count(part: Sequence[str], lines: Sequence[str]) -> int:
    """How often ``part`` is found as whole lines in a row."""
    size = len(part)
    return sum(list(lines[at : at + size]) == list(part) for at in range(len(lines) - size + 1))


def _numbers(source: str, text: str) -> list[VariantFinding]:
    findings = []
    if changes := _changes(NUMBER.findall(source), NUMBER.findall(text)):
        findings.append(_error("number-changed", f"A number was changed: {changes}."))
    lost, new = _numerals(source, text), _numerals(text, source)
    if sorted(map(_values, lost)) != sorted(map(_values, new)):
        sentence = f"A numeral was changed: {_changes(lost, new)}."
        findings.append(_warning("numeral-changed", sentence))
    return findings


def _numerals(text: str, other: str) -> list[str]:
    """Words of ``text`` in signs that are numbers by themselves, such as 三百, which ``other`` has
    less often. Characters are counted, as where words end depends on what is beside them."""
    return [
        word
        for word in words(text)
        if not word.isascii()
        and all(sign.isnumeric() and not sign.isdecimal() for sign in word)
        and other.count(word) < text.count(word)
    ]


def _values(word: str) -> list[float]:
    """The value of each sign: 两 and 二 are both 2."""
    return [unicodedata.numeric(sign) for sign in word]


def _digits(source: str, text: str) -> list[VariantFinding]:
    """Digits of another script or width have the same value, but they can be recognised."""
    before, after = _zeros(source), _zeros(text)
    if before == after or not (before and after):
        return []
    changes = _changes(sorted(before), sorted(after))
    return [_warning("digits-changed", f"Numbers are written in other digits: {changes}.")]


def _zeros(text: str) -> set[str]:
    """The zero of each kind of digit that ``text`` has."""
    if text.isascii():
        return {"0"} if any(map(str.isdecimal, text)) else set()
    return {chr(ord(sign) - unicodedata.decimal(sign)) for sign in text if sign.isdecimal()}


def _names(source: str, text: str, language: str) -> list[VariantFinding]:
    lost = lost_names(source, text, language)
    return (
        [_error("name-changed", f"A name was changed: {_list(lost)} is missing.")] if lost else []
    )


def _symbols(source: str, text: str) -> list[VariantFinding]:
    before, after = _marks(source), _marks(text)
    hard = _changes(
        [mark for mark in before if not PUNCTUATION.match(mark)],
        [mark for mark in after if not PUNCTUATION.match(mark)],
    )
    soft = _changes(
        [mark for mark in before if PUNCTUATION.match(mark)],
        [mark for mark in after if PUNCTUATION.match(mark)],
    )
    findings = []
    if hard:
        findings.append(_error("symbol-changed", f"A symbol was changed: {hard}."))
    if soft:
        findings.append(_warning("punctuation-changed", f"The punctuation was changed: {soft}."))
    return findings


def _layout(source: str, text: str) -> list[VariantFinding]:
    before, after = (sum(map(bool, map(str.strip, t.splitlines()))) for t in (source, text))
    if before == after:
        return []
    sentence = f"The original has {before} lines with text and the variant {after}."
    return [_warning("layout-changed", sentence)]


def _length(source: str, text: str) -> list[VariantFinding]:
    ratio = len(text) / max(1, len(source))
    if LENGTH_ODD[0] <= ratio <= LENGTH_ODD[1]:
        return []
    sentence = f"The variant has {len(text)} characters and the original {len(source)}."
    wrong = not LENGTH_WRONG[0] <= ratio <= LENGTH_WRONG[1]
    return [_error("length", sentence) if wrong else _warning("length", sentence)]


def _changed(source: str, text: str) -> list[VariantFinding]:
    before = [word.casefold() for word in words(source)]
    after = [word.casefold() for word in words(text)]
    if not before:
        return []
    findings = []
    unchanged = LCSseq.similarity(before, after)
    share = 1 - unchanged / len(before)
    changed = f"{len(before) - unchanged} of {len(before)} words were changed"
    if share > CHANGED_ALL and len(before) > 3:
        findings.append(_error("changed-all", f"{changed}: this looks like another text."))
    elif share > CHANGED_MANY:
        findings.append(_warning("changed-many", f"{changed}, more than {CHANGED_MANY:.0%}."))
    elif share < CHANGED_FEW:
        findings.append(_warning("changed-few", f"{changed}, fewer than {CHANGED_FEW:.0%}."))
    if abs(len(after) - len(before)) > max(DRIFT_FREE, DRIFT_ODD * len(before)):
        sentence = f"The original has {len(before)} words and the variant {len(after)}."
        findings.append(_warning("word-count", sentence))
    return findings


def _marks(text: str) -> list[str]:
    """Characters that are not words, spaces or part of a number. Apostrophes do not count: "boys'"
    may become "children's"."""
    remainder = without_words(NUMBER.sub("", text))
    return [mark for mark in remainder if not mark.isspace() and mark != "'"]


def _changes(before: Sequence[str], after: Sequence[str]) -> str:
    """The difference of two multisets in words; empty if there is none."""
    had, has = Counter(before), Counter(after)
    lost, new = list((had - has).elements()), list((has - had).elements())
    parts = [f"{_list(lost)} is missing"] if lost else []
    parts += [f"{_list(new)} is new"] if new else []
    return ", ".join(parts)


def _list(parts: Sequence[str]) -> str:
    """A few of ``parts`` in quotation marks, each cut short; the invisible by their names."""
    quoted_parts = ", ".join(f"“{_visible(part)}”" for part in parts[:5])
    return quoted_parts if len(parts) <= 5 else f"{quoted_parts} and {len(parts) - 5} more"


def _visible(part: str) -> str:
    if len(part) == 1 and unicodedata.category(part) == "Cf":
        return unicodedata.name(part, f"U+{ord(part):04X}").lower()
    return part if len(part) <= 40 else part[:39] + "…"


def _error(check: str, sentence: str) -> VariantFinding:
    return VariantFinding(check, Severity.ERROR, sentence)


def _warning(check: str, sentence: str) -> VariantFinding:
    return VariantFinding(check, Severity.WARNING, sentence)


# Share of the longer words inside sentences that are capitalised; a line with more is a headline,
# or German that nobody declared, and there capitals mark no names.
HEADLINE = 0.45
# Letters at the end of a name that may differ where names have cases.
ENDING, LEAST_SHARED = 3, 3

_CAPITALISES_NOUNS = frozenset({"de", "gsw", "lb", "nds"})
_INFLECTS_NAMES = frozenset(
    {
        *("az", "be", "bs", "cs", "el", "et", "fi", "hr", "hu", "hy", "is", "kk", "la", "lt"),
        *("lv", "pl", "ru", "sh", "sk", "sl", "sr", "tr", "uk", "uz"),
    }
)
_VERSE = re.compile(r"\d:\d+$")  # a new sentence follows the number of a verse
_VERSE_LENGTH = 8  # a longer part of a line would be searched at each word
_OPENING = regex.compile(r"[\p{STerm}.!?:;：；…¿¡\"“”«»„'‘(\[{*#>\-–—•|]")
_JOINTS = re.compile(r"['’\-]")


def lost_names(source: str, text: str, language: str) -> list[str]:
    """The names of ``source`` that ``text`` lacks, in order, each once."""
    code = primary(language)
    if code in _CAPITALISES_NOUNS:
        return []
    present = {bare for word in words(text) for bare in (_bare(word), *_parts(word))}
    names = (name for name in dict.fromkeys(_capitalised(source)) if _bare(name) not in present)
    if code not in _INFLECTS_NAMES:
        return list(names)
    return [name for name in names if not any(_is_form(_bare(name), other) for other in present)]


def _capitalised(text: str) -> list[str]:
    """Words that look like names: capitalised, inside a sentence, and nowhere in lower case."""
    lower = {word for word in words(text) if not word[0].isupper()}
    names: list[str] = []
    for line in text.splitlines():
        spans = list(word_spans(line))
        inside = [line[start:end] for start, end in spans if not _opens(line[:start])]
        long = [word for word in inside if len(word) > 3 and _has_case(word)]
        if _is_uncased(line) or sum(word[0].isupper() for word in long) <= HEADLINE * len(long):
            names += [word for word in inside if word[0].isupper() and len(word) > 1]
    return [name for name in names if name.casefold() not in lower]


def _has_case(word: str) -> bool:
    return word.lower() != word.upper()


def _is_uncased(line: str) -> bool:
    """True if most words of ``line`` are in a script without capitals."""
    line_words = words(line)
    return 2 * sum(map(_has_case, line_words)) < len(line_words)


def _opens(before: str) -> bool:
    """True if a sentence opens after ``before``, the part of a line."""
    before = before.rstrip()
    return (
        not before
        or _OPENING.match(before[-1]) is not None
        or _VERSE.search(before[-_VERSE_LENGTH:]) is not None
    )


def _bare(word: str) -> str:
    """``word`` without capitals and without the ending of the possessive."""
    return re.sub(r"['’]s$", "", word.casefold())


def _parts(word: str) -> list[str]:
    """What apostrophes and hyphens join in ``word``: of "l'Europe" also "europe"."""
    return _JOINTS.split(word.casefold())


def _is_form(name: str, other: str) -> bool:
    """True if ``other`` may be another case of ``name``: only the last letters differ."""
    return Prefix.similarity(name, other) >= max(LEAST_SHARED, len(name) - ENDING)
