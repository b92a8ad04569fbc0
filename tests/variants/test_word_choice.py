from __future__ import annotations

import pytest

from dcq.errors import InputError
from dcq.variants.word_choice import substitute, words_with_synonyms

TEXT = "The large house stood near an old road. A large dog slept there.\nLabel: 1 (Large)"


def test_a_synonym_is_put_in_all_places_of_its_word_and_nothing_else_changes() -> None:
    words = words_with_synonyms(TEXT, protected=["Label: 1 (Large)"])
    assert "Label" not in {word.word for word in words}
    large = next(word for word in words if "large" in word.word)
    assert large.places == 2
    for number, synonym in enumerate(large.synonyms):
        changed = substitute(TEXT, large, number)
        assert changed.count(synonym.split()[-1]) >= 2
        assert changed.endswith("Label: 1 (Large)")
        assert "large" not in changed


@pytest.mark.parametrize("text", ["", " \n", "1984 !?", "x" * 3000, "<b>{text}</b> \x00"])
def test_a_text_without_such_words_has_none(text: str) -> None:
    assert words_with_synonyms(text) == []


def test_only_english_words_are_known() -> None:
    with pytest.raises(InputError, match="English only"):
        words_with_synonyms("Das Haus ist groß.", language="de")
