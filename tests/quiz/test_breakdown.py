from __future__ import annotations

from dataclasses import replace

import pytest

from dcq.evidence.interval import wilson
from dcq.quiz import freeze, results
from dcq.quiz.breakdown import (
    MOST_LABELS,
    OTHER_LABELS,
    Grouping,
    documents,
    groups_of,
    refusals,
    tabulate,
)
from dcq.quiz.results import Result
from dcq.records import Instance, QuizKind
from dcq.store import Store, quizzes, samples
from tests.conftest import WORDS, small_sample
from tests.support.runs import answer, answer_each

N = 60


def put(
    store: Store, labels: list[str | None], found: int = 20, kind: QuizKind = QuizKind.STANDARD
) -> str:
    """A run that finds the originals of the first ``found`` instances; texts grow with position."""
    drawn = small_sample(1)
    made = tuple(
        Instance(f"The {WORDS[0]} number {i} is" + " very" * (i // 10) + " long", label=label)
        for i, label in enumerate(labels)
    )
    variants = {
        one.id: tuple(one.text.replace(WORDS[0], word) for word in WORDS[1:]) for one in made
    }
    sample = samples.save(store, replace(drawn, instances=made, variants=variants))
    quiz = freeze.freeze(store, sample, kind, slot="D" if kind is QuizKind.STANDARD else None).quiz
    order = [one.id for one in made]
    letters = [
        "D" if order.index(item.instance_id) < found else "A"
        for item in quizzes.load(store, quiz).items
    ]
    return answer_each(store, quiz, letters)


def result_of(store: Store) -> Result:
    [found] = results.table(store)
    return found


def test_labels_are_compared_with_the_rest(fresh_store: Store) -> None:
    put(fresh_store, ["wet"] * 20 + ["dry"] * 30 + [None] * 10)
    groups = groups_of(fresh_store, result_of(fresh_store), Grouping.LABEL)
    assert [(one.name, one.kappa.n, one.kappa.score) for one in groups] == [
        ("dry", 30, 0.0),
        ("wet", 20, 1.0),
        ("no label", 10, 0.0),
    ]
    wet = tabulate(groups).to_dict("records")[1]
    assert wet["difference"] == 1.0
    assert wet["p_holm"] < 0.001
    written = documents(fresh_store, [result_of(fresh_store)], Grouping.LABEL)
    assert [row["label"] for row in written] == ["dry", "wet", "no label"]


def test_lengths_are_thirds_of_what_was_asked(fresh_store: Store) -> None:
    put(fresh_store, [None] * N)
    groups = groups_of(fresh_store, result_of(fresh_store), Grouping.LENGTH)
    assert [(one.name, one.kappa.n, one.kappa.score) for one in groups] == [
        ("short (6 to 7 words)", 20, 1.0),
        ("middle (8 to 9 words)", 20, 0.0),
        ("long (10 to 11 words)", 20, 0.0),
    ]


def test_many_labels_leave_the_rare_ones_together(fresh_store: Store) -> None:
    put(fresh_store, [f"class {i % 20}" for i in range(50)])
    groups = groups_of(fresh_store, result_of(fresh_store), Grouping.LABEL)
    assert len(groups) == MOST_LABELS + 1
    assert groups[-1].name == OTHER_LABELS
    assert sum(one.kappa.n for one in groups) == 50


def test_one_group_and_quizzes_without_originals_give_nothing(fresh_store: Store) -> None:
    put(fresh_store, ["wet"] * 12)
    assert groups_of(fresh_store, result_of(fresh_store), Grouping.LABEL) == []
    put(fresh_store, ["wet", "dry"] * 6, kind=QuizKind.MODIFIED)
    [bare] = [one for one in results.table(fresh_store) if one.kind is QuizKind.MODIFIED]
    assert groups_of(fresh_store, bare, Grouping.LABEL) == []
    assert tabulate([]).empty


def test_a_run_has_one_provider_and_so_no_groups_of_them(fresh_store: Store) -> None:
    put(fresh_store, [*["wet"] * 20, *["dry"] * 30])
    assert groups_of(fresh_store, result_of(fresh_store), Grouping.LABEL)
    assert groups_of(fresh_store, result_of(fresh_store), Grouping.PROVIDER) == []


def test_refusals_are_counted_by_provider_and_form(fresh_store: Store) -> None:
    sample = samples.save(fresh_store, small_sample(20))
    quiz = freeze.freeze(fresh_store, sample, QuizKind.STANDARD, slot="D").quiz
    answer(fresh_store, quiz, {"D": 15, "refused": 5}, "one@http://127.0.0.1:9/v1")
    answer(fresh_store, quiz, {"D": 18, "invalid": 1, "error": 1}, "two@http://127.0.0.1:9/v1")
    answer(fresh_store, quiz, {"D": 10, "refused": 10}, "one@https://models.example/v1")
    first, second = refusals(fresh_store, results.table(fresh_store))
    assert (first["provider"], first["asked"], first["refused"]) == ("models.example", 20, 10)
    assert (second["provider"], second["asked"], second["refused"]) == ("127.0.0.1", 40, 5)
    assert (second["invalid"], second["error"]) == (1, 1)
    limits = wilson(5, 40)
    assert limits is not None
    assert (second["refused_low"], second["refused_high"]) == pytest.approx(limits)
    assert refusals(fresh_store, []) == []
