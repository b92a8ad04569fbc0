from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from dcq.errors import InputError
from dcq.models import similarity
from dcq.models.bleurt import Bleurt
from dcq.replication.pieces import PieceForm, Pieces
from dcq.replication.prompts import Version
from dcq.replication.scores import exact, joined, meaning_for, rouge_l
from tests.support.languages import TEXTS

WORDS = st.text(alphabet="abc AB.é-1 ", max_size=60)


@given(st.lists(st.tuples(WORDS, WORDS), max_size=8))
def test_as_rouge_score_computes_it(pairs: list[tuple[str, str]]) -> None:
    peer = RougeScorer(["rougeL"], use_stemmer=False)
    expected = [peer.score(a, b)["rougeL"].fmeasure for a, b in pairs]
    found = rouge_l([a for a, _ in pairs], [b for _, b in pairs])
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("declared", ["its own", "en"])
@pytest.mark.parametrize("language", TEXTS)
def test_a_verbatim_completion_in_another_script_scores_1(language: str, declared: str) -> None:
    texts = TEXTS[language]
    others = (*texts[1:], texts[0])
    code = language if declared == "its own" else declared
    assert rouge_l(texts, texts, code).tolist() == [1.0] * len(texts)
    assert rouge_l(texts, others, code).max() < 0.5
    assert rouge_l(texts, ["It snowed on the village."] * len(texts), code).max() == 0


def test_words_are_counted_by_script() -> None:
    assert rouge_l(["今天天气很好"], ["今天天气不好"])[0] == pytest.approx(5 / 6)
    # Two of three words, and the vowel marks do not take a word apart.
    assert rouge_l(["ذَهَبَ الولدُ اليوم"], ["ذَهَبَ الولدُ غدا"])[0] == pytest.approx(2 / 3)
    assert rouge_l(["Қала үлкен."], ["ҚАЛА үлкен еді"])[0] == pytest.approx(4 / 5)


def test_accents_are_parts_of_words_but_in_english() -> None:
    """rouge-score takes “comió” for “comi”; what is published in English was scored so."""
    assert rouge_l(["Comió."], ["comi"], "es")[0] == 0
    for language in ("en", "en-GB"):
        assert rouge_l(["Comió."], ["comi"], language)[0] == 1
    assert rouge_l(["A naïve π and some Москва"], ["a na ve and some"], "en")[0] == 1


def test_lists_of_different_lengths() -> None:
    with pytest.raises(InputError, match="one completion for each"):
        rouge_l(["a"], [])
    assert rouge_l([], []).shape == (0,)


def test_what_is_joined_for_the_meaning() -> None:
    inside = Pieces(PieceForm.SUMMARY, "He ran", "home.", inside_sentence=True)
    at_end = Pieces(PieceForm.SUMMARY, "He ran.", "He hid.")
    pair = Pieces(PieceForm.NLI, "He ran.", "He hid.", "1", gap="")
    assert joined(inside, "away.", Version.PAPER) == ("He ran home.", "He ran away.")
    assert joined(at_end, "x", Version.PAPER) == ("He hid.", "x")
    assert joined(at_end, "x", Version.RELEASE) == ("He ran. He hid.", "He ran. x")
    for version in Version:
        assert joined(pair, "x", version) == ("He hid.", "x")


def test_equal_but_for_space_and_case() -> None:
    assert exact("The cat waited.", " the CAT\n waited. ")
    assert not exact("The cat waited.", "The cat waited")


@pytest.mark.skipif(similarity.unavailable() is not None, reason="the sentence model is missing")
def test_without_bleurt_the_meaning_is_called_what_it_is() -> None:
    meaning = meaning_for("en")
    assert meaning is not None
    assert meaning.name == "cosine similarity of MiniLM embeddings"
    same, far = meaning.score(["A dog ran."] * 2, ["A dog was running.", "Taxes rose."])
    assert same > far
    assert meaning_for("zh") is None


def test_a_checkpoint_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no BLEURT checkpoint"):
        meaning_for("en", tmp_path)
    (tmp_path / "config.json").write_text("{")
    wanted = "cannot be read" if importlib.util.find_spec("torch") else "BLEURT needs"
    with pytest.raises(InputError, match=wanted):
        meaning_for("en", tmp_path)


def test_a_checkpoint_gives_one_score_a_pair(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "dog", "ran", "."]
    (tmp_path / "vocab.txt").write_text("\n".join(vocabulary))
    transformers.BertTokenizer(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=1,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(tmp_path)
    scores = Bleurt(tmp_path).score(["a dog."] * 20, ["a dog.", "ran"] * 10)
    assert scores.shape == (20,)
    np.testing.assert_allclose(scores[::2], scores[0], rtol=1e-4)
    assert scores[0] != scores[1]
