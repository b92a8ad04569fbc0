from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import gguf
import numpy as np
import pytest

from dcq.errors import EndpointRefusedError, RequestRejectedError
from dcq.models.scorers import llama
from dcq.models.scorers.engine import score
from dcq.models.scorers.gguf_file import Floats
from dcq.models.scorers.likelihood import Likelihood, ScoredText
from dcq.models.scorers.llama import Llama
from tests.support import tiny_gguf
from tests.support.tiny_gguf import TOKENS, WINDOW, log_distributions, random_weights

TEXTS = ("the cat of the house 42", "\U0001f600 </s>", "x")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Llama:
    return Llama(tiny_gguf.write(tmp_path_factory.mktemp("m") / "m.gguf", random_weights()))


def by_hand(text: str, context: str = "") -> list[tuple[float, float, float]]:
    """log p of each token of the text, and mean and deviation over the vocabulary."""
    ids = [0, *tokens(context), *tokens(text)]
    found = []
    for place, logp in enumerate(log_distributions(random_weights(), ids[:-1]), 1):
        mean = (np.exp(logp) * logp).sum()
        spread = np.sqrt((np.exp(logp) * (logp - mean) ** 2).sum())
        found.append((logp[ids[place]], mean, spread))
    return found[len(tokens(context)) :]


def tokens(text: str) -> list[int]:
    """By hand: " the" and "the" are the only merges."""
    letters = "".join(tiny_gguf.LETTERS[byte] for byte in text.encode())
    for number, word in ((0xE000, "Ġthe"), (0xE001, "the"), (0xE002, "th")):
        letters = letters.replace(word, chr(number))
    names = {0xE000: "Ġthe", 0xE001: "the", 0xE002: "th"}
    return [TOKENS.index(names.get(ord(letter), letter)) for letter in letters]


def numbers(found: Likelihood) -> list[tuple[float, float, float]]:
    assert found.means is not None
    assert found.spreads is not None
    return list(zip(found.logprobs, found.means, found.spreads, strict=True))


def assert_close(found: Likelihood, expected: list[tuple[float, float, float]]) -> None:
    np.testing.assert_allclose(numbers(found), expected, atol=2e-4)


def test_it_computes_what_a_plain_loop_computes(model: Llama) -> None:
    for text, found in zip(TEXTS, score(model, [ScoredText(t) for t in TEXTS]), strict=True):
        assert_close(found, by_hand(text))
        assert "".join(found.pieces) == text


def test_a_context_is_read_and_not_scored(model: Llama) -> None:
    # " the" would be one token; text and context are cut each by itself.
    [found] = score(model, [ScoredText("the house", "near ")])
    assert_close(found, by_hand("the house", "near "))
    assert found.pieces == ("the", " ", *"house")


def test_a_context_is_read_once_for_all_that_stands_behind_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model = Llama(tiny_gguf.write(tmp_path / "m.gguf", random_weights()))
    read = []
    inner = model._read_anew

    def reading(ids: tuple[int, ...]) -> Floats:
        read.append(len(ids))
        return inner(ids)

    monkeypatch.setattr(model, "_read", lru_cache(2)(reading))
    texts = [ScoredText(text, context) for context in ("near ", "", "so ") for text in TEXTS]
    for _ in range(2):
        for text, found in zip(texts, score(model, texts), strict=True):
            assert_close(found, by_hand(text.text, text.context))
    assert read == [len(tokens("near ")), len(tokens("so "))]


def test_a_character_in_several_tokens_belongs_to_the_last(model: Llama) -> None:
    [found] = score(model, [ScoredText("é!")])
    assert found.pieces == ("", "é", "!")


@pytest.mark.parametrize(("piece", "scores", "batch"), [(512, 2**24, 60), (8, 4 * 40 * 3, 1024)])
def test_pieces_and_batches_change_nothing(
    model: Llama, monkeypatch: pytest.MonkeyPatch, piece: int, scores: int, batch: int
) -> None:
    monkeypatch.setattr(llama, "_PIECE", piece)
    monkeypatch.setattr(llama, "_SCORES", scores)
    monkeypatch.setattr(llama, "TOKENS_AT_ONCE", batch)
    monkeypatch.setattr(llama, "_SLICE", 50)
    texts = [*TEXTS, "the long way from the river to the sea", "short one"]
    scored = score(model, [ScoredText(text, "so" * (n % 2)) for n, text in enumerate(texts)])
    for n, (text, found) in enumerate(zip(texts, scored, strict=True)):
        assert_close(found, by_hand(text, "so" * (n % 2)))


@pytest.mark.parametrize("kind", ["Q8_0", "Q4_1", "Q4_0", "F16", "BF16"])
def test_quantised_weights_are_read(tmp_path: Path, kind: str) -> None:
    quantised = gguf.GGMLQuantizationType[kind]
    weights = random_weights()
    # What is kept of the weights, by the library's own way back.
    kept = {
        name: values
        if values.ndim == 1
        else gguf.dequantize(gguf.quantize(values, quantised), quantised)
        for name, values in weights.items()
        if values.shape[-1] % 32 == 0
    }
    path = tiny_gguf.write(tmp_path / "m.gguf", weights, quantised=quantised)
    [found] = score(Llama(path), [ScoredText("the cat")])
    ids = [0, *tokens("the cat")]
    logp = log_distributions(kept, ids[:-1])
    np.testing.assert_allclose(found.logprobs, logp[range(len(ids) - 1), ids[1:]], atol=2e-4)


def test_embeddings_may_be_the_output_matrix(tmp_path: Path) -> None:
    weights = random_weights()
    path = tiny_gguf.write(tmp_path / "m.gguf", weights, tied=True)
    [found] = score(Llama(path), [ScoredText("cat")])
    ids = [0, *tokens("cat")]
    logp = log_distributions(weights | {"output": weights["token_embd"]}, ids[:-1])
    np.testing.assert_allclose(found.logprobs, logp[range(3), ids[1:]], atol=2e-4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ScoredText("x" * WINDOW), f"take {WINDOW + 1} tokens"),
        (ScoredText("x", "y" * (WINDOW - 1)), f"take {WINDOW + 1} tokens"),
        (ScoredText(""), "too short"),
        (ScoredText("", "before"), "too short"),
        (ScoredText("\ud83d"), "broken character"),
        (ScoredText("x", "\ud83d"), "broken character"),
    ],
)
def test_a_text_that_cannot_be_scored_is_an_error(
    model: Llama, text: ScoredText, message: str
) -> None:
    assert score(model, [ScoredText("x" * (WINDOW - 1))])[0].tokens == WINDOW - 1
    with pytest.raises(RequestRejectedError, match=message):
        score(model, [text])


def test_another_kind_of_model_is_refused(tmp_path: Path) -> None:
    path = tiny_gguf.write(tmp_path / "m.gguf", random_weights(), kind="granite", logit_scale=8.0)
    with pytest.raises(EndpointRefusedError, match="not a Llama"):
        Llama(path)


@pytest.mark.parametrize("name", ["blk.1.attn_k", "token_embd", "output_norm"])
def test_weights_of_another_shape_are_refused(tmp_path: Path, name: str) -> None:
    weights = random_weights()
    weights[name] = np.zeros((16, 64), np.float32)
    with pytest.raises(EndpointRefusedError, match="another shape"):
        Llama(tiny_gguf.write(tmp_path / "m.gguf", weights))


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    weights = random_weights()
    weights["output_norm"][3] = np.nan
    path = tiny_gguf.write(tmp_path / "m.gguf", weights)
    with pytest.raises(EndpointRefusedError, match="finite numbers"):
        score(Llama(path), [ScoredText("cat")])
