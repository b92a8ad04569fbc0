from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.scripts import fold, is_latin, is_unspaced, main_script, word_spans, words
from tests.support.languages import TEXTS

# What a word was before other scripts were thought of; for Latin it must stay so.
LATIN = re.compile(r"(?:[^\W_]|[\u0300-\u036f])+")


@pytest.mark.parametrize(
    ("text", "script"),
    [
        *((TEXTS["kk"][0], "Cyrl"), (TEXTS["ja"][0], "Jpan"), (TEXTS["ar"][0], "Arab")),
        *(("今天天气很好", "Hani"), ("Naïve café № 7", "Latn"), ("วันนี้หิมะตก", "Thai")),
        *(("Привет, world!", "Cyrl"), ("Hello, мир", "Latn"), ("ⴰⵣⵓⵍ", "Zzzz")),
        *(("٤٢", "Arab"), ("42 + 7", ""), ("", ""), ("オンライン会議", "Jpan"), ("오늘", "Hang")),
    ],
)
def test_the_script_of_most_letters(text: str, script: str) -> None:
    assert main_script(text) == script
    assert is_latin(text) == (script in {"Latn", ""})
    assert is_unspaced(text) == (script in {"Hani", "Jpan", "Thai"})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Қар ЖАУДЫ, қар!", ["қар", "жауды", "қар"]),
        ("雪が降った。2024年", ["雪", "が", "降", "っ", "た", "2024", "年"]),
        ("ﾊﾝｶｸと人々", ["ハ", "ン", "カ", "ク", "と", "人", "々"]),
        ("ذَهَبَ الولدُ", ["ذَهَبَ", "الولدُ"]),  # marks of vowels belong to their word
        ("سنة ٢٠٢٤", ["سنة", "٢٠٢٤"]),
        ("मैं हिन्दी", ["मैं", "हिन्दी"]),
        ("กี่ปี", ["กี่", "ปี"]),
        ("葛\U000e0100城", ["葛", "城"]),
        ("1\ufe0f\u20e3 x", ["1", "x"]),
        ("___ ، 。", []),
    ],
)
def test_words_by_script(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize("language", TEXTS)
def test_one_letter_written_two_ways_is_one(language: str) -> None:
    for text in (*TEXTS[language], "ガラスのビン", "үй"):
        assert words(unicodedata.normalize("NFD", text)) == words(text)


@given(st.text(st.sampled_from("aZ9 ._-'’—\nßéÉİſﬁ\u0301\u0308①½№𝐀αд")))
def test_words_of_latin_texts_are_what_they_were(text: str) -> None:
    # A sign of another script, which takes the slower way, changes nothing before it.
    for beside in ("", " 数"):
        found = [one for one in word_spans(text + beside) if one[0] <= len(text)]
        assert found == [one.span() for one in LATIN.finditer(text)]
    assert words(text) == [fold(text[start:end]) for start, end in word_spans(text)]
