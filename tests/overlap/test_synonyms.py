"""Synonyms and stems against nltk: ``wordnet_synonyms.json`` has what its reader of WordNet 3.0
finds for words and stems drawn from the 30,000 commonest."""

from __future__ import annotations

import json

import pytest

from dcq.overlap.meteor import stem, synonyms
from dcq.settings import ROOT

FOUND = json.loads((ROOT / "tests" / "fixtures" / "wordnet_synonyms.json").read_text("utf-8"))


def test_synonyms_are_those_of_nltk() -> None:
    assert len(FOUND) > 1_000
    assert {word: sorted(synonyms(word)) for word in FOUND} == FOUND


@pytest.mark.parametrize("word", ["", "qqqq", "ſ", "数"])
def test_a_word_that_wordnet_lacks_has_itself(word: str) -> None:
    assert synonyms(word) == {word}


def test_irregular_forms_reach_their_base() -> None:
    assert "mouse" in synonyms("mice")
    assert "strip" in synonyms("comics")  # by way of the expression "comic strip"


def test_stems_are_porters() -> None:
    assert [stem(word) for word in ("running", "ponies", "relational")] == ["run", "poni", "relat"]
