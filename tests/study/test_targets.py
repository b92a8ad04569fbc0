"""What a person who types a word means by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dcq.errors import InputError
from dcq.partitions import likely_columns
from dcq.records import DatasetTask
from dcq.store import Store, samples
from dcq.study import targets
from dcq.study.spec import TargetSpec
from tests.conftest import small_sample
from tests.support.newcomer import write_benchmark


def test_a_sample_a_file_a_key_and_a_name_on_the_hub(fresh_store: Store, tmp_path: Path) -> None:
    kept = samples.save(fresh_store, small_sample(9))
    assert targets.read_target(fresh_store, kept[:6]) == TargetSpec("", sample=kept)
    file = tmp_path / "my data.csv"
    assert targets.read_target(fresh_store, str(file)) == TargetSpec("my data", file=file)
    assert targets.read_target(fresh_store, "x.xlsx", "Mine") == TargetSpec(
        "Mine", file=Path("x.xlsx")
    )
    assert targets.read_target(fresh_store, "ag_news") == TargetSpec("ag_news")
    assert targets.read_target(fresh_store, "owner/name:main") == TargetSpec("owner/name:main")
    with pytest.raises(InputError, match="neither a file here nor a name"):
        targets.read_target(fresh_store, "rivers")


def test_columns_with_usual_names_are_found_and_said(tmp_path: Path) -> None:
    file = write_benchmark(tmp_path / "my.csv")
    drawn, guessed = targets.draw(TargetSpec("my", file=file, n=10))
    assert guessed is None
    assert drawn.n == 10
    assert drawn.partition.task is DatasetTask.QUESTION_ANSWERING
    assert 'Read column "question" as the text and "answer" as its label.' in drawn.notes
    assert likely_columns(["id", "Sentence", "Label"]) == ("Sentence", "Label")
    assert likely_columns(["a", "b"]) == (None, None)
