from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from dcq import environment
from dcq.errors import InputError, ModelChoiceError
from dcq.models.endpoints import (
    Endpoint,
    exposed_key,
    find_key,
    missing_variables,
    resolve,
)
from dcq.models.presets import PRESETS
from dcq.settings import Settings, load

KEY = "sk-very-secret-value"
VARIABLES = {preset.key_variable for preset in PRESETS if preset.key_variable} | {
    "DCQ_API_KEY",
    "OPENAI_BASE_URL",
    "AZURE_OPENAI_ENDPOINT",
    "DCQ_ALLOW_METADATA_ADDRESSES",
}


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No key of the person who runs the tests, neither exported nor in ``.env``."""
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setitem(Settings.model_config, "env_file", tmp_path / ".env")
    monkeypatch.setattr(environment, "ENV_FILE", tmp_path / ".env")


def test_a_plain_name_is_asked_at_openai_with_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    endpoint = resolve("gpt-4o", Settings())
    assert (endpoint.name, endpoint.model) == ("gpt-4o", "gpt-4o")
    assert endpoint.base_url == "https://api.openai.com/v1"
    assert endpoint.key is not None
    assert endpoint.key.get_secret_value() == KEY


def test_a_plain_name_follows_the_base_url_and_needs_no_key_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9999/v1/")
    endpoint = resolve("llama3.2:1b", Settings())
    assert (endpoint.model, endpoint.base_url) == ("llama3.2:1b", "http://127.0.0.1:9999/v1")
    assert endpoint.key is None


@pytest.mark.parametrize("blank", [None, "", "  "])
def test_openai_without_a_key_names_the_variable(
    monkeypatch: pytest.MonkeyPatch, blank: str | None
) -> None:
    if blank is not None:
        monkeypatch.setenv("OPENAI_API_KEY", blank)
    with pytest.raises(ModelChoiceError, match="set OPENAI_API_KEY"):
        resolve("gpt-4o", Settings())


@pytest.mark.parametrize(
    ("typed", "name", "model", "base_url"),
    [
        ("ollama:llama3.2:1b", "ollama:llama3.2:1b", "llama3.2:1b", "http://localhost:11434/v1"),
        (" Ollama:llama3 ", "ollama:llama3", "llama3", "http://localhost:11434/v1"),
        ("vllm:a/b", "vllm:a/b", "a/b", "http://localhost:8000/v1"),
        ("m@http://gpu:8000/v1/", "m@http://gpu:8000/v1", "m", "http://gpu:8000/v1"),
        ("vllm: a ", "vllm:a", "a", "http://localhost:8000/v1"),
        ("a@b@https://h/v1", "a@b@https://h/v1", "a@b", "https://h/v1"),
    ],
)
def test_endpoints_that_need_no_key(typed: str, name: str, model: str, base_url: str) -> None:
    endpoint = resolve(typed, Settings())
    assert (endpoint.name, endpoint.model, endpoint.base_url) == (name, model, base_url)
    assert endpoint.key is None


@pytest.mark.parametrize("preset", [p for p in PRESETS if p.key_variable and p.base_url])
def test_each_hosted_preset_asks_for_its_own_variable(
    preset: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(preset, type(PRESETS[0]))
    assert preset.key_variable is not None
    with pytest.raises(ModelChoiceError, match=preset.key_variable):
        resolve(f"{preset.name}:maker/model", Settings())
    monkeypatch.setenv(preset.key_variable, KEY)
    endpoint = resolve(f"{preset.name}:maker/model", Settings())
    assert (endpoint.model, endpoint.base_url) == ("maker/model", preset.base_url)
    assert endpoint.key == SecretStr(KEY)
    assert missing_variables(preset) == []


def test_azure_is_built_from_its_resource(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelChoiceError, match="AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_API_KEY"):
        resolve("azure:my-deployment", Settings())
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    for given_url in ("https://me.openai.azure.com/", "https://me.openai.azure.com/openai/v1/"):
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", given_url)
        endpoint = resolve("azure:my-deployment", Settings())
        assert endpoint.base_url == "https://me.openai.azure.com/openai/v1"
        assert endpoint.model == "my-deployment"


def test_openais_key_is_not_sent_to_another_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert resolve("m@https://elsewhere.example/v1", Settings()).key is None
    monkeypatch.setenv("DCQ_API_KEY", "sk-other")
    assert resolve("m@https://elsewhere.example/v1", Settings()).key == SecretStr("sk-other")


def test_a_key_may_stand_in_the_env_file_and_the_environment_wins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("MISTRAL_API_KEY=sk-from-file\n", "utf-8")
    assert find_key("MISTRAL_API_KEY") == SecretStr("sk-from-file")
    monkeypatch.setenv("MISTRAL_API_KEY", KEY)
    assert find_key("MISTRAL_API_KEY") == SecretStr(KEY)


def test_the_embedded_model_needs_nothing() -> None:
    endpoint = resolve("embedded", Settings())
    assert (endpoint.name, endpoint.preset, endpoint.free) == ("embedded", "embedded", True)
    assert endpoint.base_url == ""


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "  ",
        "ollama:",
        "embedded:big",
        "@https://h/v1",
        "m@ftp://h/v1",
        "m@file:///etc/passwd",
        "m@https://user:pw@h/v1",
        "m@https://h/v1?key=sk",
        "m@https:///v1",
        "m@http://h:99999/v1",
    ],
)
def test_what_cannot_be_a_model_is_an_error_of_one_sentence(typed: str) -> None:
    with pytest.raises(ModelChoiceError) as caught:
        resolve(typed, Settings())
    message = str(caught.value)
    assert message.endswith(".")
    assert "\n" not in message
    assert "pw" not in message
    assert "sk" not in message.replace("asked", "")


SOMEWHERE = Settings.model_validate({"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})


@given(st.text(max_size=60))
def test_any_text_resolves_or_is_refused_with_a_sentence(typed: str) -> None:
    try:
        endpoint = resolve(typed, SOMEWHERE)
    except ModelChoiceError:
        return
    assert endpoint.model
    assert endpoint.model == endpoint.model.strip()


def test_a_key_never_shows() -> None:
    endpoint = Endpoint("m", "m", "http://h/v1", key=SecretStr(KEY))
    assert KEY not in repr(endpoint) + str(endpoint)


def test_a_person_may_set_how_long_a_call_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = resolve("gpt-4o@https://example.org/v1", load()).timeout
    monkeypatch.setenv("DCQ_TIMEOUT", "")
    assert resolve("gpt-4o@https://example.org/v1", load()).timeout == usual
    monkeypatch.setenv("DCQ_TIMEOUT", "7.5")
    assert resolve("gpt-4o@https://example.org/v1", load()).timeout == 7.5
    for nonsense in ("soon", "0", "-1"):
        monkeypatch.setenv("DCQ_TIMEOUT", nonsense)
        with pytest.raises(InputError, match="DCQ_TIMEOUT"):
            load()


@pytest.mark.parametrize("key", ["sk-s\u00e9cret", "sk-one\nsk-two", "sk one"])
def test_a_key_that_no_header_can_hold_is_refused_unseen(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(ModelChoiceError, match="OPENAI_API_KEY") as caught:
        resolve("gpt-4o", load())
    assert key not in str(caught.value)
    monkeypatch.setenv("OPENAI_API_KEY", " sk-fine\n")
    endpoint = resolve("gpt-4o", load())
    assert endpoint.key is not None
    assert endpoint.key.get_secret_value() == "sk-fine"


def test_a_server_has_one_name_however_its_address_is_typed() -> None:
    names = {
        resolve(f"m@{url}", Settings()).name
        for url in ("http://127.0.0.1:9/V1", "HTTP://127.0.0.1:9/V1/", "Http://127.0.0.1:9/V1")
    }
    assert names == {"m@http://127.0.0.1:9/V1"}
    scored = resolve("likelihood:m@HTTP://LocalHost:9/v1", Settings())
    assert scored.name == "likelihood:m@http://localhost:9/v1"


@pytest.mark.parametrize(
    ("model", "base_url", "warned"),
    [
        ("gpt-4o", "http://models.example.org/v1", "OPENAI_API_KEY is sent to models.example.org"),
        ("gpt-4o", "https://models.example.org/v1", ""),
        ("gpt-4o", "http://192.168.1.7/v1", ""),
        ("gpt-4o", "http://localhost:8000/v1", ""),
        ("m@http://models.example.org:80/v1", "", "DCQ_API_KEY is sent to models.example.org:80"),
        ("likelihood:m@HTTP://models.example.org/v1", "", "DCQ_API_KEY is sent to models."),
        ("m@https://models.example.org/v1", "", ""),
    ],
)
def test_a_key_sent_in_the_clear_is_told(
    monkeypatch: pytest.MonkeyPatch, model: str, base_url: str, warned: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", base_url)
    assert exposed_key(resolve(model, Settings())) == ""  # no key is sent
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("DCQ_API_KEY", KEY)
    told = exposed_key(resolve(model, Settings()))
    assert bool(told) == bool(warned)
    assert warned in told
    assert KEY not in told
