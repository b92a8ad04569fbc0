"""How many tokens a reply says that it took, wherever it says so.

Providers and gateways report usage under many names and in several places of one body, and some
count hidden reasoning in one of them only. The largest reading counts, so that a budget holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

# No call uses so many, and the sum of a question's calls still fits into the store's 32-bit counts.
MOST_TOKENS = 100_000_000

# Where usage can stand, in the body and in its first choice.
_PLACES = ("usage", "usage_metadata", "usageMetadata", "timings", "x_groq", "meta", "metrics")
_WITHIN = ("usage", "billed_units", "tokens", "amazon-bedrock-invocationMetrics")
_IN = (
    *("prompt_tokens", "promptTokenCount", "prompt_token_count", "prompt_eval_count"),
    *("inputTokens", "inputTokenCount", "input_token_count", "promptTokens", "tokens_prompt"),
    *("native_tokens_prompt", "tokens_evaluated"),
)
_NEW_IN = ("input_tokens", "prompt_n")  # Anthropic, llama.cpp: without what was cached
_CACHED = ("cache_read_input_tokens", "cache_creation_input_tokens", "cache_n")
_OUT = (
    *("completion_tokens", "output_tokens", "candidatesTokenCount", "candidates_token_count"),
    *("eval_count", "predicted_n", "outputTokens", "outputTokenCount", "output_token_count"),
    *("completionTokens", "tokens_completion", "native_tokens_completion", "tokens_predicted"),
    "generated_tokens",
)
_TOTAL = ("total_tokens", "totalTokenCount", "total_token_count", "totalTokens")
_DETAILS = ("completion_tokens_details", "output_tokens_details")
_REASONING = (
    *("reasoning_tokens", "thoughtsTokenCount", "thoughts_token_count", "thinking_tokens"),
    "native_tokens_reasoning",
)
# Bedrock and TGI.
_HEADERS = (
    ("x-amzn-bedrock-input-token-count", "x-amzn-bedrock-output-token-count"),
    ("x-prompt-tokens", "x-generated-tokens"),
)
READ = frozenset(name for pair in _HEADERS for name in pair)  # no other header has usage
# What calls for a closer look.
_ELSEWHERE = frozenset((*_PLACES, *_IN, *_OUT, *_NEW_IN)) - {"usage"}
_NAMED_OTHERWISE = frozenset((*_IN, *_OUT, *_TOTAL, *_REASONING, *_WITHIN)) - {
    *("prompt_tokens", "completion_tokens", "total_tokens")
}


class ReportedUsage(NamedTuple):
    """Token counts as a reply reports them, None where it reports none that can be a count. The
    report ``agrees`` where it gives a total that is their sum, and no other place says more."""

    tokens_in: int | None
    tokens_out: int | None
    reasoning: int = 0
    agrees: bool = False


def read_usage(
    document: Mapping[str, Any], choice: Mapping[str, Any], headers: Mapping[str, str]
) -> ReportedUsage:
    """The usage in a reply with this body, whose first choice is ``choice``."""
    plain = _read_plain(document, choice)
    if plain is not None:
        return plain
    readings = [_read(report) for report in _reports(document, choice)]
    tokens_in = _most(reading.tokens_in for reading in readings)
    tokens_out = _most(reading.tokens_out for reading in readings)
    if tokens_in is None and tokens_out is None:
        return _read_headers(headers)
    return ReportedUsage(
        tokens_in,
        tokens_out,
        max(reading.reasoning for reading in readings),
        any(
            reading.agrees and (reading.tokens_in, reading.tokens_out) == (tokens_in, tokens_out)
            for reading in readings
        ),
    )


def _read_plain(document: Mapping[str, Any], choice: Mapping[str, Any]) -> ReportedUsage | None:
    """The usage where one report in the usual place agrees with itself, as nearly always: the long
    way takes a twentieth of a call. None for any other."""
    usage = document.get("usage")
    if not isinstance(usage, dict) or not _ELSEWHERE.isdisjoint(document) or "usage" in choice:
        return None
    details = usage.get("completion_tokens_details") or {}
    tokens_in, tokens_out = usage.get("prompt_tokens"), usage.get("completion_tokens")
    reasoning = details.get("reasoning_tokens") or 0 if isinstance(details, dict) else None
    if type(tokens_in) is not int or type(tokens_out) is not int or type(reasoning) is not int:
        return None
    sound = 0 <= tokens_in <= MOST_TOKENS and 0 <= reasoning <= tokens_out <= MOST_TOKENS
    agrees = usage.get("total_tokens") == tokens_in + tokens_out
    if not sound or not agrees or not _NAMED_OTHERWISE.isdisjoint(usage):
        return None
    return ReportedUsage(tokens_in, tokens_out, reasoning, agrees=True)


def _reports(document: Mapping[str, Any], choice: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Everything that looks like a report of usage."""
    for holder in (document, choice):
        for place in _PLACES:
            found = holder.get(place)
            if isinstance(found, dict):
                yield found
                for name in _WITHIN:
                    inner = found.get(name)
                    if isinstance(inner, dict):
                        yield inner
    yield document  # Ollama counts at the top


def _read(report: Mapping[str, Any]) -> ReportedUsage:
    tokens_in, visible, total = (_largest(report, names) for names in (_IN, _OUT, _TOTAL))
    if tokens_in is None and (new := _largest(report, _NEW_IN)) is not None:
        tokens_in = new + sum(read_count(report.get(name)) or 0 for name in _CACHED)
    tokens_out = visible
    if total is not None and tokens_in is not None and total >= tokens_in:
        tokens_out = max(visible or 0, total - tokens_in)
    details = [report, *(report[name] for name in _DETAILS if isinstance(report.get(name), dict))]
    reasoning = max(_largest(detail, _REASONING) or 0 for detail in details)
    if reasoning and (total is None or reasoning > (tokens_out or 0)):
        # Nothing says that reasoning is part of the count, or it cannot be: counted beside it.
        tokens_out = (visible or 0) + reasoning
    agrees = (
        visible is not None
        and tokens_in is not None
        and total == tokens_in + visible
        and tokens_out == visible
    )
    return ReportedUsage(tokens_in, tokens_out, reasoning, agrees)


def _read_headers(headers: Mapping[str, str]) -> ReportedUsage:
    for names in _HEADERS:
        counts = [headers.get(name, "") for name in names]
        if all(count.isascii() and count.isdigit() and len(count) < 10 for count in counts):
            return ReportedUsage(read_count(int(counts[0])), read_count(int(counts[1])))
    return ReportedUsage(None, None)


def _largest(report: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    return _most(read_count(report[name]) for name in names if name in report)


def _most(counts: Iterable[int | None]) -> int | None:
    return max((count for count in counts if count is not None), default=None)


def read_count(value: Any) -> int | None:
    """A number of tokens; None if there is none, or it is not a valid count."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return None
    return int(value) if 0 <= value <= MOST_TOKENS else None
