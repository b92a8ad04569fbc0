from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from dcq.overlap.scan.hashes import composed, hash_runs, hash_words
from dcq.overlap.tokens import split

LETTERS = st.text(st.sampled_from("aZ9 .\nßéИ数のｆ_'’—\u0301қمَहिกี่\u3099\ufe0f"), max_size=60)


@given(LETTERS)
def test_words_are_those_that_are_matched(text: str) -> None:
    text = composed(text)
    found, words = hash_words(text), split(text)
    assert list(found.starts) == list(words.starts)
    assert list(found.ends) == list(words.ends)


@given(LETTERS, LETTERS)
def test_equal_words_and_only_they_have_equal_hashes(first: str, second: str) -> None:
    joined = composed(f"{first} {second}")
    hashes, words = hash_words(joined).hashes, split(joined).words
    assert len(set(hashes.tolist())) == len(set(words))


def test_long_texts_and_long_words_are_hashed_as_short_ones() -> None:
    text = ("word " * 20_000) + "x" * 200_000 + " Word"
    hashes = hash_words(text).hashes
    assert len(hashes) == 20_002
    assert len(set(hashes.tolist())) == 2
    assert hash_words("Word").hashes[0] == hashes[-1]


def test_ascii_and_wider_texts_give_one_hash() -> None:
    assert hash_words("Some plain words").hashes.tolist() == (
        hash_words("some, PLAIN words 数").hashes[:3].tolist()
    )
    assert hash_words(composed(unicodedata.normalize("NFD", "Café"))).hashes.tolist() == (
        hash_words("café").hashes.tolist()
    )


def test_runs_depend_on_order() -> None:
    runs = hash_runs(hash_words("a b a b c").hashes, 2)
    assert len(runs) == 4
    assert runs[0] == runs[2]
    assert runs[0] != runs[1]
    assert len(hash_runs(hash_words("a b").hashes, 3)) == 0
