from pathlib import Path

import numpy as np
import pytest

from dcq.errors import EndpointRefusedError, RequestRejectedError
from dcq.models.endpoints import Endpoint, resolve
from dcq.models.scorers import folder as folder_module
from dcq.models.scorers.folder import FolderScorer
from dcq.models.scorers.likelihood import Likelihood, ScoredText
from dcq.models.scorers.scoring import open_scorer
from dcq.settings import load


async def score(folder: Path, *texts: str) -> list[Likelihood]:
    return await FolderScorer(folder).score([ScoredText(text) for text in texts])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama with random weights, 64 positions, and a tokenizer of bytes."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    path = tmp_path_factory.mktemp("model")
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {sign: number for number, sign in enumerate(["<s>", "</s>", *alphabet])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>"
    ).save_pretrained(path)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=64,
        bos_token_id=0,
        eos_token_id=1,
        initializer_range=0.5,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(path)
    return path


def by_hand(
    folder: Path, text: str, context: str = ""
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """log p of each byte, and its mean and deviation over the vocabulary, in one plain pass."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    alphabet = transformers.AutoTokenizer.from_pretrained(folder).convert_tokens_to_ids
    signs = pytest.importorskip("tokenizers").pre_tokenizers.ByteLevel(add_prefix_space=False)
    ids = [0]
    for part in (context, text):
        ids += [alphabet(s) for piece, _ in signs.pre_tokenize_str(part) for s in piece]
    with torch.no_grad():
        logp = model(torch.tensor([ids])).logits[0].double().log_softmax(dim=1).numpy()[:-1]
    own = logp[range(len(ids) - 1), ids[1:]]
    mean = (np.exp(logp) * logp).sum(axis=1)
    spread = np.sqrt((np.exp(logp) * (logp - mean[:, None]) ** 2).sum(axis=1))
    return np.array([own, mean, spread])[:, len(context.encode()) :]


def numbers(found: Likelihood) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    assert found.means is not None
    assert found.spreads is not None
    return np.array([found.logprobs, found.means, found.spreads])


async def test_it_scores_as_by_hand(folder: Path) -> None:
    texts = ["the river is long", "short", "</s> {x} <s>", "\U0001f600"]
    found = await score(folder, *texts)
    # Special tokens that stand in a text are letters; padding changes nothing.
    assert [s.tokens for s in found] == [len(text.encode()) for text in texts]
    for text, one in zip(texts, found, strict=True):
        np.testing.assert_allclose(numbers(one), by_hand(folder, text), atol=1e-4)
        assert "".join(one.pieces) == text
    assert found[1].pieces == tuple("short")


async def test_a_context_is_read_and_not_scored(folder: Path) -> None:
    texts = [ScoredText("is long", "the river "), ScoredText("brook")]
    found = await FolderScorer(folder).score(texts)
    for text, one in zip(texts, found, strict=True):
        expected = by_hand(folder, text.text, text.context)
        np.testing.assert_allclose(numbers(one), expected, atol=1e-4)
        assert one.pieces == tuple(text.text)
    assert await FolderScorer(folder).score([]) == []


async def test_a_long_text_scores_the_same_in_pieces(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["the river is long and winds its way to the sea", "short"]
    whole = await score(folder, *texts)
    monkeypatch.setattr(folder_module, "LOGITS_AT_ONCE", 5 * 2 * 258)
    pieces = await score(folder, *texts)
    for a, b in zip(pieces, whole, strict=True):
        np.testing.assert_allclose(numbers(a), numbers(b), atol=1e-4)


@pytest.mark.parametrize(
    ("text", "message"),
    [("x" * 64, "65 tokens"), ("", "too short"), ("\ud83d", "broken character")],
)
async def test_a_text_that_cannot_be_scored_is_an_error(
    folder: Path, text: str, message: str
) -> None:
    with pytest.raises(RequestRejectedError, match=message):
        await score(folder, "fine", text)


async def test_a_folder_that_holds_no_language_model_is_an_error(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "unheard-of"}')
    with pytest.raises(EndpointRefusedError, match="cannot be loaded"):
        await score(tmp_path, "text")


async def test_the_folder_is_named_by_its_path(folder: Path) -> None:
    endpoint: Endpoint = resolve(f"likelihood:{folder}", load())
    assert (endpoint.name, endpoint.concurrency) == (f"likelihood:{folder}", 1)
    async with open_scorer(endpoint) as scorer:
        assert len(await scorer.score([ScoredText("a river")])) == 1
        assert scorer.settings == {
            "file": folder.name,
            "dtype": "float32",
            "beginning_token": "<s>",
        }
