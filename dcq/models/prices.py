"""What calls cost, before and after they are made: list prices, and token estimates without a
tokenizer.

List prices are those of the installed library genai-prices; nothing is fetched. The user's own
prices (``dcq.models.prices``) override them.

The user's own prices: a file that overrides every list price.

``DCQ_PRICES`` names it; without that it is ``prices.toml`` beside the usual store, if there is
one. A model is written as for ``--model``, its prices in USD per million tokens, in and out::

    as_of = 2026-11-01
    source = "our contract"

    [models]
    "azure:our-deployment" = [2.50, 10.00]
    "our-model@https://models.example.org/v1" = [0.20, 0.60]"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dcq import settings
from dcq.errors import InputError
from dcq.models import user_file
from dcq.models.endpoints import is_path, split_mode
from dcq.models.naming import read_name
from dcq.models.presets import PRESETS
from dcq.models.price import Price
from dcq.naming import with_plain_address
from dcq.places import OWN

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, Provider


FREE = {preset.name for preset in PRESETS if preset.free}
# The library's names for our presets. An Azure deployment can have any name, which does not tell
# the model behind it.
LIBRARY_NAMES = {
    "openai": "openai",
    "anthropic": "anthropic",
    "gemini": "google",
    "mistral": "mistral",
    "openrouter": "openrouter",
}
SNAPSHOT = re.compile(r"-(\d{4}-?\d{2}-?\d{2}|latest)$")
# Chinese, Japanese and Korean characters and their full-width signs: about a token each.
CJK = re.compile(
    r"[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
NOT_ASCII = re.compile(r"[^\x00-\x7f]")
SYMBOL = re.compile(r"[!-/:-@\[-`{-~\d\n]", re.ASCII)


def find_price(model: str) -> Price | None:
    """The price of a model by its name as typed; None if it is not known.

    The user's own price comes first. Models that run on the user's own machines cost nothing. A
    plain name has OpenAI's price, whatever ``OPENAI_BASE_URL`` is; a name with an address has a
    price if the address is a known provider's. Prices are those of short prompts, without caching.
    Raises InputError if the file of the user's own prices cannot be parsed.
    """
    model = model.strip()
    own_price = find(model)
    if own_price is not None:
        return own_price
    model, scored = split_mode(model)
    if scored and is_path(model):
        return Price(0.0, 0.0)
    named = read_name(model)
    if named.preset in FREE:
        return Price(0.0, 0.0)
    preset, name = named.preset or _by_address(named.address), named.model
    if preset not in LIBRARY_NAMES or not name:
        return None
    return _list_price(LIBRARY_NAMES[preset], name)


def cost(model: str, tokens_in: int, tokens_out: int) -> float | None:
    """USD for these numbers of tokens of a model; None if its price is unknown."""
    price = find_price(model)
    return None if price is None else price.cost(tokens_in, tokens_out)


def _by_address(address: str) -> str:
    """The preset of an address, "" for an unknown one, OpenAI's if there is none."""
    homes = {preset.base_url: preset.name for preset in PRESETS if preset.base_url}
    return homes.get(address.rstrip("/"), "") if address else "openai"


@cache
def _list_price(provider_id: str, name: str) -> Price | None:
    provider = _providers()[provider_id]
    model_info = provider.find_model(name) or provider.find_model(SNAPSHOT.sub("", name))
    if model_info is None:
        return None
    sums = model_info.get_prices(datetime.now(UTC)).__dict__
    pair = [_per_million(sums.get(f"{way}_mtok")) for way in ("input", "output")]
    if model_info.id.endswith(":free") and not any(sums.values()):
        pair = [0.0, 0.0]
    tokens_in, tokens_out = pair
    if tokens_in is None or tokens_out is None:  # billed by the image, the page, the second
        return None
    return Price(tokens_in, tokens_out, _newest_change(), _source())


def _per_million(price: object) -> float | None:
    """A price from the library in USD, the lowest tier if it rises with the prompt's length."""
    from genai_prices.types import TieredPrices

    price = price.base if isinstance(price, TieredPrices) else price
    return None if price is None else float(str(price))


@cache
def _providers() -> dict[str, Provider]:
    from genai_prices.data import providers  # half a second, which most commands need not pay

    return {provider.id: provider for provider in providers}


@cache
def _newest_change() -> date | None:
    """The date of the library's prices: they are at least as new as the newest price change that
    they contain."""
    today = datetime.now(UTC).date()
    dates = [
        day
        for provider in _providers().values()
        for model in provider.models
        for day in _changes(model)
    ]
    return max((day for day in dates if day <= today), default=None)


def _changes(model: ModelInfo) -> list[date]:
    from genai_prices.types import StartDateConstraint

    steps = [*(model.prices if isinstance(model.prices, list) else ())]
    limits = [step.constraint for step in (*steps, *(model.price_variants or ()))]
    return [limit.start_date for limit in limits if isinstance(limit, StartDateConstraint)]


@cache
def _source() -> str:
    import genai_prices

    return f"genai-prices {genai_prices.__version__}"


def estimate_tokens(text: str) -> int:
    """About how many tokens a text takes, from kinds of characters alone.

    Compared with the tokenizer of SmolLM2: 0 to 12 % too many on English prose, quizzes and Python
    code, a third too few on Spanish and Russian, which its English vocabulary splits into small
    pieces. Tokenizers of large multilingual models split those less.
    """
    cjk = len(CJK.findall(text))
    accented = len(NOT_ASCII.findall(text)) - cjk
    symbols = len(SYMBOL.findall(text))
    plain = len(text) - cjk - accented - symbols
    return math.ceil(plain / 4.8 + symbols * 0.8 + accented * 0.5 + cjk)


DEFAULT = OWN / "prices.toml"
_WHAT, _VARIABLE = "prices", "DCQ_PRICES"
MOST = 1e6  # USD per million tokens


def find(model: str) -> Price | None:
    """The user's own price of a model; ``openai:NAME`` and ``NAME`` are the same.

    Raises InputError if the file cannot be read or understood."""
    table, model = read(), with_plain_address(model)
    plain = model.removeprefix("openai:")
    return next((table[name] for name in (model, plain, f"openai:{plain}") if name in table), None)


def read() -> Mapping[str, Price]:
    """All of the user's own prices, by model; empty if there is no file."""
    state = user_file.find(settings.load().prices, DEFAULT, _WHAT, _VARIABLE)
    return {} if state is None else _read(state)


@lru_cache(maxsize=4)
def _read(file: user_file.FileState) -> Mapping[str, Price]:
    path = file.path
    document = user_file.parse(path, _WHAT, _VARIABLE)
    as_of, source, models = (document.get(key) for key in ("as_of", "source", "models"))
    if not isinstance(models, dict):
        raise InputError(
            f'The prices in {path} need a table [models] with lines such as "gpt-4o" = [2.5, 10].'
        )
    if type(as_of) not in (date, type(None)):
        raise InputError(f"as_of in {path} is not a date; write it as 2026-11-01.")
    told = str(source or path.name)
    return {
        with_plain_address(model.strip()): Price(*_pair(path, model, pair), as_of, told)
        for model, pair in models.items()
    }


def _pair(path: Path, model: str, pair: Any) -> tuple[float, float]:
    sums = pair if isinstance(pair, list) else []
    numbers = [usd for usd in sums if type(usd) in (int, float) and 0 <= usd <= MOST]
    if not len(sums) == len(numbers) == 2:
        raise InputError(
            f"The price of {model!r} in {path} needs two numbers, USD per million tokens in and "
            "out, such as [2.5, 10]."
        )
    return float(numbers[0]), float(numbers[1])
