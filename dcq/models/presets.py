"""The providers that can be named by a short prefix."""

from __future__ import annotations

from dataclasses import dataclass

from dcq.models import embedded

OPENAI_URL = "https://api.openai.com/v1"
AZURE_VARIABLE = "AZURE_OPENAI_ENDPOINT"
EMBEDDED = "embedded"


@dataclass(frozen=True)
class Preset:
    """A known provider. ``key_variable`` is None if no key is needed; ``concurrency`` is how many
    calls may be in flight at most, before the pace adapts; ``free``: tokens are not billed."""

    name: str
    title: str
    base_url: str
    key_variable: str | None
    note: str
    concurrency: int = 16
    free: bool = False


PRESETS = (
    Preset("openai", "OpenAI", OPENAI_URL, "OPENAI_API_KEY", "Set OPENAI_API_KEY."),
    Preset(
        "azure",
        "Azure OpenAI",
        "",
        "AZURE_OPENAI_API_KEY",
        f"Set {AZURE_VARIABLE} (https://NAME.openai.azure.com) and AZURE_OPENAI_API_KEY; "
        "the model is the name of your deployment.",
    ),
    Preset(
        "anthropic",
        "Anthropic",
        "https://api.anthropic.com/v1",
        "ANTHROPIC_API_KEY",
        "Set ANTHROPIC_API_KEY.",
        concurrency=8,
    ),
    Preset(
        "gemini",
        "Google Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
        "Set GEMINI_API_KEY.",
        concurrency=8,
    ),
    Preset(
        "mistral",
        "Mistral",
        "https://api.mistral.ai/v1",
        "MISTRAL_API_KEY",
        "Set MISTRAL_API_KEY.",
        concurrency=8,
    ),
    Preset(
        "openrouter",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        "Set OPENROUTER_API_KEY; the model is written maker/model.",
    ),
    Preset(
        "ollama",
        "Ollama",
        "http://localhost:11434/v1",
        None,
        "Start it with: ollama serve.",
        concurrency=4,
        free=True,
    ),
    Preset(
        "vllm",
        "vLLM",
        "http://localhost:8000/v1",
        None,
        "Start it with: vllm serve MODEL.",
        concurrency=32,
        free=True,
    ),
    Preset(
        "llamacpp",
        "llama.cpp",
        "http://localhost:8080/v1",
        None,
        "Start it with: llama-server -m FILE.gguf.",
        concurrency=4,
        free=True,
    ),
    Preset(
        EMBEDDED,
        "Embedded SmolLM2",
        "",
        None,
        "Runs on this machine without key or network; a weak model, good for trying things out.",
        concurrency=embedded.SLOTS,
        free=True,
    ),
)
