import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dcq.errors import (
    EndpointBusyError,
    EndpointRefusedError,
    ModelChoiceError,
    RequestRejectedError,
)
from dcq.models.endpoints import Endpoint, resolve
from dcq.models.faults import Trouble
from dcq.models.prices import cost
from dcq.models.scorers import local
from dcq.models.scorers.endpoint_scorer import EchoScorer, read_echo
from dcq.models.scorers.likelihood import Likelihood, ScoredText
from dcq.models.scorers.local import LocalScorer
from dcq.models.scorers.scoring import open_scorer
from dcq.records import Mode
from dcq.settings import load
from tests.support.completions import SEEN, UNSEEN
from tests.support.provider import Provider

AWKWARD = ["{braces} and {0}", "A) <b>bold</b>\n\nB) **x**", "%s \\ \u2028 ends \U0001f600"]


async def score(model: str, *texts: str) -> list[Likelihood]:
    async with EchoScorer(resolve(f"likelihood:{model}", load()), max_retries=1) as scorer:
        return await scorer.score([ScoredText(text) for text in texts])


async def test_every_token_but_the_first_and_the_generated_is_scored(provider: Provider) -> None:
    provider.seen = ("the river is long",)
    found = await score("scores", "the river is long", "the brook is very long")
    assert [one.logprobs.tolist() for one in found] == [[SEEN] * 3, [UNSEEN] * 4]
    assert found[0].pieces == (" river", " is", " long")
    assert found[1].per_token == UNSEEN


async def test_texts_are_sent_to_the_endpoint_unchanged(provider: Provider) -> None:
    await score("scores", *AWKWARD, "word " * 4_000)
    sent = {body["prompt"] for body in provider.bodies}
    assert sent == {*AWKWARD, "word " * 4_000}


@pytest.mark.parametrize("model", ["ignores-echo", "ignores-logprobs", "rejects-echo"])
async def test_an_endpoint_without_echo_is_an_error_of_one_sentence(
    provider: Provider, model: str
) -> None:
    with pytest.raises(EndpointRefusedError, match=r"echo and logprobs.*vLLM"):
        await score(model, "the river is long")


async def test_passing_trouble_is_met_by_another_call(provider: Provider) -> None:
    assert len(await score("scores-after-trouble", "the river is long")) == 1
    assert provider.counts["scores-after-trouble"] == 2


async def test_scores_that_are_no_numbers_are_no_scores(provider: Provider) -> None:
    with pytest.raises(EndpointBusyError, match="not numbers"):
        await score("scores-nonsense", "the river is long")


async def test_a_wrong_key_is_not_repeated(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-and-secret")
    with pytest.raises(EndpointRefusedError, match="OPENAI_API_KEY") as caught:
        await score("scores", "the river is long")
    assert "sk-wrong" not in str(caught.value)


async def test_a_single_token_cannot_be_scored(provider: Provider) -> None:
    with pytest.raises(RequestRejectedError, match="too short"):
        await score("scores", "river")


@pytest.mark.parametrize(
    "logprobs",
    [[-(10**400), -1], [-1e308, -1e308], [float("nan")], [-float("inf")], [True], ["-1"]],
)
def test_sums_that_no_float_holds_are_passing_trouble(logprobs: list[object]) -> None:
    choice = {"text": "a river", "logprobs": {"token_logprobs": [None, *logprobs]}}
    body = {"choices": [choice], "usage": {"completion_tokens": 0}}
    assert isinstance(read_echo(json.dumps(body).encode(), ScoredText("a river")), Trouble)


LOGPROBS = st.lists(st.floats(-50, 0), min_size=1, max_size=30)


@given(LOGPROBS, st.booleans(), st.integers(0, 3), st.text(min_size=1))
def test_an_echo_is_summed(logprobs: list[float], begins: bool, generated: int, text: str) -> None:
    """With and without a beginning-of-text token, whose place is empty."""
    prompt = [None, *logprobs] if begins else logprobs
    body = {
        "choices": [
            {"text": f"{text}!", "logprobs": {"token_logprobs": [*prompt, *[-1.0] * generated]}}
        ],
        "usage": {"completion_tokens": generated},
    }
    found = read_echo(json.dumps(body).encode(), ScoredText(text))
    assert isinstance(found, Likelihood)
    assert found.logprobs.tolist() == logprobs
    assert math.isclose(found.total, sum(logprobs), abs_tol=1e-9)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["choices", "text", "logprobs", "token_logprobs", "usage"]), inner
        )
    ),
)


@settings(max_examples=50)
@given(JSON | st.fixed_dictionaries({"choices": st.lists(JSON, min_size=1)}), st.binary())
def test_any_other_reply_is_trouble_and_no_crash(document: Any, junk: bytes) -> None:
    for body in (json.dumps(document).encode(), junk):
        assert not isinstance(read_echo(body, ScoredText("the river")), Likelihood)


@pytest.mark.parametrize(
    ("typed", "name", "url"),
    [
        ("likelihood:vllm:org/m", "likelihood:vllm:org/m", "http://localhost:8000/v1"),
        ("Likelihood: m@http://host/v1/", "likelihood:m@http://host/v1", "http://host/v1"),
    ],
)
def test_any_endpoint_can_be_named(typed: str, name: str, url: str) -> None:
    endpoint = resolve(typed, load())
    assert (endpoint.name, endpoint.base_url, endpoint.mode) == (name, url, Mode.LIKELIHOOD)
    assert resolve(endpoint.name, load()) == endpoint


@pytest.mark.parametrize("typed", ["likelihood:", "likelihood:vllm:", "likelihood:/no/such/model"])
def test_a_name_that_means_nothing_is_an_error(typed: str) -> None:
    pytest.importorskip("torch")
    with pytest.raises(ModelChoiceError, match=r"give|name"):
        resolve(typed, load())


def test_the_error_for_a_missing_extra_names_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)  # how Python marks what cannot be imported
    with pytest.raises(ModelChoiceError, match=r"gguf.*pip install -r requirements-likelihood.txt"):
        resolve(f"likelihood:{tmp_path}", load())


def test_what_runs_here_costs_nothing() -> None:
    assert cost("likelihood:embedded", 1_000, 10) == 0
    assert cost("likelihood:/models/mine", 1_000, 10) == 0
    assert cost("likelihood:some-hosted-model", 1_000, 10) is None


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


def by_hand(folder: Path, text: str) -> float:
    """The sum of log-softmax at each byte, in one plain pass."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    alphabet = transformers.AutoTokenizer.from_pretrained(folder).convert_tokens_to_ids
    signs = pytest.importorskip("tokenizers").pre_tokenizers.ByteLevel(add_prefix_space=False)
    ids = [0, *(alphabet(s) for piece, _ in signs.pre_tokenize_str(text) for s in piece)]
    with torch.no_grad():
        spread = model(torch.tensor([ids])).logits[0].log_softmax(dim=1)
    return float(sum(spread[place, token] for place, token in enumerate(ids[1:])))


async def test_a_local_model_scores_as_by_hand(folder: Path) -> None:
    texts = ["the river is long", "short", "</s> {x} <s>", "\U0001f600"]
    found = await LocalScorer(folder).score([ScoredText(text) for text in texts])
    # Special tokens that stand in a text are letters; padding changes nothing.
    assert [s.tokens for s in found] == [len(text.encode()) for text in texts]
    assert [s.total for s in found] == pytest.approx(
        [by_hand(folder, text) for text in texts], abs=1e-3
    )


async def test_a_long_text_scores_the_same_in_pieces(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["the river is long and winds its way to the sea", "short"]
    whole = await LocalScorer(folder).score([ScoredText(text) for text in texts])
    monkeypatch.setattr(local, "LOGITS_AT_ONCE", 5 * 2 * 258)
    pieces = await LocalScorer(folder).score([ScoredText(text) for text in texts])
    assert [s.total for s in pieces] == pytest.approx([s.total for s in whole], abs=1e-3)


@pytest.mark.parametrize(
    ("text", "message"),
    [("x" * 64, "65 tokens"), ("", "too short"), ("\ud83d", "broken character")],
)
async def test_a_text_that_cannot_be_scored_is_an_error(
    folder: Path, text: str, message: str
) -> None:
    with pytest.raises(RequestRejectedError, match=message):
        await LocalScorer(folder).score([ScoredText("fine"), ScoredText(text)])


async def test_a_folder_that_holds_no_language_model_is_an_error(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "unheard-of"}')
    with pytest.raises(EndpointRefusedError, match="cannot be loaded"):
        await LocalScorer(tmp_path).score([ScoredText("text")])


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


@pytest.mark.embedded
async def test_the_embedded_model_knows_its_genesis() -> None:
    pytest.importorskip("torch")
    async with open_scorer(resolve("likelihood:embedded", load())) as scorer:
        verse, reworded = await scorer.score(
            [
                ScoredText("In the beginning God created the heaven and the earth."),
                ScoredText("In the start God made the sky and the world."),
            ]
        )
    assert verse.per_token > reworded.per_token


def test_trouble_is_no_score() -> None:
    assert isinstance(read_echo(b"{", ScoredText("text")), Trouble)
    assert (
        read_echo(b'{"choices": [{"text": "other", "logprobs": null}]}', ScoredText("text")) is None
    )


async def test_what_comes_after_a_context_is_scored_alone(provider: Provider) -> None:
    async with EchoScorer(resolve("likelihood:scores", load())) as scorer:
        [found] = await scorer.score([ScoredText(" is long", "the river")])
    assert found.logprobs.tolist() == [UNSEEN] * 2  # its first token has something before it
    assert found.pieces == (" is", " long")


def test_a_context_whose_tokens_are_not_told_is_trouble() -> None:
    choice = {"text": "the river", "logprobs": {"token_logprobs": [None, -1.0]}}
    body = {"choices": [choice], "usage": {"completion_tokens": 0}}
    found = read_echo(json.dumps(body).encode(), ScoredText(" river", "the"))
    assert isinstance(found, Trouble)
