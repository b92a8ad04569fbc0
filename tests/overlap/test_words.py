from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from dcq.overlap.tokens import split


def test_words_are_lower_cased_and_keep_their_places() -> None:
    text = "The flaw, in Anderson's ACT-theory: ____ 3.5!"
    found = split(text)
    assert found.words == ("the", "flaw", "in", "anderson", "s", "act", "theory", "3", "5")
    assert text[found.starts[3] : found.ends[3]] == "Anderson"


def test_chinese_goes_by_characters() -> None:
    assert split("在GPT-4中，答案").words == ("在", "gpt", "4", "中", "答", "案")


def test_signs_of_scripts_without_spaces_are_words_and_marks_stay_with_their_letters() -> None:
    assert split("雪が降る").words == ("雪", "が", "降", "る")
    assert split("กี่ปี").words == ("กี่", "ปี")
    assert split("ذَهَبَ الولدُ").words == ("ذَهَبَ", "الولدُ")
    assert split("मैं हिन्दी").words == ("मैं", "हिन्दी")


def test_one_letter_written_two_ways_is_one() -> None:
    assert split(unicodedata.normalize("NFD", "Café")).words == split("CAFÉ").words == ("café",)
    assert split("Ｆｕｌｌ").words == ("full",)


@given(st.text())
def test_places_are_those_of_the_text(text: str) -> None:
    found = split(text)
    for word, start, end in zip(found.words, found.starts, found.ends, strict=True):
        assert unicodedata.normalize("NFKC", text[start:end].lower()) == word
    assert list(found.starts) == sorted(found.starts)
