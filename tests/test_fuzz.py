"""Whatever a model replies and whatever a file holds: no crash, and never a wrong letter.

``DCQ_FUZZ`` is the number of cases in all, 500 unless set. The long run of a release::

    DCQ_FUZZ=100000 python -m pytest tests/test_fuzz.py --timeout 0
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dcq.audit import audit
from dcq.audit.answer_groups import COLUMNS as ANSWERS
from dcq.audit.release import COLUMNS as RELEASE
from dcq.errors import DcqError
from dcq.files import sample_file
from dcq.partitions import read_file
from dcq.quiz.parse import read_reply
from dcq.records import Outcome, Reply

CASES = int(os.environ.get("DCQ_FUZZ", "500"))


def share(part: float) -> settings:
    """Settings for this part of all cases. One folder serves all examples of a test: each
    overwrites the file of the one before."""
    return settings(
        max_examples=max(1, round(part * CASES)),
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


letters = st.sampled_from("ABCD")
# What stands around an answer, none of it naming another option: texts of options among it.
BEFORE = (
    "", " ", "\n", "> ", "Sure! ", "I think ", "Well, ", "Having read a few of them, ",
    "I'm not sure, but ", "After some thought: ", "I believe that ", "Let me see.\n\n",
    "It is a hard one. ", "<b>", "None looks off, yet ", "我认为", "Creo que ",
)  # fmt: skip
FORMS = (
    "{}", "{})", "({})", "[{}]", "**{}**", "`{}`", "{}.", "{}:", "option {}", "Option {}.",
    "the answer is {}", "The answer is **{}**.", "Answer: {}", "it's {}", "my choice is {}",
    "I choose {}", "I'd go with {}.", "答案是{}", "la respuesta es {}", "{} is correct",
    "{} is the exact instance", "{}\n",
)  # fmt: skip
AFTER = (
    "", " ", "\n", "\n\nBecause it reads as I remember it.", " because it is a verbatim copy.",
    "\nVitamin D. is sold here.", " Text: a storm hit the coast\nLabel: 2 (Tech)", " 🙂", "</b>",
    ", as a person would say.", " — a guess.", "{braces}", "\x00", "\nText: Plan B failed",
)  # fmt: skip
# The same, of a letter that the reply turns down.
DENIED = (
    "Not {}.", "It is not {}", "Definitely not option {}.", "The answer is not {}.",
    "I would not choose {}", "It can't be {}.", "It cannot be option {}.", "{} is wrong.",
    "{} is incorrect", "{} is not it", "{} isn't right", "Option {} is false.",
    "I don't think it is {}.", "The answer isn't {}", "Anything but {}", "Never {}",
    "I do not believe the answer is **{}**.", "Any option except {}.", "Neither is {}",
)  # fmt: skip


@share(0.35)
@given(
    st.one_of(
        st.text(max_size=60),
        st.text("ABCDEabcdeＡＤ)]:.,*_ \n'\"-/&1Éß", max_size=25),
        st.lists(st.sampled_from([*BEFORE, *FORMS, *AFTER, *"ABCDE"]), max_size=6).map("".join),
    ),
    st.sampled_from(["", "stop", "length", "content_filter"]),
    st.sampled_from([4, 5]),
)
def test_any_reply_is_one_outcome_and_its_letter_stands_in_it(
    text: str, finish: str, options: int
) -> None:
    reading = read_reply(Reply(text, finish_reason=finish), options)
    assert (reading.value is None) == (reading.outcome in {Outcome.INVALID, Outcome.REFUSED})
    assert reading.outcome is not Outcome.ERROR
    if reading.value is not None and reading.reason != "none of these":
        plain = unicodedata.normalize("NFKC", text)
        alone = rf"(?<![A-Za-z0-9]){reading.value}(?![A-Za-z0-9])"
        assert re.search(alone, plain, re.IGNORECASE)


@share(0.4)
@given(
    st.sampled_from(BEFORE),
    st.sampled_from(FORMS),
    letters,
    st.lists(st.sampled_from(AFTER), min_size=1, max_size=2).map("".join),
)
def test_a_reply_never_comes_to_another_letter_than_it_names(
    before: str, form: str, letter: str, after: str
) -> None:
    reading = read_reply(Reply(before + form.replace("{}", letter) + after), 4)
    assert reading.value in {None, letter}


@share(0.05)
@given(st.sampled_from(BEFORE), st.sampled_from(DENIED), letters, st.sampled_from(["", *AFTER[:3]]))
def test_a_letter_that_is_rejected_is_no_answer(
    before: str, form: str, letter: str, after: str
) -> None:
    assert read_reply(Reply(before + form.replace("{}", letter) + after), 4).value is None


cells = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["A", "B", "e", "", " ", "D)", "target", "control", "1", "0", "nan", "=1+1"]),
)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=10)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


def passes(read: Any, *words: Any) -> None:
    """Reading works, or ends in a sentence of ours."""
    with contextlib.suppress(DcqError):
        read(*words)


@share(0.05)
@given(
    st.sampled_from(["csv", "tsv", "jsonl", "json"]),
    st.one_of(
        st.binary(max_size=200),
        st.text("abc,;\t\"'\n\r\\{}[]:1ü\x00\ufeff", max_size=80).map(str.encode),
        st.lists(json_values, max_size=4).map(lambda rows: json.dumps(rows).encode()),
    ),
)
def test_any_bytes_are_a_table_or_a_sentence(tmp_path: Path, suffix: str, data: bytes) -> None:
    path = tmp_path / f"any.{suffix}"
    path.write_bytes(data)
    passes(read_file, path)


@share(0.01)
@given(st.binary(max_size=200))
def test_a_damaged_parquet_file_ends_in_a_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "any.parquet"
    path.write_bytes(b"PAR1" + data + b"PAR1")
    with pytest.raises(DcqError):
        read_file(path)


@share(0.07)
@given(st.data())
def test_any_cells_are_an_audit_or_a_sentence(tmp_path: Path, data: st.DataObject) -> None:
    columns = data.draw(st.sampled_from([RELEASE, ANSWERS, (*ANSWERS, "kind")]))
    kept = [name for name in columns if data.draw(st.integers(0, 9))]
    rows = data.draw(st.lists(st.lists(cells, min_size=len(kept), max_size=len(kept)), max_size=5))
    path = tmp_path / "any.csv"
    with path.open("w", encoding="utf-8", errors="ignore", newline="") as file:
        csv.writer(file).writerows([kept, *rows])

    def read() -> None:
        json.dumps(audit.audit(path).document(), allow_nan=False)

    passes(read)


@share(0.07)
@given(st.data())
def test_any_document_is_a_sample_or_a_sentence(tmp_path: Path, data: st.DataObject) -> None:
    partition: dict[str, Any] = {
        "key": "k", "split": "s", "title": "t", "split_title": "s", "role": "target",
        "task": "nli", "language": "en", "licence": "x", "published": None, "source": "",
    }  # fmt: skip
    instance: dict[str, Any] = {"text": "a", "fields": {}, "label": None, "protected": []}
    document: dict[str, Any] = {
        "format": sample_file.FORMAT, "partition": partition, "seed": 0,
        "instances": [instance, instance | {"text": "b"}], "variants": {"x": ["y"]},
    }  # fmt: skip
    part = data.draw(st.sampled_from([document, partition, instance]))
    part[data.draw(st.sampled_from(sorted(part)))] = data.draw(json_values)
    path = tmp_path / "any.json"
    text = json.dumps(document)
    path.write_text(text[: data.draw(st.sampled_from([len(text), len(text), 20]))], "utf-8")
    passes(sample_file.read, path)
