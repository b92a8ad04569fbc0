"""A key that its endpoint sends back is in nothing that is read from a reply."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from dataclasses import asdict
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.errors import EndpointError
from dcq.models.batch import BatchClient
from dcq.models.batch_file import read_line
from dcq.models.chat import ChatClient
from dcq.models.completion import Completion
from dcq.models.endpoints import resolve
from dcq.models.masking import KEY as MASKED
from dcq.models.masking import Mask, mask_headers
from dcq.models.scorers.likelihood import ScoredText
from dcq.models.scorers.scoring import EchoScorer
from dcq.overlap.search.client import SearchClient
from dcq.overlap.search.service import ServiceCall
from dcq.private_texts import PRIVATE, PrivateTexts
from dcq.settings import load
from tests.support.search_services import SearchServer

KEY = 'sk-Zq7/rV+b2_LmKx9="W\\tYp'
SPELT = [
    KEY,
    f"Bearer {KEY}, as you sent it",
    quote(KEY, safe=""),
    quote(KEY, safe="").lower(),
    json.dumps({"authorization": KEY}),
    "".join(f"\\u{ord(letter):04X}" for letter in KEY),
]


def completion(text: str) -> dict[str, object]:
    """A completion that says ``text`` wherever one can."""
    message = {"content": text, "refusal": text}
    logprobs = {"content": [{"token": text, "logprob": -0.1, "top_logprobs": []}]}
    choice = {"message": message, "finish_reason": text, "logprobs": logprobs}
    return {"model": text, "system_fingerprint": text, "choices": [choice]}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DCQ_API_KEY", KEY)
    monkeypatch.setenv("BRAVE_SEARCH_API_KEY", KEY)


def lacks_key(found: object) -> None:
    shown = json.dumps(found, ensure_ascii=False)
    assert MASKED in shown
    for spelt in (KEY, json.dumps(KEY)[1:-1], quote(KEY, safe="")):
        assert spelt not in shown
    assert KEY[:8] not in shown


@pytest.mark.parametrize("spelt", SPELT)
@pytest.mark.parametrize("ascii_only", [True, False])
async def test_a_reply(spelt: str, ascii_only: bool) -> None:
    body = json.dumps(completion(spelt), ensure_ascii=ascii_only)
    with SearchServer(lambda _: (200, body)) as server:
        async with ChatClient(resolve(f"m@{server.address}", load())) as client:
            reply = await client.ask("Who?", max_tokens=5, temperature=0.0, top_logprobs=2)
    lacks_key(asdict(reply))
    for part in (reply.text, reply.refusal, reply.served_model, reply.fingerprint):
        lacks_key(part)


async def test_every_letter_escaped() -> None:
    written = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
    body = json.dumps(completion("HERE")).replace("HERE", written)
    with SearchServer(lambda _: (200, body)) as server:
        async with ChatClient(resolve(f"m@{server.address}", load())) as client:
            reply = await client.ask("Who?", max_tokens=5, temperature=0.0)
    lacks_key(asdict(reply))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_other_encodings_of_json(encoding: str) -> None:
    body = Mask([KEY])(json.dumps(completion(f"é {KEY}"), ensure_ascii=False).encode(encoding))
    assert json.loads(body)["model"] == f"é {MASKED}"


async def test_a_name_served_for_likelihood() -> None:
    text = "A river"
    logprobs = {"token_logprobs": [None, -1.0, -2.0]}
    choice = {"text": f"{text}.", "logprobs": logprobs}
    body = json.dumps({"model": KEY, "choices": [choice], "usage": {"completion_tokens": 1}})
    with SearchServer(lambda _: (200, body)) as server:
        async with EchoScorer(resolve(f"likelihood:m@{server.address}", load())) as scorer:
            [found] = await scorer.score([ScoredText(text)])
    assert found.served_model == MASKED


async def test_the_lines_of_a_batch() -> None:
    line = {"custom_id": "r:0:1", "response": {"status_code": 200, "body": completion(KEY)}}
    body = "\n".join([json.dumps(line)] * 2)
    with SearchServer(lambda _: (200, body)) as server:
        endpoint = resolve(f"m@{server.address}", load())
        async with BatchClient(endpoint) as client:
            content = await client._content(client._get("/files/x/content"))
    for part in content.splitlines():
        found = read_line(part)
        assert found is not None
        assert isinstance(found[1], Completion)
        lacks_key(asdict(found[1]))


async def test_a_result_of_a_search() -> None:
    with SearchServer(lambda _: (200, {"web": {"results": [{"title": KEY}]}})) as server:
        async with SearchClient(
            "Brave", server.address, key_variable="BRAVE_SEARCH_API_KEY"
        ) as send:
            lacks_key(await send(ServiceCall("GET", server.address, {}, {})))


async def test_an_error_does_not_show_it() -> None:
    with SearchServer(lambda _: (400, json.dumps({"error": {"message": KEY}}))) as server:
        async with ChatClient(resolve(f"m@{server.address}", load())) as client:
            with pytest.raises(EndpointError) as raised:
                await client.ask("Who?", max_tokens=5, temperature=0.0)
    assert KEY not in repr(raised.value)


@pytest.mark.parametrize("word", ["", "none", "EMPTY", "A", "ollama"])
def test_a_word_in_place_of_a_key_stays_in_replies(word: str) -> None:
    body = json.dumps(completion(f"{word} A none EMPTY ollama")).encode()
    assert Mask([word])(body) == body


@given(st.binary(max_size=300))
def test_what_has_no_key_is_left_as_it_is(body: bytes) -> None:
    if json.detect_encoding(body) == "utf-8":
        assert Mask([KEY])(body) == body


def test_two_megabytes_of_backslashes_take_no_time() -> None:
    began = time.process_time()
    Mask([KEY, "\\" * 20])(b"\\" * 2**21)
    Mask(["%" * 20])(b"%25" * 2**19)
    assert time.process_time() - began < 5


WORDING = "Text: boat 1 stood by the mill"


def test_of_a_private_reply_the_letter_stays() -> None:
    mask = Mask([KEY], [PrivateTexts([WORDING])])
    body = json.dumps(completion(f"B) {WORDING}. {KEY}")).encode()
    [choice] = json.loads(mask(body))["choices"]
    assert choice["message"]["content"] == f"B) {PRIVATE}. {MASKED}"


def test_what_was_asked_for_again_stays_where_it_was_asked_for() -> None:
    mask = Mask([], [PrivateTexts([WORDING])], echoes={"text", "tokens"})
    choice = {"text": WORDING, "logprobs": {"tokens": WORDING.split()}, "id": WORDING}
    masked = json.loads(mask(json.dumps({"choices": [choice], WORDING: 1}).encode()))
    assert masked == {"choices": [choice | {"id": PRIVATE}], PRIVATE: 1}


@pytest.mark.parametrize("code", [str.upper, lambda key: key[:14], lambda key: key[9:]])
@pytest.mark.parametrize("around", ["{}", "Bearer {}", "x_{}"])
def test_a_part_of_a_key_and_its_base64(code: Callable[[str], str], around: str) -> None:
    key = "sk-Zq7rVb2LmKx9WtYp4nHd"
    mask = Mask([key])
    for written in (code(key), base64.b64encode(around.format(key).encode()).decode()):
        body = json.dumps(completion(around.format(written))).encode()
        assert json.loads(mask(body))["model"] == (json.loads(mask(body))["system_fingerprint"])
        assert written.encode() not in mask(body)


def test_lines_and_broken_json_are_masked_too() -> None:
    mask = Mask([KEY], [PrivateTexts([WORDING])])
    line = json.dumps({"id": WORDING}).encode()
    assert mask(line + b"\n" + line) == b'{"id": "[private]"}\n{"id": "[private]"}'
    assert b"boat" not in mask(line[:-3])


def test_only_headers_about_waiting_are_read() -> None:
    raw = [(b"X-Request-Id", b"secret"), (b"Retry-After", b"2"), (b"Set-Cookie", b"a=b")]
    assert mask_headers(raw) == [(b"Retry-After", b"2")]
