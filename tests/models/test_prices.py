from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.models.prices import cost, estimate_tokens, find_price
from dcq.settings import ROOT


@pytest.mark.parametrize("model", ["gpt-4o-mini", "openai:gpt-4o-mini", "gpt-4o-mini-2024-07-18"])
def test_a_known_model_costs_its_list_price(model: str) -> None:
    assert cost(model, 1_000_000, 0) == pytest.approx(0.15)
    assert cost(model, 0, 2_000_000) == pytest.approx(1.20)


def test_a_snapshot_with_its_own_price_keeps_it() -> None:
    assert cost("gpt-4o-2024-05-13", 1_000_000, 0) == 5.0
    assert cost("gpt-4o-2024-08-06", 1_000_000, 0) == 2.5
    assert cost("anthropic:claude-sonnet-4-20250514", 1_000_000, 0) == 3.0


@pytest.mark.parametrize("model", ["embedded", "ollama:llama3", "vllm:a/b", "llamacpp:x"])
def test_what_runs_here_costs_nothing(model: str) -> None:
    assert cost(model, 10**6, 10**6) == 0.0


@pytest.mark.parametrize(
    "model",
    [
        "nobody-knows",
        "ollama",
        "gpt-4o@http://h/v1",
        "gpt-4o@https://api.openai.com.example.org/v1",
        "azure:gpt-4o",  # the name of a deployment, which may hide any model
        "openrouter:",
        "whisper-1",  # billed by the hour
        "",
        "a:b",
        "@",
    ],
)
def test_an_unknown_model_has_an_unknown_cost(model: str) -> None:
    assert find_price(model) is None
    assert cost(model, 1, 1) is None


@pytest.mark.parametrize(
    ("model", "pair"),
    [
        ("gpt-4-0613", (30.0, 60.0)),
        ("gpt-3.5-turbo-0613", (1.5, 2.0)),
        ("openrouter:openai/gpt-4o", (2.5, 10.0)),
        ("gemini:gemini-2.5-flash", (0.3, 2.5)),
        ("gpt-4o@https://api.openai.com/v1", (2.5, 10.0)),
        ("openrouter:meta-llama/llama-3.1-8b-instruct:free", (0.0, 0.0)),
        ("gpt-5.5", (5.0, 30.0)),  # dearer beyond 272,000 tokens of prompt
    ],
)
def test_models_of_the_paper_and_of_other_providers_have_a_price(
    model: str, pair: tuple[float, float]
) -> None:
    price = find_price(model)
    assert price is not None
    assert (price.tokens_in, price.tokens_out) == pair
    assert price.source.startswith("genai-prices ")
    assert price.as_of is not None
    assert date(2026, 1, 1) <= price.as_of <= datetime.now(UTC).date()


def test_prices_are_read_from_what_is_installed_and_never_fetched() -> None:
    script = (
        "import socket, threading\n"
        "def refuse(*given, **named): raise AssertionError('the network was asked')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from dcq.models.prices import find_price\n"
        "assert find_price('gpt-4-0613').tokens_in == 30\n"
        "assert threading.active_count() == 1\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)


# Counted once by the tokenizer of SmolLM2.
def test_an_estimate_is_close_on_english() -> None:
    text = (
        "Oil and Economy Cloud Stocks' Outlook (Reuters) Reuters - Soaring crude prices plus"
        " worries about the economy and the outlook for earnings are expected to hang over the"
        " stock market next week during the depth of the summer doldrums."
    )
    assert estimate_tokens(text) == pytest.approx(48, rel=0.15)


def test_an_estimate_counts_characters_of_chinese() -> None:
    assert estimate_tokens("人工智能是计算机科学的一个分支。") == 16


@given(st.text(), st.text())
def test_an_estimate_grows_with_the_text(a: str, b: str) -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens(a) <= estimate_tokens(a + b) <= estimate_tokens(a) + estimate_tokens(b)
