import json
from pathlib import Path

import pytest
import yaml

from dcq.effect import task
from dcq.effect.scores import ItemVersion, read_scores, split_id
from dcq.errors import InputError
from dcq.records import (
    Severity,
    VariantFinding,
)
from dcq.store import Store, samples, variants
from tests.support.accepted_sample import LABELS, accept, saved


def test_the_task_has_the_same_answers_and_ids(fresh_store: Store, tmp_path: Path) -> None:
    sample_id = saved(fresh_store)
    accept(fresh_store, sample_id)
    made = task.make(fresh_store, sample_id)
    assert made.choices == LABELS
    task.write(made, tmp_path / "task")
    rows = {
        version: [
            json.loads(line)
            for line in (tmp_path / "task" / f"{version}.jsonl").read_text("utf-8").splitlines()
        ]
        for version in ItemVersion
    }
    for first, second in zip(rows[ItemVersion.ORIGINAL], rows[ItemVersion.REWORDED], strict=True):
        assert split_id(first["id"], tmp_path)[0] == split_id(second["id"], tmp_path)[0]
        assert first["answer"] == second["answer"]
        assert first["question"].endswith("is long\nLabel:")
        assert second["question"].endswith("is lengthy\nLabel:")
    described = yaml.safe_load((tmp_path / "task" / f"{made.name}_reworded.yaml").read_text())
    assert described["doc_to_target"] == "answer"
    compile((tmp_path / "task" / "inspect_task.py").read_text("utf-8"), "inspect_task.py", "exec")


def test_only_what_a_person_accepted_leaves(fresh_store: Store) -> None:
    sample_id = saved(fresh_store)
    with pytest.raises(InputError, match="6 without an accepted rewording"):
        task.make(fresh_store, sample_id)


@pytest.mark.parametrize("name", sorted(task.UNSAFE))
def test_a_changed_answer_is_left_out_whatever_a_person_said(fresh_store: Store, name: str) -> None:
    sample_id = saved(fresh_store)
    first = samples.load(fresh_store, sample_id).instances[0]
    finding = VariantFinding(name, Severity.ERROR, "Changed.")
    changed = variants.NewVariant(
        first.id, 0, first.text.replace("long", "short"), "", "", (finding,)
    )
    variants.add(fresh_store, sample_id, [changed])
    accept(fresh_store, sample_id)
    made = task.make(fresh_store, sample_id)
    assert len(made.items) == 5
    assert made.left_out == {"whose answer may not have survived the rewording": 1}


def test_many_answers_are_short_texts(fresh_store: Store, tmp_path: Path) -> None:
    sample_id = saved(fresh_store, 14, tuple(f"{k} km" for k in range(14)))
    accept(fresh_store, sample_id)
    made = task.make(fresh_store, sample_id)
    assert made.choices == ()
    task.write(made, tmp_path / "t")
    described = yaml.safe_load((tmp_path / "t" / f"{made.name}_original.yaml").read_text())
    assert described["output_type"] == "generate_until"
    assert described["generation_kwargs"]["until"] == ["\n"]


def test_instances_without_an_answer_stay(fresh_store: Store) -> None:
    sample_id = saved(fresh_store, 4, (None, "x" * 100, "New\nYork"))
    accept(fresh_store, sample_id)
    with pytest.raises(InputError, match="4 without a short answer"):
        task.make(fresh_store, sample_id)


def test_the_same_question_is_not_asked_twice(fresh_store: Store) -> None:
    sample_id = saved(fresh_store, 2)
    first, _ = samples.load(fresh_store, sample_id).instances
    same = variants.NewVariant(first.id, 0, first.text.replace(" is ", "  is\n"), "person")
    variants.add(fresh_store, sample_id, [same])
    accept(fresh_store, sample_id)
    made = task.make(fresh_store, sample_id)
    assert len(made.items) == 1
    assert made.left_out == {"whose rewording asks the same": 1}


def test_no_other_file_is_written_over(fresh_store: Store, tmp_path: Path) -> None:
    sample_id = saved(fresh_store)
    accept(fresh_store, sample_id)
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match=r"mine\.txt"):
        task.write(task.make(fresh_store, sample_id), tmp_path)


def test_a_log_of_the_harness_on_the_task_is_read_by_id(tmp_path: Path) -> None:
    folder = tmp_path / "org__model"
    folder.mkdir()
    for version in ItemVersion:
        rows = [
            {
                "doc_id": k,
                "doc": {"id": f"ab{k}@{version}{'-A.1' if version == 'reworded' else ''}"},
                "metrics": ["acc"],
                "filter": "none",
                "acc": float(k != 1 or version == "original"),
            }
            for k in range(3)
        ]
        (folder / f"samples_dcq_{version}_2026-01-01T00-00-00.0.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows)
        )
    scores = read_scores([str(path) for path in sorted(folder.iterdir())], ["org/model"])
    (one,) = scores.models
    assert (one.model, one.role) == ("org/model", "reference")
    assert one.original == {"ab0": 1, "ab1": 1, "ab2": 1}
    assert one.reworded == {"ab0": 1, "ab1": 0, "ab2": 1}
