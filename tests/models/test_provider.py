"""The test provider is trusted by many tests, so it is tested itself."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from dcq.settings import ROOT
from tests.support.behaviours import ChatRequest, reworded
from tests.support.provider import FakeProvider

pytestmark = pytest.mark.slow

FIGURE_4 = """Instruction: Your task is to create a {0}-choice quiz by only replacing the words.
(1) You generate {0} distinct options based on the provided text;
\u2014
Text:
Article: The outlook for crude prices worries (Reuters) the market 30% next week.
Label: 2 (Business)
\u2014"""


def fetch(url: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, data, headers)  # noqa: S310 (our own server)
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 (our own server)
        return json.load(answer)


def chat(base_url: str, model: str, prompt: str) -> str:
    messages = [{"role": "user", "content": prompt}]
    body = fetch(f"{base_url}/chat/completions", {"model": model, "messages": messages})
    return str(body["choices"][0]["message"]["content"])


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_reword_answers_in_the_format_of_figure_4(number: int) -> None:
    word = ("one", "two", "three", "four")[number - 1]
    with FakeProvider() as provider:
        reply = chat(provider.base_url, "reword", FIGURE_4.replace("{0}", word))
    options = reply.split("\n\n")
    assert [option[:3] for option in options] == [f"{letter}) " for letter in "ABCD"[:number]]
    assert len({option[3:] for option in options}) == number
    for option in options:
        assert option.endswith("\nLabel: 2 (Business)")
        assert "(Reuters)" in option
        assert "30%" in option


@pytest.mark.parametrize("text", ["one word", "Only lower case words stand here"])
def test_rewordings_differ_where_there_is_a_word_to_replace(text: str) -> None:
    options = [reworded(text, option, "salt") for option in range(4)]
    assert text not in options
    assert len(set(options)) == 4


def test_a_guess_is_spread_over_the_letters() -> None:
    calls = [ChatRequest({"model": "m", "messages": [{"content": f"q{i}"}]}) for i in range(400)]
    counts = [sum(call.guess() == letter for call in calls) for letter in "ABCD"]
    assert min(counts) > 60


def test_it_runs_as_a_process_of_its_own(tmp_path: Path) -> None:
    seen = tmp_path / "seen.json"
    seen.write_text(json.dumps(["the original"]), "utf-8")
    command = [sys.executable, "-m", "tests.support.provider", "--seen", str(seen)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    with child:
        try:
            assert child.stdout is not None
            base_url = child.stdout.readline().strip()
            prompt = "A) a\nB) b\nC) the original\nD) d"
            assert chat(base_url, "knows-original", prompt) == "C"
            counts = fetch(base_url.removesuffix("/v1") + "/_counts")
            assert counts["by_model"] == {"knows-original": 1}
            assert counts["by_status"] == {"200": 1}
        finally:
            child.terminate()
