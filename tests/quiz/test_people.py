"""What people found, beside models and in verdicts."""

from __future__ import annotations

import pytest

from dcq.errors import InputError
from dcq.evidence.check import Mark, Topic
from dcq.files import export
from dcq.judging.study import findings
from dcq.quiz import freeze, people, results
from dcq.records import PartitionRole, QuizKind
from dcq.store import Store, reviews, samples, sittings, variants
from dcq.store.variants import Decision
from tests.conftest import small_sample
from tests.support.judged import SEEN, of, put
from tests.support.runs import answer, answer_each
from tests.support.sittings import take

pytestmark = pytest.mark.slow


def _check(store: Store, key: str = "rivers") -> tuple[Mark, str] | None:
    verdict = of(store, key).verdict
    assert verdict is not None
    found = [check for check in verdict.checks if check.topic is Topic.PEOPLE]
    return (found[0].mark, found[0].number) if found else None


def _sample(store: Store) -> str:
    return samples.listing(store)[0].id


def test_people_are_a_line_of_the_verdict_once_one_has_finished(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    sample = _sample(fresh_store)
    assert _check(fresh_store) is None
    begun = sittings.find(fresh_store, people.begin_sitting(fresh_store, sample, "Cleo", 20))
    assert begun is not None
    with pytest.raises(InputError, match="not finished"):
        people.judge_sitting(fresh_store, begun)
    assert _check(fresh_store) is None
    take(fresh_store, sample, "Ada", 5)
    assert _check(fresh_store) == (Mark.GOOD, "5 of 20")
    take(fresh_store, sample, "Ben", 20)
    take(fresh_store, sample, "Eve", 20)
    assert _check(fresh_store) == (Mark.CAUTION, "45 of 60")


def test_who_reviewed_the_variants_is_not_counted_and_is_told_apart(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    sample = _sample(fresh_store)
    (slots, *_) = variants.current(fresh_store, sample).values()
    reviews.decide(fresh_store, sample, [slots[0]], Decision.ACCEPTED, "Ada")
    take(fresh_store, sample, " ada", 20)
    assert _check(fresh_store) is None
    take(fresh_store, sample, "Ben", 4)
    found = people.document(fresh_store, sample)
    assert (found["people"], found["n"], found["correct"]) == (1, 20, 4)
    assert [(one["person"], one["counted"], one["n"]) for one in found["sittings"]] == [
        ("ada", False, 20),
        ("Ben", True, 20),
    ]
    assert "worked on these texts" in found["sittings"][0]["why"]
    # Reading the texts afterwards takes nothing back.
    reviews.decide(fresh_store, sample, [slots[1]], Decision.ACCEPTED, "Ben")
    assert people.document(fresh_store, sample)["people"] == 1


def test_models_are_compared_over_the_same_texts(fresh_store: Store) -> None:
    sample = samples.save(fresh_store, small_sample(30))
    every = samples.load(fresh_store, sample).instances
    first = sittings.find(fresh_store, people.begin_sitting(fresh_store, sample, "Ada", 10))
    assert first is not None
    asked = {item.instance_id for item in first.items}
    quiz = freeze.freeze(fresh_store, sample, QuizKind.STANDARD, slot="D").quiz
    # Right on just the texts that the person is asked about, but for one without a usable reply.
    letters = ["D" if one.id in asked else "A" for one in every]
    letters[next(i for i, one in enumerate(every) if one.id in asked)] = "refused"
    answer_each(fresh_store, quiz, letters)
    turned = freeze.freeze(fresh_store, sample, QuizKind.ROTATED).quiz
    answer(fresh_store, turned, {"A": 120}, "other@http://127.0.0.1:9/v1")
    bare = freeze.freeze(fresh_store, sample, QuizKind.MODIFIED).quiz
    answer(fresh_store, bare, {"A": 30})
    take(fresh_store, sample, "Ada", 3, 10)
    done = sittings.find(fresh_store, first.id)
    assert done is not None
    models = people.compare_models(fresh_store, done, results.table(fresh_store))
    assert [(one.result.kind, one.found_words, one.kappa.n) for one in models] == [
        (QuizKind.STANDARD, "9 of 9", 9),
        (QuizKind.ROTATED, "10 of 40", 10),
    ]
    assert people.describe(done, models) == (
        "You found 3 of 10 (κ 0.07 [−0.19, 0.47]); of 2 models, tester did "
        "best: 9 of the 9 of these that it answered."
    )
    assert people.describe(done, models[1:]).endswith(
        "found 10 of 40 on the same texts, asked about four times each."
    )
    assert people.describe(done, []).endswith("; guessing finds one in four.")


def test_a_sample_is_asked_about_until_its_texts_are_used_up(fresh_store: Store) -> None:
    sample = samples.save(fresh_store, small_sample(12))
    sizes = []
    for size in (10, 20):
        found = sittings.find(fresh_store, take(fresh_store, sample, "Ada", 2, size))
        assert found is not None
        sizes.append(len(found.items))
    assert sizes == [10, 2]
    with pytest.raises(InputError, match="every instance"):
        people.begin_sitting(fresh_store, sample, "Ada", 20)
    assert people.document(fresh_store, sample)["instances"] == 12


def test_only_usable_variants_are_asked_about(fresh_store: Store) -> None:
    sample = samples.save(fresh_store, small_sample(3))
    ids = [one.id for one in samples.load(fresh_store, sample).instances]
    current = variants.current(fresh_store, sample)
    reviews.decide(fresh_store, sample, list(current[ids[0]].values()), Decision.REJECTED, "Eve")
    reviews.decide(fresh_store, sample, [current[ids[1]][0]], Decision.REJECTED, "Eve")
    found = sittings.find(fresh_store, people.begin_sitting(fresh_store, sample, "Ada", 20))
    assert found is not None
    assert {item.instance_id for item in found.items} == set(ids[1:])  # the third is undecided
    rejected = current[ids[1]][0].text
    assert all(rejected not in item.options for item in found.items)
    empty = samples.save(fresh_store, small_sample(2, key="lakes"))
    texts = variants.current(fresh_store, empty).values()
    every = [one for slots in texts for one in slots.values()]
    reviews.decide(fresh_store, empty, every, Decision.REJECTED, "Eve")
    with pytest.raises(InputError, match="No question can be built"):
        people.begin_sitting(fresh_store, empty, "Ada", 20)


def test_a_newcomer_gets_what_models_were_asked_about_if_anything(fresh_store: Store) -> None:
    name, sample = people.trial_quiz(fresh_store, [])
    assert (name, sample) == ("Control Reviews", "")
    sitting = sittings.find(fresh_store, people.begin_trial(fresh_store, sample, "Ada"))
    assert sitting is not None
    assert len(sitting.items) == 10
    name, sample = people.trial_quiz(fresh_store, [])
    assert sample == sitting.sample_id
    put(fresh_store, "own", SEEN, PartitionRole.CONTROL)  # not bundled
    assert people.trial_quiz(fresh_store, results.table(fresh_store))[1] == sample


def test_the_export_has_a_row_an_answer_and_none_of_an_unfinished_sitting(
    fresh_store: Store,
) -> None:
    sample = samples.save(fresh_store, small_sample(4))
    empty = export.frame(fresh_store, export.ExportTable.PEOPLE, sample)
    assert list(empty.columns)[:4] == ["sample", "partition", "sitting", "person"]
    people.begin_sitting(fresh_store, sample, "Cleo", 20)
    take(fresh_store, sample, "=Ada", 1)
    rows = export.frame(fresh_store, export.ExportTable.PEOPLE, sample[:6])
    assert len(rows) == 4
    assert rows["right"].sum() == 1
    assert set(rows["counted"]) == {True}
    for row in rows.to_dict("records"):
        shown = row[f"option_{row['original'].lower()}"]
        assert shown in {one.text for one in samples.load(fresh_store, sample).instances}
    assert b",'=Ada," in export.to_bytes(rows, ".csv")


def test_people_on_one_sample_are_no_line_of_another(fresh_store: Store) -> None:
    put(fresh_store, "rivers", SEEN)
    put(fresh_store, "lakes", SEEN)
    rivers = next(r.sample for r in results.table(fresh_store) if r.partition == "rivers/test")
    take(fresh_store, rivers, "Ada", 20)
    assert _check(fresh_store) == (Mark.CAUTION, "20 of 20")
    assert _check(fresh_store, "lakes") is None
    assert len(findings(fresh_store)) == 2
