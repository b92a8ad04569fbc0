"""What each model of the test provider does with a call; ``MODELS`` maps names to behaviours."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Protocol

from aiohttp import web

from dcq.scripts import main_script
from dcq.variants import offline

LETTERS = "ABCDE"
NUMBERS = {"single": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
REASONING_TOKENS = 300  # what the model ``reasoning`` thinks before it writes its first word
PLAIN_WORDS = (
    "large",
    "minor",
    "recent",
    "steady",
    "common",
    "distant",
    "formal",
    "quiet",
    "gentle",
)
# By script: what is a longer word in lower case, and others to put in its place.
WORDS = {
    "Latn": (r"\b[a-z]{4,}\b", PLAIN_WORDS),
    "Cyrl": (r"\b[а-яәғқңөұүһі]{4,}\b", ("үлкен", "жақын", "тыныш", "кейінгі", "жалпы")),
    "Arab": (r"\b[ء-ي]{4,}\b", ("كبيرة", "هادئة", "بعيدة", "حديثة", "صغيرة")),
    "Jpan": (r"[一-鿿]{2}", ("大型", "遠方", "静寂", "近所", "最近")),
}


class Fault(Enum):
    """A connection cut on purpose."""

    RESET = auto()  # before any answer
    HALF_BODY = auto()  # in the middle of one


@dataclass(frozen=True)
class FakeReply:
    """A model's reply, before it is wrapped as JSON."""

    text: str | None
    finish: str = "stop"
    refusal: str | None = None
    reasoning: int = 0
    served: object = None  # the model that the reply names; the one asked for if None
    fingerprint: object = None


@dataclass(frozen=True)
class Flood:
    """A body that is poured out as it is made, and may have no end."""

    chunks: Callable[[], AsyncIterator[bytes]]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class ServerState(Protocol):
    """What a behaviour may ask of the server that it runs in."""

    seen: tuple[str, ...]
    retry_after: float | None
    slow: float
    delivered: dict[str, str]
    did: Counter[str]

    def struck(self, call: ChatRequest) -> bool: ...

    def strikes(self, call: ChatRequest) -> int: ...


class ChatRequest:
    """One chat request."""

    def __init__(self, body: dict[str, Any]) -> None:
        self.body = body
        self.model = str(body["model"])
        self.prompt = "\n".join(str(message["content"]) for message in body["messages"])

    @property
    def limit(self) -> int | None:
        limit = self.body.get("max_completion_tokens", self.body.get("max_tokens"))
        return None if limit is None else int(limit)

    def options(self) -> str:
        """The letters that stand at the start of a line as ``A)``: at least the four of a quiz."""
        found = [letter for letter in LETTERS if re.search(rf"(?m)^{letter}\)", self.prompt)]
        return "".join(found) if len(found) >= 4 else LETTERS[:4]

    def guess(self) -> str:
        """A letter that depends on the prompt alone: spread evenly over many prompts."""
        options = self.options()[:4]
        return options[hashlib.sha256(self.prompt.encode()).digest()[0] % len(options)]

    def completion(self, said: FakeReply) -> dict[str, Any]:
        """The reply as the protocol writes it, with log-probabilities where they were asked for."""
        text = said.text
        tokens_in = max(1, len(self.prompt) // 4)
        tokens_out = said.reasoning + (0 if not text else max(1, len(text) // 4))
        choice: dict[str, Any] = {
            "index": 0,
            "finish_reason": said.finish,
            "message": {"role": "assistant", "content": text, "refusal": said.refusal},
        }
        if self.body.get("logprobs"):
            choice["logprobs"] = {"content": self._logprobs(text)}
        return {
            "id": "chatcmpl-test",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": self.model if said.served is None else said.served,
            "system_fingerprint": said.fingerprint,
            "choices": [choice],
            "usage": {
                "prompt_tokens": tokens_in,
                "completion_tokens": tokens_out,
                "total_tokens": tokens_in + tokens_out,
                "completion_tokens_details": {"reasoning_tokens": said.reasoning},
            },
        }

    def _logprobs(self, text: str | None) -> list[dict[str, Any]]:
        if not text:
            return []
        first = text[0]
        others = [letter for letter in self.options() if letter != first]
        likely = [(first, -0.1)] + [(letter, -3.0 - i) for i, letter in enumerate(others)]
        top = likely[: int(self.body.get("top_logprobs") or 0)]
        return [
            {
                "token": first,
                "logprob": -0.1,
                "bytes": None,
                "top_logprobs": [{"token": t, "logprob": p, "bytes": None} for t, p in top],
            }
        ]


def failure(
    status: int,
    message: str,
    code: str | None = None,
    *,
    param: str | None = None,
    headers: dict[str, str] | None = None,
) -> web.Response:
    """An error as OpenAI words it."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    error = {"message": message, "type": kind, "param": param, "code": code}
    return web.json_response({"error": error}, status=status, headers=headers)


Outcome = FakeReply | web.Response | Fault | Flood
Behaviour = Callable[[ChatRequest, ServerState], Awaitable[Outcome]]


def says(text: str | None, finish: str = "stop", refusal: str | None = None) -> Behaviour:
    """Always the same reply."""

    async def behave(call: ChatRequest, server: ServerState) -> Outcome:
        return FakeReply(text, finish, refusal)

    return behave


async def guess(call: ChatRequest, server: ServerState) -> Outcome:
    return FakeReply(call.guess())


async def prose(call: ChatRequest, server: ServerState) -> Outcome:
    return FakeReply(f"The answer is **{call.guess()}**.")


async def knows_original(call: ChatRequest, server: ServerState) -> Outcome:
    """Picks the option that it has seen, and guesses where it has seen none."""
    for letter in call.options():
        for mark in (") ", ")\n"):  # as in the paper's question, as in the release's
            if any(f"{letter}{mark}{text}\n" in call.prompt + "\n" for text in server.seen):
                return FakeReply(letter)
    return FakeReply(call.guess())


async def reword(call: ChatRequest, server: ServerState) -> Outcome:
    """Answers a request for rewordings as it asks to be answered: in the format of the paper's
    Figure 4, or with each letter on a line of its own as the authors' release wants it."""
    return reword_by(
        call, lambda text, count: [reworded(text, option, call.prompt) for option in range(count)]
    )


async def synonyms(call: ChatRequest, server: ServerState) -> Outcome:
    """As ``reword``, in words that mean nearly the same: those of the offline generator, others for
    each request."""
    seed = int.from_bytes(hashlib.sha256(call.prompt.encode()).digest()[:2], "big")

    def write(text: str, count: int) -> list[str]:
        label = [line for line in text.split("\n")[1:] if line]
        return offline.reword(text, count, protected=label, seed=seed, prefer_common=seed % 2 == 0)

    return reword_by(call, write)


def reword_by(call: ChatRequest, write: Callable[[str, int], list[str]]) -> FakeReply:
    """The reply to a request for rewordings, which ``write`` makes of a text, so many."""
    if "\nINPUT TEXT:\n" in call.prompt:
        text = call.prompt.partition("\nINPUT TEXT:\n")[2].rpartition("\n---\nFORMAT:\n")[0]
        options = [f"{LETTERS[k]})\n{option}" for k, option in enumerate(write(text, 4))]
        return FakeReply("\n\n".join([*options, "---"]))
    lines = call.prompt.splitlines()
    marks = [i for i, line in enumerate(lines) if re.fullmatch(r"[-—–]+", line.strip())]
    start = next((i for i, line in enumerate(lines) if line.startswith("Text:")), None)
    if start is None:
        return FakeReply("I need a text between the lines.")
    end = next((i for i in reversed(marks) if i > start), len(lines))
    text = "\n".join([lines[start].removeprefix("Text:"), *lines[start + 1 : end]]).strip()
    wanted = re.search(r"(\w+)-choice|generate (\w+) (?:distinct|option)", call.prompt)
    words = [word for word in wanted.groups() if word] if wanted else []
    count = NUMBERS.get(words[0].lower(), 3) if words else 3
    options = [f"{LETTERS[k]}) {option}" for k, option in enumerate(write(text, count))]
    return FakeReply("\n\n".join(options))


def reworded(text: str, option: int, salt: str) -> str:
    """``text`` with about a third of its longer lower-case words replaced, by other words of its
    script for each option. Label lines, numbers, names and symbols stay; the sense does not.
    """
    pattern, plain_words = WORDS.get(main_script(text), WORDS["Latn"])
    long_word = re.compile(pattern)
    step = min(3, len(long_word.findall(text))) or 1
    turn = int.from_bytes(hashlib.sha256(f"{option} {salt}".encode()).digest()[:2], "big")
    seen = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal seen
        seen += 1
        if seen % step != option % step and option < 3:
            return match.group()
        return plain_words[(turn + seen) % len(plain_words)]

    return "\n".join(
        line if line.lower().startswith("label:") else long_word.sub(replace, line)
        for line in text.split("\n")
    )


async def recites(call: ChatRequest, server: ServerState) -> Outcome:
    """Completes what it has seen once it is told the dataset, and goes on otherwise."""
    shown = re.search(r"(?s)First Piece: (.*)\nSecond Piece:$", call.prompt)
    first = shown[1] if shown else ""
    for text in server.seen:
        if first and text.startswith(first) and "as exactly appeared" in call.prompt:
            return FakeReply(text[len(first) :].strip())
    return FakeReply(f"{PLAIN_WORDS[len(first) % len(PLAIN_WORDS)]} waters run elsewhere.")


async def remembers(call: ChatRequest, server: ServerState) -> Outcome:
    """Picks and completes what it has seen, as a model does that was trained on it."""
    behave = recites if "Second Piece:" in call.prompt else knows_original
    return await behave(call, server)


async def forgets(call: ChatRequest, server: ServerState) -> Outcome:
    """Picks by chance and goes on as it likes: it has seen nothing."""
    if "Second Piece:" in call.prompt:
        return FakeReply("and nobody could say for sure what became of it afterwards.")
    return FakeReply(call.guess())


async def judges(call: ChatRequest, server: ServerState) -> Outcome:
    """A judge that calls texts near-exact if they share their first word."""
    reference, candidate = re.findall(r"(?m)^(?:Reference|Candidate) Text: (.*)$", call.prompt)[-2:]
    near = reference.split()[0] == candidate.split()[0]
    return FakeReply("Yes (near-exact match)" if near else "No")


async def empty_choices(call: ChatRequest, server: ServerState) -> Outcome:
    if server.struck(call):
        return web.json_response({**call.completion(FakeReply("A")), "choices": []})
    return FakeReply(call.guess())


async def garbage_json(call: ChatRequest, server: ServerState) -> Outcome:
    if server.struck(call):
        return web.Response(text='{"choices": [{"mess', content_type="application/json")
    return FakeReply(call.guess())


async def half_body(call: ChatRequest, server: ServerState) -> Outcome:
    return Fault.HALF_BODY if server.struck(call) else FakeReply(call.guess())


async def reset(call: ChatRequest, server: ServerState) -> Outcome:
    return Fault.RESET if server.struck(call) else FakeReply(call.guess())


async def rate_limited(call: ChatRequest, server: ServerState) -> Outcome:
    if not server.struck(call):
        return FakeReply(call.guess())
    headers = {}
    if server.retry_after is not None:
        headers["retry-after-ms"] = str(round(server.retry_after * 1000))
    return failure(429, "Rate limit reached.", "rate_limit_exceeded", headers=headers)


async def flaky_500(call: ChatRequest, server: ServerState) -> Outcome:
    return (
        failure(500, "The server had an error.") if server.struck(call) else FakeReply(call.guess())
    )


async def busy_503(call: ChatRequest, server: ServerState) -> Outcome:
    return failure(503, "Overloaded.") if server.struck(call) else FakeReply(call.guess())


async def slow(call: ChatRequest, server: ServerState) -> Outcome:
    await asyncio.sleep(server.slow)
    return FakeReply(call.guess())


async def slow_once(call: ChatRequest, server: ServerState) -> Outcome:
    if server.struck(call):
        await asyncio.sleep(server.slow)
    return FakeReply(call.guess())


def unsupported(parameter: str, instead: str = "") -> web.Response:
    """How OpenAI rejects a parameter."""
    hint = f" Use '{instead}' instead." if instead else ""
    return failure(
        400,
        f"Unsupported parameter: '{parameter}' is not supported with this model.{hint}",
        "unsupported_parameter",
        param=parameter,
    )


async def needs_max_completion_tokens(call: ChatRequest, server: ServerState) -> Outcome:
    if "max_tokens" in call.body:
        return unsupported("max_tokens", "max_completion_tokens")
    return FakeReply(call.guess())


async def no_temperature(call: ChatRequest, server: ServerState) -> Outcome:
    if call.body.get("temperature", 1) != 1:
        return failure(
            400,
            "Unsupported value: 'temperature' does not support 0 with this model. "
            "Only the default (1) value is supported.",
            "unsupported_value",
            param="temperature",
        )
    return FakeReply(call.guess())


async def no_logprobs(call: ChatRequest, server: ServerState) -> Outcome:
    if call.body.get("logprobs"):
        # Worded as a foreign server words it: no code, no param.
        return web.json_response({"detail": "logprobs is not supported here"}, status=400)
    return FakeReply(call.guess())


async def reasoning(call: ChatRequest, server: ServerState) -> Outcome:
    """Rejects what reasoning models reject, and thinks before it speaks."""
    if "max_tokens" in call.body:
        return unsupported("max_tokens", "max_completion_tokens")
    if "temperature" in call.body:
        return unsupported("temperature")
    if call.limit is not None and call.limit <= REASONING_TOKENS:
        return FakeReply("", "length", reasoning=call.limit)
    return FakeReply(call.guess(), reasoning=REASONING_TOKENS)


async def endless_reasoning(call: ChatRequest, server: ServerState) -> Outcome:
    return FakeReply("", "length", reasoning=call.limit or 0)


async def overflow(call: ChatRequest, server: ServerState) -> Outcome:
    # Repeats the prompt, as some servers do, so that a test can show that it goes no further.
    return failure(
        400,
        f"This model's maximum context length is 512 tokens. You sent: {call.prompt}",
        "context_length_exceeded",
        param="messages",
    )


async def filter_400(call: ChatRequest, server: ServerState) -> Outcome:
    return failure(400, "The response was filtered.", "content_filter", param="prompt")


async def quota(call: ChatRequest, server: ServerState) -> Outcome:
    return failure(429, "You exceeded your current quota.", "insufficient_quota")


async def payment(call: ChatRequest, server: ServerState) -> Outcome:
    return failure(402, "Insufficient credits.")


async def dated(call: ChatRequest, server: ServerState) -> FakeReply:
    """Says D, served by a dated snapshot of the model that was asked for."""
    return FakeReply("D", served=f"{call.model}-2026-01-02", fingerprint="fp_0a")


async def switching(call: ChatRequest, server: ServerState) -> FakeReply:
    """Says D, each prompt by one of two models."""
    name = "new" if call.guess() in "AB" else "old"
    return FakeReply("D", served=f"switching-{name}", fingerprint=f"fp_{name}")


async def shady(call: ChatRequest, server: ServerState) -> FakeReply:
    """Says D, under a name made to deceive whoever reads it."""
    name = "shady\x1b[2J\u202egnp\r\n<script>alert(1)</script> **x** \ud83d" + "n" * 5_000
    return FakeReply("D", served=name, fingerprint={"not": "a text"})


MODELS: dict[str, Behaviour] = {
    **{f"always-{letter.lower()}": says(letter) for letter in LETTERS},
    "guess": guess,
    "gpt-4o-mini": guess,  # a model with a known price
    "knows-original": knows_original,
    "reword": reword,
    "synonyms": synonyms,
    "recites": recites,
    "remembers": remembers,
    "forgets": forgets,
    "judges": judges,
    # Endpoints that serve another model than they were asked for.
    "dated": dated,
    "switching": switching,
    "shady": shady,
    # Replies that a parser must read with care.
    "prose": prose,
    "lower-case": says("d"),
    "full-width": says("Ｄ"),
    "two-letters": says("A or B"),
    "chatter": says("I cannot be certain about these."),
    "refuses": says(None, refusal="I can't help with that."),
    "null-content": says(None),
    "filter": says(None, "content_filter"),
    "filter-400": filter_400,
    # Passing faults: each prompt meets them ``faults`` times.
    "empty-choices": empty_choices,
    "garbage-json": garbage_json,
    "half-body": half_body,
    "reset": reset,
    "rate-limited": rate_limited,
    "flaky-500": flaky_500,
    "busy-503": busy_503,
    "slow-once": slow_once,
    "slow": slow,
    # Endpoints that reject some parameters.
    "needs-max-completion-tokens": needs_max_completion_tokens,
    "no-temperature": no_temperature,
    "no-logprobs": no_logprobs,
    "reasoning": reasoning,
    "endless-reasoning": endless_reasoning,
    # Lasting faults.
    "overflow": overflow,
    "quota": quota,
    "payment": payment,
}
