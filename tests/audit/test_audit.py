from __future__ import annotations

from pathlib import Path

import pytest

from dcq.audit.answers_file import Answers
from dcq.audit.audit import AnswersFormat, audit
from dcq.audit.release import AuditedRelease
from dcq.audit.sentences import describe_answers, describe_release
from dcq.errors import InputError
from dcq.words import ranges
from tests.support.result_files import GSM8K, answers, release_rows, write_csv


@pytest.fixture
def release_csv(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "gsm8k.csv", release_rows(GSM8K))


@pytest.fixture
def answers_csv(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "answers.csv", answers("m", "p", "target", 30, 40))


def test_the_form_is_recognised_by_the_columns(release_csv: Path, answers_csv: Path) -> None:
    assert isinstance(audit(release_csv), AuditedRelease)
    assert isinstance(audit(answers_csv), Answers)


def test_a_semicolon_a_bom_and_capital_headers_are_read(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", answers("m", "p", "target", 30, 40), separator=";")
    header, rest = path.read_text().split("\n", 1)
    path.write_text(f"\ufeff{header.title()}\n{rest}", encoding="utf-8")
    found = audit(path)
    assert isinstance(found, Answers)
    assert found.results[0].evidence.figures["correct"] == 30


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no rows"),
        (b"instance,option_a\n", "no rows"),
        (b"some,other\n1,2\n", "neither format"),
        (b"\xff\xfe\x00model", "no rows"),
        (b'model,partition\n"open,1\n', "csv rules"),
        (b"model,partition\n1,2,3\n", "3 values in row 1"),
        (b"Model,model\n1,2\n", "two columns 'model'"),
        (b"<html><body>404</body></html>\n\n", "is a web page, not the data"),
    ],
)
def test_broken_files_end_in_one_sentence(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "broken.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        audit(path)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        audit(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (AnswersFormat.DCQ, "has no column instance, option_a"),
        (AnswersFormat.ANSWERS, "has no column model"),
    ],
)
def test_a_form_asked_for_names_what_is_missing(
    tmp_path: Path, form: AnswersFormat, message: str
) -> None:
    path = write_csv(tmp_path / "other.csv", [{"text": "a"}])
    with pytest.raises(InputError, match=message):
        audit(path, form)


def test_headlines_say_what_is_in_the_way(release_csv: Path, tmp_path: Path) -> None:
    found = audit(release_csv)
    assert isinstance(found, AuditedRelease)
    assert describe_release(found) == (
        "By the protocol's rule gsm8k.csv shows 78.8 % to 79.0 % contamination over 100 instances; "
        "the verdict is undecided, because choosing always the shortest option finds 100.0 %. "
        "Could not be checked: what unseen text would score."
    )
    rows = answers("m", "p", "target", 38, 40)
    for i in range(4):
        rows += answers("m", f"c{i}", "control", 11 + i, 40)
    judged = audit(write_csv(tmp_path / "answers.csv", rows))
    assert isinstance(judged, Answers)
    said = describe_answers(judged)
    assert said.startswith("m on p is contaminated. 95.0 % of the originals")
    assert said.endswith(
        "Could not be checked: whether the options' text alone gives originals away; who wrote "
        "the rewordings."
    )
    more = audit(write_csv(tmp_path / "two.csv", rows + answers("n", "p", "target", 38, 40)))
    assert isinstance(more, Answers)
    for words in (
        "who wrote the rewordings (1 of 2)",
        "whether the options' text alone gives originals away (2 of 2)",
        "what unseen text would score (1 of 2)",
    ):
        assert words in describe_answers(more)
    both = audit(write_csv(tmp_path / "both.csv", rows + answers("m", "q", "target", 38, 40)))
    assert isinstance(both, Answers)
    # In the order of the checklist, in every process.
    assert describe_answers(both).endswith(
        "Could not be checked: whether the options' text alone gives originals away (2 of 2); who "
        "wrote the rewordings (2 of 2)."
    )
    only = audit(write_csv(tmp_path / "controls.csv", rows[40:]))
    assert isinstance(only, Answers)
    assert "only controls" in describe_answers(only)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [((), ""), ((4,), "4"), ((1, 2, 3, 7), "1–3, 7"), ((1, 3, 5, 6), "1, 3 and 2 more")],
)
def test_row_numbers_are_drawn_together(numbers: tuple[int, ...], words: str) -> None:
    assert ranges(numbers, most=2) == words
