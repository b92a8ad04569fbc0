from hypothesis import given
from hypothesis import strategies as st

from dcq.variants.tokens import tokens, words


@given(st.text())
def test_tokens_give_the_text_back(text: str) -> None:
    assert "".join(tokens(text)) == text


@given(st.text())
def test_words_are_among_the_tokens(text: str) -> None:
    assert words(text) == [token for token in tokens(text) if words(token) == [token]]


def test_apostrophes_and_hyphens_belong_to_their_word() -> None:
    assert words("The boys’ well-known car isn't Ann's.") == [
        "The",
        "boys",
        "well-known",
        "car",
        "isn't",
        "Ann's",
    ]


def test_chinese_is_read_character_by_character() -> None:
    assert words("他买了3本books。") == ["他", "买", "了", "3", "本", "books"]


def test_spanish_letters_are_letters() -> None:
    assert words("¿Qué pasó mañana?") == ["Qué", "pasó", "mañana"]
