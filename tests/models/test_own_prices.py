from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from dcq.errors import InputError
from dcq.models import prices as models_prices
from dcq.models.prices import cost, find_price

OURS = """
as_of = 2026-11-01
source = "our contract"
[models]
"gpt-4o" = [1, 2.5]
"azure:our-deployment" = [3, 4]
"our-model@https://MODELS.example.org/v1" = [0.5, 0.5]
"ollama:llama3" = [0.01, 0.02]
"""


@pytest.fixture
def prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "ours.toml"
    monkeypatch.setenv("DCQ_PRICES", str(path))
    return path


def test_a_persons_own_prices_go_before_the_librarys(prices: Path) -> None:
    prices.write_text(OURS)
    for model in ("gpt-4o", "openai:gpt-4o", " gpt-4o "):
        price = find_price(model)
        assert price is not None
        assert (price.tokens_in, price.tokens_out) == (1.0, 2.5)
        assert (price.as_of, price.source) == (date(2026, 11, 1), "our contract")
    assert cost("azure:our-deployment", 10**6, 10**6) == 7.0
    assert cost("our-model@https://models.example.org/v1", 10**6, 0) == 0.5
    assert cost("our-model@HTTPS://Models.example.org/v1", 10**6, 0) == 0.5
    assert cost("ollama:llama3", 10**6, 0) == 0.01
    assert cost("gpt-4o-mini", 10**6, 0) == pytest.approx(0.15)  # not in it: the library's


def test_an_edited_file_is_read_again(prices: Path) -> None:
    prices.write_text(OURS)
    assert cost("gpt-4o", 10**6, 0) == 1.0
    prices.write_text('[models]\n"gpt-4o" = [12.25, 2]\n')
    assert cost("gpt-4o", 10**6, 0) == 12.25
    price = find_price("gpt-4o")
    assert price is not None
    assert (price.as_of, price.source) == (None, "ours.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no toml", "not valid TOML"),
        ("", "[models]"),
        ("models = 3", "[models]"),
        ("as_of = 3\n[models]", "not a date"),
        ("as_of = 2026-11-01T10:00:00Z\n[models]", "not a date"),
        ("[models]\nm = [-1, 2]", "two numbers"),
        ("[models]\nm = [nan, 2]", "two numbers"),
        ("[models]\nm = [1, inf]", "two numbers"),
        ("[models]\nm = [1]", "two numbers"),
        ('[models]\nm = [1, 2, "x"]', "two numbers"),
        ('[models]\nm = "free"', "two numbers"),
        ("[models]\nm = [true, 2]", "two numbers"),
        (f"[models]\nm = [1, {10**400}]", "two numbers"),
    ],
)
def test_a_file_that_cannot_be_understood_says_why(prices: Path, text: str, said: str) -> None:
    prices.write_text(text)
    with pytest.raises(InputError, match=said.replace("[", r"\[")) as caught:
        find_price("gpt-4o")
    assert "ours.toml" in str(caught.value)


def test_a_file_that_is_named_and_not_there_is_a_mistake(prices: Path) -> None:
    with pytest.raises(InputError, match="DCQ_PRICES"):
        find_price("gpt-4o")


def test_nobody_needs_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DCQ_PRICES", raising=False)
    monkeypatch.setattr(models_prices, "DEFAULT", tmp_path / "prices.toml")
    assert models_prices.read() == {}
    (tmp_path / "prices.toml").write_text('[models]\n"mine" = [1, 1]\n')
    assert cost("mine", 10**6, 0) == 1.0
