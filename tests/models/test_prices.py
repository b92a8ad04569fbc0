import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.models.presets import PRESETS
from dcq.models.prices import cost, estimate_tokens, find_price, read_prices


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
    "model", ["nobody-knows", "ollama", "openrouter:openai/gpt-4o", "gpt-4o@http://h/v1", "", "a:b"]
)
def test_an_unknown_model_has_an_unknown_cost(model: str) -> None:
    assert find_price(model) is None
    assert cost(model, 1, 1) is None


def test_the_table_is_sound() -> None:
    table = read_prices()
    assert set(table) <= {preset.name for preset in PRESETS}
    prices = [price for provider in table.values() for price in provider.values()]
    assert len(prices) > 30
    for price in prices:
        assert 0 < price.tokens_in <= price.tokens_out
        assert price.as_of is not None
        assert price.as_of.year >= 2026
        assert price.source.startswith("https://")


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
