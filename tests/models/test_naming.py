"""What looks like a preset or an address and is none is refused; names that servers use pass."""

import pytest

from dcq.errors import ModelChoiceError
from dcq.models.endpoints import model_asked, resolve
from dcq.models.presets import OPENAI_URL, PRESETS
from dcq.settings import Settings

OWN = "http://127.0.0.1:11434/v1"
EVERYWHERE = [
    ("antropic:claude-x", "anthropic:claude-x"),
    ("opnerouter:maker/model", "openrouter:maker/model"),
    ("olama:llama3.2:1b", "ollama:llama3.2:1b"),
    ("open-ai:gpt-4o", "openai:gpt-4o"),
    ("openai;gpt-4o", "openai:gpt-4o"),
    ("openai：gpt-4o", "openai:gpt-4o"),
    ("liklihood:gpt-4o", "likelihood:gpt-4o"),
    ("embeded", "embedded"),
    ("knows@127.0.0.1:8901/v1", "knows@http://127.0.0.1:8901/v1"),
    ("m@localhost:8000", "m@http://localhost:8000/v1"),
    ("m@[::1]:8000/v1", "m@http://[::1]:8000/v1"),
    ("m@gpu:8000", "m@http://gpu:8000/v1"),
    ("openai/gpt-4o@api.example.com/v1", "openai/gpt-4o@https://api.example.com/v1"),
    ("gpt-4o@htps://h.example/v1", "https://h.example/v1"),
    ("gpt-4o@https:h.example/v1", "gpt-4o@https://h.example/v1"),
    ("m@http:/h.example", "m@http://h.example/v1"),
    ("m@http//h.example/v1", "m@http://h.example/v1"),
    ("m @ https://h.example/v1", "m@https://h.example/v1"),
    ("m@https://https://h.example/v1", "https://h.example/v1"),
    ("m@https://h.example/v1/chat/completions", "https://h.example/v1"),
    ("https://h.example/v1", "NAME@https://h.example/v1"),
    ("localhost:8000/v1", "NAME@http://localhost:8000/v1"),
    ("ollama:llama3@http://gpu:1/v1", "llama3@http://gpu:1/v1"),
    ("ollama:localhost:11434", "NAME@http://localhost:11434/v1"),
    ("likelihood:m@localhost:8000", "m@http://localhost:8000/v1"),
]
AT_OPENAI = [
    ("openai/gpt-4o", "openai:gpt-4o"),
    ("gpt4o", "gpt-4o"),
    ("gpt_4.1-mini", "gpt-4.1-mini"),
    ("google:gemini-x", "gemini:gemini-x"),
    ("mistral", "mistral:NAME"),
    ("qwen2.5:7b", "openrouter:maker/model"),
    ("maker/model", "openrouter:maker/model"),
    ("model@2024", "NAME@https://host/v1"),
]
OTHERS = [
    ("anthropic.claude-3", "anthropic:claude-3"),
    ("claude-3-5-sonnet", "anthropic:claude-3-5-sonnet"),
    ("gemini-2.0-flash", "gemini:gemini-2.0-flash"),
    ("mistral-large-latest", "mistral:mistral-large-latest"),
    ("deepseek-chat", "openrouter:maker/model"),
    ("ollama-llama3", "ollama:llama3"),
    ("grok-4", "openrouter:maker/model"),
    ("ft:antropic:claude", "PRESET:NAME"),
    ("example.com", "NAME@https://example.com/v1"),
    ("model.gguf", "PRESET:NAME"),
    ("localhost", "NAME@http://localhost"),
    ("127.0.0.1:8000", "NAME@http://127.0.0.1:8000/v1"),
    ("./model", "PRESET:NAME"),
    ("meta-llama/Llama-3-8B", "openrouter:maker/model"),
]
PASSWORDS = [
    "gpt-4o@user:hunter2@h.example/v1",
    "https://user:hunter2@h.example/v1",
    "user:hunter2@h.example",
    "user:hunter@host",
    "m＠https://user:hunter2@h.example",
    "m@htps://user:hunter2@h.example/v1",
]
TAGGED = [
    "qwen2.5:7b",
    "llama3:8b",
    "llama3:mine",
    "mixtral:8x7b",
    "mixtral:latest",
    "gemma3n:e2b",
    "ministral-3:8b",
    "maker/model:free",
    "openai/gpt-4o",
    "hf.co/maker/Model-GGUF:Q4_K_M",
    "model@20240620",
    "model@main",
    "model@sha256:abcdef0123456789",
    "qwen2.5:7b@sha256:abcdef0123456789",
    "ft:gpt-4o:maker::id",
    "org/model@v1.5",
]


def _at(base_url: str) -> Settings:
    return Settings.model_validate({"OPENAI_BASE_URL": base_url, "OPENAI_API_KEY": "sk"})


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for preset in PRESETS:
        if preset.key_variable:
            monkeypatch.setenv(preset.key_variable, "sk")


@pytest.mark.parametrize("base_url", [OWN, OPENAI_URL])
@pytest.mark.parametrize(("typed", "right"), EVERYWHERE)
def test_a_near_miss_is_refused_with_the_right_form(typed: str, right: str, base_url: str) -> None:
    with pytest.raises(ModelChoiceError) as caught:
        resolve(typed, _at(base_url))
    assert right in str(caught.value)


@pytest.mark.parametrize(("typed", "right"), AT_OPENAI)
def test_openai_gets_no_name_that_none_of_its_models_has(typed: str, right: str) -> None:
    for base_url in (OPENAI_URL, "https://eu.api.openai.com/v1"):
        with pytest.raises(ModelChoiceError) as caught:
            resolve(typed, _at(base_url))
        assert right in str(caught.value)


@pytest.mark.parametrize(("typed", "right"), OTHERS)
def test_openai_is_not_asked_for_a_model_of_another_maker(typed: str, right: str) -> None:
    with pytest.raises(ModelChoiceError) as caught:
        resolve(typed, _at(OPENAI_URL))
    assert right in str(caught.value)


@pytest.mark.parametrize(
    "typed", ["claude-3-5-sonnet", "gemini-2.0-flash", "model.gguf", "example.com", "grok-4"]
)
def test_a_gateway_of_ones_own_has_any_name(typed: str) -> None:
    assert resolve(typed, _at(OWN)).base_url == OWN


@pytest.mark.parametrize("model", ["say:A。", "maker／model", "a：b"])
def test_behind_an_address_a_model_has_any_name(model: str) -> None:
    assert resolve(f"{model}@{OWN}", _at(OPENAI_URL)).model == model


@pytest.mark.parametrize("base_url", [OWN, OPENAI_URL])
@pytest.mark.parametrize("typed", PASSWORDS)
def test_a_password_in_a_name_is_refused_and_not_repeated(typed: str, base_url: str) -> None:
    with pytest.raises(ModelChoiceError) as caught:
        resolve(typed, _at(base_url))
    assert "hunter" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-proj-" + "0a" * 9, "AIza" + "x" * 35, "gsk_" + "y" * 40])
def test_a_key_in_place_of_a_name_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(ModelChoiceError, match="looks like a key") as caught:
        resolve(key, _at(OPENAI_URL))
    assert key not in str(caught.value)


@pytest.mark.parametrize("typed", TAGGED)
def test_a_name_that_servers_use_is_asked_as_it_is(typed: str) -> None:
    plain = resolve(typed, _at(OWN))
    assert (plain.name, plain.model, plain.base_url) == (typed, typed, OWN)
    elsewhere = resolve(f"{typed}@http://gpu:8000/v1", _at(OPENAI_URL))
    assert (elsewhere.model, elsewhere.base_url) == (typed, "http://gpu:8000/v1")
    served = resolve(f"ollama:{typed}", _at(OPENAI_URL))
    assert (served.preset, served.model) == ("ollama", typed)
    assert model_asked(served.name) == model_asked(elsewhere.name) == typed


@pytest.mark.parametrize(
    "typed",
    [
        "gpt-4o",
        " gpt-4.1 ",
        "o3",
        "chatgpt-4o-latest",
        "ft:gpt-4o:maker::id:ckpt-step-9",
        "ft:gpt-4o:claude::id",
        "gpt-4.1-mini-2025-04-14",
        "codex-mini-latest",
        "davinci-002",
        "computer-use-preview",
        "new-family-9",
    ],
)
def test_openais_own_names_pass(typed: str) -> None:
    assert resolve(typed, _at(OPENAI_URL)).model == typed.strip()


@pytest.mark.parametrize("preset", [preset for preset in PRESETS if preset.base_url])
def test_no_swapped_lost_or_doubled_letter_of_a_preset_is_sent(preset: object) -> None:
    assert isinstance(preset, type(PRESETS[0]))
    name, others = preset.name, {other.name for other in PRESETS}
    wrong = {
        *(f"{name[:at]}{name[at + 1 :]}" for at in range(len(name))),
        *(f"{name[:at]}{name[at]}{name[at:]}" for at in range(len(name))),
        *(f"{name[:at]}{name[at + 1]}{name[at]}{name[at + 2 :]}" for at in range(len(name) - 1)),
    }
    for head in wrong - others:
        with pytest.raises(ModelChoiceError, match=f"write {name}:some-model"):
            resolve(f"{head}:some-model", _at(OWN))


def test_an_address_of_plain_names_without_its_scheme_is_refused() -> None:
    with pytest.raises(ModelChoiceError, match="give http://localhost:11434/v1"):
        resolve("llama3", _at("localhost:11434/v1"))
