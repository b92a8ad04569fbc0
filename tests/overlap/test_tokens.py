from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tokenize import NLTKWordTokenizer
from nltk.tokenize.punkt import PunktSentenceTokenizer

from dcq.overlap.match import match_text
from dcq.overlap.meteor import PAPER, RELEASE, meteor
from dcq.overlap.scan.blocks import Block, Piece
from dcq.overlap.scan.index import ScanQuery, build
from dcq.overlap.search.service import WebPage
from dcq.overlap.search.task import judge
from dcq.overlap.tokens import split, split_characters, split_tokens, splitter_for

# Letters, marks and white space at which nltk does something.
HOSTILE = st.text(
    "aB1 .,'\"`?!;:()[]{}<>&#%*-\u2014\u00ab\u201c\u2019\u00a0\n\t_\u4e2d\u0130", max_size=40
)
QUOTES = {'"', "``", "''"}  # nltk writes one for another
DROPPED = [".", ",", "?", "!", ";", ":", '"', "'", ""]


def test_the_releases_words_are_nltks_without_marks_that_stand_alone() -> None:
    found = split_tokens('He didn\'t say "no" (twice). Well-known, 5% of U.S. cases!')
    words = "he did n't say `` no '' ( twice ) well-known 5 % of u.s cases"
    assert " ".join(found.words) == words


@given(st.one_of(HOSTILE, st.text(max_size=40)))
def test_words_are_those_of_nltk_and_each_knows_its_place(text: str) -> None:
    found = split_tokens(text)
    sentences, tokenizer = PunktSentenceTokenizer(), NLTKWordTokenizer()
    raw = [token for one in sentences.tokenize(text) for token in tokenizer.tokenize(one)]
    assert list(found.words) == [token.lower() for token in raw if token not in DROPPED]
    places = list(zip(found.starts, found.ends, strict=True))
    assert places == sorted(places)
    for word, (start, end) in zip(found.words, places, strict=True):
        assert text[start:end].lower() in (QUOTES if word in QUOTES else {word})


def test_chinese_goes_by_characters_with_its_marks() -> None:
    assert split_characters("高出0.5m，\n见 图").words == tuple("高出0.5m，见图")
    assert splitter_for("哪个", RELEASE) is split_characters
    assert splitter_for("which", RELEASE) is split_tokens
    assert splitter_for("哪个", PAPER) is splitter_for("which", PAPER) is split


@pytest.mark.parametrize(
    ("query", "text", "score"),
    [
        # Ten of eleven words in two chunks: a hyphen joins two of our twelve.
        (
            "The one-way street was closed, so Ann asked Ben for help.",
            "The one-way street was closed so Ann Ben for help",
            10 / 11 * (1 - 0.5 * (2 / 10) ** 3),
        ),
        # Both brackets are words that the text lacks.
        ("What does DNA (the acid) store?", "What does DNA the acid store", 6 / 8 * (1 - 0.5 / 8)),
        # An entity that a service left in: ``didn``, ``&``, ``#``, ``39``, ``t`` are not ``n't``.
        ("She didn't go home", "She didn&#39;t go home", 3 / 5 * (1 - 0.5 * (2 / 3) ** 3)),
        # Sixteen characters of which three marks; the text has spaces for two of them.
        (
            "甲午战争中，清军败了，签约。",
            "甲午战争中 清军败了 签约",
            11 / 14 * (1 - 0.5 * (3 / 11) ** 3),
        ),
    ],
)
def test_the_preset_release_scores_as_the_release(query: str, text: str, score: float) -> None:
    assert match_text(query, text, RELEASE).score == pytest.approx(score, abs=1e-12)
    ours = match_text(query, text, replace(RELEASE, tokens="words")).score
    assert abs(ours - score) > 0.005


def test_a_span_has_the_characters_of_the_text() -> None:
    text = 'Before. It said: "Water boils at 100 % of it" (twice).'
    found = match_text('"Water boils at 100 % of it"', text, RELEASE)
    assert found.span is not None
    assert text[slice(*found.span)] == '"Water boils at 100 % of it"'


QUERY = "Is the one-way (narrow) street closed today, Ann?"


def test_pages_are_judged_by_the_releases_words() -> None:
    shown = "Is the one-way narrow street closed today Ann"
    page = WebPage("https://a.org", "", (shown,), (shown,))
    found = judge([[QUERY]], "", [page], RELEASE)
    query, text = (split_tokens(one).words for one in (QUERY, shown))
    assert found.score == pytest.approx(meteor(query, text, RELEASE))
    assert found.score < 0.8 < judge([[QUERY]], "", [page], replace(RELEASE, tokens="words")).score
    [passage] = found.passages
    assert [shown[start:end] for start, end in passage.marks][:3] == ["Is", "the", "one-way"]


def test_a_corpus_is_scanned_by_the_releases_words() -> None:
    text = "Is the one-way narrow street closed today Ann"
    scores = {}
    for settings in (RELEASE, replace(RELEASE, tokens="words")):
        block = Block(build([ScanQuery("q", QUERY)], settings), settings, "f")
        [hit] = block.add(Piece(0, None, text)) or block.finish()
        scores[settings.tokens] = hit.score
    assert scores["release"] < 0.8 < scores["words"]
