from __future__ import annotations

import pytest

from dcq import settings
from dcq.errors import InputError
from dcq.models.endpoints import resolve
from dcq.quiz import freeze, preview
from dcq.quiz import results as counted
from dcq.records import PartitionRole, QuizKind, Severity, VariantFinding
from dcq.store import Store, quizzes, samples, variants
from dcq.store.variants import NewVariant
from dcq.variants import placebo, reword
from tests.conftest import small_sample
from tests.support.provider import FakeProvider
from tests.support.runs import take


def test_the_first_usable_variant_plays_the_original(fresh_store: Store, sample_id: str) -> None:
    source = samples.load(fresh_store, sample_id)
    first, second = source.instances[:2]
    bad = VariantFinding("label", Severity.ERROR, "The label was changed.")
    variants.add(
        fresh_store, sample_id, [NewVariant(first.id, 0, "spoilt", "person", findings=(bad,))]
    )
    made = placebo.make(fresh_store, sample_id)
    kept = samples.load(fresh_store, made.sample)
    usable = variants.usable_texts(fresh_store, sample_id)
    assert kept.instances[0].text == usable[first.id][1]
    assert kept.instances[1].text == usable[second.id][0]
    assert (made.instances, len(kept.instances)) == (6, 6)
    assert (kept.partition.id, kept.partition.role) == (
        "rivers-placebo/test",
        PartitionRole.CONTROL,
    )
    assert kept.partition.title == source.partition.title  # the prompt names the same dataset
    assert kept.instances[0].label == first.label
    assert not variants.current(fresh_store, made.sample)
    assert placebo.make(fresh_store, sample_id).sample == made.sample


async def test_a_placebo_is_reworded_quizzed_and_scored_as_a_control(
    fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    source = samples.load(fresh_store, sample_id)
    provider.seen = tuple(instance.text for instance in source.instances)
    made = placebo.make(fresh_store, sample_id)
    model = resolve("reword", settings.load())
    done = await reword.reword_sample(fresh_store, made.sample, model)
    assert (done.instances, done.variants, done.failed) == (6, 24, 0)
    for each in (sample_id, made.sample):
        await take(
            fresh_store, freeze.freeze(fresh_store, each, QuizKind.ROTATED).quiz, "knows-original"
        )
    by_role = {result.role: result for result in counted.table(fresh_store)}
    assert by_role[PartitionRole.TARGET].score == 1.0
    control = by_role[PartitionRole.CONTROL]
    assert control.n == 6
    assert control.score is not None
    assert control.score < 1.0  # it has seen the texts, and none of them is here
    assert control.title == "Rivers (placebo)"
    prompts = {str(body["messages"][0]["content"]).partition("\n")[0] for body in provider.bodies}
    assert sum("of the Rivers dataset" in first for first in prompts) == 1


def test_the_true_original_never_comes_back(fresh_store: Store, sample_id: str) -> None:
    made = placebo.make(fresh_store, sample_id)
    kept = samples.load(fresh_store, made.sample)
    true = [instance.text for instance in samples.load(fresh_store, sample_id).instances]
    texts = [["one", "two", "three", original] for original in true]
    variants.add(
        fresh_store,
        made.sample,
        [
            NewVariant(instance.id, slot, text, "person")
            for instance, four in zip(kept.instances, texts, strict=True)
            for slot, text in enumerate(four)
        ],
    )
    quiz = quizzes.load(fresh_store, freeze.freeze(fresh_store, made.sample, QuizKind.ROTATED).quiz)
    shown = {text for item in quiz.items for text in item.options}
    assert shown == {"one", "two", "three", *(instance.text for instance in kept.instances)}
    for kind in (QuizKind.MODIFIED, QuizKind.BDQ):  # these need a fourth text
        with pytest.raises(InputError, match="3 of 4 variants usable"):
            preview.preview(fresh_store, made.sample, kind)


def test_equal_variants_are_one_original(fresh_store: Store) -> None:
    drawn = small_sample(3)
    same = {instance.id: ("one and the same",) for instance in drawn.instances[:2]}
    sample = samples.save(
        fresh_store,
        type(drawn)(drawn.partition, drawn.instances, 3, 3, 0, stratified=False, variants=same),
    )
    made = placebo.make(fresh_store, sample)
    assert made.instances == 1
    assert "2 of 3 instances" in made.notes[1]


def test_what_cannot_become_a_placebo(fresh_store: Store, sample_id: str) -> None:
    made = placebo.make(fresh_store, sample_id)
    with pytest.raises(InputError, match="is a placebo already"):
        placebo.make(fresh_store, made.sample)
    drawn = small_sample(3)
    bare = type(drawn)(drawn.partition, drawn.instances, 3, 3, 0, stratified=False)
    with pytest.raises(InputError, match="python -m dcq perturb"):
        placebo.make(fresh_store, samples.save(fresh_store, bare))
