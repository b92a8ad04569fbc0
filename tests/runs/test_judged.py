from dataclasses import replace

import pytest

from dcq.evidence.verdict import Ruling
from dcq.records import Kind, Role
from dcq.runs import freeze
from dcq.runs.judged import judge
from dcq.runs.results import table
from dcq.store import Store, samples, variants
from dcq.store.variants import NewVariant
from tests.conftest import small_sample
from tests.runs.conftest import take
from tests.support.provider import Provider


async def _ask(store: Store, key: str, role: Role, kind: Kind, model: str, n: int = 40) -> None:
    sample_id = samples.save(store, small_sample(n, key=key, role=role))
    slot = "D" if kind is Kind.STANDARD else None
    await take(store, freeze.freeze(store, sample_id, kind, slot=slot).quiz, model)


@pytest.mark.parametrize("kind", [Kind.STANDARD, Kind.ROTATED])
@pytest.mark.parametrize("controls", [1, 3])
async def test_what_unseen_text_scores_too_is_no_contamination(
    fresh_store: Store, provider: Provider, kind: Kind, controls: int
) -> None:
    # A lover of D finds every original at D, seen or unseen: by the paper's rule all contaminated.
    for number in range(controls):
        await _ask(fresh_store, f"unseen-{number}", Role.CONTROL, kind, "always-d")
    await _ask(fresh_store, "rivers", Role.TARGET, kind, "always-d")
    judged = {j.result.partition: j for j in judge(fresh_store, table(fresh_store))}
    target = judged["rivers/test"]
    assert target.calibration is not None
    assert target.calibration.controls == controls
    assert target.verdict is not None
    assert target.verdict.ruling is not Ruling.CONTAMINATED
    assert target.calibration.p_value > 0.05
    assert judged["unseen-0/test"].verdict is None


async def test_memory_of_the_target_alone_is_contamination(
    fresh_store: Store, provider: Provider
) -> None:
    for number in range(3):
        await _ask(fresh_store, f"unseen-{number}", Role.CONTROL, Kind.ROTATED, "knows-original")
    target = small_sample(40, key="rivers")
    provider.seen = tuple(i.text for i in target.instances)
    await _ask(fresh_store, "rivers", Role.TARGET, Kind.ROTATED, "knows-original")
    [verdict] = [j.verdict for j in judge(fresh_store, table(fresh_store)) if j.verdict]
    assert "leaky" not in " ".join(verdict.reasons)
    assert verdict.ruling is Ruling.CONTAMINATED


async def test_controls_of_another_model_or_slot_are_not_used(
    fresh_store: Store, provider: Provider
) -> None:
    await _ask(fresh_store, "unseen", Role.CONTROL, Kind.STANDARD, "always-a")
    await _ask(fresh_store, "rivers", Role.TARGET, Kind.STANDARD, "always-d")
    [found] = [j for j in judge(fresh_store, table(fresh_store)) if j.verdict]
    assert found.calibration is None
    assert found.verdict is not None
    assert found.verdict.ruling is Ruling.INCONCLUSIVE
    assert "control" in " ".join(found.verdict.reasons)


async def test_a_leaky_quiz_is_named_in_the_result(fresh_store: Store, provider: Provider) -> None:
    sample = small_sample(40)
    longer = {i: tuple(f"{t} and cold" for t in texts) for i, texts in sample.variants.items()}
    sample_id = samples.save(fresh_store, replace(sample, variants=longer))
    await take(fresh_store, freeze.freeze(fresh_store, sample_id, Kind.ROTATED).quiz, "always-a")
    [found] = judge(fresh_store, table(fresh_store))
    assert found.verdict is not None
    assert "leaky" in " ".join(found.verdict.reasons)


async def test_a_control_by_another_writer_is_no_fair_yardstick(
    fresh_store: Store, provider: Provider
) -> None:
    for number in range(3):
        await _ask(fresh_store, f"unseen-{number}", Role.CONTROL, Kind.ROTATED, "knows-original")
    target = small_sample(40, key="brooks")
    provider.seen = tuple(i.text for i in target.instances)
    sample_id = samples.save(fresh_store, replace(target, variants={}))
    variants.add(
        fresh_store,
        sample_id,
        [
            NewVariant(instance, slot, text, "offline")
            for instance, texts in target.variants.items()
            for slot, text in enumerate(texts)
        ],
    )
    quiz = freeze.freeze(fresh_store, sample_id, Kind.ROTATED).quiz
    await take(fresh_store, quiz, "knows-original")
    [found] = [j for j in judge(fresh_store, table(fresh_store)) if j.verdict]
    assert found.verdict is not None
    assert found.verdict.ruling is Ruling.INCONCLUSIVE
    assert "another writer (the offline generator)" in " ".join(found.verdict.reasons)
