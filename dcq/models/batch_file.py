"""The data of the Batch API: lines of questions, lines of answers, batch objects.

The format is that of https://platform.openai.com/docs/guides/batch.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from dcq.models.completion import Completion, read_completion
from dcq.models.faults import Trouble, read_trouble
from dcq.models.stated_limits import LIMIT_NAMES
from dcq.models.usage_report import MOST_TOKENS

# Per batch: a fifth of what the protocol allows, so that the file of answers fits into memory.
MOST_REQUESTS = 10_000
MOST_BYTES = 200_000_000  # of its file
CHAT_PATH = "/v1/chat/completions"
ANSWER_BYTES = 4 * 2**10  # of one line of answers; most have 700
LOGPROBS_BYTES = 12 * 2**10  # of one with the log-probabilities of a few tokens

_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_GOING_ON = frozenset({"validating", "in_progress", "finalizing", "cancelling"})
_UNASKED = frozenset({"batch_expired", "batch_cancelled"})


@dataclass(frozen=True)
class BatchJob:
    """One batch as the endpoint reports it. ``run`` and ``sent`` are its labels: the id of the run,
    and the parameters of its calls. ``files`` have its answers once it has ended; ``seconds`` is
    how long it took; ``words`` are the endpoint's reason for a failure, to be parsed and never
    shown."""

    id: str
    status: str
    run: str
    sent: Mapping[str, Any]
    input_file: str
    files: tuple[str, ...]
    done: int
    total: int
    created: datetime
    seconds: float
    words: str

    @property
    def ended(self) -> bool:
        """True once no more answers will arrive."""
        return self.status in _ENDED


def write_line(request_id: str, model: str, prompt: str, sent: Mapping[str, Any]) -> bytes:
    """One question as a line of the file that is uploaded."""
    body = {"model": model, "messages": [{"role": "user", "content": prompt}], **sent}
    line = {"custom_id": request_id, "method": "POST", "url": CHAT_PATH, "body": body}
    return json.dumps(line).encode() + b"\n"


def read_limit(sent: Mapping[str, Any]) -> int:
    """The token limit of a reply by the parameters of its call; 0 if there is none, as in a batch
    that another program made."""
    limits = [sent.get(name) for name in LIMIT_NAMES]
    valid = (limit for limit in limits if isinstance(limit, int) and 0 < limit <= MOST_TOKENS)
    return max(valid, default=0)


def split(
    lines: Iterable[bytes], *, most_requests: int = MOST_REQUESTS, most_bytes: int = MOST_BYTES
) -> Iterator[list[bytes]]:
    """The lines in order, in as few files as the limits of one batch allow."""
    chunk: list[bytes] = []
    size = 0
    for line in lines:
        if chunk and (len(chunk) == most_requests or size + len(line) > most_bytes):
            yield chunk
            chunk, size = [], 0
        chunk.append(line)
        size += len(line)
    if chunk:
        yield chunk


def read_line(line: bytes) -> tuple[str, Completion | Trouble | None] | None:
    """The id of a request and its outcome (None: the batch did not get to it), from a line of an
    output or error file; None if the line cannot be parsed."""
    document = read_document(line)
    if isinstance(document, Trouble) or not isinstance(document.get("custom_id"), str):
        return None
    request_id: str = document["custom_id"]
    response = _dict(document.get("response"))
    status = response.get("status_code")
    if not isinstance(status, int):
        if _dict(document.get("error")).get("code") in _UNASKED:
            return request_id, None
        return request_id, Trouble(None, "could not answer a question of a batch")
    body = json.dumps(response.get("body")).encode()
    return request_id, read_completion(body, {}) if status == 200 else read_trouble(
        status, body, {}
    )


def read_document(body: bytes) -> dict[str, Any] | Trouble:
    """The JSON object in a reply's body, or Trouble."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    return document if isinstance(document, dict) else Trouble(None, "sent no valid JSON object")


def read_job(document: Mapping[str, Any]) -> BatchJob | Trouble:
    """A batch object, with missing or invalid fields empty; Trouble if it has no id or no known
    state."""
    if not document.get("id") or str(document.get("status")) not in _ENDED | _GOING_ON:
        return Trouble(None, "sent something other than a batch")
    metadata = _dict(document.get("metadata"))
    counts = _dict(document.get("request_counts"))
    files = (document.get("output_file_id"), document.get("error_file_id"))
    created = _number(document.get("created_at"))
    ended = max(_number(document.get(f"{status}_at")) for status in _ENDED)
    sent = read_document(str(metadata.get("dcq_sent", "")).encode("utf-8", "replace"))
    return BatchJob(
        id=str(document.get("id", "")),
        status=str(document.get("status", "")),
        run=str(metadata.get("dcq_run", "")),
        sent={} if isinstance(sent, Trouble) else sent,
        input_file=str(document.get("input_file_id", "")),
        files=tuple(file for file in files if isinstance(file, str)),
        done=int(_number(counts.get("completed")) + _number(counts.get("failed"))),
        total=int(_number(counts.get("total"))),
        created=datetime.fromtimestamp(created, UTC),
        seconds=max(0.0, ended - created),
        words=json.dumps(document.get("errors")).lower(),
    )


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and 0 <= value < 1e11 else 0.0
