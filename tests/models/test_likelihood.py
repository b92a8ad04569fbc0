import sys
from pathlib import Path

import pytest

from dcq.errors import (
    EndpointBusyError,
    EndpointRefusedError,
    ModelChoiceError,
    RequestRejectedError,
)
from dcq.models.endpoints import resolve
from dcq.models.prices import cost
from dcq.models.scorers.likelihood import Likelihood, ScoredText
from dcq.models.scorers.scoring import EchoScorer
from dcq.records import Mode
from dcq.settings import load
from tests.support.completions import SEEN, UNSEEN
from tests.support.provider import FakeProvider

AWKWARD = ["{braces} and {0}", "A) <b>bold</b>\n\nB) **x**", "%s \\ \u2028 ends \U0001f600"]


async def score(model: str, *texts: str) -> list[Likelihood]:
    async with EchoScorer(resolve(f"likelihood:{model}", load()), max_retries=1) as scorer:
        return await scorer.score([ScoredText(text) for text in texts])


async def test_every_token_but_the_first_and_the_generated_is_scored(
    provider: FakeProvider,
) -> None:
    provider.seen = ("the river is long",)
    found = await score("scores", "the river is long", "the brook is very long")
    assert [one.logprobs.tolist() for one in found] == [3 * [SEEN], 4 * [UNSEEN]]
    assert (found[1].total, found[1].tokens, found[1].per_token) == (4 * UNSEEN, 4, UNSEEN)
    assert found[0].pieces == (" river", " is", " long")
    assert found[0].means is found[0].spreads is None
    assert found[0].calls == 1


@pytest.mark.parametrize(
    ("model", "calls"),
    [
        ("scores-as-vllm-does", 1),
        ("scores-with-a-beginning", 1),
        ("scores-with-offsets-alone", 1),
        ("scores-without-tokens", 2),
        ("scores-with-numbers-for-tokens", 2),
    ],
)
async def test_a_context_is_read_and_not_scored(
    provider: FakeProvider, model: str, calls: int
) -> None:
    async with EchoScorer(resolve(f"likelihood:{model}", load()), max_retries=1) as scorer:
        [found] = await scorer.score([ScoredText("the river is long", "Say more:\n")])
    assert found.logprobs == pytest.approx([UNSEEN - place / 100 for place in (3, 4, 5, 6)])
    assert found.calls == provider.counts[model] == calls
    if calls == 1:
        assert found.pieces == ("the", " river", " is", " long")
    assert found.used.reported
    assert found.used.tokens_in >= 6 * calls - (calls - 1) * 4


@pytest.mark.parametrize(
    ("model", "kind", "message"),
    [
        ("scores-unequal", EndpointBusyError, "unequal lengths"),
        ("scores-above-zero", EndpointBusyError, "above 0"),
        ("scores-other-tokens", EndpointBusyError, "do not make up the text"),
        ("scores-with-a-gap", EndpointBusyError, "not numbers"),
        ("scores-by-chance", RequestRejectedError, r"does not say which tokens.*text_offset"),
        ("scores-without-end", EndpointBusyError, "more than 2 MB"),
    ],
)
async def test_what_cannot_be_believed_ends_in_a_sentence(
    provider: FakeProvider, model: str, kind: type[Exception], message: str
) -> None:
    async with EchoScorer(resolve(f"likelihood:{model}", load()), first_wait=0.01) as scorer:
        with pytest.raises(kind, match=message):
            await scorer.score([ScoredText("the river is long", "Say more:\n")])
    assert provider.counts[model] <= 2


async def test_texts_are_sent_to_the_endpoint_unchanged(provider: FakeProvider) -> None:
    await score("scores", *AWKWARD, "word " * 4_000)
    sent = {body["prompt"] for body in provider.bodies}
    assert sent == {*AWKWARD, "word " * 4_000}


@pytest.mark.parametrize("model", ["ignores-echo", "ignores-logprobs", "rejects-echo"])
async def test_an_endpoint_without_echo_is_an_error_of_one_sentence(
    provider: FakeProvider, model: str
) -> None:
    with pytest.raises(EndpointRefusedError, match=r"echo and logprobs.*vLLM"):
        await score(model, "the river is long")


async def test_passing_trouble_is_met_by_another_call(provider: FakeProvider) -> None:
    assert len(await score("scores-after-trouble", "the river is long")) == 1
    assert provider.counts["scores-after-trouble"] == 2


async def test_scores_that_are_no_numbers_are_no_scores(provider: FakeProvider) -> None:
    with pytest.raises(EndpointBusyError, match="not numbers"):
        await score("scores-nonsense", "the river is long")


async def test_a_wrong_key_is_not_repeated(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-and-secret")
    with pytest.raises(EndpointRefusedError, match="OPENAI_API_KEY") as caught:
        await score("scores", "the river is long")
    assert "sk-wrong" not in str(caught.value)


async def test_a_single_token_cannot_be_scored(provider: FakeProvider) -> None:
    with pytest.raises(RequestRejectedError, match="too short"):
        await score("scores", "river")


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
    with pytest.raises(ModelChoiceError, match=r"give|name"):
        resolve(typed, load())


@pytest.mark.parametrize(
    ("file", "missing", "message"),
    [
        ("config.json", "torch", r"torch.*pip install -r requirements-likelihood\.txt$"),
        ("model.gguf", "xllamacpp", r"takes xllamacpp; run: pip install xllamacpp$"),
    ],
)
def test_the_error_for_a_missing_package_names_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, missing: str, message: str
) -> None:
    (tmp_path / file).write_text("{}")
    monkeypatch.setitem(sys.modules, missing, None)  # how Python marks what cannot be imported
    path = tmp_path if file == "config.json" else tmp_path / file
    with pytest.raises(ModelChoiceError, match=message):
        resolve(f"likelihood:{path}", load())


def test_a_gguf_file_is_named_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"")
    endpoint = resolve(f"likelihood:{path}", load())
    assert (endpoint.name, endpoint.model) == (f"likelihood:{path}", str(path))
    assert (endpoint.base_url, endpoint.concurrency, endpoint.free) == ("", 1, True)


def test_the_embedded_model_needs_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert resolve("likelihood:embedded", load()).name == "likelihood:embedded"
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(ModelChoiceError, match=r"takes gguf; run: pip install gguf$"):
        resolve("likelihood:embedded", load())


def test_what_runs_here_costs_nothing() -> None:
    assert cost("likelihood:embedded", 1_000, 10) == 0
    assert cost("likelihood:/models/mine", 1_000, 10) == 0
    assert cost("likelihood:some-hosted-model", 1_000, 10) is None
