from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from dcq.errors import InputError
from dcq.overlap.harness import inspect_log


def test_the_input_is_a_text_or_what_the_user_said_last() -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Who?"},
        {"role": "assistant", "content": "Me."},
        {"role": "user", "content": [{"type": "text", "text": "And now?"}, {"type": "image"}]},
        {"role": "assistant", "content": "You."},
    ]
    assert inspect_log.input_of({"input": messages}) == "And now?"
    assert inspect_log.input_of({"input": messages[:3]}) == "Who?"
    assert inspect_log.input_of({"input": "Who?"}) == "Who?"
    for odd in ([], [{"role": "user", "content": 7}], None, 7):
        assert inspect_log.input_of({"input": odd}) == ""


def test_samples_without_a_score_have_no_grades() -> None:
    samples = [{"id": 1, "scores": {}}, {"id": 2, "scores": {"a": {"value": 1}}}, "odd", {"id": 3}]
    assert [one.grades for one in inspect_log.scored(samples)] == [{}, {"a": 1}, {}]


def test_a_log_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspect_log, "MOST_LOG", 1000)
    with zipfile.ZipFile(tmp_path / "a.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", " " * 2000)
    with pytest.raises(InputError, match="log fewer samples"):
        list(inspect_log.unpacked(tmp_path / "a.eval"))


@pytest.mark.parametrize("header", ["[]", '{"eval": 1}', "{", "[" * 100_000])
def test_a_log_with_an_odd_header_is_refused(tmp_path: Path, header: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("header.json", header)
    with pytest.raises(InputError, match="not a finished log"):
        inspect_log.read_eval(tmp_path / "a.eval")
