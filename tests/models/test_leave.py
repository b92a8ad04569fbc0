"""Which addresses in a stranger's file may get a key."""

from __future__ import annotations

import pytest

from dcq.errors import InputError, ModelChoiceError
from dcq.models.leave import VARIABLE, check_addresses, read_allowed

ALLOWED = ["llm.example.org", "bücher.example", "http://10.0.0.5:8000", "[2001:db8::1]:9"]
TAKEN = [
    "gpt-4o",
    "openai:gpt-4o",
    "ollama:llama3.2",
    "maker/model:free",
    "embedded",
    "likelihood:/models/x.gguf",
    "m@http://localhost:1/v1",
    "m@http://LOCALHOST/v1",
    "m@http://127.0.0.1:8901/v1",
    "m@http://[::1]:8901/v1",
    "likelihood:m@http://127.0.0.1/v1",
    "m@https://llm.example.org/v1",
    "m@https://LLM.Example.org:443/v1",
    "m@https://llm.example.org./v1",
    "m@https://xn--bcher-kva.example/v1",
    "m@https://BÜCHER.example/v1",
    "m@http://10.0.0.5:8000/v1",
    "m@https://[2001:db8::1]:9/v1",
]
REFUSED = [
    "m@https://evil.org/v1",
    "likelihood:m@https://evil.org/v1",
    "Likelihood: likelihood: m@https://evil.org/v1",
    "a@b@https://evil.org/v1",
    "embedded@https://evil.org/v1",
    "m@https://llm.example.org:444/v1",
    "m@http://llm.example.org/v1",
    "m@https://llm.example.org@evil.org/v1",
    "m@https://llm.example.org:x@evil.org/v1",
    "m@https://llm.example.org.evil.org/v1",
    "m@https://evil.org/llm.example.org",
    "m@https://evil.org#@llm.example.org/v1",
    "m@https://evil.org?@llm.example.org/v1",
    "m@https://evil.org\\@llm.example.org/v1",
    "m@http://localhost.evil.org/v1",
    "m@http://localhost./v1",
    "m@http://127.0.0.1.evil.org/v1",
    "m@http://127.0.0.1:80@evil.org/v1",
    "m@http://127.1/v1",
    "m@http://2130706433/v1",
    "m@http://0x7f000001/v1",
    "m@http://0.0.0.0/v1",
    "m@http://[::ffff:127.0.0.1]/v1",
    "m@http://[::]/v1",
    "m@http://localhost%2eevil.org/v1",
    "m@http://localhost。evil.org/v1",
    "m@http://ⓛocalhost/v1",
    "m@http://169.254.169.254/v1",
    "m@HTTP://evil.org/v1",
    "m@ftp://localhost/v1",
]


@pytest.mark.parametrize("model", TAKEN)
def test_what_is_near_or_allowed_is_taken(model: str) -> None:
    check_addresses([model], read_allowed(ALLOWED))


@pytest.mark.parametrize("model", REFUSED)
def test_any_other_address_is_refused_in_a_sentence(model: str) -> None:
    with pytest.raises(ModelChoiceError) as raised:
        check_addresses(["gpt-4o", model], read_allowed(ALLOWED))
    assert "\n" not in str(raised.value)


def test_the_sentence_says_what_would_allow_it() -> None:
    for model in (
        "m@https://evil.org:8443/v1",
        "m@http://10.1.1.1/v1",
        "m@https://[2001:db8::2]/v1",
    ):
        with pytest.raises(ModelChoiceError, match="--allow-host") as raised:
            check_addresses([model], ())
        word = str(raised.value).rstrip(".").rpartition("--allow-host ")[2]
        check_addresses([model], read_allowed([word]))


def test_the_variable_counts_as_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, " one.example , http://two.example:81,")
    check_addresses(["m@https://one.example/v1", "m@http://two.example:81"], read_allowed(()))


@pytest.mark.parametrize("word", ["a b", "https://x@y", "*", "", "http://", "ftp://x", "a?b"])
def test_what_is_no_host_allows_nothing(word: str) -> None:
    if word.strip():
        with pytest.raises(InputError, match="names no host"):
            read_allowed([word])
    else:
        assert read_allowed([word]) == frozenset()
