from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dcq.models.batch import explain_failure
from dcq.models.batch_file import BatchJob, read_job, read_line, split, write_line
from dcq.models.completion import Completion
from dcq.models.endpoints import Endpoint
from dcq.models.faults import Trouble

ENDPOINT = Endpoint("gpt-4o", "gpt-4o", "https://api.openai.com/v1")
_NAMES = st.sampled_from(
    ["id", "custom_id", "response", "status_code", "body", "error", "code", "metadata", "choices",
     "created_at", "request_counts", "completed", "output_file_id", "errors", "dcq_sent"]
)  # fmt: skip
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=8,
)


@given(st.lists(st.binary(max_size=9), max_size=30), st.integers(1, 5), st.integers(1, 20))
def test_files_keep_every_line_in_order_within_the_limits(
    lines: list[bytes], most_requests: int, most_bytes: int
) -> None:
    files = list(split(lines, most_requests=most_requests, most_bytes=most_bytes))
    assert [line for file in files for line in file] == lines
    for file in files:
        assert 1 <= len(file) <= most_requests
        assert len(file) == 1 or sum(map(len, file)) <= most_bytes


@given(st.text())
def test_a_prompt_travels_untouched(prompt: str) -> None:
    line = write_line("r:1:1", "gpt-4o", prompt, {"max_tokens": 5})
    assert line.count(b"\n") == 1
    body = json.loads(line)["body"]
    assert body["messages"] == [{"role": "user", "content": prompt}]
    assert body["max_tokens"] == 5


@given(ODD)
def test_whatever_is_sent_can_be_read(document: object) -> None:
    line = json.dumps(document).encode()
    read = read_line(line)
    assert read is None or isinstance(read[1], Completion | Trouble)
    if isinstance(document, dict):
        assert isinstance(read_job(document), Trouble)
        job = read_job({**document, "id": "batch_1", "status": "completed"})
        assert isinstance(job, BatchJob)
        assert job.ended


@given(st.binary())
def test_a_broken_line_holds_no_answer(line: bytes) -> None:
    assert read_line(line[:-1]) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"custom_id": "a", "response": None, "error": {"code": "batch_expired"}}, ("a", None)),
        ({"custom_id": "a", "response": None, "error": {"code": "batch_cancelled"}}, ("a", None)),
        ({"response": {"status_code": 200}}, None),
        (
            {"custom_id": "a", "response": None, "error": {"code": "server"}},
            ("a", Trouble(None, "could not answer a question of a batch")),
        ),
    ],
)
def test_a_line_without_a_response(line: object, expected: object) -> None:
    assert read_line(json.dumps(line).encode()) == expected


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("invalid_json_line", "resume to send it again"),
        ("model_not_found", "choose another model"),
        ("token_limit_exceeded", "resume when others are done"),
        ("insufficient_quota", "top it up"),
    ],
)
def test_a_failure_is_described_without_foreign_words(code: str, message: str) -> None:
    errors = {"data": [{"code": code, "message": "sk-secret was not liked"}]}
    job = read_job({"id": "batch_1", "status": "failed", "errors": errors})
    assert isinstance(job, BatchJob)
    sentence = explain_failure(job, ENDPOINT)
    assert message in sentence
    assert "sk-secret" not in sentence
