"""What models of the world send as a reply: thoughts, marks, wrappers, letters in many scripts.

Each case is rebuilt from a public thread or page, which it names.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from dcq.quiz import freeze
from dcq.quiz.parse import read_reply
from dcq.records import Outcome, QuizKind, Reply
from dcq.said import read_content
from dcq.store import Store, run_progress, samples
from tests.conftest import small_sample
from tests.support.behaviours import MODELS, Behaviour, ChatRequest, FakeReply, ServerState
from tests.support.provider import FakeProvider
from tests.support.runs import take
from tests.support.worldly import GITHUB, answer, ask, sends

PARSERS = "https://docs.sglang.ai/advanced_features/separate_reasoning.html"
THOUGHT = "\nOkay, the user wants one. Option A looks natural, but B has another word.\n"
# What a server left in the content; D is the reply.
CONTENTS = [
    (f"{GITHUB}huggingface/lighteval/issues/869", f"<think>{THOUGHT}</think>\n\nD"),
    (f"{GITHUB}EleutherAI/lm-evaluation-harness/issues/3216", "<think>\n\n</think>\n\nD"),
    (f"{GITHUB}vllm-project/vllm/issues/17346", f"<think>{THOUGHT}</think>D"),
    (f"{GITHUB}ggml-org/llama.cpp/issues/11861", f"{THOUGHT}</think>\n\nD"),
    (f"{GITHUB}mudler/LocalAI/issues/4761", f"{THOUGHT}</think>\nD"),
    (f"{GITHUB}perplexityai/api-discussion/issues/177", "So it is A?\n</think>D"),
    (
        f"{GITHUB}kekzl/imp/pull/768",
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final"
        "<|message|>D<|return|>",
    ),
    (f"{GITHUB}Augustas11/macprovider/issues/743", f"analysisWe need {THOUGHT}assistantfinalD"),
    (
        f"{GITHUB}NVIDIA/TensorRT-LLM/issues/9256",
        "<|channel|>commentary<|message|>{}<|end|><|channel|>final<|message|>D<|end|>",
    ),
    (PARSERS, f"◁think▷{THOUGHT}◁/think▷D"),
    (
        "https://docs.vllm.ai/en/latest/features/reasoning_outputs.html",
        f"<seed:think>{THOUGHT}</seed:think>D",
    ),
    ("https://huggingface.co/mistralai/Magistral-Small-2509", f"[THINK]{THOUGHT}[/THINK]D"),
    (
        "https://docs.cohere.com/docs/reasoning",
        f"<|START_THINKING|>{THOUGHT}<|END_THINKING|><|START_RESPONSE|>D<|END_RESPONSE|>",
    ),
    (
        f"{GITHUB}NovaSky-AI/SkyThought",
        f"<|begin_of_thought|>{THOUGHT}<|end_of_thought|>\n\n<|begin_of_solution|>\nD\n"
        "<|end_of_solution|>",
    ),
    (
        "https://huggingface.co/google/medgemma-27b-text-it",
        f"<unused94>thought{THOUGHT}<unused95>D",
    ),
    (
        "https://huggingface.co/tencent/Hunyuan-A13B-Instruct",
        f"<think>{THOUGHT}</think>\n<answer>\nD\n</answer>",
    ),
    ("https://huggingface.co/zai-org/GLM-4.5V", "<|begin_of_box|>D<|end_of_box|>"),
    (f"{GITHUB}ggml-org/llama.cpp/issues/6859", "D</s>"),
    (f"{GITHUB}mozilla-ai/llamafile/issues/630", "D<|eot_id|>"),
    (f"{GITHUB}open-compass/opencompass/pull/477", "D<eoa>"),
    (f"{GITHUB}airockchip/rknn-llm/issues/36", "D<|end|><|assistant|> Good day! A or B?"),
    (f"{GITHUB}UKGovernmentBEIS/inspect_ai/issues/5055", "ANSWER: **D**"),
    (f"{GITHUB}UKGovernmentBEIS/inspect_ai/issues/5055", "ANSWER: $D$"),
    (f"{GITHUB}NVIDIA-NeMo/Gym/pull/1844", "\\boxed{\\text{D}}"),
    (f"{GITHUB}NVIDIA-NeMo/Gym/pull/1844", "\\boxed{D: A polygenic risk score}"),
    (f"{GITHUB}OpenRouterTeam/benchmark-harness/pull/84", "Answer: $D"),
    (f"{GITHUB}ai-twinkle/Eval/issues/166", "答案：$D"),
    (f"{GITHUB}open-compass/opencompass/issues/1688", "D。"),
    (f"{GITHUB}open-compass/opencompass/issues/2600", "D（原文）"),
    (f"{GITHUB}EuroEval/EuroEval/issues/752", f"<think>{THOUGHT}</think>\n\nSvar: D"),
]


@pytest.mark.parametrize(
    "content", [case[1] for case in CONTENTS], ids=[f"{i} {c[0]}" for i, c in enumerate(CONTENTS)]
)
@pytest.mark.parametrize("letter", "ABCD")
def test_the_letter_is_read_out_of_what_the_server_left_around_it(
    content: str, letter: str
) -> None:
    content = re.sub(r"(?<![A-Za-z_])D(?![A-Za-z])|(?<=final)D", letter, content)
    reading = read_reply(Reply(read_content(content).text), 4)
    assert (reading.outcome, reading.value) == (Outcome.ANSWERED, letter)


CUTS = [
    (f"{GITHUB}EleutherAI/lm-evaluation-harness/issues/3675", "<think>\nOkay, the user"),
    (f"{GITHUB}Augustas11/macprovider/issues/743", "analysisWe need to answer"),
    (f"{GITHUB}ml-explore/mlx-lm/pull/1867", "<|channel|>analysis<|message|>We nee"),
    (PARSERS, "◁think▷Okay"),
    ("https://huggingface.co/mistralai/Magistral-Small-2509", "[THINK]Okay"),
]


@pytest.mark.parametrize("start", [case[1] for case in CUTS], ids=[case[0] for case in CUTS])
def test_a_cut_thought_is_asked_again_with_room_and_learnt(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch, start: str
) -> None:
    async def behave(call: ChatRequest, server: ServerState) -> FakeReply:
        if (call.limit or 0) < 200:
            return FakeReply(start, "length")
        return FakeReply("<think>It is C.</think>\n\nC")

    first, second = ask(provider, monkeypatch, behave, "One?", "Two?")
    assert (first.text, first.attempts, first.finish_reason) == ("C", 2, "stop")
    assert (second.text, second.attempts) == ("C", 1)
    assert first.sent == second.sent
    assert first.as_sent == "<think>It is C.</think>\n\nC"


def test_a_cut_thought_without_a_mark_is_recognised_once(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ggml-org/llama.cpp#11861: the template opens the thought, so the reply has no mark."""

    async def thinks(call: ChatRequest, server: ServerState) -> FakeReply:
        room = (call.limit or 0) > 200
        return FakeReply(
            "Okay, so\n</think>\n\nC" if room else "Okay, so", "stop" if room else "length"
        )

    replies = ask(provider, monkeypatch, thinks, "One?", "Two?")
    assert [(reply.text, reply.attempts) for reply in replies] == [("C", 2), ("C", 1)]

    async def talks(call: ChatRequest, server: ServerState) -> FakeReply:
        return FakeReply(" ".join(["Okay, so"] * ((call.limit or 0) // 3)), "length")

    replies = ask(provider, monkeypatch, talks, "One?", "Two?")
    assert [(reply.text, reply.attempts) for reply in replies] == [("Okay, so", 2), ("Okay, so", 1)]
    assert {reply.sent["max_tokens"] for reply in replies} == {5}


HIDDEN = [
    (f"{GITHUB}QwenLM/Qwen3/issues/1297", {"content": None, "reasoning_content": "B"}, "B"),
    (f"{GITHUB}NousResearch/hermes-agent/issues/109205", {"content": None, "reasoning": "B"}, "B"),
    (f"{GITHUB}sgl-project/sglang/issues/37645", {"content": "", "reasoning_content": "B"}, "B"),
    (
        f"{GITHUB}lmstudio-ai/lmstudio-bug-tracker/issues/1602",
        {"content": "", "reasoning_content": "It may be A, or B. " * 50},
        "",
    ),
]


@pytest.mark.parametrize(
    ("message", "text"), [case[1:] for case in HIDDEN], ids=[case[0] for case in HIDDEN]
)
def test_a_short_reply_in_the_field_for_thoughts_is_the_reply(
    provider: FakeProvider, monkeypatch: pytest.MonkeyPatch, message: dict[str, Any], text: str
) -> None:
    body = answer(choice={"message": message})
    [reply] = ask(provider, monkeypatch, sends(body))
    assert (reply.text or "") == text


# Row by row what a model that knows every original answers, in five styles.


def _letter(call: ChatRequest, originals: list[str]) -> str:
    for letter in call.options():
        if any(f"{letter}) {text}\n" in f"{call.prompt}\n" for text in originals):
            return letter
    return call.guess()


def styles(originals: list[str]) -> dict[str, Behaviour]:
    def cut(text: str, limit: int | None) -> FakeReply:
        words = re.findall(r"<[^>]{1,12}>|\s*\S+", text)
        short = limit is not None and len(words) > limit
        return FakeReply("".join(words[:limit]), "length" if short else "stop")

    def says(form: str) -> Behaviour:
        async def behave(call: ChatRequest, server: ServerState) -> FakeReply:
            return cut(form.format(_letter(call, originals)), call.limit)

        return behave

    return {
        "plain": says("{}"),
        "thinking-inline": says("<think>\n\n</think>\n\n{}"),
        "thinking-cut": says(f"<think>{THOUGHT * 9}</think>\n\n{{}}"),
        "stop": says("{}。"),
        "boxed": says("\\boxed{{{}}}"),
    }


@pytest.mark.slow
async def test_the_share_of_usable_replies_is_equal_in_all_styles(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = small_sample(8)
    sample_id = samples.save(fresh_store, sample)
    usable = {}
    for style, behave in styles([instance.text for instance in sample.instances]).items():
        monkeypatch.setitem(MODELS, style, behave)
        for slot in "AD":
            quiz_id = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot=slot).quiz
            run_id, _ = await take(fresh_store, quiz_id, style)
            [run] = run_progress.progress(fresh_store, [run_id])
            usable[style, slot] = (run.done, run.invalid)
    assert set(usable.values()) == {(8, 0)}


async def test_controls_are_asked_with_the_room_that_the_target_needed(
    fresh_store: Store, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int | None] = []
    behave = styles([])["thinking-cut"]

    async def noted(call: ChatRequest, server: ServerState) -> Any:
        limits.append(call.limit)
        return await behave(call, server)

    monkeypatch.setitem(MODELS, "thinker", noted)
    for key in ("target", "control"):
        sample_id = samples.save(fresh_store, small_sample(3, key=key))
        quiz_id = freeze.freeze(fresh_store, sample_id, QuizKind.STANDARD, slot="A").quiz
        await take(fresh_store, quiz_id, "thinker")
    assert len(limits) == 3 + 1 + 3
    assert len({*limits[1:]}) == 1
