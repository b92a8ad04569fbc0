import pytest

from dcq.variants.synonyms import article, case_like, inflect, shares_stem


@pytest.mark.parametrize(
    ("lemma", "tag", "form"),
    [("buy", "VBD", "bought"), ("enemy", "NNS", "enemies"), ("big", "JJS", "biggest")],
)
def test_inflection(lemma: str, tag: str, form: str) -> None:
    assert inflect(lemma, tag) == form


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("apple", "an"),
        ("hour", "an"),
        ("honest", "an"),
        ("unusual", "an"),
        ("house", "a"),
        ("unit", "a"),
        ("useful", "a"),
        ("European", "a"),
        ("one", "a"),
    ],
)
def test_article(word: str, expected: str) -> None:
    assert article("a", word) == expected
    assert article("An", word) == expected.capitalize()


def test_capitals() -> None:
    words = [case_like(model, "storm") for model in ("RAIN", "Rain", "rain", "A")]
    assert words == ["STORM", "Storm", "storm", "Storm"]


def test_forms_of_one_word_are_related() -> None:
    assert shares_stem("finishing", "finish")
    assert not shares_stem("close", "finish")
