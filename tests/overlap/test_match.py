from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.overlap.match import Category, best_match, find, match_text
from dcq.overlap.meteor import PAPER, RELEASE, MeteorSettings, Reference
from dcq.overlap.tokens import split
from tests.overlap.nltk_reference import nltk_meteor
from tests.support.languages import TEXTS
from tests.support.meteor_words import WORDS

QUESTION = "The flaw in Anderson's ACT theory was that some considered it"
ANSWER = "untestable and thus, of uncertain scientific value"
FILLER = "Meanwhile on the far side of the river nobody had heard the bells ring for years. " * 5


@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=8),
    st.lists(st.sampled_from([*WORDS, "nothing", "else", "fits"]), max_size=40),
    st.sampled_from(
        [PAPER, RELEASE, MeteorSettings(window=1, gamma=0.3), MeteorSettings(alpha=0.5, gamma=1)]
    ),
)
def test_no_window_scores_higher(
    query: list[str], text: list[str], settings: MeteorSettings
) -> None:
    page, reference = split(" ".join(text)), Reference(split(" ".join(query)).words)
    longest = shortest = len(page)
    if settings.window is not None:
        longest = min(longest, math.ceil(settings.window * len(reference)))
        shortest = min(shortest, len(reference))
    every = [
        nltk_meteor(reference.words, page.words[max(0, end - longest) : end], settings)
        for end in range(shortest, len(page) + 1)
    ]
    found = best_match(reference, page, settings)
    assert found.score == pytest.approx(max(every, default=0), abs=1e-9)
    assert (found.span is None) == (found.score == 0 and not found.words)


def test_the_span_is_the_passage() -> None:
    text = f"{FILLER}{QUESTION} {ANSWER}.{FILLER}"
    found = match_text(QUESTION, text)
    assert found.score > 0.99
    assert found.span is not None
    assert text[slice(*found.span)] == QUESTION


def test_nothing_in_common_has_no_span() -> None:
    for query, text in [("quartz", FILLER), ("", FILLER), ("quartz", ""), ("___", "___")]:
        found = match_text(query, text)
        assert (found.score, found.span) == (0, None)


def test_inserted_words_cost_little_and_shuffled_ones_much() -> None:
    words = QUESTION.split()
    inserted = " ".join([*words[:5], "actually", *words[5:]])
    assert match_text(QUESTION, FILLER + inserted + FILLER).score > PAPER.threshold
    random.Random(1).shuffle(words)
    assert match_text(QUESTION, FILLER + " ".join(words) + FILLER).score < PAPER.threshold


def _category(query: str, label: str | None, text: str) -> Category:
    texts = [None if part is None else Reference(split(part).words) for part in (query, label)]
    assert texts[0] is not None
    return find(texts[0], texts[1], split(text)).category


def test_the_label_decides_the_category() -> None:
    assert _category(QUESTION, ANSWER, FILLER) == "clean"
    assert _category(QUESTION, ANSWER, f"{FILLER}{QUESTION}? {FILLER}") == "input-only"
    assert _category(QUESTION, None, f"{FILLER}{QUESTION} {ANSWER}") == "input-only"
    assert _category(QUESTION, ANSWER, f"{FILLER}{QUESTION} {ANSWER}") == "input-and-label"


def test_a_label_counts_near_the_query_and_not_by_the_querys_own_words() -> None:
    far = " ".join(f"w{number}" for number in range(200))
    assert _category(QUESTION, ANSWER, f"{QUESTION} {far} {ANSWER}") == "input-only"
    assert _category(QUESTION, "theory", f"{QUESTION}?") == "input-only"
    assert _category(QUESTION, "theory", f"{QUESTION}? It was a theory.") == "input-and-label"


def test_chinese_is_matched_by_characters() -> None:
    text = "题目：下列关于税法基本原则的表述中，不正确的是哪一项？答案是税收法定。"
    assert (
        _category("下列关于税法基本原则的表述中不正确的是", "税收法定", text) == "input-and-label"
    )


@pytest.mark.parametrize("language", TEXTS)
def test_texts_in_other_scripts_are_found_in_a_page(language: str) -> None:
    texts = TEXTS[language]
    joint = "" if language == "ja" else " "
    page = joint.join((*texts[:2], *texts[3:]))
    for place, text in enumerate(texts):
        found = match_text(text, page)
        if place == 2:
            assert found.score < 0.5
            continue
        assert found.score > 0.99
        assert found.span is not None
        # All of it but its last stop, which is no word.
        assert page[slice(*found.span)] == text[:-1]
