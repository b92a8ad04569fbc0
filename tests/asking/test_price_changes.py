"""A call is charged at the price of its own time, however often the price of its model changes."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from dcq.store import Store, runs
from tests.support import commands
from tests.support.provider import FakeProvider

pytestmark = pytest.mark.slow
DEAR, CHEAP = 10_000.0, 0.01  # USD per million tokens


@pytest.fixture
def prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DCQ_PRICES", str(tmp_path / "prices.toml"))
    return tmp_path / "prices.toml"


def _ask(store: Store, prices: Path, usd: float, *words: str) -> tuple[dict[str, Any], str]:
    """Ask at this price; what the command prints of the run, and tells beside it."""
    prices.write_text(f'[models]\n"always-a" = [{usd}, {usd}]\n', "utf-8")
    done = commands.run(
        "run", *words, "--json", environment=os.environ | {"DCQ_STORE": str(store.path)}
    )
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout), done.stderr


def _at(usd: float, later: dict[str, Any], earlier: dict[str, Any] | None = None) -> float:
    """What the tokens since ``earlier`` cost at a price."""
    before = earlier or {"tokens_in": 0, "tokens_out": 0}
    tokens = sum(later[key] - before[key] for key in ("tokens_in", "tokens_out"))
    return float(tokens * usd / 1e6)


def test_calls_count_at_their_own_price_after_it_falls_and_rises(
    fresh_store: Store, quiz_id: str, provider: FakeProvider, prices: Path
) -> None:
    first, told = _ask(fresh_store, prices, DEAR, quiz_id, "--model", "always-a", "--limit", "2")
    assert first["cost_usd"] == pytest.approx(_at(DEAR, first))
    assert "price" not in told
    run = ("--run", first["run"])
    second, told = _ask(fresh_store, prices, CHEAP, *run, "--limit", "4")
    assert "Earlier calls count at the prices of their time" in told.replace("\n", " ")
    by_then = first["cost_usd"] + _at(CHEAP, second, first)
    assert second["cost_usd"] == pytest.approx(by_then)
    third, _ = _ask(fresh_store, prices, DEAR, *run)
    assert third["cost_usd"] == pytest.approx(by_then + _at(DEAR, third, second))
    spent = runs.spent(fresh_store, first["run"])
    assert spent.lost_usd == pytest.approx(0, abs=1e-5)
    assert third["cost_is_exact"]


def test_what_is_left_of_a_budget_is_the_total_less_what_calls_cost_in_their_time(
    fresh_store: Store, quiz_id: str, provider: FakeProvider, prices: Path
) -> None:
    cheap, _ = _ask(fresh_store, prices, CHEAP, quiz_id, "--model", "always-a", "--limit", "3")
    budget = str(4 * _at(DEAR, cheap))
    left = float(budget) - cheap["cost_usd"]
    dear, told = _ask(fresh_store, prices, DEAR, "--run", cheap["run"], "--budget", budget)
    assert f"{left:.4g} of {float(budget):g} USD are left" in told.replace("\n", " ")
    assert dear["tokens_in"] > cheap["tokens_in"]
    assert dear["cost_usd"] <= float(budget)


def test_a_fallen_price_gives_back_nothing_that_was_spent(
    fresh_store: Store, quiz_id: str, provider: FakeProvider, prices: Path
) -> None:
    first, _ = _ask(fresh_store, prices, DEAR, quiz_id, "--model", "always-a", "--limit", "2")
    asked, budget = provider.counts["always-a"], str(first["cost_usd"])
    _ask(fresh_store, prices, CHEAP, "--run", first["run"], "--budget", budget)
    assert provider.counts["always-a"] == asked


def test_calls_of_an_unknown_price_count_at_the_first_known(
    fresh_store: Store, quiz_id: str, provider: FakeProvider, prices: Path
) -> None:
    prices.write_text("[models]\n", "utf-8")
    environment = os.environ | {"DCQ_STORE": str(fresh_store.path)}
    words = ("run", quiz_id, "--model", "always-a", "--limit", "2")
    commands.run(*words, environment=environment).check_returncode()
    [run_id] = runs.listing(fresh_store)
    done, _ = _ask(fresh_store, prices, DEAR, "--run", run_id)
    assert done["cost_usd"] == pytest.approx(_at(DEAR, done))
