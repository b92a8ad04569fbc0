from __future__ import annotations

import numpy as np
import pytest

from benchmarks.overlap_effect import draw
from dcq.overlap.effect import by_domain, by_subject, effects
from dcq.overlap.harness.graded import HarnessAnswer
from dcq.overlap.label import Label
from dcq.overlap.match import Category

LABELS = {
    **{f"c{n}": Label(Category.CLEAN, 0.2) for n in range(10)},
    **{f"i{n}": Label(Category.INPUT_ONLY, 0.8) for n in range(4)},
    **{f"b{n}": Label(Category.INPUT_AND_LABEL, 1.0) for n in range(6)},
}


def _answers(model: str, right: int) -> list[HarnessAnswer]:
    """The first ``right`` clean instances right, half of the input-only ones, all others."""
    good = {f"c{n}" for n in range(right)} | {"i0", "i1"} | {f"b{n}" for n in range(6)}
    return [HarnessAnswer(model, one, float(one in good), "law") for one in LABELS]


def test_accuracy_by_category_and_the_difference() -> None:
    [found] = effects([*_answers("m", 3), HarnessAnswer("m", "unknown", 1)], LABELS)
    shown = {name: (part.n, part.accuracy) for name, part in found.categories.items()}
    assert shown == {
        "all": (20, 11 / 20),
        "clean": (10, 0.3),
        "not-clean": (10, 0.8),
        "input-only": (4, 0.5),
        "input-and-label": (6, 1.0),
    }
    assert found.difference.difference == pytest.approx(0.5)
    assert found.by_score[2].accuracy.n == 10
    assert found.by_score[9].accuracy.accuracy == 1
    assert found.adjusted.difference is None  # there is no other model


def test_easier_found_instances_are_no_gain_of_a_model() -> None:
    answers, found, _ = draw(np.random.default_rng(1), 1_600, 5)
    labels = {
        str(row): Label(Category.INPUT_ONLY if one else Category.CLEAN, 0.5)
        for row, one in enumerate(found)
    }
    given = [
        HarnessAnswer(str(model), str(row), float(right))
        for (row, model), right in np.ndenumerate(answers)
    ]
    for one in effects(given, labels):
        assert one.difference.p_value is not None
        assert one.difference.p_value < 1e-6
        assert one.adjusted.p_value is not None
        assert one.adjusted.p_value > 0.05
        assert (one.adjusted.n, one.adjusted.others) == (1_600, 5)


def test_other_models_give_the_difficulty() -> None:
    answers = [*_answers("m", 3), *_answers("n", 3), *_answers("o", 10)]
    found = {one.model: one for one in effects(answers, LABELS)}
    assert found["m"].adjusted.difference is not None
    # Where the others are right on the same instances, m gains nothing from overlap.
    assert found["m"].adjusted.difference < found["m"].difference.difference  # type: ignore[operator]


def test_accuracy_by_subject() -> None:
    found = by_subject(_answers("m", 3), LABELS)
    assert found["m", "law"]["clean"].n == 10


def test_accuracy_by_domain_counts_an_instance_on_each_of_its_domains() -> None:
    domains = {"a.org": ["i0", "b0"], "b.org": ["i3"], "c.org": ["unknown"]}
    found = by_domain([*_answers("m", 3), *_answers("n", 3)], domains)
    assert list(found) == ["m", "n"]
    assert [part.accuracy for part in found["m"].values()] == [1, 0, None]
