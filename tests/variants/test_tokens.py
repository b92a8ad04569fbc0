import re

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from dcq.variants.tokens import (
    _PLAIN,
    _spans,
    bag_words,
    is_unspaced,
    tokens,
    without_words,
    word_spans,
    words,
)

# All of Unicode, and often the letters, marks and joiners of scripts that need care.
SIGNS = (
    "中文はカー本๓หนังือខ្ញុំက္ကျွ किताबें می\u200cخواهم كِتَاب שלום״׳ǅİß'’-_x3²½ ❤\ufe0f\u200d\u0301\ud800"
)
texts = st.text() | st.text(SIGNS, max_size=60)


@given(texts)
def test_tokens_give_the_text_back(text: str) -> None:
    assert "".join(tokens(text)) == text


@given(texts)
def test_words_are_tokens_in_their_order_and_the_rest_is_left(text: str) -> None:
    rest = tokens(text)
    for word in words(text):
        del rest[: rest.index(word)]
        assert rest.pop(0) == word
    ends = [0]
    for start, end in word_spans(text):
        assert ends[-1] <= start < end
        ends.append(end)
    assert len("".join(words(text))) + len(without_words(text)) == len(text)


@given(texts)
def test_no_word_is_white_space_or_punctuation(text: str) -> None:
    for word in [*words(text), *bag_words(text)]:
        assert regex.search(r"[\w\p{N}]", word)
        assert not re.search(r"[\s.,!。、]", word)


@given(st.text(st.characters(max_codepoint=0x2FF, exclude_characters="İ")))  # its dot is a mark
@example("0ʼ")
def test_a_bag_of_latin_words_is_what_the_regular_expression_finds(text: str) -> None:
    lowered = text.lower()
    assert bag_words(text) == re.findall(r"\w+", lowered)
    found = [lowered[slice(*span)] for span in _spans(_PLAIN, lowered)]
    assert found == re.findall(r"\w+", lowered)  # the way that the other scripts take


def test_the_apostrophe_of_ukrainian_takes_no_word_apart() -> None:
    assert words("Пʼять обʼєктів") == ["Пʼять", "обʼєктів"]
    assert bag_words("Пʼять обʼєктів") == ["пʼять", "обʼєктів"]


def test_apostrophes_and_hyphens_belong_to_their_word() -> None:
    assert words("The boys’ well-known car isn't Ann's.") == [
        "The",
        "boys",
        "well-known",
        "car",
        "isn't",
        "Ann's",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("他买了3本books。", "他 买 了 3 本 books"),
        ("国务院周一表示，工厂已经停产。", "国务院 周一 表示 工厂 已经 停产"),
        ("私は東京へ行く。", "私 は 東京 へ 行く"),
        ("ฉันซื้อหนังสือ ๓ เล่ม", "ฉัน ซื้อ หนังสือ ๓ เล่ม"),
        ("ខ្ញុំបានទិញសៀវភៅ", "ខ្ញុំ បាន ទិញ សៀវភៅ"),
    ],
)
def test_scripts_without_spaces_are_divided_by_a_dictionary(text: str, expected: str) -> None:
    assert words(text) == expected.split()
    assert bag_words(text) == expected.split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("किताबें बंद हैं।", ["किताबें", "बंद", "हैं"]),
        ("كِتَابٌ جميل، أمس؟", ["كِتَابٌ", "جميل", "أمس"]),
        ("می\u200cخواهم کتاب", ["می\u200cخواهم", "کتاب"]),
        ("ראש צה״ל וג׳ירפה", ["ראש", "צה״ל", "וג׳ירפה"]),
        ("İstanbul’da yağmur", ["İstanbul’da", "yağmur"]),
        ("Straßen-Café e\u0301te\u0301", ["Straßen-Café", "e\u0301te\u0301"]),
    ],
)
def test_marks_and_joiners_belong_to_their_word(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_signs_of_emoji_are_no_words() -> None:
    assert words("👨\u200d👩\u200d👧 ❤\ufe0f ×") == []


def test_a_long_run_without_spaces_is_divided_in_no_time() -> None:
    assert len(words("政府宣布新的计划" * 10_000)) == 40_000


def test_a_script_without_spaces_is_known() -> None:
    assert is_unspaced("停产")
    assert is_unspaced("หนังสือ")
    assert not any(map(is_unspaced, ["", "Buch", "停产 停产", "3", "책"]))


def test_spanish_letters_are_letters() -> None:
    assert words("¿Qué pasó mañana?") == ["Qué", "pasó", "mañana"]


def test_latin_words_are_found_alike_in_a_text_of_any_script() -> None:
    text = "Don’t re-do l'été: x²½, a_b '90s, œuvre\xad-Straße3 --- É."
    with_another = text + " 中"
    assert words(text) == words(with_another)[:-1]
    assert list(word_spans(text)) == list(word_spans(with_another))[:-1]
    assert without_words(text) + " " == without_words(with_another)
