from __future__ import annotations

import math
from pathlib import Path

import pytest

from dcq.errors import InputError
from dcq.evidence.compare import Comparison
from dcq.evidence.subsets import Accuracy, Adjusted
from dcq.overlap import published
from dcq.overlap.benchmarks import by_benchmark, means, parse_named_file, split_answers
from dcq.overlap.effect import Effect
from dcq.overlap.harness.graded import HarnessAnswer

NO = Adjusted(0, 0, None, None, None, None)


def effect(model: str, clean: float | None, gap: float | None, width: float = 0.1) -> Effect:
    low = None if gap is None else gap - width
    high = None if gap is None else gap + 2 * width
    difference = Comparison(10, 10, False, gap, low, high, None, "")
    accuracy = Accuracy(10 if clean is not None else 0, clean, None, None)
    return Effect(model, {"clean": accuracy}, difference, NO, ())


def test_each_benchmark_counts_alike_as_in_the_reports_table_2() -> None:
    table = published.accuracy().pivot(index="model", columns=["dataset", "subset"], values="value")
    names = ("mmlu", "hellaswag", "arc")
    found = {
        one.model: one
        for one in means(
            {
                name: [
                    effect(str(model), row[name, "clean"], row[name, "not_clean"])
                    for model, row in table.iterrows()
                ]
                for name in names
            }
        )
    }
    assert len(found) == 15
    for model, row in table.iterrows():
        mean = found[str(model)]
        assert mean.benchmarks == names
        assert mean.categories["clean"].accuracy == pytest.approx(row["average", "clean"], abs=1e-4)
        assert mean.difference == pytest.approx(row["average", "not_clean"], abs=1e-4)


def test_limits_of_a_mean_are_those_of_independent_differences() -> None:
    [mean] = means({"a": [effect("m", 0.5, 0.1)], "b": [effect("m", 0.7, 0.3, 0.2)]})
    assert mean.difference == pytest.approx(0.2)
    assert mean.low == pytest.approx(0.2 - math.sqrt(0.1**2 + 0.2**2) / 2)
    assert mean.high == pytest.approx(0.2 + math.sqrt(0.2**2 + 0.4**2) / 2)
    assert mean.categories["clean"].n == 20


def test_what_a_benchmark_lacks_has_no_mean() -> None:
    both = [effect("m", 0.5, 0.1), effect("n", 0.5, 0.1)]
    found = means({"a": both, "b": [effect("m", None, None)]})
    assert [one.model for one in found] == ["m"]
    assert (found[0].difference, found[0].low, found[0].high) == (None, None, None)
    assert found[0].categories["clean"].accuracy is None
    assert found[0].categories["clean"].n == 10


def test_a_file_may_have_the_name_of_its_benchmark_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert parse_named_file(Path("mmlu=a/b.csv")) == ("mmlu", Path("a/b.csv"))
    assert parse_named_file(Path("a/b.csv")) == (None, Path("a/b.csv"))
    assert parse_named_file(Path("a=b=c.csv")) == ("a", Path("b=c.csv"))
    Path("lr=0.1.csv").write_text("")
    assert parse_named_file(Path("lr=0.1.csv")) == (None, Path("lr=0.1.csv"))
    for wrong in ("=a.csv", "mmlu=", " = "):
        with pytest.raises(InputError, match="write NAME=FILE"):
            parse_named_file(Path(wrong))


def test_labels_are_named_all_or_none() -> None:
    assert by_benchmark([Path("a"), Path("b")]) == {None: [Path("a"), Path("b")]}
    assert by_benchmark([Path("ARC=a"), Path("arc=b")]) == {"ARC": [Path("a"), Path("b")]}
    with pytest.raises(InputError, match="b names no benchmark"):
        by_benchmark([Path("ARC=a"), Path("b")])


def test_answers_go_to_the_benchmark_that_they_name() -> None:
    answers = [
        HarnessAnswer("m", "1", 1.0, benchmark="mmlu"),
        HarnessAnswer("m", "1", 0.0, benchmark="arc"),
        HarnessAnswer("m", "1", 0.0, benchmark="hellaswag"),
    ]
    found, others = split_answers(answers, ["ARC", "mmlu"])
    assert [one.correct for one in found["ARC"]] == [0.0]
    assert [one.correct for one in found["mmlu"]] == [1.0]
    assert others == 1
    with pytest.raises(InputError, match="No results are of ceval; the results have arc, hella"):
        split_answers(answers, ["ceval"])
    with pytest.raises(InputError, match=r"results of m name no benchmark.*NAME=FILE"):
        split_answers([HarnessAnswer("m", "1", 1.0)], ["mmlu"])
