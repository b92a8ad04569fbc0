"""Names of all the world's scripts are taken; what nobody sees, or takes for another, is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq import naming
from dcq.errors import InputError
from dcq.words import visible

REAL = [
    "ag_news", "AG News", "fancyzhx/ag_news:default", "gpt-4o@https://host:8000/v1", "GSM8K (zh)",
    "中文数据集", "GPT模型", "日本語LLM", "ＡＩ王", "葛\U000e0100城", "한국어BERT",
    "الأسئلة العربية",
    "می\u200cخواهم", "क्\u200dष", "עברית", "Ελληνικά", "русский язык", "Қазақша", "Українська",
    "Café", "Cafe\u0301", "Ærø", "Đà Nẵng", "naïve façade", "αNLI", "τ²-bench", "μTransfer", "R²",
    "ruGPT-медиум", "AG News на русском", "тест с GPT-4", "GSM8K-中文", "Arabic العربية",
    "👩\u200d🔬 quiz", "❤\ufe0f", "Հայերեն", "ქართული", "ไทย", "x" * 200, "Ⅳ", "½",
    "50 % – “q” & <b>",
]  # fmt: skip
NOT = [
    "", "a\tb", "a\nb", "a\rb", "a\x00b", "a\x1b[31mb", "a\x7f", "a\x85b", "a\u2028b", "a\u2029b",
    "a\u202eb", "a\u202db", "a\u2066b", "a\u200eb", "a\u200fb", "a\u061cb", "a\u200bb", "a\u200db",
    "a\u200cb", "a\ufeffb", "a\u00adb", "a\u2060b", "a\u034fb", "a\ufe0fb", "4\ufe0f", "a\u3164b",
    "a\U000e0041b", "a\ud800b", "a\ue000b", "a\uffffb", "x" * 201,
    "gpt-4\u043e", "\u0430g_news", "AG N\u0435ws", "\u0391G News", "b\u03bfb",
    "GPT\u0448\u043a\u0430",
    "𝐠𝐩𝐭-4", "\u0585penai",
]  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_real_names_are_taken_as_they_are(name: str) -> None:
    assert naming.read_name(f"  {name} ", "dataset") == name
    assert visible(name) == name


@pytest.mark.parametrize("name", NOT, ids=ascii)
def test_what_cannot_be_seen_or_looks_like_another_is_refused_in_a_sentence(name: str) -> None:
    with pytest.raises(InputError) as told:
        naming.read_name(name, "dataset")
    sentence = str(told.value)
    assert sentence.startswith("Name the dataset")
    assert len(sentence.split()) <= 30
    assert sentence.endswith(".")
    assert visible(sentence) == sentence


def test_other_spaces_are_plain_ones() -> None:
    assert naming.read_name("Données\u00a0: test\u3000", "dataset") == "Données : test"


def test_a_name_is_found_as_it_is_stored_and_as_it_is_shown() -> None:
    assert naming.find("a\\u0009b", ["a b", "a\tb"]) == "a\tb"
    assert naming.find("a\tb", ["a\\u0009b", "a\tb"]) == "a\tb"
    assert naming.find("c", ["a\tb"]) == "c"


def test_a_path_may_be_written_as_the_disk_has_it() -> None:
    naming.check_model("likelihood:/models/моdel\u00a01")
    with pytest.raises(InputError, match="mixes"):
        naming.check_model("моdel")
    with pytest.raises(InputError, match=r"U\+000A"):
        naming.check_model("likelihood:/models/a\nb")


@given(st.text(max_size=30))
def test_any_text_is_taken_or_refused(text: str) -> None:
    try:
        name = naming.read_name(text, "dataset")
    except InputError:
        return
    assert naming.read_name(name, "dataset") == name == visible(name)
    assert name.splitlines() == [name]
    assert name.encode()


@pytest.mark.parametrize(
    ("text", "other"),
    [
        *((f"a{sign}b c", "ab c") for sign in "\u200b\u00ad\ufe0f\u2060\ufeff\u202e\u200d\u034f"),
        *((f"ab{space}c", "ab c") for space in "\u00a0\u2009\u3000\t\n\u2028\u2800"),
        ("Caf\u00e9", "Cafe\u0301"),
        ("Cafe\u200b\u0301", "Caf\u00e9"),
        ("\uff21\uff11", "A1"),
        (" ab  c\r\n", "ab c"),
        ("\u3164", ""),
    ],
)
def test_texts_that_nobody_can_tell_apart_are_the_same(text: str, other: str) -> None:
    assert naming.as_seen(text) == naming.as_seen(other)
    assert naming.as_seen(naming.as_seen(text)) == naming.as_seen(text)


@pytest.mark.parametrize(
    ("text", "other"), [("ab", "a b"), ("A", "a"), ("a", "\u0430"), ("é", "e")]
)
def test_texts_that_can_be_told_apart_are_not(text: str, other: str) -> None:
    assert naming.as_seen(text) != naming.as_seen(other)
