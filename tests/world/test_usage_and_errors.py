"""What endpoints of the world send as usage, finish reasons and errors.

Each case is rebuilt from a public thread or page, which it names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from aiohttp import web

from dcq import settings
from dcq.asking import prepare
from dcq.asking.options import Terms
from dcq.asking.plan import RunJob, ask_rest
from dcq.commands.asking import leave_if_stopped
from dcq.errors import (
    EndpointBusyError,
    EndpointError,
    EndpointRefusedError,
    RequestRejectedError,
)
from dcq.models.completion import Completion, read_completion
from dcq.models.endpoints import Endpoint, resolve
from dcq.models.faults import Trouble, explain, read_trouble
from dcq.models.finish import read_finish
from dcq.models.scorers.likelihood import ScoredText
from dcq.models.scorers.scoring import EchoScorer
from dcq.quiz import freeze
from dcq.quiz.method import QUIZ
from dcq.records import QuizKind
from dcq.store import Store, run_progress, samples
from dcq.store.runs import Event
from tests.conftest import small_sample
from tests.support.behaviours import MODELS, ChatRequest, FakeReply, ServerState, says
from tests.support.provider import FakeProvider
from tests.support.runs import take
from tests.support.worldly import GITHUB, answer, read

MODEL = "gpt-4o-mini"  # its price is known
HERE = Endpoint("m", "m", "http://127.0.0.1:1/v1")

# Usage

BEDROCK_HEADERS = {
    "x-amzn-bedrock-input-token-count": "50",
    "x-amzn-bedrock-output-token-count": "7",
}
USAGE: list[tuple[str, dict[str, Any], Mapping[str, str], tuple[int, int, bool]]] = [
    (
        f"{GITHUB}openai/openai-openapi",
        answer({"prompt_tokens": 50, "completion_tokens": 7, "total_tokens": 57}),
        {},
        (50, 7, True),
    ),
    (  # reasoning outside completion_tokens
        f"{GITHUB}vercel/ai/pull/12425",
        answer(
            {
                "prompt_tokens": 12,
                "completion_tokens": 1,
                "total_tokens": 399,
                "completion_tokens_details": {"reasoning_tokens": 386},
            }
        ),
        {},
        (12, 387, False),
    ),
    (
        f"{GITHUB}router-for-me/CLIProxyAPI/issues/5733",
        answer(
            {
                "prompt_tokens": 21,
                "completion_tokens": 0,
                "total_tokens": 81,
                "completion_tokens_details": {"reasoning_tokens": 60},
            }
        ),
        {},
        (21, 60, False),
    ),
    (  # no details: only the total tells
        f"{GITHUB}Clarifai/clarifai-python/pull/978",
        answer({"prompt_tokens": 20, "completion_tokens": 424, "total_tokens": 1016}),
        {},
        (20, 996, False),
    ),
    (
        f"{GITHUB}VariantConst/OpenWebUI-Monitor/pull/99",
        answer({"prompt_tokens": 12, "completion_tokens": 1, "reasoning_tokens": 300}),
        {},
        (12, 301, False),
    ),
    (
        "https://ai.google.dev/api/generate-content#UsageMetadata",
        answer(
            usageMetadata={
                "promptTokenCount": 21,
                "candidatesTokenCount": 3,
                "thoughtsTokenCount": 60,
                "totalTokenCount": 84,
            }
        ),
        {},
        (21, 63, False),
    ),
    (
        "https://console.groq.com/docs/api-reference#chat-create",
        answer(x_groq={"usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}}),
        {},
        (9, 2, True),
    ),
    (
        "https://platform.moonshot.ai/docs/api/chat",
        answer(choice={"usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}}),
        {},
        (9, 2, True),
    ),
    (  # what was in the cache is read, too
        f"{GITHUB}ollama/ollama/pull/16428",
        answer(timings={"prompt_n": 10, "cache_n": 40, "predicted_n": 4}),
        {},
        (50, 4, False),
    ),
    (
        "https://docs.ollama.com/api/chat",
        answer(prompt_eval_count=50, eval_count=4),
        {},
        (50, 4, False),
    ),
    (
        "https://docs.anthropic.com/en/api/messages",
        answer({"input_tokens": 10, "cache_read_input_tokens": 40, "output_tokens": 4}),
        {},
        (50, 4, False),
    ),
    (
        "https://docs.cohere.com/reference/chat",
        answer(meta={"billed_units": {"input_tokens": 50, "output_tokens": 4}}),
        {},
        (50, 4, False),
    ),
    (
        "https://docs.aws.amazon.com/bedrock/latest/userguide/inference-invoke.html",
        answer(),
        BEDROCK_HEADERS,
        (50, 7, False),
    ),
    (  # two places that disagree
        f"{GITHUB}langfuse/langfuse/issues/16321",
        answer(
            {"prompt_tokens": 50, "completion_tokens": 1, "total_tokens": 51},
            x_groq={"usage": {"prompt_tokens": 50, "completion_tokens": 90}},
        ),
        {},
        (50, 90, False),
    ),
]


@pytest.mark.parametrize(
    ("body", "headers", "counts"), [case[1:] for case in USAGE], ids=[case[0] for case in USAGE]
)
def test_usage_is_read_wherever_it_stands_and_the_largest_counts(
    body: dict[str, Any], headers: Mapping[str, str], counts: tuple[int, int, bool]
) -> None:
    got = read(body, headers)
    assert isinstance(got, Completion)
    assert (got.tokens_in, got.tokens_out, got.usage_agrees) == counts


@pytest.mark.slow
async def test_a_budget_holds_where_reasoning_is_counted_beside_the_reply(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """UKGovernmentBEIS/inspect_ai#5528: the limit of a reply does not bind hidden reasoning."""

    async def grok(call: ChatRequest, server: ServerState) -> web.Response:
        tokens_in = len(call.prompt) // 4
        thought = 4_000 + len(call.prompt)
        usage = {
            "prompt_tokens": tokens_in,
            "completion_tokens": 1,
            "total_tokens": tokens_in + 1 + thought,
        }
        return web.json_response(call.completion(FakeReply(call.guess())) | {"usage": usage})

    monkeypatch.setitem(MODELS, MODEL, grok)
    sample_id = samples.save(fresh_store, small_sample(40))
    quiz_id = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="A").quiz
    budget = 0.02
    run_id, ended = await take(fresh_store, quiz_id, MODEL, Terms(budget_usd=budget))
    assert ended.event is Event.STOPPED
    assert "budget" in ended.detail
    [run] = run_progress.progress(fresh_store, [run_id])
    spent = run.tokens_in * 0.15e-6 + run.tokens_out * 0.60e-6
    assert 0.7 * budget < spent <= budget


# Finish reasons

FINISH = [
    ("SAFETY", "content_filter", f"{GITHUB}genkit-ai/genkit/issues/6259"),
    ("RECITATION", "content_filter", f"{GITHUB}ag2ai/ag2/pull/1718"),
    ("PROHIBITED_CONTENT", "content_filter", f"{GITHUB}bespokelabsai/curator/pull/621"),
    ("BLOCKLIST", "content_filter", f"{GITHUB}GoogleCloudPlatform/generative-ai/pull/791"),
    ("SPII", "content_filter", f"{GITHUB}epam/ai-dial-adapter-vertexai/issues/85"),
    ("FinishReason.SAFETY", "content_filter", f"{GITHUB}google-gemini-php/client/issues/82"),
    ("sensitive", "content_filter", f"{GITHUB}langgenius/dify/issues/7559"),
    ("guardrail_intervened", "content_filter", f"{GITHUB}can1357/oh-my-pi/pull/7564"),
    ("content_filtered", "content_filter", f"{GITHUB}can1357/oh-my-pi/pull/7564"),
    ("ERROR_TOXIC", "content_filter", "https://docs.cohere.com/reference/chat"),
    ("refusal", "content_filter", "https://docs.anthropic.com/en/api/handling-stop-reasons"),
    ("MAX_TOKENS", "length", f"{GITHUB}GoogleCloudPlatform/generative-ai/pull/791"),
    ("max_tokens", "length", "https://docs.anthropic.com/en/api/handling-stop-reasons"),
    ("model_length", "length", "https://docs.mistral.ai/api/"),
    ("ERROR_LIMIT", "length", "https://docs.cohere.com/reference/chat"),
    ("model_context_window_exceeded", "length", f"{GITHUB}mozilla-ai/any-llm/issues/1200"),
    ({"type": "length", "length": 5}, "length", f"{GITHUB}sgl-project/sglang/pull/2013"),
    ("eos", "stop", "https://docs.together.ai/reference/chat-completions-1"),
    ("end_turn", "stop", f"{GITHUB}zeitlings/ayai-gpt-nexus/issues/2"),
    ("COMPLETE", "stop", "https://docs.cohere.com/reference/chat"),
    ("stop_sequence", "stop", "https://docs.anthropic.com/en/api/handling-stop-reasons"),
    ("STOP", "stop", f"{GITHUB}GoogleCloudPlatform/generative-ai/pull/791"),
    ("error", "error", f"{GITHUB}pydantic/pydantic-ai/issues/2844"),
    ("ERROR", "error", "https://docs.cohere.com/reference/chat"),
    ("network_error", "error", f"{GITHUB}promptfoo/promptfoo/pull/9905"),
    ("insufficient_system_resource", "error", "https://api-docs.deepseek.com/"),
    ("OTHER", "error", f"{GITHUB}epam/ai-dial-adapter-vertexai/issues/85"),
]


@pytest.mark.parametrize(("reason", "meaning", "source"), FINISH)
def test_a_finish_reason_means_the_same_by_any_name(
    reason: object, meaning: str, source: str
) -> None:
    assert read_finish(reason) == meaning
    if isinstance(reason, str):
        spellings = (reason.upper(), reason.lower(), reason.replace("_", ""), f" {reason} ")
        assert {read_finish(spelling) for spelling in spellings} == {meaning}
    assert read_finish("stop", reason) == meaning
    assert read_finish(None, reason) == meaning


@pytest.mark.parametrize("reason", [None, "", 17, [], {}, "tool_calls", "x" * 5_000])
def test_an_unknown_finish_reason_is_no_fault(reason: object) -> None:
    assert read_finish(reason) not in {"content_filter", "error", "length"}


def test_a_provider_that_failed_behind_a_good_end_is_an_error() -> None:
    """earendil-works/pi#8511: ``stop`` without content, and the cause in another field."""
    choice = {"native_finish_reason": "network_error", "message": {"content": ""}}
    got = read(answer(choice=choice))
    assert isinstance(got, Trouble)
    assert got.lost


BLOCKED = [
    (
        "https://ai.google.dev/api/generate-content#PromptFeedback",
        {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}},
    ),
    (  # the guardrail's own words stand where the model's would
        f"{GITHUB}NousResearch/hermes-agent/pull/107815",
        answer(**{"amazon-bedrock-guardrailAction": "INTERVENED"}),
    ),
]


@pytest.mark.parametrize("body", [case[1] for case in BLOCKED], ids=[case[0] for case in BLOCKED])
def test_a_prompt_that_a_filter_took_is_refused(body: dict[str, Any]) -> None:
    got = read(body)
    assert isinstance(got, Completion)
    assert got.finish_reason == "content_filter"


# Errors with status 200

UPSTREAM = {"code": 502, "message": "Upstream error"}
STATED: list[tuple[str, Any, type[EndpointError] | None, str]] = [
    (
        f"{GITHUB}lmstudio-ai/lmstudio-bug-tracker/issues/618",
        {"error": "Unexpected endpoint or method. (POST /chat/completions)"},
        EndpointRefusedError,
        "base URL",
    ),
    (
        f"{GITHUB}nodetool-ai/nodetool/issues/5755",
        answer(choice={"error": UPSTREAM, "finish_reason": "error", "message": {"content": ""}}),
        EndpointBusyError,
        "has a problem",
    ),
    (  # a text stands beside it
        f"{GITHUB}maximhq/bifrost/issues/5425",
        answer(choice={"finish_reason": "error", "message": {"content": "A"}}),
        EndpointBusyError,
        "error",
    ),
    (
        f"{GITHUB}edenai/edenai-apis/pull/360",
        {"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}},
        EndpointRefusedError,
        "credit",
    ),
    (
        f"{GITHUB}MiniMax-AI/MiniMax-M2/issues/62",
        {"choices": None, "base_resp": {"status_code": 1002, "status_msg": "rate limit"}},
        EndpointBusyError,
        "rate",
    ),
    (
        "https://help.aliyun.com/zh/model-studio/error-code",
        {"code": "InvalidApiKey", "message": "Invalid API-key provided.", "request_id": "x"},
        EndpointRefusedError,
        "key",
    ),
    (
        "https://help.aliyun.com/zh/model-studio/error-code#throttling",
        {"code": "Throttling.RateQuota", "message": "Requests rate limit exceeded"},
        EndpointBusyError,
        "rate",
    ),
    ("https://fastapi.tiangolo.com/", {"detail": "Internal"}, EndpointBusyError, "error"),
    (
        f"{GITHUB}cloudflare/workers-sdk/pull/4522",
        {"success": False, "errors": [{"code": 10000, "message": "Authentication error"}]},
        EndpointRefusedError,
        "key",
    ),
    (
        f"{GITHUB}anomalyco/opencode/issues/40770",
        {"error": {"message": "Model overloaded, try later", "type": "x"}},
        EndpointBusyError,
        "has a problem",
    ),
]


@pytest.mark.parametrize(
    ("body", "kind", "says"), [case[1:] for case in STATED], ids=[case[0] for case in STATED]
)
def test_an_error_with_status_200_is_no_reply(
    body: Any, kind: type[EndpointError], says: str
) -> None:
    got = read(body)
    assert isinstance(got, Trouble)
    error = explain(got, HERE)
    assert type(error) is kind
    assert says in str(error)


@pytest.mark.parametrize("error", [None, "", {}, [], {"message": "", "code": None, "param": ""}])
def test_an_empty_error_beside_a_reply_is_none(error: object) -> None:
    assert isinstance(read(answer(error=error)), Completion)
    assert isinstance(read(answer(base_resp={"status_code": 0, "status_msg": ""})), Completion)


@pytest.mark.slow
async def test_an_error_in_a_choice_is_asked_again_by_resuming(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """nodetool-ai/nodetool#5755."""
    broken = answer(choice={"error": {"code": 402, "message": "pay"}, "message": {"content": ""}})
    ok = MODELS["guess"]

    async def sometimes(call: ChatRequest, server: ServerState) -> Any:
        return web.json_response(broken) if provider.counts[MODEL] == 1 else await ok(call, server)

    monkeypatch.setitem(MODELS, MODEL, sometimes)
    sample_id = samples.save(fresh_store, small_sample(6))
    quiz_id = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="A").quiz
    _, ended = await take(fresh_store, quiz_id, MODEL)
    assert (ended.event, "credit" in ended.detail) == (Event.STOPPED, True)
    run_id, ended = await take(fresh_store, quiz_id, MODEL)
    assert ended.event is Event.FINISHED
    [run] = run_progress.progress(fresh_store, [run_id])
    assert (run.done, run.invalid) == (6, 0)


# Errors with a status of their own

TPM = (
    "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 6400,"
    " please reduce your message size and try again."
)
STATUSES: list[tuple[str, int, Any, type[EndpointError] | None, str]] = [
    (
        f"{GITHUB}continuedev/continue/issues/10218",
        413,
        {"error": {"message": TPM, "code": "rate_limit_exceeded"}},
        RequestRejectedError,
        "400 tokens more than 127.0.0.1:1 lets you send in a minute",
    ),
    (
        "https://platform.openai.com/docs/guides/rate-limits",
        429,
        {"error": {"message": TPM, "code": "rate_limit_exceeded"}},
        RequestRejectedError,
        "400 tokens more",
    ),
    (
        f"{GITHUB}QwenLM/qwen-code/issues/2905",
        400,
        {"error": {"message": "<400> InternalError.Algo.DataInspectionFailed: …"}},
        None,
        "",
    ),
    (
        f"{GITHUB}666ghj/BettaFish/issues/499",
        400,
        {"error": {"message": "The request was rejected because it was considered high risk"}},
        None,
        "",
    ),
    (
        f"{GITHUB}deepseek-ai/awesome-deepseek-integration/issues/13",
        400,
        {"error": {"message": "Content Exists Risk"}},
        None,
        "",
    ),
    (
        "https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter",
        400,
        {
            "error": {
                "code": "content_filter",
                "innererror": {"code": "ResponsibleAIPolicyViolation"},
            }
        },
        None,
        "",
    ),
    (
        "https://docs.bigmodel.cn/cn/api/api-code",
        400,
        {"error": {"code": "1301", "message": "系统检测到输入或生成内容可能包含不安全或敏感内容"}},
        None,
        "",
    ),
    (
        f"{GITHUB}anomalyco/opencode/issues/23773",
        404,
        {"success": False, "errors": [{"code": 7003, "message": "Could not route to /v1"}]},
        EndpointRefusedError,
        "base URL",
    ),
    (
        "https://lmstudio.ai/docs/app/api",
        404,
        {"error": {"message": "No models loaded. Please load a model in the developer page."}},
        EndpointRefusedError,
        "no model loaded",
    ),
    (
        f"{GITHUB}modelscope/modelscope/issues/1691",
        429,
        {"error": {"message": "insufficient balance (1008)"}},
        EndpointRefusedError,
        "credit",
    ),
]


@pytest.mark.parametrize(
    ("status", "body", "kind", "says"),
    [case[1:] for case in STATUSES],
    ids=[f"{case[0]}-{case[1]}" for case in STATUSES],
)
def test_a_status_is_explained_by_what_the_body_says(
    status: int, body: Any, kind: type[EndpointError] | None, says: str
) -> None:
    got = read_trouble(status, json.dumps(body).encode(), {})
    assert got.filtered == (kind is None)
    if kind is not None:
        error = explain(got, HERE)
        assert type(error) is kind
        assert says in str(error)


def test_a_web_page_in_place_of_a_reply_names_the_base_url() -> None:
    """open-webui/open-webui#10507 and many others: the base URL leads to an app."""
    got = read_completion(b"<!doctype html><title>Chat</title>", {})
    assert isinstance(got, Trouble)
    error = explain(got, HERE)
    assert type(error) is EndpointRefusedError
    assert "web page" in str(error)


class Chats(FakeProvider):
    """A server without plain completions."""

    def add_routes(self, app: web.Application) -> None:
        app.router.add_post("/v1/chat/completions", self._chat)


CHAT_MODEL = (
    "This is a chat model and not supported in the v1/completions endpoint. Did you mean to use"
    " v1/chat/completions?"
)


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (404, None, "only chats"),
        (404, {"detail": "Not Found"}, "only chats"),
        (404, {"error": {"message": CHAT_MODEL, "param": "model"}}, "only chats"),
        (200, {"error": "Unexpected endpoint or method. (POST /v1/completions)"}, "only chats"),
        (404, {"error": {"message": "The model `x` does not exist"}}, "not serve the model x"),
    ],
)
async def test_a_server_that_only_chats_is_told_from_a_wrong_name(
    monkeypatch: pytest.MonkeyPatch, status: int, body: Any, says: str
) -> None:
    """sashabaranov/go-openai#126."""

    async def complete(server: FakeProvider, request: web.Request) -> web.Response:
        return web.json_response(body, status=status)

    monkeypatch.setattr(FakeProvider, "_complete", complete)
    with (Chats if body is None else FakeProvider)(key="") as running:
        endpoint = Endpoint("likelihood:x", "x", running.base_url)
        async with EchoScorer(endpoint, first_wait=0.001) as scorer:
            with pytest.raises(EndpointRefusedError, match=says):
                await scorer.score([ScoredText("a text")])


@pytest.mark.slow
async def test_a_run_without_a_usable_reply_says_so_and_fails(
    fresh_store: Store,
    provider: FakeProvider,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """genkit-ai/genkit#6259: every prompt is filtered."""
    monkeypatch.setitem(MODELS, MODEL, says(None, "SAFETY"))
    sample_id = samples.save(fresh_store, small_sample(6))
    quiz_id = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="A").quiz
    endpoint = resolve(MODEL, settings.load())
    run_id = prepare.plan_run(fresh_store, QUIZ, quiz_id, endpoint, Terms())
    for _ in range(2):  # the second time there is nothing left to ask
        ended = await ask_rest(fresh_store, RunJob(run_id, endpoint, QUIZ))
        assert ended.event is Event.FINISHED
        with pytest.raises(SystemExit) as left:
            leave_if_stopped([("", ended)], [])
        assert left.value.code == 1
        assert "No reply can be used (6 refused)" in capsys.readouterr().err
